"""Publish a release to the Hub: one commit, one tag, everything checked before anything is sent.

    python -m stages.publish.hub KVoiceBench --dry-run                 prints exactly what would change, changes nothing
    python -m stages.publish.hub KVoiceBench                           where conf/hub says (params.yaml: `hub: private`)
    python -m stages.publish.hub KVoiceBench repo=OWNER/KVoiceBench private=true gated=manual

HF_ENDPOINT and HF_TOKEN come from the environment. The build in data/publish/<name> is compared with what is there, file by
file; large files are uploaded first (those that the Hub has already are not sent again, so a killed run goes on where it
stopped), then one commit on the expected parent makes all of it visible at once, is read back, and tagged v<version>. What is
published already makes no commit. A release that exists is never changed: other content needs another version. What others
committed since the last release, or hold there without one, is not undone unless `replace=true` says so.
"""

from __future__ import annotations

import hashlib
import sys
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

from stages.core.app import exiting
from stages.core.errors import UserError
from stages.core.paths import ROOT
from stages.core.progress import Progress
from stages.publish import compare, effects, gate, notes, remote
from stages.publish.compare import Diff
from stages.publish.folder import load_settings
from stages.publish.place import Place, arguments_of
from stages.publish.problems import refuse
from stages.publish.release import ReleaseSettings
from stages.publish.remote import Blob, Repository

if TYPE_CHECKING:
    from huggingface_hub import CommitOperationAdd, CommitOperationDelete, HfApi

_KEPT = (".gitattributes", "releases/")
"""What a commit leaves as it is: the Hub's own file, and the notes of earlier releases."""
_AT_ONCE = 4
KEYS = ("repo", "private", "gated", "dry_run", "replace")


@dataclass(frozen=True)
class Local:
    """A file of the build, or its content where it is made here."""

    size: int
    sha256: str
    git_id: str
    content: Path | bytes

    def same(self, blob: Blob) -> bool:
        return blob.sha256 == self.sha256 if blob.sha256 else blob.git_id == self.git_id


@dataclass
class Plan:
    """What publishing would change."""

    repository: Repository
    place: Place
    tag: str
    add: dict[str, Local] = field(default_factory=dict)
    change: dict[str, Local] = field(default_factory=dict)
    delete: list[str] = field(default_factory=list)
    drifted: list[str] = field(default_factory=list)
    """Of a version that is published already: the files that others changed on the branch main since."""
    diff: Diff | None = None
    notes: str = ""

    @property
    def sends(self) -> dict[str, Local]:
        return self.add | self.change

    def lines(self) -> Iterator[str]:
        """Exactly what would be done, for a person."""
        repository, place = self.repository, self.place
        terms = f"{'private' if place.private else 'public'}, gated: {place.gated or 'no'}"
        if not repository.exists:
            yield f"create the dataset {repository.id} ({terms})"
        elif settings := _settings(repository, place):
            yield f"set {', '.join(f'{name} to {value}' for name, value in settings.items())} of {repository.id}"
        for word, files in (("add", self.add), ("change", self.change)):
            yield from (f"{word} {path} ({file.size:,} bytes)" for path, file in sorted(files.items()))
        yield from (f"delete {path}" for path in self.delete)
        if self.sends or self.delete:
            size = sum(file.size for file in self.sends.values())
            parent = f" on {repository.head[:12]}" if repository.head else ""
            yield f"make one commit{parent}: {len(self.add)} files added, {len(self.change)} changed, {len(self.delete)} deleted, {size:,} bytes"
        if self.diff is not None:
            yield f"rows since {self.diff.before}: {notes.summary(self.diff)}"
        if self.tag not in repository.tags:
            yield f"tag it {self.tag}"


def plan(chosen: ReleaseSettings, folder: Path, place: Place, api: HfApi, root: Path, replace: bool = False) -> Plan:
    """Compare the build with the Hub; nothing is sent. Raises UserError when the build may not be published as it is.

    `replace` permits that changes of others are undone.
    """
    if not (folder / "README.md").is_file():
        raise UserError(f"{folder} does not exist; build the release first: `dvc repro publish@{chosen.name}`.")
    if not any(folder.glob("*/*.parquet")):
        raise UserError(f"{chosen.name} has no row, since every item was rejected (provenance/*-rejected.jsonl tells why); nothing was sent.")
    refuse(chosen.name, gate.problems(folder, chosen))
    repository = remote.read(api, place.repo_id(api, chosen.name))
    found = Plan(repository, place, f"v{chosen.version}")
    local = dict(_local(folder))
    if found.tag in repository.tags:
        _check_same(chosen, folder, local, found, api)
        return found
    there = remote.files(api, repository.id, repository.head) if repository.head else {}
    last = repository.last_release()
    measured: list[effects.Effect] = []
    released: dict[str, Blob] = {}
    if last is not None:
        commit = repository.tags[last]
        released = remote.files(api, repository.id, commit)
        before = compare.from_hub(api, repository.id, commit, last, list(released))
        found.diff = compare.compare(before, compare.from_folder(folder))
        notes.check_version(chosen.name, chosen.version, last, found.diff)
        measured = effects.measure(root, before, found.diff, chosen.language)
    differing = sorted(path for path, file in local.items() if path not in there or not file.same(there[path]))
    found.notes = notes.write(chosen.title, chosen.version, found.diff, measured, differing if last else [])
    local[f"releases/{found.tag}.md"] = _made(found.notes.encode())
    for path, file in local.items():
        if path not in there:
            found.add[path] = file
        elif not file.same(there[path]):
            found.change[path] = file
    found.delete = sorted(path for path in there if path not in local and not path.startswith(_KEPT))
    if not replace:
        _check_others(found, there, released)
    return found


