"""The budget that stops live calls in time. Apart from the accounts, since replay needs no asyncio."""

from __future__ import annotations

import asyncio

from stages.core.errors import UserError
from stages.llm.account import AUDIO_TOKENS_PER_S, BYTES_PER_TOKEN, REPLY_TOKENS, usd
from stages.llm.request import Usage
from stages.llm.settings import Role


class OutOfBudget(UserError):
    """No further call fits the budget. The message is a clause; the client adds what remains."""


class Budget:
    """Lets a call go only while what was spent, what is in flight and the call itself stay within `most_usd`.

    In-flight calls count by estimate: a request's bytes of text and seconds of audio, and the average length of the replies seen so far.
    """

    def __init__(self, most_usd: float | None, spent_usd: float, setting: str = "llm.client.max_cost_usd") -> None:
        self.most_usd = most_usd
        self.setting = setting
        """The config key of `most_usd`, for what is said."""
        self.spent_usd = spent_usd
        self._in_flight = 0
        self._in_flight_usd = 0.0
        self._settled = asyncio.Event()
        self._replies = 0
        self._reply_tokens = 0

    def check_prices(self, roles: list[Role]) -> None:
        """A budget without prices would never stop anything."""
        for role in roles:
            if self.most_usd is not None and (role.usd_per_million_input is None or role.usd_per_million_output is None):
                raise UserError(
                    f"llm.client.max_cost_usd is set but llm.{role.name} has no price; set its usd_per_million_input and usd_per_million_output "
                    "(0 for a server of your own), or set max_cost_usd to null."
                )

    async def reserve(self, role: Role, request_bytes: int, audio_s: float = 0.0) -> float:
        """Dollars set aside for one call, to be given to `settle`; calls in flight are waited for where their true cost decides.

        Raises OutOfBudget when the call does not fit.
        """
        while True:
            estimate = self.estimate_usd(role, request_bytes, audio_s)
            if self.most_usd is None or self.spent_usd + self._in_flight_usd + estimate <= self.most_usd:
                self._in_flight += 1
                self._in_flight_usd += estimate
                return estimate
            if not self._in_flight:
                raise OutOfBudget(f"${self.spent_usd:.4f} of {self.setting} = ${self.most_usd:g} are spent and no further call fits")
            self._settled.clear()
            await self._settled.wait()

    def estimate_usd(self, role: Role, request_bytes: int, audio_s: float = 0.0) -> float:
        """A clip is taken to be answered aloud."""
        reply = self._reply_tokens / self._replies if self._replies else REPLY_TOKENS
        reply, heard = int(min(reply, role.max_tokens or reply)), int(audio_s * AUDIO_TOKENS_PER_S)
        return usd(role, Usage(int(request_bytes / BYTES_PER_TOKEN) + heard, 0, reply, heard, reply if heard else 0))

    def settle(self, reserved_usd: float) -> None:
        self._in_flight -= 1
        self._in_flight_usd = max(self._in_flight_usd - reserved_usd, 0.0)
        self._settled.set()

    def paid(self, cost_usd: float, completion_tokens: int) -> None:
        self.spent_usd += cost_usd
        self._replies += 1
        self._reply_tokens += completion_tokens
