from __future__ import annotations

import hashlib
import json
import re
import unicodedata
from enum import Enum
from typing import Any, Literal

import orjson
import pytest
from pydantic import BaseModel, ConfigDict, Field, TypeAdapter, ValidationError

from stages.core import settings
from stages.core.errors import UserError
from stages.llm import Request, Role
from stages.llm.request import InvalidReply, clean, request_key
from stages.llm.schema import full_schema, misfit, strict_schema


class Kind(Enum):
    WRONG = "wrong"
    STALE = "stale"


class Finding(BaseModel):
    kind: Kind
    note: str | None = None


class Review(BaseModel):
    """A docstring that may be reworded."""

    reason: str = Field(min_length=1, max_length=50, description="Why, in one sentence.")
    verdict: Literal["correct", "wrong", "unsure"]
    answers: list[str] = Field(default_factory=list, max_length=3)
    findings: list[Finding] = Field(default_factory=list)
    confidence: int = Field(ge=0, le=100)


GOOD: dict[str, Any] = {"reason": "r", "verdict": "correct", "answers": ["a"], "findings": [{"kind": "stale", "note": None}], "confidence": 5}


def role(**changes: Any) -> Role:
    return Role(**{"name": "reviewer", "model": "m", "temperature": 0, "seed": 7} | changes)


def request(text: str = "question", schema: type[BaseModel] | None = Review, sample: int = 0, **changes: Any) -> Request:
    return Request("bbh-test-00001", role(**changes), ({"role": "user", "content": text},), schema, sample)


def test_the_key_does_not_change_between_versions_of_this_project() -> None:
    """Every stored reply hangs on this value. It may change only on purpose: then all replies are asked again."""
    body = {"messages": [{"content": "question", "role": "user"}], "model": "m", "seed": 7, "temperature": 0.0}
    by_hand = hashlib.sha256(json.dumps(body, separators=(",", ":"), sort_keys=True).encode() + b"#0").hexdigest()
    assert request(schema=None).key == by_hand == "471370ea81c0d6416c384bc1d0b1f97a40c6d9ffc1e1ed3878893f439bed03f8"


def test_key_ignores_the_order_of_keys_and_where_the_request_is_sent() -> None:
    one = Request("a", role(extra_body={"x": 1, "y": {"b": 1, "a": 2}}), ({"role": "user", "content": "q"},))
    two = Request("b", role(extra_body={"y": {"a": 2, "b": 1}, "x": 1}, base_url="http://elsewhere/v1", api_key_env="K", concurrency=3, timeout_s=1,
                            max_attempts=1, usd_per_million_input=9, name="other"), ({"content": "q", "role": "user"},))  # fmt: skip
    assert one.key == two.key


def test_key_is_the_same_for_composed_and_decomposed_hangul() -> None:
    text = "\ud55c\uad6d\uc5b4"
    assert unicodedata.normalize("NFD", text) != text
    assert request(text).key == request(unicodedata.normalize("NFD", text)).key


@pytest.mark.parametrize(
    "changed",
    [request("question "), request(temperature=0.5), request(model="m2"), request(top_p=0.9), request(max_tokens=5), request(seed=8),
     request(sample=1),
     request(schema=Finding), request(schema=None), request(extra_body={"top_k": 1}), request(structured="none")],
)  # fmt: skip
def test_key_changes_with_everything_that_shapes_the_reply(changed: Request) -> None:
    assert changed.key != request().key


def test_what_is_sent_holds_no_address_and_no_environment_variable() -> None:
    sent = request(base_url="http://secret.example/v1", api_key_env="MY_KEY").sent
    assert b"secret.example" not in sent
    assert b"MY_KEY" not in sent


def test_key_can_be_computed_again_from_the_stored_request() -> None:
    one = request(sample=2)
    assert request_key(orjson.loads(one.sent), 2) == one.key
    assert one.body["seed"] == 9, "each sample has a seed of its own"


def test_body_is_what_the_openai_package_accepts() -> None:
    from openai.types.chat.completion_create_params import CompletionCreateParamsNonStreaming

    TypeAdapter(CompletionCreateParamsNonStreaming).validate_python(request(max_tokens=3, top_p=1).body)


def test_strict_schema_is_that_of_the_openai_package_without_titles_and_unsupported_limits() -> None:
    from openai.lib._pydantic import to_strict_json_schema

    def inlined(schema: Any, defs: dict[str, Any]) -> Any:
        if isinstance(schema, list):
            return [inlined(part, defs) for part in schema]
        if not isinstance(schema, dict):
            return schema
        if "$ref" in schema:
            return inlined(defs[schema["$ref"].rpartition("/")[2]], defs)
        dropped = {"title", "$defs", "default", "minLength", "maxLength"}
        kept = {k: v for k, v in schema.items() if k not in dropped}
        if "properties" in kept:
            kept.pop("description", None)
            return {k: inlined(v, defs) for k, v in kept.items() if k != "properties"} | {
                "properties": {name: inlined(field, defs) for name, field in kept["properties"].items()}
            }
        return {k: inlined(v, defs) for k, v in kept.items()}

    theirs = to_strict_json_schema(Review)
    assert strict_schema(Review) == inlined(theirs, theirs["$defs"])
    assert list(strict_schema(Review)["properties"]) == ["reason", "verdict", "answers", "findings", "confidence"]


