"""How many requests are in flight: additive increase, multiplicative decrease, and a cooldown that all share."""

from __future__ import annotations

import asyncio
import time
from collections import deque


class Stopped(Exception):
    """The run is ending; no new request is sent."""


class Limiter:
    """At most `limit` requests in flight, `limit` moving between 1 and `most`.

    It starts at `most`, is halved when the endpoint pushes back, and grows by about one for each `limit` successes. A request
    that was sent before the last halving says nothing about the new limit and does not halve it again.
    """

    def __init__(self, most: int) -> None:
        self.most = most
        self.limit = float(most)
        self.in_flight = 0
        self._waiting: deque[asyncio.Future[None]] = deque()
        self._cut_at = 0.0
        self._opens_at = 0.0
        self._stopping = asyncio.Event()

    async def acquire(self) -> None:
        """Wait for a place and for the end of a cooldown. Raises Stopped once `stop` was called."""
        while not self._stopping.is_set():
            cooldown_s = self._opens_at - time.monotonic()
            if cooldown_s > 0:
                await self.pause(cooldown_s)
            elif self.in_flight < int(self.limit):
                self.in_flight += 1
                return
            else:
                place: asyncio.Future[None] = asyncio.get_running_loop().create_future()
                self._waiting.append(place)
                await place
        raise Stopped

    def release(self) -> None:
        self.in_flight -= 1
        self._wake(int(self.limit) - self.in_flight)

    def succeeded(self) -> None:
        self.limit = min(self.limit + 1 / self.limit, float(self.most))

    def pushed_back(self, sent_at: float, cooldown_s: float) -> None:
        """The endpoint is overloaded, says the answer to a request sent at `sent_at` (time.monotonic)."""
        now = time.monotonic()
        self._opens_at = max(self._opens_at, now + cooldown_s)
        if sent_at >= self._cut_at:
            self._cut_at = now
            self.limit = max(self.limit / 2, 1.0)

    async def pause(self, seconds: float) -> None:
        """Sleep, unless the run is stopped first."""
        try:
            await asyncio.wait_for(self._stopping.wait(), seconds)
        except TimeoutError:
            return

    def stop(self) -> None:
        self._stopping.set()
        self._wake(len(self._waiting))

    def _wake(self, places: int) -> None:
        while places > 0 and self._waiting:
            place = self._waiting.popleft()
            if not place.done():
                place.set_result(None)
                places -= 1
