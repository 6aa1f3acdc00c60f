"""A dataset repository on the Hub as it is now: its files, tags and settings; and patience with the Hub's bad moments.

The endpoint and the token come from the environment alone (HF_ENDPOINT, HF_TOKEN, or the login of the `hf` command). What the
library itself does not repeat is repeated here, on 429 and 5xx, a bounded number of times.
"""

from __future__ import annotations

import os
import re
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, TypeVar

from stages.core.errors import UserError

if TYPE_CHECKING:
    from huggingface_hub import HfApi

T = TypeVar("T")

ATTEMPTS = 5
TRANSIENT = (408, 429, 500, 502, 503, 504)
VERSION_TAG = re.compile(r"v(\d+)\.(\d+)\.(\d+)")


@dataclass(frozen=True)
class Blob:
    """A file of a commit. The Hub states the sha256 of a large file, and git's id of a small one."""

    size: int
    sha256: str | None
    git_id: str


@dataclass
class Repository:
    id: str
    exists: bool = False
    head: str | None = None
    """The commit of the branch main."""
    private: bool | None = None
    gated: Any = None
    tags: dict[str, str] = field(default_factory=dict)
    """Tag to commit."""

    def last_release(self) -> str | None:
        """The tag of the highest version."""
        versions = [tag for tag in self.tags if VERSION_TAG.fullmatch(tag)]
        return max(versions, key=version_of, default=None)


def version_of(tag: str) -> tuple[int, int, int]:
    """`v1.2.3` or `1.2.3` as numbers."""
    first, second, third = tag.removeprefix("v").split(".")
    return int(first), int(second), int(third)


def connect() -> HfApi:
    """The library's client at the environment's endpoint. Without it, huggingface_hub is not imported."""
    os.environ.setdefault("HF_HUB_DISABLE_TELEMETRY", "1")
    os.environ.setdefault("HF_HUB_DISABLE_PROGRESS_BARS", "1")
    endpoint = os.environ.get("HF_ENDPOINT", "").rstrip("/") or None
    if endpoint and not re.match(r"https?://([\w-]+\.)*(huggingface\.co|hf\.co)$", endpoint):
        # Other hubs speak the plain protocol; Xet, the Hub's own store, only where the environment says so.
        os.environ.setdefault("HF_HUB_DISABLE_XET", "1")
    import huggingface_hub
    from huggingface_hub import constants

    if os.environ.get("HF_HUB_DISABLE_XET", "").upper() in ("1", "ON", "YES", "TRUE"):
        constants.HF_HUB_DISABLE_XET = True  # the library may have been imported before
    return huggingface_hub.HfApi(endpoint=endpoint, token=os.environ.get("HF_TOKEN") or None, library_name="benchferry")


def patiently(what: str, call: Callable[[], T]) -> T:
    """The result of `call`, repeated while the Hub is busy. Raises UserError in one sentence when it stays so, or refuses."""
    for attempt in range(1, ATTEMPTS + 1):
        try:
            return call()
        except Exception as error:
            status, pause = transient(error)
            if status is None or attempt == ATTEMPTS:
                raise sentence(what, error) from None
            pause_before(attempt, pause)
    raise AssertionError


def pause_before(attempt: int, asked_s: float | None) -> None:
    """Wait as long as the server asked, or longer from try to try."""
    time.sleep(min(60.0, asked_s if asked_s is not None else 0.5 * 2**attempt))


def transient(error: Exception) -> tuple[int | None, float | None]:
    """(status or 0 for a broken connection, seconds that the server asks to wait) of an error that may pass; (None, None) of others."""
    from huggingface_hub.errors import HfHubHTTPError

    cause = _cause(error)
    if isinstance(cause, HfHubHTTPError):
        response = cause.response
        if response is not None and response.status_code in TRANSIENT:
            asked = response.headers.get("Retry-After", "")
            return response.status_code, float(asked) if asked.isdigit() else None
        return None, None
    return (0, None) if _is_connection(cause) else (None, None)


