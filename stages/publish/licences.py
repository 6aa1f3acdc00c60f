"""What a source's licence demands of whoever publishes it again, and whether a release keeps to it.

A carried-over and spoken question is an adaptation of its source. So: no derivatives forbids it; non-commercial must stay
non-commercial; share-alike must stay under the same licence; attribution cannot be waived. What has no known terms is not
published. A release whose licence is `other` keeps each row under its own licence, which its provenance states.

A row made of several works carries all their licences, joined by ` AND `. Sources of the terms: the licences' legal codes.
This is a gate against mistakes, not legal advice.
"""

from __future__ import annotations

import re
from dataclasses import dataclass


@dataclass(frozen=True)
class Terms:
    derivatives: bool = True
    commercial: bool = True
    alike: bool = False
    """Adaptations must carry the same licence, or a later version of it."""
    credit: bool = True


TERMS: dict[str, Terms] = {
    "cc0": Terms(credit=False),
    "pddl": Terms(credit=False),
    "unlicense": Terms(credit=False),
    "mit": Terms(),
    "bsd-2-clause": Terms(),
    "bsd-3-clause": Terms(),
    "apache": Terms(),
    "odc-by": Terms(),
    "cdla-permissive": Terms(),
    "cc-by": Terms(),
    "cc-by-sa": Terms(alike=True),
    "odbl": Terms(alike=True),
    "cdla-sharing": Terms(alike=True),
    "gpl": Terms(alike=True),
    "cc-by-nc": Terms(commercial=False),
    "cc-by-nc-sa": Terms(commercial=False, alike=True),
    "cc-by-nd": Terms(derivatives=False),
    "cc-by-nc-nd": Terms(derivatives=False, commercial=False),
}
"""Licence without its version to its terms."""

OTHER = "other"
"""The Hub's word for a release whose rows keep their own licences."""

_NAME = re.compile(r"(.+?)(?:-v?(\d+(?:\.\d+)*))?")


def parts(licence: str) -> list[str]:
    """The licences of a row, as written."""
    return [part.strip() for part in licence.split(" AND ")]


def parse(licence: str) -> tuple[str, tuple[int, ...]] | None:
    """(name, version) of one licence in any usual spelling; None when its terms are not known here."""
    text = re.sub(r"[\s_]+", "-", licence.strip().casefold()).removesuffix("-only").removesuffix("-or-later")
    found = _NAME.fullmatch(text)
    if not found:
        return None
    name = found[1].removesuffix("-license").removesuffix("-universal")
    name = {"cc-0": "cc0", "cc-zero": "cc0", "odc-odbl": "odbl", "odc-pddl": "pddl", "apache2": "apache"}.get(name, name)
    version = tuple(map(int, found[2].split("."))) if found[2] else ()
    return (name, version) if name in TERMS else None


def refusal(source: str, release: str) -> str | None:
    """Why a row under `source` may not be released under `release`, in a few words; None when it may."""
    every = parts(source)
    for part in every:
        if problem := _refusal(part, release):
            return problem
    if len(every) > 1 and release.casefold() == OTHER and not any(all(_refusal(part, whole) is None for part in every) for whole in every):
        return f"no single licence satisfies {' and '.join(every)}"
    return None


def _refusal(source: str, release: str) -> str | None:
    known = parse(source)
    if known is None:
        return "states no licence whose terms are known" if source.strip() else "carries no licence"
    terms = TERMS[known[0]]
    if not terms.derivatives:
        return "forbids adaptations, and a carried-over row is one"
    if release.casefold() == OTHER:
        return None
    under = parse(release)
    if under is None:
        return f"cannot be compared with the release's licence {release!r}, whose terms are not known"
    if terms.alike and not (under[0] == known[0] and (not known[1] or under[1] >= known[1])):
        return f"must be passed on under the same licence, not under {release}"
    if not terms.commercial and TERMS[under[0]].commercial:
        return f"forbids commercial use, which {release} permits"
    if terms.credit and not TERMS[under[0]].credit:
        return f"demands attribution, which {release} waives"
    return None
