"""A model behind chat completions that take `input_audio`, asked with many requests in flight.

A clip is sent as 16-bit mono at the rate that the settings name, base64 in the request. A spoken answer (`message.audio`) is kept as
it comes, and where the message has no text its transcript is the text. The transport, its retries and its manners towards the
endpoint are those of stages/llm.
"""

from __future__ import annotations

import asyncio
import base64
import binascii
from collections.abc import Callable, Iterator
from typing import Any

import orjson

from stages.core.errors import UserError
from stages.evaluate.speechlms.base import Answer, Asked, Chat, Decoding, Failure
from stages.llm import ClientSettings, Role

_HOPELESS = 10
"""When the endpoint leaves this many questions in a row without an answer, the rest is not sent."""


class ChatModel:
    def __init__(self, settings: Chat, name: str, decoding: Decoding) -> None:
        self.name = name
        self.retries = 0
        self._settings = settings
        sampling = decoding.model_dump(include={"temperature", "top_p", "max_tokens", "seed"})
        shared = settings.model_dump(include={"model", "base_url", "api_key_env", "extra_body", "concurrency", "timeout_s", "max_attempts"})
        self._role = Role.model_validate({"name": name, "structured": "none", **sampling, **shared})

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

        from stages.llm.limiter import Stopped
        from stages.llm.transport import Endpoint, ItemError

        stopped: list[UserError] = []
        async with aiohttp.ClientSession(connector=aiohttp.TCPConnector(limit=0, ttl_dns_cache=300)) as session:
            endpoint = Endpoint(self._role, ClientSettings.model_validate({"mode": "live"}), session)

            posing = asyncio.Lock()

            async def ask(one: Asked) -> None:
                sent: Asked | Answer = one
                if pose is not None:
                    async with posing:
                        sent = await asyncio.to_thread(pose, one)
                if isinstance(sent, Answer):
                    took(one, sent)
                    return
                try:
                    took(one, _answer(await endpoint.complete(self._body(sent))))
                except ItemError as problem:
                    took(one, Failure(str(problem)))
                    if endpoint.unanswered >= _HOPELESS:
                        raise UserError(f"The last {endpoint.unanswered} questions to {self.name} had no answer: {problem}") from None

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
        if stopped:
            raise UserError(f"{str(stopped[0]).rstrip('.')}; every answer so far is stored, run again to go on.")

    def _body(self, asked: Asked) -> bytes:
        content: list[dict[str, Any]] = []
        if asked.audio is not None:
            clip = base64.b64encode(converted(asked.audio, self._settings.sample_rate_hz, self._settings.audio_format)).decode()
            content.append({"type": "input_audio", "input_audio": {"data": clip, "format": self._settings.audio_format}})
        if asked.text is not None:
            content.append({"type": "text", "text": asked.text})
        messages = [{"role": "system", "content": self._settings.system}] if self._settings.system else []
        messages.append({"role": "user", "content": content if asked.audio is not None else asked.text})  # type: ignore[dict-item]
        body: dict[str, Any] = {"model": self._role.model, "messages": messages}
        for name in ("temperature", "top_p", "max_tokens", "seed"):
            if (value := getattr(self._role, name)) is not None:
                body[name] = value
        return orjson.dumps(body | self._role.extra_body)


def converted(clip: bytes, sample_rate_hz: int, format: str) -> bytes:
    """A clip as 16-bit mono WAV or FLAC at the given rate."""
    import io

    import soundfile

    from stages.speech import audio

    samples, rate = audio.decode(clip)
    out = io.BytesIO()
    soundfile.write(out, audio.resample(samples, rate, sample_rate_hz), sample_rate_hz, format=format.upper(), subtype="PCM_16")
    return out.getvalue()


def _answer(completion: Any) -> Answer:
    spoken = completion.message.get("audio")
    clip, transcript = None, ""
    if isinstance(spoken, dict):
        transcript = spoken.get("transcript") or ""
        try:
            clip = base64.b64decode(spoken.get("data") or "", validate=True) or None
        except (binascii.Error, TypeError):
            clip = None
    return Answer(
        completion.text or transcript, clip, None, completion.finish_reason, completion.usage.prompt_tokens, completion.usage.completion_tokens,
        round(completion.seconds, 3),
    )  # fmt: skip
