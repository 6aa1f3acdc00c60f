"""The client against an endpoint that misbehaves, over real HTTP."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Callable
from email.utils import formatdate
from typing import Any

import pytest

from stages.core.errors import UserError
from stages.llm import Client, ClientSettings, Request, Role
from stages.llm.limiter import Limiter, Stopped
from stages.llm.transport import _proxy, _retry_after_s
from tests.llm.server import Behaviour, Fault, Server

Make = Callable[..., list[Request]]
HTML = b"<html><body>Welcome to the guest network</body></html>"


@pytest.fixture
def served(live: ClientSettings, requests: Make, role: Role) -> Callable[..., tuple[dict[str, Any], Server]]:
    """Asks `count` requests of a server with the given behaviour; returns the role's account and the server."""

    def run(misbehave: Behaviour | None, count: int = 20, settings: ClientSettings = live, **changes: Any) -> tuple[dict[str, Any], Server]:
        with Server(misbehave) as server, Client.open(settings) as client:
            here = role.model_copy(update={"base_url": server.url, **changes})
            assert len(client.ask(requests(count, role=here))) == count
            return client.usage()["reviewer"], server

    return run


def once(fault: Fault) -> Behaviour:
    """Each request fails at its first try."""
    return lambda earlier, body: fault if earlier == 0 else None


@pytest.mark.parametrize(
    "fault",
    [Fault(429), Fault(500), Fault(502, raw=HTML), Fault(503, headers={"Retry-After": "0"}), Fault(408), Fault(cut=True)],
    ids=["429", "500", "502 with HTML", "503", "408", "cut connection"],
)
def test_what_passes_is_tried_again(served: Any, fault: Fault) -> None:
    account, server = served(once(fault), concurrency=4)
    assert account["retries"] == 20
    assert len(server.requests) == 40


def test_a_slow_answer_is_given_up_after_the_timeout_and_tried_again(served: Any) -> None:
    account, _ = served(once(Fault(slow_s=30)), count=3, timeout_s=0.2)
    assert account["retries"] == 3


def test_retry_after_is_honoured_by_all(live: ClientSettings, requests: Make, role: Role) -> None:
    arrivals: list[float] = []

    def misbehave(earlier: int, body: dict[str, Any]) -> Fault | None:
        arrivals.append(time.monotonic())
        return Fault(429, headers={"Retry-After": "1"}) if len(arrivals) == 1 else None

    with Server(misbehave) as server, Client.open(live) as client:
        client.ask(requests(10, role=role.model_copy(update={"base_url": server.url, "concurrency": 1})))
    assert len(arrivals) == 11
    assert arrivals[1] - arrivals[0] >= 0.95, "nobody is sent during the cooldown"
    assert arrivals[-1] - arrivals[1] < 0.5, "and all are afterwards"


def test_every_third_answer_429_fails_nothing(served: Any) -> None:
    seen = [0]

    def misbehave(earlier: int, body: dict[str, Any]) -> Fault | None:
        seen[0] += 1
        return Fault(429) if seen[0] % 3 == 0 else None

    account, _ = served(misbehave, count=200, concurrency=32, max_attempts=12)
    assert account["failed"] == 0
    assert account["retries"] >= 60


def test_retry_after_as_a_date_and_in_milliseconds() -> None:
    assert _retry_after_s({"Retry-After": formatdate(time.time() + 30, usegmt=True)}) == pytest.approx(30, abs=1.5)
    assert _retry_after_s({"retry-after-ms": "250"}) == 0.25
    assert _retry_after_s({"Retry-After": "1.5"}) == 1.5
    assert _retry_after_s({"Retry-After": "soon"}) is None
    assert _retry_after_s({}) is None