def _cause(error: BaseException) -> BaseException:
    """The error of the request behind what the library raises around it."""
    from huggingface_hub.errors import HfHubHTTPError

    seen: BaseException | None = error
    while seen is not None and not isinstance(seen, HfHubHTTPError) and not _is_connection(seen):
        seen = seen.__cause__ or seen.__context__
    return seen or error


def _is_connection(error: BaseException) -> bool:
    """The library's HTTP client and its predecessors name their errors alike."""
    names = {cls.__name__ for cls in type(error).__mro__}
    return bool(names & {"NetworkError", "TimeoutException", "RemoteProtocolError", "TransportError"}) or isinstance(error, ConnectionError)


def sentence(what: str, error: Exception) -> UserError:
    """What went wrong with the Hub, in one sentence, without the token."""
    from huggingface_hub.errors import HfHubHTTPError

    cause = _cause(error)
    token = os.environ.get("HF_TOKEN") or ""
    said = " ".join(str(getattr(cause, "server_message", None) or str(cause).split("\n")[0]).split())
    said = (said.replace(token, "(token)") if token else said).rstrip(".")
    code = cause.response.status_code if isinstance(cause, HfHubHTTPError) and cause.response is not None else None
    match code:
        case 401:
            advice = "log in with `hf auth login`, or set HF_TOKEN to a token that may write"
        case 403:
            advice = "use an account and a token that may write there"
        case 404:
            advice = "check the name and the token's rights; a private repository is hidden from others"
        case 402 | 413 | 507:
            advice = "free or buy storage there; what was uploaded is kept, run again then"
        case 409 | 412:
            advice = "somebody else changed the repository meanwhile; look at it, then run again"
        case 429:
            advice = "the Hub's limit of requests is reached; wait, then run again: what was uploaded is kept"
        case None if _is_connection(cause):
            advice = "check the network and HF_ENDPOINT, then run again: what was uploaded is kept"
        case _:
            advice = "run again: what was uploaded is kept"
    status = f" ({code})" if code else ""
    return UserError(f"The Hub did not {what}{status}: {said}; {advice}.")


def read(api: HfApi, repo_id: str) -> Repository:
    """The repository as it is now. Raises UserError when the Hub cannot be asked."""
    from huggingface_hub.errors import RepositoryNotFoundError

    repository = Repository(repo_id)

    def info() -> Any:
        try:
            return api.dataset_info(repo_id)
        except RepositoryNotFoundError:
            return None

    found = patiently(f"tell about {repo_id}", info)
    if found is None:
        return repository
    refs = patiently(f"list the tags of {repo_id}", lambda: api.list_repo_refs(repo_id, repo_type="dataset"))
    repository.exists, repository.private, repository.gated = True, found.private, found.gated or False
    repository.head = next((branch.target_commit for branch in refs.branches if branch.name == "main"), None)
    repository.tags = {tag.name: tag.target_commit for tag in refs.tags}
    return repository


def tag(api: HfApi, repo_id: str, name: str, commit: str, message: str) -> None:
    """Tag the commit. Where the tag stands already on that very commit, an answer was lost or another run was faster: that is as well."""

    def once() -> None:
        try:
            api.create_tag(repo_id, tag=name, tag_message=message, revision=commit, repo_type="dataset", exist_ok=False)
        except Exception:
            if read(api, repo_id).tags.get(name) != commit:
                raise

    patiently(f"tag {repo_id}", once)


def files(api: HfApi, repo_id: str, revision: str) -> dict[str, Blob]:
    """Path to what a commit holds there."""
    from huggingface_hub.hf_api import RepoFile

    def listed() -> list[Any]:
        return list(api.list_repo_tree(repo_id, recursive=True, revision=revision, repo_type="dataset"))

    tree = patiently(f"list the files of {repo_id}", listed)
    return {entry.path: Blob(entry.size, entry.lfs.sha256 if entry.lfs else None, entry.blob_id) for entry in tree if isinstance(entry, RepoFile)}