def test_rewording_a_docstring_asks_nothing_again() -> None:
    reworded = type("Review", (Review,), {"__doc__": "Other words.", "__module__": __name__})
    assert request(schema=reworded).key == request().key


class Free(BaseModel):
    any: dict[str, str]


class Pair(BaseModel):
    pair: tuple[int, str]


class Tree(BaseModel):
    children: list[Tree]


@pytest.mark.parametrize("model", [Free, Pair, Tree])
def test_a_model_without_a_strict_form_is_refused_by_name(model: type[BaseModel]) -> None:
    with pytest.raises(TypeError, match=model.__name__):
        strict_schema(model)


@pytest.mark.parametrize("structured", ["json_object", "none"])
def test_schema_is_written_below_the_prompt_where_the_endpoint_takes_none(structured: str) -> None:
    body = request(structured=structured).body
    assert '"verdict"' in body["messages"][-1]["content"]
    assert body.get("response_format") == ({"type": "json_object"} if structured == "json_object" else None)


@pytest.mark.parametrize(
    ("change", "problem"),
    [({}, None), ({"answers": []}, None), ({"reason": ""}, "length of reason must be at least 1"), ({"reason": "x" * 51}, "at most 50"),
     ({"verdict": "maybe"}, "verdict must be one of"), ({"confidence": 101}, "confidence must be at most 100"),
     ({"confidence": True}, "must be an integer"), ({"confidence": "5"}, "must be an integer"),
     ({"answers": ["a", 1]}, "answers\\[1\\] must be a string"),
     ({"answers": ["a"] * 4}, "length of answers must be at most 3"), ({"findings": [{"kind": "new"}]}, "kind must be one of"),
     ({"findings": [{"kind": "stale", "note": 3}]}, "note must be a string")],
)  # fmt: skip
def test_check_by_json_schema_agrees_with_pydantic(change: dict[str, Any], problem: str | None) -> None:
    value = GOOD | change
    found = misfit(value, full_schema(Review))
    if problem is None:
        assert found is None
        Review.model_validate(value)
    else:
        assert found is not None
        assert re.search(problem, found)
        with pytest.raises(ValidationError):
            Review.model_validate_json(orjson.dumps(value), strict=True)


def test_check_by_json_schema_names_what_is_lacking() -> None:
    lacking = {k: v for k, v in GOOD.items() if k != "verdict"}
    assert misfit(lacking, full_schema(Review)) == "the reply lacks 'verdict'"


def test_unknown_keys_are_a_misfit_where_the_model_forbids_them() -> None:
    class Closed(BaseModel):
        model_config = ConfigDict(extra="forbid")
        a: int

    assert misfit({"a": 1, "b": 2}, full_schema(Closed)) == "the reply has the unknown key 'b'"


def test_reply_text_loses_what_is_around_its_json_and_decomposed_letters_also_when_escaped() -> None:
    nfd = unicodedata.normalize("NFD", "\ud55c")
    for around in ("```json\n%s\n```", "Here it is:\n```\n%s\n```\nAnything else?", "<think>{maybe}</think>\n%s"):
        assert clean(around % '{"a": "b"}', as_json=True) == '{"a": "b"}'
    assert clean("no object here", as_json=True) == "no object here"
    assert clean("<think>hm</think>text", as_json=False) == "text"
    assert clean(nfd, as_json=False) == "\ud55c"
    escaped = '{"a": "' + "".join(f"\\u{ord(c):04x}" for c in nfd) + '"}'
    assert orjson.loads(clean(escaped, as_json=True)) == {"a": "\ud55c"}
    assert clean("```not json, a text```", as_json=False) == "```not json, a text```"


def test_an_invalid_reply_is_explained_by_field() -> None:
    with pytest.raises(InvalidReply, match=r"verdict: input should be 'correct', 'wrong' or 'unsure'"):
        request().parse(orjson.dumps(GOOD | {"verdict": "x"}).decode())
    with pytest.raises(InvalidReply, match="empty"):
        request(schema=None).parse("  ")


@pytest.mark.parametrize(
    ("values", "sentence"),
    [({"modle": "x"}, "llm.reviewer.modle is unknown. Did you mean 'model'"), ({"base_url": "127.0.0.1:8000"}, "http:// or https://"),
     ({"base_url": "https://me:pw@host/v1"}, "must not carry a password"),
     ({"base_url": "http://h/v1/chat/completions"}, "leave out /chat/completions"),
     ({"extra_body": {"stream": True}}, "'stream' has its own key or is not for a role to choose")],
)  # fmt: skip
def test_a_bad_role_is_one_sentence(values: dict[str, Any], sentence: str) -> None:
    with pytest.raises(UserError) as caught:
        settings.load(Role, {"name": "reviewer", "model": "m"} | values, "llm.reviewer")
    assert sentence in str(caught.value)
