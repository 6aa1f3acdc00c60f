"""Where on the Hub a release goes: from conf/hub, or from the command line."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from stages.core.errors import UserError, nearest
from stages.publish import remote
from stages.publish.names import HUB_NAME, is_hub_name
from stages.publish.release import ReleaseSettings

if TYPE_CHECKING:
    from huggingface_hub import HfApi


@dataclass(frozen=True)
class Place:
    repo: str | None
    """OWNER/NAME where it was given."""
    namespace: str | None
    target: str
    private: bool
    gated: str | bool

    @classmethod
    def of(cls, chosen: ReleaseSettings, given: dict[str, str]) -> Place:
        """`given` (repo, private, gated of the command line) goes before the configuration. Raises UserError for a wrong value."""
        hub = chosen.hub
        if (private := given.get("private", str(hub.private)).casefold()) not in ("true", "false"):
            raise UserError(f"private={given['private']} must be true or false.")
        gated = given.get("gated", str(hub.gated)).casefold()
        if gated not in ("false", "auto", "manual"):
            raise UserError(f"gated={given['gated']} must be false, auto or manual.")
        repo = given.get("repo")
        if repo is not None and (repo.count("/") != 1 or not all(map(is_hub_name, repo.split("/")))):
            raise UserError(f"repo={repo} must be OWNER/NAME, such as KRAFTON/{chosen.name}, each {HUB_NAME}.")
        return cls(repo, hub.namespace, hub.target, private == "true", gated if gated != "false" else False)

    def repo_id(self, api: HfApi, name: str) -> str:
        """OWNER/NAME. Raises UserError when the configuration keeps the release in a folder and nothing else was said."""
        if self.repo is not None:
            return self.repo
        if self.target == "folder" and self.namespace is None:
            raise UserError(
                f"releases.{name}.hub keeps the release in data/publish/{name}; choose `hub: private`, `gated` or `public` in params.yaml, "
                f"or say where it is on the Hub: repo=OWNER/{name}."
            )
        account = self.namespace or remote.patiently("tell whose token this is", api.whoami)["name"]
        return f"{account}/{name}"


def arguments_of(arguments: Sequence[str], program: str, keys: Sequence[str], flags: Sequence[str]) -> tuple[str, dict[str, str], set[str]]:
    """(release, key=value pairs, flags) of a command line. Raises UserError for anything else; `hub.` before a key may be there."""
    usage = f"python -m {program} takes a release, such as KVoiceBench (conf/release/)"
    names, given, raised = [], {}, set()
    for argument in arguments:
        key, equals, value = argument.partition("=")
        if argument.startswith("-"):
            if argument not in flags:
                raise UserError(f"{usage}, and {', '.join(flags)}; not {argument}.{nearest(argument, flags)}")
            raised.add(argument)
        elif equals:
            key = key.removeprefix("hub.")
            if key not in keys:
                raise UserError(f"{usage}, and the keys {', '.join(keys)}; not {key}.{nearest(key, keys)}")
            given[key] = value
        else:
            names.append(argument)
    if len(names) != 1:
        raise UserError(f"{usage}, just one.")
    return names[0], given, raised
