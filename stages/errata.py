"""Report a wrong item of a release, with what was decided on it; the build carries it out where it belongs.

    python -m stages.errata trivia_qa-00005 answer=Paris reason="the capital, not the river" reporter=kim
    python -m stages.errata bbh-test-00005 reject reason="two options are right" reporter=kim
    python -m stages.errata bbh-test-00005 accept reason="it is right as it is" reporter=kim      takes a decision back
    python -m stages.errata                                                                       what is decided so far

A column is one of the release (answer, transcription, ...) or of the row (target_prompt, spoken, ...). The decision becomes a
line of data/decisions/errata/<reporter>.jsonl, which is committed. `dvc repro` then runs the one stage of the one subset that
makes the column, and what comes after it: a changed answer speaks nothing again, a changed question one clip.
`python -m stages.publish.diff` shows the effect and the version to release it as; the notes of the release name it.
"""

from __future__ import annotations

import getpass
import sys
from pathlib import Path
from typing import Any

import orjson

from stages import compose
from stages.core import errata, files, ledger
from stages.core.app import exiting, read_config
from stages.core.errors import UserError, nearest
from stages.core.files import Row
from stages.core.paths import ROOT
from stages.publish.release import ReleaseSettings as Release
from stages.review import decisions

_USAGE = 'python -m stages.errata takes an item id, `reject`, `accept` or column=value pairs, reason="..." and reporter=NAME'


def released(id: str, root: Path) -> tuple[str, Row, list[Release]]:
    """(subset, row, the releases that have it) of a released item. Raises UserError when no build has it, saying where it went."""
    found: dict[str, tuple[Row, list[Release]]] = {}
    stem = id.rpartition("-")[0]
    configs = set()
    for values in read_config("releases", root).values():
        release = Release.model_validate(values)
        for subset, part in release.subsets.items():
            configs.add(part.config)
            path = root / "data" / release.stages[-1] / subset / "rows.jsonl"
            if part.config != stem or not path.exists():
                continue
            row = next((row for row in files.read_jsonl(path) if row["id"] == id), None)
            if row is not None:
                found.setdefault(subset, (row, []))[1].append(release)
    if found:
        [(subset, (row, releases)), *_] = found.items()
        return subset, row, releases
    item = ledger.find(root, id)
    if item is not None and item.reason is not None:
        raise UserError(f"{id} is not released: {item.stage} rejected it ({item.reason}: {item.detail}); there is nothing to put right.")
    raise UserError(f"No release that is built here has the item {id!r}.{nearest(stem, configs)} Ids look like <config>-00012.")


def columns(given: dict[str, str], row: Row, release: Release) -> dict[str, str]:
    """Columns of the row for columns as a reader of the release names them."""
    edit: dict[str, str] = {}
    for name, value in given.items():
        made = release.listed().get(name, name)
        if made == "@answer" and row["format"] == "short_answer" and value.startswith("["):
            edit |= {"target_answers": value, "target_answer": _first(value)}
        elif made == "@answer":
            edit["target_answer"] = value
        elif made.startswith("@") or made in ("id", "licence", "source"):
            raise UserError(f"The column {name!r} of {row['id']} is not decided on here; reject the item instead, or correct the build.")
        elif made not in row:
            raise UserError(f"{row['id']} has no column {name!r}.{nearest(name, [*release.listed(), *row])}")
        else:
            edit[made] = value
    return edit


def _first(value: str) -> str:
    try:
        return str(orjson.loads(value)[0])
    except (orjson.JSONDecodeError, IndexError, TypeError):
        raise UserError(f"answer={value} is not a JSON array of accepted answers, the preferred one first.") from None


def report(arguments: list[str], root: Path) -> None:
    """Record one decision, after it has been tried on the configuration."""
    id, given = arguments[0], dict(argument.partition("=")[::2] for argument in arguments[1:] if "=" in argument)
    words = [argument for argument in arguments[1:] if "=" not in argument]
    reason, reporter = given.pop("reason", ""), given.pop("reporter", "")
    if (len(words), bool(given)) not in ((1, False), (0, True)) or words not in ([], ["reject"], ["accept"]):
        raise UserError(f"{_USAGE}.")
    if not reason or not reporter:
        raise UserError(f"An erratum needs a reason and a reporter, which stand in the notes of the release: {_USAGE}.")
    if reporter.casefold() == _machine_user():
        raise UserError(f"reporter={reporter} is the name of this machine's user, which no release may hold; choose another name.")
    subset, row, releases = released(id, root)
    edit = columns(given, row, releases[0])
    errata.edited(row, edit)  # says what is not of the column's kind
    verdict = words[0] if words else "edit"
    before = decisions.append(root, errata.TOPIC, reporter, errata.queue_id(subset, id), verdict, edit=edit, reason=reason)
    print(
        f"recorded in {decisions.path(Path(), errata.TOPIC, before.reviewer)}: {verdict} {id}"
        + "".join(f"\n  {k}: {row[k]} -> {v}" for k, v in edit.items())
    )
    stages, names = touched(root, subset, id)
    if stages:
        print(f"`dvc repro` will run {', '.join(f'{stage}@{subset}' for stage in stages)}, and what comes after.")
    where = ", ".join(names or [release.name for release in releases])
    print(f"It is released in {where}; `python -m stages.publish.diff <release>` tells the next version.")


def touched(root: Path, subset: str, id: str) -> tuple[list[str], list[str]]:
    """(stages of the subset, releases) whose configuration the decision changes."""
    config = files.read_json(root / "data/config.json")
    values: dict[str, Any] = config["subsets"].get(subset, {})
    for stage in values.values():
        if isinstance(stage, dict):
            stage.pop(errata.KEY, None)
    compose.enter_errata(config, root)
    stages = [name for name, stage in values.items() if isinstance(stage, dict) and id in stage.get(errata.KEY, {})]
    return stages, [name for name, release in config["releases"].items() if id in release.get(errata.KEY, {})]


def _machine_user() -> str:
    try:
        return getpass.getuser().casefold()
    except (KeyError, OSError):
        return ""


def main(arguments: list[str], root: Path = ROOT) -> None:
    if not arguments:
        found = errata.decided(root)
        for (subset, id), verdict in sorted(found.items()):
            print(f"{id} ({subset}): {errata.note(verdict)}")
        print(f"{len(found)} errata are decided." if found else "No errata are decided.")
    else:
        report(arguments, root)


if __name__ == "__main__":
    exiting(lambda: main(sys.argv[1:]))
