"""A rendered request with its key, and the reply to it. The key is the content: what is sent, and nothing else.

Two runs that would send the same bytes share a reply; a request that differs in one character of its prompt, one sampling
parameter or its response schema is another request.
"""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import orjson
from pydantic import BaseModel, ValidationError

from stages.core.files import nfc
from stages.llm.schema import strict_schema
from stages.llm.settings import Role

Message = Mapping[str, str]
"""`{"role": "system" | "user" | "assistant", "content": text}`."""


class InvalidReply(Exception):
    """A reply that does not have the form the request asked for. The message says what is wrong, as a clause."""


def request_key(body: Mapping[str, Any], sample: int) -> str:
    """sha256 of the request's canonical JSON (keys sorted, UTF-8), `#` and the sample index, in hex."""
    return hashlib.sha256(orjson.dumps(body, option=orjson.OPT_SORT_KEYS) + b"#%d" % sample).hexdigest()


@dataclass(frozen=True)
class Request:
    """One question to one role about one item. Rendered texts are brought to NFC."""

    item_id: str
    role: Role
    messages: tuple[Message, ...]
    schema: type[BaseModel] | None = None
    """The form of the reply; None asks for plain text."""
    sample: int = 0
    """Distinguishes several replies to the same request (self-consistency, several judges' runs)."""

    @cached_property
    def body(self) -> dict[str, Any]:
        """The JSON object that is sent to /chat/completions."""
        role = self.role
        messages = [nfc(dict(message)) for message in self.messages]
        body: dict[str, Any] = {"model": role.model, "messages": messages}
        for name in ("temperature", "top_p", "max_tokens"):
            if (value := getattr(role, name)) is not None:
                body[name] = value
        if role.seed is not None:
            body["seed"] = role.seed + self.sample
        if self.schema is not None:
            form = strict_schema(self.schema)
            if role.structured == "json_schema":
                body["response_format"] = {"type": "json_schema", "json_schema": {"name": self.schema.__name__, "strict": True, "schema": form}}
            else:
                messages[-1]["content"] += f"\n\nReply with one JSON object of this JSON schema and nothing else:\n{orjson.dumps(form).decode()}"
                if role.structured == "json_object":
                    body["response_format"] = {"type": "json_object"}
        return body | role.extra_body

    @cached_property
    def sent(self) -> bytes:
        """`body` as it is sent: with the schema's properties in their declared order, unlike the canonical bytes."""
        return orjson.dumps(self.body)

    @cached_property
    def key(self) -> str:
        return request_key(self.body, self.sample)

    def parse(self, text: str) -> BaseModel | str:
        """The value of a reply that went through `clean`. Raises InvalidReply."""
        if self.schema is None:
            if not text.strip():
                raise InvalidReply("the reply is empty")
            return text
        try:
            return self.schema.model_validate_json(text)
        except ValidationError as error:
            first = error.errors(include_url=False, include_context=False)[0]
            at = ".".join(map(str, first["loc"]))
            raise InvalidReply(f"{at + ': ' if at else ''}{first['msg'][:1].lower()}{first['msg'][1:]}") from None

    def repair(self, reply: str, problem: str) -> bytes:
        """The second and last try: the same conversation, continued by the invalid reply and what is wrong with it."""
        if not reply.strip():
            return self.sent
        ask = f"That reply is not valid: {problem}. Reply again with the corrected JSON object and nothing else."
        more = [{"role": "assistant", "content": reply}, {"role": "user", "content": ask}]
        return orjson.dumps(self.body | {"messages": [*self.body["messages"], *more]})


def clean(text: str, as_json: bool) -> str:
    """A model's text at the first touch: NFC, without its thoughts, and for a JSON reply without the talk or code fence around it."""
    if text.lstrip().startswith("<think>"):
        text = text.partition("</think>")[2]
    if not as_json:
        return nfc(text)
    text = text.strip()
    if text[:1] not in ("{", "["):
        begin, end = text.find("{"), text.rfind("}")
        text = text[begin : end + 1] if 0 <= begin < end else text
    if "\\u" in text:  # escapes can hide decomposed letters
        try:
            return orjson.dumps(nfc(orjson.loads(text))).decode()
        except orjson.JSONDecodeError:
            pass
    return nfc(text)


@dataclass(frozen=True, slots=True)
class Usage:
    """Tokens of one call, as the endpoint counts them; `cached_tokens` is the part of `prompt_tokens` billed as cached. Audio is a part of both."""

    prompt_tokens: int = 0
    cached_tokens: int = 0
    completion_tokens: int = 0
    audio_prompt_tokens: int = 0
    audio_completion_tokens: int = 0

    def __add__(self, other: Usage) -> Usage:
        return Usage(
            self.prompt_tokens + other.prompt_tokens, self.cached_tokens + other.cached_tokens, self.completion_tokens + other.completion_tokens,
            self.audio_prompt_tokens + other.audio_prompt_tokens, self.audio_completion_tokens + other.audio_completion_tokens,
        )  # fmt: skip

    @classmethod
    def of(cls, told: Any) -> Usage:
        """From the `usage` object of a completion, whose every part may be missing or null."""
        if not isinstance(told, dict):
            return cls()
        details = (told.get("prompt_tokens_details"), told.get("completion_tokens_details"))
        of_prompt, of_completion = (part if isinstance(part, dict) else {} for part in details)
        counts = (
            told.get("prompt_tokens"), of_prompt.get("cached_tokens"), told.get("completion_tokens"), of_prompt.get("audio_tokens"),
            of_completion.get("audio_tokens"),
        )  # fmt: skip
        return cls(*(n if isinstance(n, int) else 0 for n in counts))


@dataclass(frozen=True, slots=True)
class Reply:
    key: str
    value: BaseModel | str
    """The validated reply: an instance of the request's schema, or the text where it has none."""
    text: str
    usage: Usage
    from_store: bool
