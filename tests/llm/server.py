"""An OpenAI-compatible chat completions server on loopback that counts what it is asked and misbehaves when told to.

Runs in a thread of its own with aiohttp.web, so that the client under test speaks real HTTP. It answers each request with the
JSON that its prompt asks for (`answer`), and before that plays what `misbehave` says for this request.
"""

from __future__ import annotations

import asyncio
import hashlib
import threading
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

import orjson
from aiohttp import web
from pydantic import BaseModel, Field


class Verdict(BaseModel):
    """What the tests ask for."""

    reason: str = Field(min_length=1)
    correct: bool


@dataclass
class Fault:
    """One way to misbehave. `content` replaces the model's text; `status`, `headers`, `raw` the whole answer; `cut` closes the connection."""

    status: int = 200
    headers: dict[str, str] = field(default_factory=dict)
    raw: bytes | None = None
    content: str | None = None
    finish_reason: str = "stop"
    cut: bool = False
    slow_s: float = 0.0
    refusal: str | None = None


Behaviour = Callable[[int, dict[str, Any]], Fault | None]
"""(number of earlier requests with the same bytes, body) -> what to do wrong, or None for a good answer."""


def prompt(body: dict[str, Any]) -> str:
    return str(body["messages"][-1]["content"])


def verdict(body: dict[str, Any]) -> str:
    """A valid `Verdict` that depends on the whole request alone."""
    digest = hashlib.sha256(orjson.dumps(body, option=orjson.OPT_SORT_KEYS)).hexdigest()
    return orjson.dumps({"reason": f"because {digest[:12]}", "correct": int(digest, 16) % 2 == 0}).decode()


class Server:
    """`with Server() as server:` serves at `server.url`."""

    def __init__(self, misbehave: Behaviour | None = None, answer: Callable[[dict[str, Any]], str] = verdict, latency_s: float = 0.0) -> None:
        self.misbehave = misbehave
        self.answer = answer
        self.latency_s = latency_s
        self.requests: list[dict[str, Any]] = []
        self.headers: list[dict[str, str]] = []
        self.in_flight = self.most_in_flight = 0
        self._seen: Counter[bytes] = Counter()
        self._loop = asyncio.new_event_loop()
        self._thread = threading.Thread(target=self._loop.run_forever, daemon=True)
        self.url = ""

    def __enter__(self) -> Server:
        self._thread.start()
        self._runner = asyncio.run_coroutine_threadsafe(self._start(), self._loop).result(10)
        return self

    def __exit__(self, *_: object) -> None:
        asyncio.run_coroutine_threadsafe(self._runner.cleanup(), self._loop).result(10)
        self._loop.call_soon_threadsafe(self._loop.stop)
        self._thread.join(10)
        self._loop.close()

    async def _start(self) -> web.AppRunner:
        app = web.Application(client_max_size=2**24)
        app.router.add_post("/v1/chat/completions", self._complete)
        runner = web.AppRunner(app, access_log=None, shutdown_timeout=0.1)
        await runner.setup()
        site = web.TCPSite(runner, "127.0.0.1", 0, backlog=1024)
        await site.start()
        self.url = f"http://127.0.0.1:{runner.addresses[0][1]}/v1"
        return runner

    async def _complete(self, request: web.Request) -> web.StreamResponse:
        raw = await request.read()
        body = orjson.loads(raw)
        earlier = self._seen[raw]
        self._seen[raw] += 1
        self.requests.append(body)
        self.headers.append(dict(request.headers))
        self.in_flight += 1
        self.most_in_flight = max(self.most_in_flight, self.in_flight)
        try:
            return await self._respond(request, body, earlier, len(raw))
        finally:
            self.in_flight -= 1

    async def _respond(self, request: web.Request, body: dict[str, Any], earlier: int, n_bytes: int) -> web.StreamResponse:
        fault = (self.misbehave(earlier, body) if self.misbehave else None) or Fault()
        if delay := self.latency_s + fault.slow_s:
            await asyncio.sleep(delay)
        if fault.cut:
            assert request.transport is not None
            request.transport.close()
            return web.Response()
        if fault.raw is not None or fault.status != 200:
            return web.Response(status=fault.status, headers=fault.headers, body=fault.raw or b"")
        content = self.answer(body) if fault.content is None else fault.content
        message = {"role": "assistant", "content": content, "refusal": fault.refusal}
        usage = {"prompt_tokens": n_bytes // 4, "completion_tokens": len(content) // 4, "prompt_tokens_details": {"cached_tokens": n_bytes // 8}}
        choice = {"index": 0, "message": message, "finish_reason": fault.finish_reason}
        completion = {"id": "c", "object": "chat.completion", "created": 0, "model": body["model"], "choices": [choice], "usage": usage}
        return web.Response(body=orjson.dumps(completion), content_type="application/json", headers=fault.headers)
