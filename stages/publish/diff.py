"""What the build would change in what is published, item by item, before anything is sent.

    python -m stages.publish.diff KVoiceBench                     against the last release on the Hub
    python -m stages.publish.diff KVoiceBench against=v1.0.0      against a tag, branch or commit there
    python -m stages.publish.diff KVoiceBench against=PATH        against a release in a folder
    python -m stages.publish.diff KVoiceBench --json              for a program

Rows added and removed with the reason, changed fields before and after, audio changed or not, the effect on stored scores,
and the version number that the changes ask for.
"""

from __future__ import annotations

import sys
from dataclasses import asdict
from pathlib import Path
from typing import Any

import orjson

from stages.core.app import exiting
from stages.core.errors import UserError
from stages.core.paths import ROOT
from stages.publish import compare, effects, notes, remote
from stages.publish.compare import Diff, Release
from stages.publish.effects import Effect
from stages.publish.folder import load_settings
from stages.publish.place import Place, arguments_of
from stages.publish.release import ReleaseSettings

KEYS = ("against", "repo")


def published(chosen: ReleaseSettings, given: dict[str, str]) -> Release:
    """The release to compare with. Raises UserError when there is none."""
    against = given.get("against", "")
    if against and Path(against).is_dir():
        return compare.from_folder(Path(against))
    api = remote.connect()
    repo_id = Place.of(chosen, given).repo_id(api, chosen.name)
    repository = remote.read(api, repo_id)
    if not repository.exists:
        raise UserError(f"There is no dataset {repo_id} on the Hub (or the token may not read it), so there is nothing to compare with.")
    name = against or repository.last_release() or "main"
    commit = repository.tags.get(name) or (repository.head if name == "main" else name)
    if commit is None:
        raise UserError(f"{repo_id} has no commit to compare with.")
    return compare.from_hub(api, repo_id, commit, name, list(remote.files(api, repo_id, commit)))


def show(diff: Diff, found: list[Effect], chosen: ReleaseSettings) -> None:
    if not (diff.changes or diff.told or diff.columns or diff.configs_added or diff.configs_removed):
        print(f"No row differs from {diff.before}.")
        return
    print(notes.write(chosen.title, chosen.version, diff, found, []))
    if remote.VERSION_TAG.fullmatch(diff.before):
        print(f"These changes ask for version {notes.next_version(diff.before, diff.level())} or later; the build says {chosen.version}.")


def main(arguments: list[str], root: Path = ROOT) -> None:
    name, given, flags = arguments_of(arguments, "stages.publish.diff", KEYS, ("--json",))
    chosen = load_settings(name, root)
    after = compare.from_folder(root / "data" / "publish" / name)
    before = published(chosen, given)
    diff = compare.compare(before, after)
    diff.after = chosen.version
    found = effects.measure(root, before, diff, chosen.language)
    if "--json" in flags:
        facts: dict[str, Any] = {**asdict(diff), "level": diff.level(), "effects": [asdict(effect) for effect in found]}
        sys.stdout.buffer.write(orjson.dumps(facts, option=orjson.OPT_INDENT_2 | orjson.OPT_SORT_KEYS | orjson.OPT_APPEND_NEWLINE))
    else:
        show(diff, found, chosen)


if __name__ == "__main__":
    exiting(lambda: main(sys.argv[1:]))
