"""The `decided` part of a rulebook: what the loop made of people's answers, kept at the end of the file.

The part is written as a whole, so that it always says what the decisions say. Decided rules of items that are not among the present
ones (another profile's, another corpus's) stay.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

from stages.core.errors import UserError
from stages.core.files import write_text

_HEAD = """\
# ---------------------------------------------------------------- what people decided
# Written by `python -m stages.review.loop write=true` from data/decisions/hypertranslation/. An item is told by a digest of its source text.
"""
_KEY = "decided:"


def held(path: Path) -> list[dict[str, Any]]:
    """The decided rules that the rulebook holds. Raises UserError for a file that cannot be read."""
    import yaml

    try:
        tree = yaml.load(path.read_text(encoding="utf-8"), Loader=getattr(yaml, "CSafeLoader", yaml.SafeLoader))
    except (OSError, yaml.YAMLError) as error:
        raise UserError(f"Cannot read the rulebook {path} ({' '.join(str(error).split())}); correct it there.") from None
    return list((tree.get("decided") or {}).get("rules") or [])


def merged(old: list[dict[str, Any]], new: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """`new`, and those of `old` that are about other items."""
    about = {digest for rule in new for digest in rule["when"]["items"]}
    return sorted([*new, *(rule for rule in old if not about & set(rule["when"]["items"]))], key=lambda rule: str(rule["id"]))


def write(path: Path, rules: list[dict[str, Any]]) -> None:
    """Put `rules` in the place of the file's decided part. Raises UserError where that part is not the last one."""
    import yaml

    text = path.read_text(encoding="utf-8")
    before, found, after = text.partition(f"\n{_KEY}")
    if found and any(line and not line[0].isspace() for line in after.splitlines()[1:]):
        raise UserError(f"The part `decided` of {path} is not its last one; move it to the end of the file.")
    head = before.removesuffix(_HEAD.rstrip("\n")).rstrip() if found else text.rstrip()
    block: str = yaml.safe_dump({"title": "Decisions of people", "rules": rules}, allow_unicode=True, sort_keys=False, width=150)
    indented = "".join(f"  {line}" if line.strip() else line for line in block.splitlines(keepends=True))
    write_text(path, f"{head}\n\n{_HEAD}{_KEY}\n{indented}")


def told(path: Path, rules: list[dict[str, Any]], writing: bool) -> list[str]:
    """Write the rules if `writing`; say how the rulebook stands to the decisions, as lines."""
    old = held(path)
    new = merged(old, rules)
    if new == old:
        return [f"\nThe rulebook holds the {len(rules)} rules that were decided." if rules else "\nNothing was decided that needs a rule."]
    changed = sorted({str(rule["id"]) for rule in [*old, *new] if rule not in old or rule not in new})
    if not writing:
        return [f"\nThe rulebook does not hold what was decided ({', '.join(changed)}); put it there with write=true, then `dvc repro`."]
    write(path, new)
    return [f"\n{path.name} has {len(new)} decided rules now; changed: {', '.join(changed)}. `dvc repro` carries the items over by them."]