def test_the_declared_proxy_is_used_but_not_for_this_machine(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("https_proxy", "http://proxy.example:3128")
    monkeypatch.setenv("http_proxy", "http://proxy.example:3128")
    monkeypatch.setenv("no_proxy", "inside.example")
    assert _proxy("https://api.example/v1") == "http://proxy.example:3128"
    assert _proxy("https://inside.example/v1") is None
    assert _proxy("http://127.0.0.1:8000/v1") is None


@pytest.mark.parametrize(
    ("fault", "sentence"),
    [
        (Fault(raw=HTML), r"The endpoint http://127.0.0.1:\d+/v1 of llm.reviewer answers HTML \(<html><body>Welcome .*check llm.reviewer.base_url"),
        (Fault(raw=b'{"hello": 1}'), r"answers something that is not a chat completion \({\"hello\": 1}\)"),
        (Fault(raw=b"{not json"), r"answers something that is not a chat completion"),
        (Fault(401, raw=b'{"error": {"message": "bad key", "code": "invalid_key"}}'), r"refused the key: HTTP 401 \(bad key\); check llm.reviewer"),
        (Fault(404, raw=b'{"error": {"message": "no model x"}}'), r"does not know the address or the model: HTTP 404 \(no model x\)"),
        (Fault(302, headers={"Location": "http://127.0.0.1:1/"}), r"redirects to another address"),
        (Fault(429, raw=b'{"error": {"message": "pay", "code": "insufficient_quota"}}'), r"account's quota is spent \(pay\)"),
        (Fault(429, headers={"Retry-After": "7200"}), r"asks to wait 7200 s .*max_retry_after_s = 600"),
    ],
    ids=["HTML", "other JSON", "broken JSON", "401", "404", "redirect", "quota", "long Retry-After"],
)  # fmt: skip
def test_a_hopeless_endpoint_stops_the_run_at_once(live: ClientSettings, requests: Make, role: Role, fault: Fault, sentence: str) -> None:
    with Server(lambda earlier, body: fault) as server, Client.open(live) as client:
        with pytest.raises(UserError, match=sentence) as caught:
            client.ask(requests(100, role=role.model_copy(update={"base_url": server.url, "concurrency": 4})))
        assert len(server.requests) <= 4
        assert "0 more replies are stored, 100 requests remain" in str(caught.value)


def test_a_glitch_amid_good_answers_is_tried_again(served: Any) -> None:
    def misbehave(earlier: int, body: dict[str, Any]) -> Fault | None:
        return Fault(raw=HTML) if "question 5" in str(body) and earlier == 0 else None

    account, _ = served(misbehave, concurrency=1)
    assert account["retries"] == 1


def test_nothing_listens_there(live: ClientSettings, requests: Make, role: Role) -> None:
    with Server() as gone:
        url = gone.url
    with Client.open(live) as client, pytest.raises(UserError, match=r"The last 1\d requests to llm.reviewer had no answer: the connection to http"):
        client.ask(requests(500, role=role.model_copy(update={"base_url": url, "max_attempts": 2})))


def test_an_endpoint_that_dies_midway_stops_the_run_and_what_it_answered_is_kept(live: ClientSettings, requests: Make, role: Role) -> None:
    answered = [0]

    def misbehave(earlier: int, body: dict[str, Any]) -> Fault | None:
        answered[0] += 1
        return Fault(cut=True) if answered[0] > 20 else None

    with Server(misbehave) as server, Client.open(live) as client:
        here = role.model_copy(update={"base_url": server.url, "max_attempts": 2})
        with pytest.raises(UserError, match=r"20 more replies are stored, 480 requests remain; run again"):
            client.ask(requests(500, role=here))
        assert len(server.requests) < 80
        server.misbehave = None
    with Server() as server, Client.open(live) as client:
        client.ask(requests(500, role=role.model_copy(update={"base_url": server.url})))
        assert len(server.requests) == 480


def test_a_model_that_refuses_item_after_item_is_asked_about_all(live: ClientSettings, requests: Make, role: Role) -> None:
    with Server(lambda earlier, body: Fault(refusal="no")) as server, Client.open(live) as client:
        with pytest.raises(UserError, match=r"40 requests: reviewer 40 failed.*the model refused \(no\).*and 35 more, listed by"):
            client.ask(requests(40, role=role.model_copy(update={"base_url": server.url})))
        assert len(server.requests) == 40


@pytest.mark.parametrize(
    ("fault", "why"),
    [
        (Fault(400, raw=b'{"error": {"message": "prompt too long"}}'), r"HTTP 400 \(prompt too long\)"),
        (Fault(400, raw=b'[{"error": {"message": "in a list"}}]'), r"HTTP 400 \(in a list\)"),
        (Fault(refusal="I cannot help with that"), r"the model refused \(I cannot help with that\)"),
        (Fault(finish_reason="content_filter"), "content filter"),
        (Fault(500), "HTTP 500, 4 times in a row"),
        (Fault(content="not json at all"), "invalid JSON.*also after one repair"),
    ],
)
def test_one_bad_item_does_not_hold_up_the_others(live: ClientSettings, requests: Make, role: Role, fault: Fault, why: str) -> None:
    def misbehave(earlier: int, body: dict[str, Any]) -> Fault | None:
        return fault if body["messages"][1]["content"] == "question 7" else None

    with Server(misbehave) as server, Client.open(live) as client:
        with pytest.raises(UserError, match=rf"1 request: reviewer 1 failed, .*sd-qa-00007 \(reviewer\): .*{why}"):
            client.ask(requests(30, role=role.model_copy(update={"base_url": server.url})))
        assert client.usage()["reviewer"]["asked"] == 29


def test_authorization_goes_out_only_where_a_key_is_declared(
    server: Server, live: ClientSettings, requests: Make, role: Role, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("BENCHFERRY_TEST_KEY", "sk-test-1")
    with Client.open(live) as client:
        client.ask(requests(1))
        client.ask(requests(2, role=role.model_copy(update={"name": "translator", "api_key_env": "BENCHFERRY_TEST_KEY"})))
    assert [headers.get("Authorization") for headers in server.headers] == [None, "Bearer sk-test-1"]


def test_limiter_halves_once_a_burst_grows_back_and_lets_go_when_stopped() -> None:
    async def scenario() -> None:
        limiter = Limiter(64)
        sent_at = time.monotonic()
        for _ in range(10):
            limiter.pushed_back(sent_at, 0.0)
        assert limiter.limit == 32, "ten answers to one burst are one signal"
        for _ in range(33):
            limiter.succeeded()
        assert 32.9 < limiter.limit < 33.1
        for _ in range(10_000):
            limiter.succeeded()
        assert limiter.limit == 64
        narrow = Limiter(1)
        await narrow.acquire()
        waiting = asyncio.create_task(narrow.acquire())
        await asyncio.sleep(0)
        narrow.stop()
        with pytest.raises(Stopped):
            await waiting

    asyncio.run(scenario())
