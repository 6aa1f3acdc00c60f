"""How fast live calls are answered, validated and stored, against a server on loopback in a process of its own.

    python -m benchmarks.llm_live

Rows a second, rows a second of one core (client CPU only), and the share of the ideal (requests in flight / latency). `floor` is the
same traffic by bare aiohttp, without keys, validation or store.
"""

from __future__ import annotations

import asyncio
import os
import subprocess
import sys
import tempfile
import time

from benchmarks.llm_rows import ROLE, make_requests
from stages.llm import Client, ClientSettings, Role

SERVER = """
import asyncio, sys, orjson
from aiohttp import web
latency = float(sys.argv[1])
content = orjson.dumps({"verdict": "correct", "corrected": "", "kind": "none", "reason": "It is right. " * 30}).decode()
body = orjson.dumps({"id": "c", "object": "chat.completion", "model": "bench",
    "choices": [{"index": 0, "message": {"role": "assistant", "content": content}, "finish_reason": "stop"}],
    "usage": {"prompt_tokens": 350, "completion_tokens": 110}})
async def complete(request):
    await request.read()
    if latency: await asyncio.sleep(latency)
    return web.Response(body=body, content_type="application/json")
async def main():
    app = web.Application()
    app.router.add_post("/v1/chat/completions", complete)
    runner = web.AppRunner(app, access_log=None)
    await runner.setup()
    await web.TCPSite(runner, "127.0.0.1", 0, backlog=1024).start()
    print(runner.addresses[0][1], flush=True)
    await asyncio.Event().wait()
asyncio.run(main())
"""


def ours(role: Role, count: int) -> None:
    requests = make_requests(count, role)
    with Client.open(ClientSettings(mode="live")) as client:
        assert len(client.ask(requests)) == count


def floor(role: Role, count: int) -> None:
    import aiohttp

    bodies = iter([request.sent for request in make_requests(count, role)])

    async def work(session: aiohttp.ClientSession) -> None:
        for body in bodies:
            async with session.post(f"{role.base_url}/chat/completions", data=body, headers={"Content-Type": "application/json"}) as response:
                await response.read()

    async def every() -> None:
        async with aiohttp.ClientSession(connector=aiohttp.TCPConnector(limit=0)) as session:
            await asyncio.gather(*(work(session) for _ in range(role.concurrency)))

    asyncio.run(every())


def measure(latency_s: float, concurrency: int, count: int) -> None:
    server = subprocess.Popen([sys.executable, "-c", SERVER, str(latency_s)], stdout=subprocess.PIPE, text=True)
    try:
        assert server.stdout is not None
        role = ROLE.model_copy(update={"base_url": f"http://127.0.0.1:{server.stdout.readline().strip()}/v1", "concurrency": concurrency})
        floor(role, 200)  # imports, and the server's first requests
        ideal = concurrency / latency_s if latency_s else None
        for label, run in (("floor", floor), ("ours", ours)):
            with tempfile.TemporaryDirectory() as cache:
                os.environ["BENCHFERRY_CACHE"] = cache
                started, cpu = time.perf_counter(), time.process_time()
                run(role, count)
                seconds, cpu = time.perf_counter() - started, time.process_time() - cpu
            share = f"{count / seconds / ideal:.2f} of the ideal {ideal:,.0f}/s" if ideal else ""
            print(
                f"{latency_s * 1000:4.0f} ms  {concurrency:4} in flight  {label:6} {count / seconds:7,.0f} rows/s  "
                f"{count / cpu:7,.0f} rows/s a core ({cpu / count * 1000:.2f} ms CPU a row)  {share}"
            )
    finally:
        server.kill()
        server.wait()


def main() -> None:
    measure(0.0, 64, 5_000)
    measure(0.05, 64, 6_400)
    measure(0.2, 256, 10_240)
    print("bars: 1,000 rows/s a core without latency, 0.85 of the ideal at 256 in flight and 200 ms, at most 1 ms CPU a row")
    print("peers, no latency, 256 in flight: OpenAI SDK 339/s, with its aiohttp client 603/s, httpx 355/s, bare aiohttp 5,422/s")
    print("peers, 200 ms, 256 in flight (ideal 1,280/s): OpenAI SDK 339/s, with its aiohttp client 497/s, httpx 48/s, bare aiohttp 1,171/s")
    print("peers, 50 ms, 64 in flight: curator 66/s (6.1 ms CPU), distilabel 67 to 144/s, inspect_ai 17/s (36 ms CPU)")


if __name__ == "__main__":
    main()
