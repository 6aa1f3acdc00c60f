"""Reading again what has been read: two rounds of changes as one, with spans of the first text.

A reading can bring together what a rule then sees as one (kg33 leaves kg before Hangul). The reader goes on until nothing
changes; the changes of all rounds are reported as if there had been one.
"""

from __future__ import annotations

from stages.languages.base import Change


def compose(text: str, first: tuple[Change, ...], middle: str, second: tuple[Change, ...]) -> tuple[Change, ...]:
    """The changes from `text` to what `second` makes of `middle`, where `first` makes `middle` of `text`."""
    regions: list[tuple[int, int, Change | None, Change | None]] = []
    shift = 0
    for change in first:
        start = change.start + shift
        regions.append((start, start + len(change.after), change, None))
        shift += len(change.after) - (change.end - change.start)
    regions += [(change.start, change.end, None, change) for change in second]
    regions.sort(key=lambda region: (region[0], region[1]))
    composed: list[Change] = []
    at = shift = 0
    while at < len(regions):
        start, end = regions[at][:2]
        group = [regions[at]]
        at += 1
        while at < len(regions) and (regions[at][0] < end or (regions[at][0] == end and (regions[at][2] is None) != (group[-1][2] is None))):
            end = max(end, regions[at][1])
            group.append(regions[at])
            at += 1
        growth = sum(len(change.after) - (change.end - change.start) for *_, change, _ in group if change is not None)
        composed.append(_merged(text, middle, start, end, group, (start - shift, end - shift - growth)))
        shift += growth
    return tuple(composed)


def _merged(
    text: str, middle: str, start: int, end: int, group: list[tuple[int, int, Change | None, Change | None]], span: tuple[int, int]
) -> Change:
    """One change for a group of changes that touch: `start` to `end` of `middle`, which is `span` of `text`."""
    inner = [change for *_, change in group if change is not None]
    if not inner and len(group) == 1 and group[0][2] is not None:
        return group[0][2]
    after = middle[start:end]
    for change in reversed(inner):
        after = after[: change.start - start] + change.after + after[change.end - start :]
    rule_id = inner[-1].rule_id if inner else next(change.rule_id for *_, change, _ in group if change is not None)
    return Change(*span, rule_id, text[span[0] : span[1]], after)
