"""Voices and recognizers behind the OpenAI audio API: `/v1/audio/speech` and `/v1/audio/transcriptions`.

For models that need a GPU or packages that clash with ours (Qwen3-TTS, Whisper large-v3): vLLM-Omni, vLLM, Ray Serve and
the paid services speak this API. A list of servers is the unit of scale: requests go round, and a server that fails is
passed over for the next. The `openai` client does one try each; retries and waiting are here, so that they also change
the server. The key is read from the environment and goes nowhere but into the request.
"""

from __future__ import annotations

import base64
import functools
import hashlib
import itertools
import os
import random
import threading
import time
import unicodedata
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

from stages.core.errors import UserError
from stages.speech import audio
from stages.speech.settings import Endpoint, OpenAISpeechSettings, OpenAITranscriptionSettings, OpenAIVariation, Variation, Voice

if TYPE_CHECKING:
    from stages.speech.protocols import Audio

R = TypeVar("R")

_MAX_WAIT_S = 30.0
_turns = itertools.count()
_NO_KEY = "none"
"""The client library wants some key, also for a server that wants none."""


class _Servers:
    """The endpoint's servers, each with one client, and the tries over them."""

    def __init__(self, settings: Endpoint, key: str) -> None:
        self._settings, self._key = settings, key
        self._lock = threading.Lock()
        self._clients: dict[str, Any] = {}

    def prepare(self) -> None:
        self._api_key()

    def ask(self, what: str, call: Callable[[Any], R]) -> R:
        """`call(client)`, tried on one server after another. Raises UserError when every try failed or the request is refused."""
        import openai

        urls = self._settings.base_urls
        why = ""
        for attempt in range(self._settings.max_tries):
            url = urls[next(_turns) % len(urls)]
            wait_s = min(2.0**attempt, _MAX_WAIT_S) * random.random()  # full jitter
            try:
                return call(self._client(url))
            except openai.APIStatusError as error:
                why = f"{url} answered {error.status_code}"
                if error.status_code not in (408, 409, 429) and error.status_code < 500:
                    raise UserError(f"{what} was refused: {why} ({_told(error, self._api_key())}); correct {self._key} in conf/.") from None
                wait_s = max(wait_s, _retry_after(error))
            except openai.APITimeoutError:
                why = f"{url} did not answer within {self._settings.timeout_s:g} s"
            except openai.APIConnectionError:
                why = f"{url} cannot be reached"
            except _NotAudioError as error:
                why = f"{url} answered {error}"
            if attempt + 1 < self._settings.max_tries:
                time.sleep(wait_s)
        tries = self._settings.max_tries
        raise UserError(f"{what} failed {tries} times, at last because {why}; check {self._key}.base_urls in conf/ and the server.")

    def _client(self, url: str) -> Any:
        import openai

        with self._lock:
            if url not in self._clients:
                self._clients[url] = openai.OpenAI(base_url=url, api_key=self._api_key(), timeout=self._settings.timeout_s, max_retries=0)
            return self._clients[url]

    def _api_key(self) -> str:
        name = self._settings.api_key_env
        if name is None:
            return _NO_KEY
        key = os.environ.get(name)
        if not key:
            server = self._settings.base_urls[0]
            raise UserError(f"The environment variable {name} is not set; it must hold the key of {server} ({self._key}.api_key_env in conf/).")
        return key


