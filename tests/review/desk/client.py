"""Asking the desk without a browser: aiohttp's own test server."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import Any

from stages.review.desk import settings as desk_settings


def asking(root: Path, work: Callable[[Any], Awaitable[None]], *keys: str, token: str | None = None) -> None:
    """Run `work(client)` against a desk on `root`."""
    from aiohttp.test_utils import TestClient, TestServer

    from stages.review.desk import server

    async def go() -> None:
        app = server.make_app(desk_settings.load([f"root={root}", *keys]), token)
        async with TestClient(TestServer(app)) as client:
            await work(client)

    asyncio.run(go())


async def judge(client: Any, id: str, verdict: str, reviewer: str = "kim", **more: Any) -> Any:
    """Give a verdict as the page does; returns (status, body)."""
    if "seen" not in more:
        more["seen"] = (await (await client.get("/api/entry", params={"id": id, "reviewer": reviewer})).json())["seen"]
    body = {"id": id, "verdict": verdict, "reviewer": reviewer, "reason": "", "edit": {}, **more}
    response = await client.post("/api/verdict", json=body)
    return response.status, await response.json()
