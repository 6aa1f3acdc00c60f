"""A model behind chat completions that take `input_audio`, asked with many requests in flight.

A clip is sent as 16-bit mono at the rate that the settings name, base64 in the request. A spoken answer (`message.audio`) is kept as
it comes if it can be decoded, and where the message has no text its transcript is the text. The transport, its retries, its manners
towards the endpoint and the budget are those of stages/llm.
"""

from __future__ import annotations

import asyncio
import base64
import binascii
from collections.abc import Callable, Iterator
from typing import Any

import orjson

from stages.core.errors import UserError
from stages.evaluate.speechlms.base import BROKEN, Answer, Asked, Chat, Decoding, Failure
from stages.llm import ClientSettings, Role
from stages.llm.account import usd

_HOPELESS = 10
"""When the endpoint leaves this many questions in a row without an answer, the rest is not sent."""


class ChatModel:
    def __init__(self, settings: Chat, name: str, decoding: Decoding, spent_usd: float = 0.0) -> None:
        self.name = name
        self._spent_usd = spent_usd
        self.retries = 0
        self._settings = settings
        sampling = decoding.model_dump(include={"temperature", "top_p", "max_tokens", "seed"})
        own = {"kind", "system", "audio_format", "sample_rate_hz", "max_cost_usd"}
        self._role = Role.model_validate({"name": name, "structured": "none", **sampling, **settings.model_dump(exclude=own)})

    def fingerprint(self) -> dict[str, Any]:
        role = self._role.model_dump(include={"model", "temperature", "top_p", "max_tokens", "seed", "extra_body"})
        return {"kind": "chat", **role, "system": self._settings.system, "sample_rate_hz": self._settings.sample_rate_hz}

    def prepare(self) -> None:
        from stages.llm.transport import api_key

        api_key(self._role)

    def answers(
        self, asked: Iterator[Asked], took: Callable[[Asked, Answer | Failure], None], pose: Callable[[Asked], Asked | Answer] | None = None
    ) -> None:
        """`pose` makes of a question what is sent, or its answer where nothing is to be sent. It runs in a thread, one question at a time."""
        asyncio.run(self._answers(asked, took, pose))

    async def _answers(
        self, asked: Iterator[Asked], took: Callable[[Asked, Answer | Failure], None], pose: Callable[[Asked], Asked | Answer] | None
    ) -> None:
        import aiohttp

        from stages.llm.budget import Budget, OutOfBudget
        from stages.llm.limiter import Stopped
        from stages.llm.transport import Endpoint, ItemError

        stopped: list[UserError] = []
        async with aiohttp.ClientSession(connector=aiohttp.TCPConnector(limit=0, ttl_dns_cache=300)) as session:
            endpoint = Endpoint(self._role, ClientSettings.model_validate({"mode": "live"}), session)
            budget = Budget(self._settings.max_cost_usd, self._spent_usd, f"the max_cost_usd of {self.name}")
            posing = asyncio.Lock()

            async def ask(one: Asked) -> None:
                sent: Asked | Answer = one
                if pose is not None:
                    async with posing:
                        sent = await asyncio.to_thread(pose, one)
                if isinstance(sent, Answer):
                    took(one, sent)
                    return
                body, text_bytes, audio_s = self._body(sent)
                reserved_usd = await budget.reserve(self._role, text_bytes, audio_s)
                try:
                    completion = await endpoint.complete(body)
                    cost_usd = usd(self._role, completion.usage)
                    budget.paid(cost_usd, completion.usage.completion_tokens)
                    took(one, _answer(completion, cost_usd))
                except ItemError as problem:
                    took(one, Failure(str(problem)))
                    if endpoint.unanswered >= _HOPELESS:
                        raise UserError(f"The last {endpoint.unanswered} questions to {self.name} had no answer: {problem}") from None
                finally:
                    budget.settle(reserved_usd)

            async def work() -> None:
                try:
                    for one in asked:
                        if stopped:
                            return
                        await ask(one)
                except UserError as error:
                    stopped.append(error)
                    endpoint.limiter.stop()
                except Stopped:
                    return

            async with asyncio.TaskGroup() as group:
                for _ in range(self._settings.concurrency):
                    group.create_task(work())
            self.retries += endpoint.retries
            self._spent_usd = budget.spent_usd
        if stopped:
            then = "raise it and run again" if isinstance(stopped[0], OutOfBudget) else "run again"
            raise UserError(f"{str(stopped[0]).rstrip('.')}; every answer so far is stored, {then} to go on.")

    def _body(self, asked: Asked) -> tuple[bytes, int, float]:
        """What is sent, how many bytes of it are no audio, and how many seconds its audio lasts."""
        content: list[dict[str, Any]] = []
        clip, audio_s = "", 0.0
        if asked.audio is not None:
            sound, audio_s = converted(asked.audio, self._settings.sample_rate_hz, self._settings.audio_format)
            clip = base64.b64encode(sound).decode()
            content.append({"type": "input_audio", "input_audio": {"data": clip, "format": self._settings.audio_format}})
        if asked.text is not None:
            content.append({"type": "text", "text": asked.text})
        messages = [{"role": "system", "content": self._settings.system}] if self._settings.system else []
        messages.append({"role": "user", "content": content if asked.audio is not None else asked.text})  # type: ignore[dict-item]
        body: dict[str, Any] = {"model": self._role.model, "messages": messages}
        for name in ("temperature", "top_p", "max_tokens", "seed"):
            if (value := getattr(self._role, name)) is not None:
                body[name] = value
        sent = orjson.dumps(body | self._role.extra_body)
        return sent, len(sent) - len(clip), audio_s


def converted(clip: bytes, sample_rate_hz: int, format: str) -> tuple[bytes, float]:
    """A clip as 16-bit mono WAV or FLAC at the given rate, and its length in seconds."""
    import io

    import soundfile

    from stages.speech import audio

    samples, rate = audio.decode(clip)
    out = io.BytesIO()
    soundfile.write(out, audio.resample(samples, rate, sample_rate_hz), sample_rate_hz, format=format.upper(), subtype="PCM_16")
    return out.getvalue(), len(samples) / rate


def _answer(completion: Any, cost_usd: float) -> Answer:
    spoken = completion.message.get("audio")
    clip, transcript, reason = None, "", completion.finish_reason
    if isinstance(spoken, dict):
        transcript = said if isinstance(said := spoken.get("transcript"), str) else ""
        try:
            clip = _clip(spoken.get("data"))
        except (binascii.Error, TypeError, ValueError, UserError):
            reason = BROKEN
    return Answer(
        completion.text or transcript, clip, None, reason, completion.usage.prompt_tokens, completion.usage.completion_tokens,
        round(completion.seconds, 3), cost_usd,
    )  # fmt: skip


def _clip(data: Any) -> bytes | None:
    """The bytes of an answer's audio, None where there is none. Raises UserError, or an error of base64, for what is no audio."""
    from stages.speech import audio

    clip = base64.b64decode(data or "", validate=True)
    if clip:
        audio.decode(clip)
    return clip or None