class OpenAISpeech:
    """`/v1/audio/speech`. Voices are the server's own names, or recordings to clone, sent as `ref_audio` and `ref_text`."""

    remote = True

    def __init__(self, settings: OpenAISpeechSettings, root: Path) -> None:
        self._settings, self._root = settings, root
        self.name, self.revision = settings.model, settings.revision
        self.origin = f"servers {', '.join(settings.base_urls)}"
        self._servers = _Servers(settings, "tts")
        self._reference = functools.cache(self._read_reference)

    def prepare(self) -> None:
        self._servers.prepare()
        for voice in [*self._settings.voices.female, *self._settings.voices.male]:
            self._reference(voice)

    def request(self, voice: Voice, variation: Variation) -> dict[str, Any]:
        assert isinstance(variation, OpenAIVariation)
        body = {**self._settings.extra_body, **variation.extra_body}
        asked: dict[str, Any] = {"voice": voice.name, "speed": variation.speed, "extra_body": body}
        reference = self._reference(voice)
        if reference is not None:
            recording, transcript = reference
            asked["reference"] = {"sha256": hashlib.sha256(recording).hexdigest(), "text": transcript}
        return asked

    def unspoken(self, text: str, variation: Variation) -> str:
        return ""

    def synthesize(self, text: str, voice: Voice, variation: Variation) -> tuple[Audio, int]:
        assert isinstance(variation, OpenAIVariation)
        body = {**self._settings.extra_body, **variation.extra_body}
        reference = self._reference(voice)
        if reference is not None:
            body["ref_audio"] = f"data:audio/wav;base64,{base64.b64encode(reference[0]).decode()}"
            body["ref_text"] = reference[1]
        options = {} if variation.speed is None else {"speed": variation.speed}

        def call(client: Any) -> tuple[Audio, int]:
            answer = client.audio.speech.create(
                model=self._settings.model, voice=voice.name, input=text, response_format="wav", extra_body=body, **options
            )
            return _decoded(answer)

        samples, rate = self._servers.ask(f"Speech of {text[:40]!r}", call)
        return audio.trim(samples, rate), rate

    def _read_reference(self, voice: Voice) -> tuple[bytes, str] | None:
        if voice.ref_audio is None:
            return None
        try:
            recording = (self._root / voice.ref_audio).read_bytes()
            transcript = (self._root / voice.ref_text).read_text(encoding="utf-8") if voice.ref_text else ""
        except (OSError, UnicodeDecodeError) as error:
            raise UserError(
                f"The reference recording of the voice {voice.name!r} cannot be read ({error}); put it there or correct tts.voices in conf/."
            ) from None
        audio.decode(recording)
        return recording, unicodedata.normalize("NFC", transcript.strip())


class OpenAITranscription:
    """`/v1/audio/transcriptions`, given 16-bit FLAC."""

    remote = True

    def __init__(self, settings: OpenAITranscriptionSettings, root: Path) -> None:
        self._settings = settings
        self.name, self.revision = settings.model, settings.revision
        self.origin = f"servers {', '.join(settings.base_urls)}"
        self._servers = _Servers(settings, "asr")

    def prepare(self) -> None:
        self._servers.prepare()

    def request(self) -> dict[str, Any]:
        return {"extra_body": self._settings.extra_body}

    def transcribe(self, samples: Audio, sample_rate_hz: int, language: str) -> str:
        flac = audio.encode_flac(samples, sample_rate_hz)

        def call(client: Any) -> str:
            answer = client.audio.transcriptions.create(
                model=self._settings.model, file=("speech.flac", flac, "audio/flac"), language=language, response_format="json",
                extra_body=self._settings.extra_body,
            )  # fmt: skip
            text = getattr(answer, "text", None)
            if not isinstance(text, str):
                raise _NotAudioError("something else than a transcript")
            return text

        return unicodedata.normalize("NFC", self._servers.ask("A transcription", call).strip())


class _NotAudioError(Exception):
    """A server answered well-formed nonsense, such as a page of HTML with status 200."""


def _decoded(answer: Any) -> tuple[Audio, int]:
    content = answer.content
    try:
        return audio.decode(content)
    except UserError:
        kind = answer.response.headers.get("content-type", "no content type")
        raise _NotAudioError(f"{len(content)} bytes of {kind} that are not audio") from None


def _told(error: Any, key: str) -> str:
    """The server's own words, short. Some servers repeat the key that they refuse."""
    return " ".join(str(error.message).replace(key, "[key]" if key != _NO_KEY else key).split())[:160]


def _retry_after(error: Any) -> float:
    try:
        return min(float(error.response.headers.get("retry-after", 0)), _MAX_WAIT_S)
    except ValueError:
        return 0.0
