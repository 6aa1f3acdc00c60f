"""Requests out, replies in: by a provider's batch service, another machine or a person.

Requests leave as OpenAI Batch input, one JSON object a line:
    {"custom_id": key, "method": "POST", "url": "/v1/chat/completions", "body": {...}}
Replies come in as Batch output or in a form that a person can write:
    {"custom_id": key, "response": {"status_code": 200, "body": {"choices": [...], "usage": {...}}}, "error": null}
    {"custom_id": key, "content": "..." or {...}}
A replies file of ours is the latter with role, model and usage, sorted by key.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterable
from dataclasses import replace
from pathlib import Path
from typing import Any

import orjson

from stages.core.errors import UserError
from stages.core.files import replacing, write_jsonl
from stages.llm.request import Usage, clean
from stages.llm.schema import misfit
from stages.llm.store import Asked, Store, Stored


class _Unusable(Exception):
    """A line that is no reply. The message is a clause."""


def write_requests(path: Path, requests: Iterable[Asked]) -> int:
    """Write `requests` as OpenAI Batch input and return how many."""
    count = 0
    with replacing(path) as temporary, temporary.open("wb") as out:
        for request in requests:
            head = orjson.dumps({"custom_id": request.key, "method": "POST", "url": "/v1/chat/completions"})
            out.write(head[:-1] + b',"body":' + request.body + b"}\n")
            count += 1
    return count


def write_replies(path: Path, store: Store, keys: list[str]) -> int:
    """Write the stored replies to `keys`, sorted by key, as a replies file: the same replies give the same bytes."""
    replies = store.replies(keys)
    write_jsonl(
        path,
        (
            {
                "custom_id": key, "role": reply.role, "model": reply.model, "content": reply.text, "finish_reason": reply.finish_reason,
                "usage": {
                    "prompt_tokens": reply.usage.prompt_tokens, "completion_tokens": reply.usage.completion_tokens,
                    "prompt_tokens_details": {"cached_tokens": reply.usage.cached_tokens},
                },
            }
            for key, reply in sorted(replies.items())
        ),
    )
    return len(replies)


def take_file(store: Store, path: Path, name: str) -> None:
    """Take the replies file `path` into the store under `name`, unless this content was the last one taken from it.

    Its replies take the place of those that an earlier version of the file brought. They are checked when they are used.
    """
    content = _read(path, name)
    digest = hashlib.sha256(content).hexdigest()
    if store.imported(name) == digest:
        return
    replies = []
    for number, line in enumerate(content.splitlines(), 1):
        if not line.strip():
            continue
        try:
            reply = _reply(*_entry(line), name)
            replies.append(replace(reply, text=clean(reply.text, as_json=reply.text.lstrip()[:1] in "{[")))
        except _Unusable as problem:
            raise UserError(f"{name} line {number}: {problem}; correct or remove that line.") from None
    store.take_file(name, digest, replies)


def take_missing(store: Store, path: Path) -> int:
    """Take from a replies file of ours what the store does not have; returns how much. What the store has stays."""
    entries: dict[str, dict[str, Any]] = {}
    for number, line in enumerate(_read(path, str(path)).splitlines(), 1):
        try:
            key, entry = _entry(line)
        except _Unusable as problem:
            raise UserError(f"{path} line {number}: {problem}; fetch the file again.") from None
        entries[key] = entry
    known = store.replies(list(entries))
    new = [_reply(key, entry, path.name) for key, entry in entries.items() if key not in known]
    store.put_all(new)
    return len(new)


def import_replies(store: Store, path: Path) -> tuple[int, list[str]]:
    """Store those replies of `path` that fit their request; return how many, and a sentence for each of the others."""
    taken: list[Stored] = []
    problems: list[str] = []
    for number, line in enumerate(_read(path, str(path)).splitlines(), 1):
        if not line.strip():
            continue
        asked: Asked | None = None
        try:
            key, entry = _entry(line)
            asked = store.request(key)
            taken.append(_fitting(_reply(key, entry, f"import of {path.name}"), asked))
        except _Unusable as problem:
            whose = f"item {asked.item_id}, role {asked.role}" if asked else "unknown item"
            problems.append(f"{path.name} line {number} ({whose}): {problem}.")
    if taken:
        store.put_all(taken)
    return len(taken), problems


def _read(path: Path, name: str) -> bytes:
    try:
        return path.read_bytes()
    except OSError as error:
        raise UserError(f"The replies file {name} cannot be read ({error.strerror}); check its path.") from None


def _entry(line: bytes) -> tuple[str, dict[str, Any]]:
    """A line's key and the object that it is. Raises _Unusable."""
    try:
        entry = orjson.loads(line)
    except orjson.JSONDecodeError as error:
        raise _Unusable(f"not valid JSON ({error})") from None
    key = entry.get("custom_id") if isinstance(entry, dict) else None
    if not isinstance(key, str) or len(key) != 64:
        raise _Unusable("no custom_id of 64 hexadecimal digits")
    return key, entry


def _reply(key: str, entry: dict[str, Any], origin: str) -> Stored:
    """The reply in any of the accepted forms. Raises _Unusable."""
    content, finish_reason, usage = _content(entry)
    if isinstance(content, (dict, list)):
        content = orjson.dumps(content).decode()
    if not isinstance(content, str) or not content.strip():
        raise _Unusable("no content")
    return Stored(key, str(entry.get("role", "")), str(entry.get("model", "")), content, Usage.of(usage), finish_reason=finish_reason, origin=origin)


def _content(entry: dict[str, Any]) -> tuple[Any, str, Any]:
    if "response" not in entry and "error" not in entry:
        return entry.get("content"), str(entry.get("finish_reason") or ""), entry.get("usage")
    response = entry.get("response") or {}
    if entry.get("error") or response.get("status_code") != 200:
        raise _Unusable(f"the batch service failed: {entry.get('error') or response!r:.200}")
    try:
        choice = response["body"]["choices"][0]
        return choice["message"]["content"], str(choice.get("finish_reason") or ""), response["body"].get("usage")
    except (LookupError, TypeError, AttributeError):
        raise _Unusable("the response body is not a chat completion") from None


def _fitting(reply: Stored, asked: Asked | None) -> Stored:
    """`reply` with its text cleaned and its request's role. Raises _Unusable when it does not answer the request."""
    if asked is None:
        raise _Unusable("the store knows no such request; export the requests from this store first")
    if reply.finish_reason in ("length", "content_filter"):
        raise _Unusable(f"the reply was cut ({reply.finish_reason})")
    text = clean(reply.text, asked.schema is not None)
    if asked.schema is not None:
        try:
            value = orjson.loads(text)
        except orjson.JSONDecodeError as error:
            raise _Unusable(f"the content is not valid JSON ({error})") from None
        if problem := misfit(value, asked.schema):
            raise _Unusable(problem)
    return replace(reply, role=asked.role, model=asked.model, text=text)
