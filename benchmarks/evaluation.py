"""How fast an evaluation is, on a full-size made-up world (12,345 Korean and 10,719 English rows with known truth).

    python -m benchmarks.evaluation scores       reading and scoring without a judge, then again from stored judgments; memory
    python -m benchmarks.evaluation judge        a judge on loopback with 50 ms latency, n = 3, with one dead reply in 1,000

Bars: every row scored in under 60 s, scored again from the stored judgments in under 5 s, under 1 GiB; at least 200 judged items a
second. VoiceBench's own api_judge does 7.1 items a second on the same server.
"""

from __future__ import annotations

import os
import resource
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from stages.core import files, runner
from stages.core import settings as typed
from stages.core.paths import ROOT
from stages.core.progress import Progress
from stages.evaluate import judge, respond, score, totals
from stages.evaluate.benchmarks import questions
from stages.evaluate.judge import Case, JudgeSettings
from stages.evaluate.scorers import Item
from tests.evaluate import runs, world
from tests.evaluate.suite import suite, values

BY_JUDGE = {"open", "reference", "verdict", "verdict_json"}


def scores(root: Path) -> None:
    world.build(root)
    asked = questions(suite(), root)
    shared = sum(len(question.benchmarks) for question in asked)
    answers, hits = world.answers(asked, 0.7, "full")
    for language in ("en", "ko"):
        lines = [{"id": question.item.id, "prediction": answers[question.id]} for question in asked if question.language == language]
        files.write_jsonl(root / f"{language}.jsonl", lines)
    model = {"kind": "predictions", "path": "{language}.jsonl"}
    started = time.perf_counter()
    runner.run_stage(respond.STAGE, "model", {"suite": values(), "model": model}, root)
    read_s = time.perf_counter() - started
    started = time.perf_counter()
    runner.run_stage(score.STAGE, "model", {"suite": values(), "judge": None}, root)
    score_s = time.perf_counter() - started
    rows = files.read_jsonl(root / "data/score/model/rows.jsonl")
    wrong = []
    for (language, subset), n in hits.items():
        own = [row for row in rows if (row["language"], row["subset"]) == (language, subset)]
        if own[0]["protocol"] not in BY_JUDGE and sum(row["value"] == 100 for row in own) != n:
            wrong.append(f"{language}/{subset}")
    twice = f"{len(asked)} questions ({shared} with those of two benchmarks twice)"
    print(f"{twice}: read in {read_s:.1f} s, scored in {score_s:.1f} s; off the truth: {wrong or 'none'}")

    judged, _ = runs.run(root, "judged", 0.7)
    for what, change in (("as they are", {}), ("every item read anew", {"version": "0"})):
        files.write_jsonl(root / "data/score/again/rows.jsonl", [{**row, **change} for row in judged])
        started = time.perf_counter()
        found = score.again(root / "data/score/again", questions(suite(), root), "fixed")
        for name in suite().benchmarks:
            totals.subset_scores(found, name)
        print(f"again from {sum(len(row['judgments']) for row in judged)} stored judgments, {what}: {time.perf_counter() - started:.1f} s")
        assert [row["value"] for row in found] == [row["value"] for row in judged]
    print(f"memory at most {resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024:.0f} MiB")


def throughput(root: Path, n: int = 2000) -> None:
    os.environ["BENCHFERRY_CACHE"] = str(root / "cache")
    item = Item("wildvoice-test-00001", "open", "ko", "wildvoice", "자전거는 왜 넘어지지 않나요?")
    role = {"name": "judge", "model": "judge", "concurrency": 128, "max_attempts": 3, "seed": 1}
    for every in (0, 1000):
        with server(every) as url:
            chosen = typed.load(JudgeSettings, {"client": {"mode": "live"}, "role": {**role, "base_url": url}}, "judge")
            cases = [Case(f"case-{number}", item, f"돌면서 균형을 잡아서요. {every} {number}") for number in range(n)]
            started, cpu = time.perf_counter(), time.process_time()
            found = judge.judge(cases, chosen, ROOT, Progress("judge"))
            seconds, cpu = time.perf_counter() - started, time.process_time() - cpu
        told = {name: found.report[name] for name in ("n_judgments", "n_dead", "n_invalid")}
        print(f"judge, n = 3, 50 ms, dead replies 1 in {every or 'none'}: {n / seconds:.0f} items/s ({seconds:.1f} s, own CPU {cpu:.1f} s), {told}")


SERVER = """
import asyncio, sys, orjson
from aiohttp import web
every = int(sys.argv[1])
content = orjson.dumps({"reason": "It is short and right. " * 4, "mark": 4}).decode()
body = orjson.dumps({"id": "c", "object": "chat.completion", "model": "judge",
    "choices": [{"index": 0, "message": {"role": "assistant", "content": content}, "finish_reason": "stop"}],
    "usage": {"prompt_tokens": 350, "completion_tokens": 40}})
seen, dead = set(), set()
async def complete(request):
    raw = await request.read()
    await asyncio.sleep(0.05)
    if every and raw not in seen:   # the seed tells the samples of an item apart
        seen.add(raw)
        if len(seen) % every == every // 2:
            dead.add(raw)
    return web.Response(status=500) if raw in dead else web.Response(body=body, content_type="application/json")
async def main():
    app = web.Application()
    app.router.add_post("/v1/chat/completions", complete)
    runner = web.AppRunner(app, access_log=None)
    await runner.setup()
    await web.TCPSite(runner, "127.0.0.1", 0, backlog=1024).start()
    print(runner.addresses[0][1], flush=True)
    await asyncio.sleep(3600)
asyncio.run(main())
"""


@contextmanager
def server(dead_every: int) -> Iterator[str]:
    """A judge's endpoint in a process of its own."""
    process = subprocess.Popen([sys.executable, "-c", SERVER, str(dead_every)], stdout=subprocess.PIPE, text=True)
    assert process.stdout is not None
    try:
        yield f"http://127.0.0.1:{process.stdout.readline().strip()}/v1"
    finally:
        process.kill()
        process.wait()


if __name__ == "__main__":
    with tempfile.TemporaryDirectory() as folder:
        {"scores": scores, "judge": throughput}[sys.argv[1]](Path(folder))
