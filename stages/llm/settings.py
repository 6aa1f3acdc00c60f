"""What a user declares about models: one `Role` for each job a model does, and one `ClientSettings` for them all."""

from __future__ import annotations

from typing import Any, Literal
from urllib.parse import urlsplit

from pydantic import Field, field_validator

from stages.core.settings import Settings

_OURS = {"model", "messages", "response_format", "stream", "n", "seed", "temperature", "top_p", "max_tokens"}


class Role(Settings):
    """A job (reviewer, translator, ...) and the model that does it, behind any OpenAI-compatible endpoint.

    `model`, the sampling parameters, `extra_body` and `structured` shape the request and so belong to its key. Where it is
    sent and how patiently (`base_url`, `api_key_env`, `concurrency`, `timeout_s`, `max_attempts`) and what it costs do not.
    """

    name: str = Field(min_length=1)
    """As in conf/llm: reviewer, meta_reviewer, translator, ... Accounts and errors use it."""
    model: str = Field(min_length=1)
    base_url: str = "https://api.openai.com/v1"
    api_key_env: str | None = None
    """Name of the environment variable with the key; null sends no Authorization header (local servers)."""
    temperature: float | None = None
    top_p: float | None = None
    max_tokens: int | None = Field(None, ge=1)
    """Sent as `max_tokens`. Models that want `max_completion_tokens` get it in `extra_body`."""
    seed: int | None = None
    """Sent as is for sample 0; sample n sends seed + n, since the same seed would give the same sample."""
    extra_body: dict[str, Any] = Field(default_factory=dict)
    """Further parameters of the endpoint, sent as they are."""
    structured: Literal["json_schema", "json_object", "none"] = "json_schema"
    """How the endpoint is told the form of the reply. For the last two the schema is written below the prompt."""
    concurrency: int = Field(16, ge=1, le=4096)
    """Most requests in flight. Fewer are sent for a while when the endpoint pushes back (429, 5xx, timeouts)."""
    timeout_s: float = Field(120.0, gt=0)
    max_attempts: int = Field(8, ge=1)
    usd_per_million_input: float | None = Field(None, ge=0)
    usd_per_million_output: float | None = Field(None, ge=0)
    usd_per_million_cached_input: float | None = Field(None, ge=0)
    """Null means the price of other input."""
    usd_per_million_audio_input: float | None = Field(None, ge=0)
    usd_per_million_audio_output: float | None = Field(None, ge=0)
    """Null means the price of text."""

    @field_validator("base_url")
    @classmethod
    def _plain_url(cls, url: str) -> str:
        parts = urlsplit(url)
        if parts.scheme not in ("http", "https") or not parts.hostname:
            raise ValueError("an endpoint is a http:// or https:// address, such as http://127.0.0.1:8000/v1")
        if parts.username or parts.password:
            raise ValueError("an address must not carry a password; name an environment variable in api_key_env")
        if parts.path.rstrip("/").endswith("/chat/completions"):
            raise ValueError("leave out /chat/completions, it is appended")
        return url.rstrip("/")

    @field_validator("extra_body")
    @classmethod
    def _extra_only(cls, extra: dict[str, Any]) -> dict[str, Any]:
        if taken := sorted(_OURS & extra.keys()):
            raise ValueError(f"{taken[0]!r} has its own key or is not for a role to choose")
        return extra


class ClientSettings(Settings):
    mode: Literal["live", "replay"] = "replay"
    """`live` asks what the store does not hold; `replay` never asks."""
    replies: list[str] = Field(default_factory=list)
    """JSONL files of replies, relative to the project's root, taken into the store when the client opens."""
    max_cost_usd: float | None = Field(None, ge=0)
    """The most that all live calls recorded in the store may have cost together, over all stages and runs."""
    backoff_s: float = Field(0.5, gt=0)
    """Before retry n a request waits a random time up to backoff_s * 2^(n-1) (full jitter), at most backoff_cap_s."""
    backoff_cap_s: float = Field(60.0, gt=0)
    max_retry_after_s: float = Field(600.0, gt=0)
    """An endpoint that asks for a longer wait (a spent daily quota) ends the run; what was answered is stored."""
