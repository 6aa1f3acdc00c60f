"""What calls cost, per role."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from typing import Any

from stages.llm.request import Usage
from stages.llm.settings import Role

BYTES_PER_TOKEN = 3.5
"""Assumed for requests until the store knows better: English JSON has about 4, Korean about 3."""
AUDIO_TOKENS_PER_S = 32
"""Assumed for a clip: services count 10 to 32 for each second."""
REPLY_TOKENS = 400
"""Assumed for a reply until the store knows better."""


def usd(role: Role, usage: Usage) -> float:
    """Dollars for `usage` at the role's prices; a price that is not set counts as 0."""
    full, output = role.usd_per_million_input or 0.0, role.usd_per_million_output or 0.0
    cached = full if role.usd_per_million_cached_input is None else role.usd_per_million_cached_input
    heard = full if role.usd_per_million_audio_input is None else role.usd_per_million_audio_input
    said = output if role.usd_per_million_audio_output is None else role.usd_per_million_audio_output
    fresh = max(usage.prompt_tokens - usage.cached_tokens - usage.audio_prompt_tokens, 0)
    written = max(usage.completion_tokens - usage.audio_completion_tokens, 0)
    tokens = (fresh, usage.cached_tokens, usage.audio_prompt_tokens, written, usage.audio_completion_tokens)
    return sum(n * price for n, price in zip(tokens, (full, cached, heard, output, said), strict=True)) / 1e6


@dataclass
class RoleAccount:
    """One role's part of the report. The first group depends on the requests alone, the second on what was stored before."""

    requests: int = 0
    prompt_tokens: int = 0
    cached_tokens: int = 0
    completion_tokens: int = 0
    usd: float = 0.0
    """What the replies used cost at today's prices, stored ones included."""

    from_store: int = 0
    asked: int = 0
    invalid_replies: int = 0
    """Replies that did not have the form of the schema; one repair is tried for each request."""
    repaired: int = 0
    retries: int = 0
    failed: int = 0
    usd_spent: float = 0.0
    """What this run's calls cost, those with invalid replies included."""

    def used(self, role: Role, usage: Usage, from_store: bool) -> None:
        self.from_store += from_store
        self.prompt_tokens += usage.prompt_tokens
        self.cached_tokens += usage.cached_tokens
        self.completion_tokens += usage.completion_tokens
        self.usd += usd(role, usage)

    def report(self) -> dict[str, Any]:
        return {name: round(value, 6) if isinstance(value, float) else value for name, value in asdict(self).items()}
