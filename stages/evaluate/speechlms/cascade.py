"""The cascade: a recognizer writes down what is said, a text model answers it. The simplest SpeechLM, and the baseline of the others."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

from stages.evaluate.speechlms.base import Answer, Asked, Cascade, Chat, Decoding, Failure
from stages.evaluate.speechlms.chat import ChatModel


class CascadeModel:
    def __init__(self, settings: Cascade, name: str, decoding: Decoding, root: Path) -> None:
        from stages.speech.studio import open_recognizer

        self.name = name
        self._recognizer = open_recognizer(settings.recognizer, root)
        shared = settings.llm.model_dump(include={"model", "base_url", "api_key_env", "extra_body", "concurrency", "timeout_s", "max_attempts"})
        chat = Chat.model_validate({"kind": "chat", "system": settings.system, **shared})
        self._chat = ChatModel(chat, name, decoding)
        self._heard: dict[str, str] = {}

    def fingerprint(self) -> dict[str, Any]:
        about = {"name": self._recognizer.name, "revision": self._recognizer.revision, "request": self._recognizer.request()}
        return {"kind": "cascade", "recognizer": about, "llm": self._chat.fingerprint()}

    def prepare(self) -> None:
        self._recognizer.prepare()
        self._chat.prepare()

    @property
    def retries(self) -> int:
        return self._chat.retries

    def answers(self, asked: Iterator[Asked], took: Callable[[Asked, Answer | Failure], None]) -> None:
        """What is heard in one question is written down while the text model answers those before it."""

        def given(one: Asked, answer: Answer | Failure) -> None:
            heard = self._heard.pop(one.id, None)
            took(one, replace(answer, heard=heard) if isinstance(answer, Answer) else answer)

        self._chat.answers(asked, given, self._written)

    def _written(self, one: Asked) -> Asked | Answer:
        """The question as text. One in which nothing is heard is not asked: its answer is empty."""
        from stages.speech import audio

        if one.audio is None:
            return one
        samples, rate = audio.decode(one.audio)
        heard = self._heard[one.id] = self._recognizer.transcribe(samples, rate, one.language)
        text = "\n".join(part for part in (heard, one.text) if part)
        return replace(one, text=text, audio=None) if text else Answer("", finish_reason="nothing_heard")
