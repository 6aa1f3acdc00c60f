"""The recorded replies of the bundled sample as a live model: what a request's replay would find, the server answers."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from typing import Any

import orjson

from stages.core.paths import ROOT
from stages.llm.request import request_key
from tests.acceptance.project import Project

ROLES = {"correct": ("reviewer", "meta_reviewer"), "hypertranslate": ("translator",)}


def recorded() -> dict[str, str]:
    """Request key to the recorded reply."""
    lines = (ROOT / "data/sample/replies.jsonl").read_bytes().splitlines()
    return {entry["custom_id"]: entry["content"] for entry in map(orjson.loads, lines)}


_REPLIES = recorded()
_SOUND = '{"reasoning": "It is right.", "verdict": "correct", "error_type": "none", "proposed_answers": []}'
_SHORT = (
    '{"note": "", "category": "direct_translation", "rule_ids": [], "question": "대한민국의 수도는 어디인가요?", "answer": "서울",'
    ' "aliases": [], "deletion_rule_id": "", "deletion_reason": ""}'
)


def answer(body: dict[str, Any]) -> str:
    """The recorded reply; for a request that the sample does not make, one that fits a short-answer item."""
    known = _REPLIES.get(request_key(body, 0))
    return known or (_SOUND if body["response_format"]["json_schema"]["name"] == "Review" else _SHORT)


def ask_live(project: Project, url: str, stages: Iterable[str] = ("correct", "hypertranslate"), **role: Any) -> None:
    """Let every subset's stages ask `url` instead of replaying; `role` changes what else a role declares."""

    def change(config: dict[str, Any]) -> None:
        for subset in config["subsets"].values():
            for stage in stages:
                subset[stage]["client"] |= {"mode": "live", "replies": [], "backoff_s": 0.01, "backoff_cap_s": 0.05}
                for name in ROLES[stage]:
                    subset[stage][name] |= {"base_url": url, **role}

    project.configure(change)


def counted(bodies: list[dict[str, Any]]) -> Counter[bytes]:
    return Counter(orjson.dumps(body, option=orjson.OPT_SORT_KEYS) for body in bodies)
