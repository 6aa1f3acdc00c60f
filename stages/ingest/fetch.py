"""Fetch a source from the Hugging Face Hub into data/raw, at the pinned revision that the configuration names.

    python -m stages.ingest.fetch voicebench

Only the profile `full` needs it. What is fetched is `sources.<source>` of data/config.json: a data set repository, a
commit of 40 hexadecimal digits (a branch or a short hash can move, so they are refused), and the files wanted. An
interrupted download goes on where it stopped. A token is read from the environment (HF_TOKEN) and from nowhere else.
"""

from __future__ import annotations

import os
import re
import shutil
import sys
from pathlib import Path
from typing import Any

from stages.core import settings
from stages.core.app import exiting, read_config
from stages.core.errors import UserError, nearest
from stages.core.paths import ROOT
from stages.core.settings import Settings

TOKEN = "HF_TOKEN"
FULL_COMMIT = re.compile(r"[0-9a-f]{40}")
WORKERS = 8


class SourceSettings(Settings):
    """`sources.<source>`: what the profile says of a source."""

    repo_id: str
    revision: str
    """The commit, or what a local copy is called."""
    allow_patterns: list[str]
    """The files wanted, as glob patterns of paths in the repository; `*` also matches `/`."""
    complete: bool = True
    """Whether ingest must find every row of upstream there."""
    licence: str | None = None
    """Set when the source holds other texts than upstream, as the bundled sample does."""


def request(source: str, chosen: SourceSettings, root: Path) -> dict[str, Any]:
    """The arguments of `snapshot_download`. Raises UserError for a revision that can move and for a missing list of files."""
    key = f"sources.{source}"
    if not FULL_COMMIT.fullmatch(chosen.revision):
        raise UserError(f"Config key {key}.revision is {chosen.revision!r}, not a commit of 40 hexadecimal digits; give the full commit.")
    if not chosen.allow_patterns:
        raise UserError(f"Config key {key}.allow_patterns is empty, so nothing would be fetched; list the files of the subsets you build.")
    return {
        "repo_id": chosen.repo_id,
        "repo_type": "dataset",
        "revision": chosen.revision,
        "allow_patterns": chosen.allow_patterns,
        "local_dir": root / "data" / "raw" / source,
        "token": os.environ.get(TOKEN) or False,  # False also keeps the library from reading a stored login
        "max_workers": WORKERS,
    }


def fetch(source: str, chosen: SourceSettings, root: Path = ROOT) -> Path:
    """Download `source`; returns its folder. Raises UserError when the Hub refuses, cannot be reached, or has no such file."""
    wanted = request(source, chosen, root)
    from huggingface_hub import snapshot_download
    from huggingface_hub.errors import GatedRepoError, HfHubHTTPError, LocalEntryNotFoundError, RepositoryNotFoundError, RevisionNotFoundError

    what = f"{chosen.repo_id} at {chosen.revision}"
    try:
        folder = Path(snapshot_download(**wanted))
    except GatedRepoError:
        raise UserError(f"{what} is gated; accept its terms on the Hub and set {TOKEN} in the environment.") from None
    except RepositoryNotFoundError:
        raise UserError(f"The Hub has no data set {chosen.repo_id}, or it needs a token; check sources.{source}.repo_id and {TOKEN}.") from None
    except RevisionNotFoundError:
        raise UserError(f"{chosen.repo_id} has no commit {chosen.revision}; check sources.{source}.revision.") from None
    except (HfHubHTTPError, LocalEntryNotFoundError, OSError) as error:
        reason = str(error).strip().split("\n", 1)[0]
        raise UserError(f"{what} could not be fetched ({reason}); run again, what has arrived is kept.") from None
    # The library's own notes hold times; without them the same commit is the same folder, which is what DVC compares.
    shutil.rmtree(folder / ".cache", ignore_errors=True)
    if not any(path.is_file() for path in folder.rglob("*")):
        raise UserError(f"{what} has no file that matches sources.{source}.allow_patterns; correct the patterns.")
    return folder


def _main(arguments: list[str]) -> None:
    known = read_config("sources")
    if len(arguments) != 1 or arguments[0] not in known:
        given = " ".join(arguments) or "nothing"
        raise UserError(f"python -m stages.ingest.fetch takes one of {', '.join(sorted(known))}, got {given}.{nearest(given, known)}")
    source = arguments[0]
    folder = fetch(source, settings.load(SourceSettings, known[source], f"sources.{source}"))
    print(f"{source} lies in {folder.relative_to(ROOT)}")


if __name__ == "__main__":
    exiting(lambda: _main(sys.argv[1:]))
