"""The notes of a release, written from the comparison with the one before, and the version number that the changes ask for."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from typing import Any

from stages.core.errors import UserError
from stages.publish.card import table
from stages.publish.compare import Change, Diff
from stages.publish.effects import Effect
from stages.publish.remote import version_of

_LEVELS = ("major", "minor", "patch")
_MOST = 60


def next_version(before: str, level: str) -> str:
    """The smallest version after `before` for changes of `level`."""
    numbers = list(version_of(before))
    place = _LEVELS.index(level)
    return ".".join(map(str, [*numbers[:place], numbers[place] + 1, *[0] * (2 - place)]))


def check_version(name: str, version: str, before: str, diff: Diff) -> None:
    """Raise UserError unless `version` says what the changes since `before` mean for whoever uses the data."""
    needed = next_version(before, diff.level())
    if version_of(version) < version_of(needed):
        raise UserError(
            f"{name} has {diff.level()} changes since {before.removeprefix('v')}, so it cannot be released as {version}; set releases.{name}.version "
            f"in conf/release/{name}.yaml to {needed} and build it again (`python -m stages.publish.diff {name}` shows the changes)."
        )


def summary(diff: Diff) -> str:
    """One line."""
    counts = Counter(change.kind for change in diff.changes)
    audio = sum(change.audio for change in diff.of("changed"))
    parts = [f"{counts[kind]} rows {kind}" for kind in ("added", "removed", "changed") if counts[kind]]
    if counts["changed"]:
        parts[-1] += f" (audio of {audio})"
    parts += [f"config {name} added" for name in diff.configs_added] + [f"config {name} removed" for name in diff.configs_removed]
    parts += [f"columns of {name} changed" for name in diff.columns]
    if diff.told:
        parts.append(f"provenance alone of {len(diff.told)} rows changed")
    return ", ".join(parts) or "no row changed"


def write(title: str, version: str, diff: Diff | None, effects: Sequence[Effect], files: Sequence[str]) -> str:
    """Markdown. `diff` is None for a first release; `files` are paths that changed beside the data."""
    text = f"# {title} {version}\n"
    if diff is None:
        return text + "\nThe first release.\n"
    text += f"\nSince {diff.before.removeprefix('v')}: {summary(diff)}. This is a {diff.level()} release"
    meaning = {"major": "code that names a config or column may have to change", "minor": "scores can move", "patch": "scores do not move"}
    text += f": {meaning[diff.level()]}.\n"
    for config, (old, new) in diff.columns.items():
        text += f"\nColumns of `{config}`: {', '.join(old)} → {', '.join(new)}.\n"
    for kind in ("removed", "added", "changed"):
        if changes := diff.of(kind):
            text += f"\n## {kind.capitalize()} ({len(changes)})\n\n" + _changes(kind, changes)
    if effects:
        header = ["scores", "items", "before", "after", "difference", "to be scored again"]
        rows = [
            [effect.name, effect.n, f"{effect.before:.2f}", _number(effect.after), _number(effect.difference), effect.stale] for effect in effects
        ]
        text += "\n## Effect on stored scores\n\n" + table(header, rows) + "\n\nThe score after leaves out removed and changed items.\n"
    others = [path for path in files if not path.endswith(".parquet")]
    if others:
        text += "\n## Other files\n\n" + "\n".join(f"- `{path}`" for path in others) + "\n"
    return text


def _number(value: float | None) -> str:
    return "-" if value is None else f"{value:.2f}"


def _changes(kind: str, changes: Sequence[Change]) -> str:
    reasons = Counter((change.config, change.reason.split(":")[0]) for change in changes)
    text = table(["config", "because of", "rows"], [[f"`{config}`", why, count] for (config, why), count in sorted(reasons.items())]) + "\n\n"
    shown = list(changes[:_MOST])
    if kind == "changed":
        rows = [[f"`{c.id}`", _fields(c), "changed" if c.audio else "same", c.reason] for c in shown]
        text += table(["id", "fields", "audio", "why"], rows)
    else:
        text += table(["id", "why"], [[f"`{change.id}`", change.reason] for change in shown])
    rest = len(changes) - len(shown)
    return text + (f"\n\nand {rest} more; `provenance/` has them all." if rest else "") + "\n"


def _fields(change: Change) -> str:
    return "; ".join(f"{name}: {_short(old)} → {_short(new)}" for name, (old, new) in change.fields.items()) or "-"


def _short(value: Any, most: int = 80) -> str:
    text = " ".join(str(value).split())
    return text if len(text) <= most else f"{text[: most - 1]}…"