def _check_others(found: Plan, there: dict[str, Blob], released: dict[str, Blob]) -> None:
    """Raise UserError when the commit would undo what others did: they changed, added or deleted a file, and the build wants it otherwise."""
    touched = [*found.change, *found.delete, *(path for path in found.add if path in released)]
    if undone := sorted(path for path in touched if there.get(path) != released.get(path)):
        last = found.repository.last_release()
        what = f"was changed since {last}" if last else "holds files of no release of ours"
        raise UserError(
            f"{found.repository.id} {what}, and publishing would undo that in {len(undone)} files, such as {undone[0]}; nothing was sent: look at "
            "it, take into the build what is to stay, then repeat with replace=true (and --dry-run to see what would go)."
        )


def _check_same(chosen: ReleaseSettings, folder: Path, local: dict[str, Local], found: Plan, api: HfApi) -> None:
    """A version that is published already: the build must be what it is, whatever was committed since."""
    repository = found.repository
    commit = repository.tags[found.tag]
    there = {path: blob for path, blob in remote.files(api, repository.id, commit).items() if not path.startswith(_KEPT)}
    differing = sorted(path for path in there.keys() | local.keys() if path not in there or path not in local or not local[path].same(there[path]))
    if differing:
        diff = compare.compare(compare.from_hub(api, repository.id, commit, found.tag, list(there)), compare.from_folder(folder))
        last = repository.last_release() or found.tag
        raise UserError(
            f"{repository.id} has published {chosen.version} already with other content ({notes.summary(diff)}; {len(differing)} files "
            f"differ, such as {differing[0]}), and a release is never changed; set releases.{chosen.name}.version to "
            f"{notes.next_version(last, diff.level())} in conf/release/{chosen.name}.yaml and build it again."
        )
    if repository.head and repository.head != commit and found.tag == repository.last_release():
        now = {path: blob for path, blob in remote.files(api, repository.id, repository.head).items() if not path.startswith(_KEPT)}
        found.drifted = sorted(path for path in there.keys() | now.keys() if there.get(path) != now.get(path))


def publish(found: Plan, api: HfApi, title: str) -> list[str]:
    """Do what the plan says. Returns what was done, in words; nothing when there was nothing to do.

    Raises UserError when the Hub refuses or stays out of reach; what readers see is then what it was before.
    """
    repository, place, done = found.repository, found.place, []
    if not repository.exists:
        # A gated dataset is closed until its gate stands.
        private = place.private or bool(place.gated)
        remote.patiently(f"create {repository.id}", lambda: api.create_repo(repository.id, repo_type="dataset", private=private, exist_ok=True))
        fresh = remote.read(api, repository.id)
        repository.exists, repository.head, repository.private, repository.gated = True, fresh.head, private, False
        there = remote.files(api, repository.id, fresh.head) if fresh.head else {}
        found.delete = sorted(path for path in there if path not in found.sends and not path.startswith(_KEPT))
        done.append(f"created {repository.id}")
    if closing := _closing(repository, place):
        done += _settle(api, repository, closing)
    commit = repository.head
    if found.sends or found.delete:
        commit = _commit(found, api, title)
        done.append(f"committed {commit[:12]} with {len(found.sends)} files sent and {len(found.delete)} deleted")
    if found.tag not in repository.tags:
        assert commit is not None
        remote.tag(api, repository.id, found.tag, commit, notes.summary(found.diff) if found.diff else "The first release.")
        done.append(f"tagged {found.tag}")
    if settings := _settings(repository, place):
        done += _settle(api, repository, settings)
    return done


def _settings(repository: Repository, place: Place) -> dict[str, Any]:
    """What of the repository's settings is not as configured. A repository that exists is opened to the public, or closed, like any other change."""
    wanted: dict[str, Any] = {"private": place.private, "gated": place.gated}
    known = {name: getattr(repository, name) for name in wanted}
    return {name: value for name, value in wanted.items() if known[name] is not None and known[name] != value}


def _closing(repository: Repository, place: Place) -> dict[str, Any]:
    """Those of the settings that shut readers out: they go before the commit, so that nobody reads what is not for him. The others come last."""
    strict = (False, "auto", "manual")
    wanted = _settings(repository, place)
    tighter = "gated" in wanted and strict.index(wanted["gated"]) > strict.index(repository.gated or False)
    return {name: value for name, value in wanted.items() if (tighter if name == "gated" else value)}


def _settle(api: HfApi, repository: Repository, settings: dict[str, Any]) -> list[str]:
    remote.patiently(f"change the settings of {repository.id}", lambda: api.update_repo_settings(repository.id, repo_type="dataset", **settings))
    for name, value in settings.items():
        setattr(repository, name, value)
    return [f"set {name} to {value}" for name, value in settings.items()]


def _commit(found: Plan, api: HfApi, title: str) -> str:
    """Upload, then commit once on the parent that was compared with. Returns the commit, read back and compared."""
    from huggingface_hub import CommitOperationAdd, CommitOperationDelete

    repository, parent = found.repository, found.repository.head
    additions = [CommitOperationAdd(path, str(f.content) if isinstance(f.content, Path) else f.content) for path, f in sorted(found.sends.items())]
    with Progress(f"publish {repository.id}").task("files", len(additions)) as task:
        for start in range(0, len(additions), _AT_ONCE):
            some = additions[start : start + _AT_ONCE]
            remote.patiently("take the files", lambda some=some: _upload(api, repository.id, some))  # type: ignore[misc]
            task.advance(len(some))
    operations: list[CommitOperationAdd | CommitOperationDelete] = [*additions, *(CommitOperationDelete(path) for path in found.delete)]
    message = f"{title} {found.tag.removeprefix('v')}"
    for attempt in range(1, remote.ATTEMPTS + 1):
        try:
            made = api.create_commit(
                repository.id, operations, commit_message=message, commit_description=found.notes, repo_type="dataset", parent_commit=parent
            )
            commit = str(made.oid)
            break
        except Exception as error:
            # A commit whose answer was lost may have been made: look before trying again.
            commit = _made_meanwhile(found, api, parent)
            if commit:
                break
            status, pause = remote.transient(error)
            if status is None or attempt == remote.ATTEMPTS:
                raise remote.sentence("take the commit", error) from None
            remote.pause_before(attempt, pause)
    if wrong := _differing(found, api, commit):
        raise UserError(f"{repository.id} holds other content than was sent for {wrong[0]} (commit {commit[:12]}, not tagged); run again.")
    return commit


def _upload(api: HfApi, repo_id: str, additions: list[CommitOperationAdd]) -> None:
    api.preupload_lfs_files(repo_id, additions, repo_type="dataset", free_memory=False)


def _made_meanwhile(found: Plan, api: HfApi, parent: str | None) -> str:
    """The commit on main when it is a new one with just what was planned; else the empty string."""
    now = remote.read(api, found.repository.id).head
    return now if now and now != parent and not _differing(found, api, now) else ""


def _differing(found: Plan, api: HfApi, commit: str) -> list[str]:
    there = remote.files(api, found.repository.id, commit)
    wrong = [path for path, file in found.sends.items() if path not in there or not file.same(there[path])]
    return sorted([*wrong, *(path for path in found.delete if path in there)])


def _local(folder: Path) -> Iterator[tuple[str, Local]]:
    for path in sorted(path for path in folder.rglob("*") if path.is_file()):
        size = path.stat().st_size
        sha256, git = hashlib.sha256(), hashlib.sha1(b"blob %d\0" % size)
        with path.open("rb") as content:
            while block := content.read(1 << 20):
                sha256.update(block)
                git.update(block)
        yield path.relative_to(folder).as_posix(), Local(size, sha256.hexdigest(), git.hexdigest(), path)


def _made(content: bytes) -> Local:
    git = hashlib.sha1(b"blob %d\0" % len(content) + content).hexdigest()
    return Local(len(content), hashlib.sha256(content).hexdigest(), git, content)


def main(arguments: list[str], root: Path = ROOT) -> None:
    name, given, flags = arguments_of(arguments, "stages.publish.hub", KEYS, ("--dry-run",))
    said = {key: given.get(key, "false").casefold() for key in ("dry_run", "replace")}
    for key, value in said.items():
        if value not in ("true", "false"):
            raise UserError(f"{key}={given[key]} must be true or false; nothing was sent.")
    dry = "--dry-run" in flags or said["dry_run"] == "true"
    chosen = load_settings(name, root)
    place = Place.of(chosen, given)
    api = remote.connect()
    found = plan(chosen, root / "data" / "publish" / name, place, api, root, said["replace"] == "true")
    lines = list(found.lines())
    if not lines:
        print(f"{found.repository.id} {chosen.version} is published already; nothing to do.")
        if found.drifted:
            what = f"{len(found.drifted)} files, such as {found.drifted[0]}"
            print(f"Its branch main was changed since in {what}; who loads it by revision={found.tag} reads the release.")
    elif dry:
        print(f"{found.repository.id} {chosen.version}, dry run: nothing is changed. Publishing would\n" + "\n".join(f"  {line}" for line in lines))
        if found.notes:
            print(f"\nThe notes of the release:\n\n{found.notes}", end="")
    else:
        done = publish(found, api, chosen.title)
        print(f"{found.repository.id} {chosen.version}: " + ", ".join(done) + ".")


if __name__ == "__main__":
    exiting(lambda: main(sys.argv[1:]))
