from __future__ import annotations

import random
from collections.abc import Callable
from pathlib import Path

import orjson
import pytest

from stages.core.errors import UserError
from stages.core.progress import Progress
from stages.llm import Client, ClientSettings, Request, Role
from stages.llm.store import Store
from tests.llm.server import Fault, Server, Verdict, prompt

Make = Callable[..., list[Request]]


def ask(settings: ClientSettings, requests: list[Request], label: str = "correct sd-qa") -> list[Verdict]:
    with Client.open(settings, Progress(label)) as client:
        return [reply.value for reply in client.ask(requests)]  # type: ignore[misc]


def test_replies_come_in_the_order_of_requests_and_are_replayed_alike(
    server: Server, live: ClientSettings, replay: ClientSettings, requests: Make
) -> None:
    asked = ask(live, requests(50))
    assert len(server.requests) == 50
    assert ask(replay, requests(50)) == asked
    assert asked == [Verdict.model_validate_json(server.answer(request.body)) for request in requests(50)]
    assert len(server.requests) == 50


def test_shuffled_rows_ask_nothing_and_one_more_row_asks_once(server: Server, live: ClientSettings, requests: Make) -> None:
    ask(live, requests(30))
    shuffled = requests(30)
    random.Random(0).shuffle(shuffled)
    ask(live, shuffled)
    assert len(server.requests) == 30
    ask(live, requests(31))
    assert [prompt(body) for body in server.requests[30:]] == ["question 30"]


def test_equal_requests_are_asked_once_and_samples_each(server: Server, live: ClientSettings, role: Role) -> None:
    message = ({"role": "user", "content": "same"},)
    twins = [Request(f"sd-qa-{n:05d}", role, message, Verdict) for n in range(3)]
    samples = [Request("sd-qa-00000", role, message, Verdict, sample) for sample in range(3)]
    with Client.open(live) as client:
        replies = client.ask([*twins, *samples])
        assert client.usage()["reviewer"]["requests"] == 3
    assert len(server.requests) == 3
    assert len({reply.key for reply in replies}) == 3


def test_rounds_share_a_client(server: Server, live: ClientSettings, requests: Make, role: Role) -> None:
    meta = role.model_copy(update={"name": "meta_reviewer", "model": "meta"})
    with Client.open(live) as client:
        client.ask(requests(5))
        client.ask(requests(2, role=meta))
        client.ask(requests(5))
        usage = client.usage()
    assert {name: account["requests"] for name, account in usage.items()} == {"meta_reviewer": 2, "reviewer": 5}
    with Client.open(live) as client:
        client.ask(requests(5))
        assert client.usage()["reviewer"]["prompt_tokens"] == usage["reviewer"]["prompt_tokens"], "asked twice, counted once"
    assert len(server.requests) == 7


def test_concurrency_stays_within_the_role(live: ClientSettings, requests: Make, role: Role) -> None:
    with Server(latency_s=0.02) as server:
        ask(live, requests(60, role=role.model_copy(update={"base_url": server.url, "concurrency": 7})))
        assert server.most_in_flight == 7


def test_replay_names_the_first_missing_item_and_keeps_the_requests_for_export(live: ClientSettings, replay: ClientSettings, requests: Make) -> None:
    ask(live, requests(3))
    sentence = r"Item sd-qa-00003 has no reply for role reviewer \(2 requests: reviewer 2 missing\).*export --missing.*import"
    with pytest.raises(UserError, match=sentence):
        ask(replay, requests(5))
    with Store.open() as store:
        assert [asked.item_id for asked in store.missing()] == ["sd-qa-00003", "sd-qa-00004"]
        assert [asked.body for asked in store.missing()] == [request.sent for request in requests(5)[3:]]


def test_a_later_run_of_the_stage_forgets_what_an_earlier_one_missed(replay: ClientSettings, live: ClientSettings, requests: Make) -> None:
    with pytest.raises(UserError):
        ask(replay, requests(5))
    with pytest.raises(UserError):
        ask(replay, requests(1), "hypertranslate sd-qa")
    with pytest.raises(UserError):
        ask(replay, requests(3)[2:])
    with Store.open() as store:
        assert [asked.item_id for asked in store.missing()] == ["sd-qa-00000", "sd-qa-00002"]


def test_live_without_a_key_is_one_sentence_before_any_call(
    server: Server, live: ClientSettings, requests: Make, role: Role, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("BENCHFERRY_TEST_KEY", raising=False)
    keyed = role.model_copy(update={"name": "translator", "api_key_env": "BENCHFERRY_TEST_KEY"})
    with pytest.raises(UserError, match=r"No API key for llm.translator: the environment variable BENCHFERRY_TEST_KEY is not set"):
        ask(live, [*requests(2), *requests(2, role=keyed)])
    assert server.requests == []


def test_a_key_pasted_into_the_configuration_is_not_shown(live: ClientSettings, requests: Make, role: Role) -> None:
    with pytest.raises(UserError, match="must be the name of an environment variable") as caught:
        ask(live, requests(1, role=role.model_copy(update={"api_key_env": "sk-abc-123"})))
    assert "sk-abc" not in str(caught.value)


def test_stored_replies_need_no_key(live: ClientSettings, requests: Make, role: Role) -> None:
    ask(live, requests(2))
    assert len(ask(live, requests(2, role=role.model_copy(update={"api_key_env": "BENCHFERRY_ABSENT_KEY"})))) == 2


def test_budget_stops_cleanly_and_a_raised_one_goes_on(server: Server, requests: Make, role: Role, live: ClientSettings) -> None:
    priced = role.model_copy(update={"usd_per_million_input": 10.0, "usd_per_million_cached_input": 1.0, "usd_per_million_output": 20.0})
    tight = live.model_copy(update={"max_cost_usd": 0.06})
    with pytest.raises(UserError) as caught:
        ask(tight, requests(100, role=priced))
    sentence = str(caught.value)
    assert "llm.client.max_cost_usd = $0.06 are spent" in sentence
    assert "raise llm.client.max_cost_usd" in sentence
    done = len(server.requests)
    assert 0 < done < 100
    assert f"{done} more replies are stored, {100 - done} requests remain (about $" in sentence
    with Store.open() as store:
        assert 0.055 < store.spent_usd() <= 0.06
        assert len(store.replies([r.key for r in requests(100)])) == done
    ask(live.model_copy(update={"max_cost_usd": 5}), requests(100, role=priced))
    assert len(server.requests) == 100


def test_budget_counts_over_runs_and_needs_prices(server: Server, requests: Make, role: Role, live: ClientSettings) -> None:
    limited = live.model_copy(update={"max_cost_usd": 1.0})
    with pytest.raises(UserError, match=r"llm\.reviewer has no price"):
        ask(limited, requests(1))
    with Store.open() as store:
        from stages.llm import Usage

        store.spend("earlier", "reviewer", Usage(), 1.0)
    with pytest.raises(UserError, match=r"\$1.0000 of llm.client.max_cost_usd = \$1 are spent"):
        ask(limited, requests(1, role=role.model_copy(update={"usd_per_million_input": 1.0, "usd_per_million_output": 1.0})))
    assert server.requests == []


def test_usage_accounts_tokens_and_dollars_alike_live_and_replayed(requests: Make, role: Role, live: ClientSettings, replay: ClientSettings) -> None:
    priced = role.model_copy(update={"usd_per_million_input": 8.0, "usd_per_million_cached_input": 2.0, "usd_per_million_output": 40.0})
    accounts = []
    for settings in (live, replay):
        with Client.open(settings) as client:
            client.ask(requests(10, role=priced))
            accounts.append(client.usage()["reviewer"])
    first, second = accounts
    assert (first["asked"], first["from_store"], second["asked"], second["from_store"]) == (10, 0, 0, 10)
    tokens = ("requests", "prompt_tokens", "cached_tokens", "completion_tokens", "usd")
    assert [first[name] for name in tokens] == [second[name] for name in tokens]
    expected = ((first["prompt_tokens"] - first["cached_tokens"]) * 8 + first["cached_tokens"] * 2 + first["completion_tokens"] * 40) / 1e6
    assert first["usd"] == pytest.approx(expected)
    assert first["usd_spent"] == pytest.approx(expected)
    assert second["usd_spent"] == 0


def test_failures_are_listed_by_item_and_never_stored_while_the_rest_is(live: ClientSettings, requests: Make, role: Role) -> None:
    def misbehave(earlier: int, body: dict) -> Fault | None:
        return Fault(content='{"reason": "no verdict"}') if "question 3" in body["messages"][1]["content"] else None

    with Server(misbehave) as server:
        here = role.model_copy(update={"base_url": server.url})
        with pytest.raises(UserError) as caught:
            ask(live, requests(10, role=here))
        assert "1 request: reviewer 1 failed" in str(caught.value)
        assert "sd-qa-00003 (reviewer): correct: field required, also after one repair" in str(caught.value)
        with Store.open() as store:
            assert len(store.replies([r.key for r in requests(10, role=here)])) == 9
            [failed] = store.missing()
            assert (failed.item_id, failed.problem) == ("sd-qa-00003", "correct: field required, also after one repair")
        server.misbehave = None
        asked_before = len(server.requests)
        ask(live, requests(10, role=here))
        assert len(server.requests) == asked_before + 1


def test_an_invalid_reply_is_repaired_once_and_stored_under_the_original_key(
    live: ClientSettings, replay: ClientSettings, requests: Make, role: Role
) -> None:
    def misbehave(earlier: int, body: dict) -> Fault | None:
        return Fault(content='{"reason": "r", "correct": "perhaps"}') if len(body["messages"]) == 2 else None

    with Server(misbehave) as server:
        here = role.model_copy(update={"base_url": server.url})
        with Client.open(live) as client:
            client.ask(requests(4, role=here))
            account = client.usage()["reviewer"]
        assert (account["repaired"], account["invalid_replies"], account["asked"], account["failed"]) == (4, 4, 4, 0)
        repair = next(body for body in server.requests if len(body["messages"]) == 4)
        assert repair["messages"][2] == {"role": "assistant", "content": '{"reason": "r", "correct": "perhaps"}'}
        assert "correct: input should be a valid boolean" in repair["messages"][3]["content"]
        assert len(ask(replay, requests(4, role=here))) == 4
        assert len(server.requests) == 8


def test_a_reply_that_was_cut_is_not_repaired_but_explained(live: ClientSettings, requests: Make, role: Role) -> None:
    with Server(lambda earlier, body: Fault(content='{"reason": "it was go', finish_reason="length")) as server:
        with pytest.raises(UserError, match=r"the reply was cut at \d+ tokens; raise llm.reviewer.max_tokens"):
            ask(live, requests(1, role=role.model_copy(update={"base_url": server.url})))
        assert len(server.requests) == 1


def test_plain_text_replies(live: ClientSettings, requests: Make, role: Role) -> None:
    with Server(answer=lambda body: prompt(body).upper()) as server, Client.open(live) as client:
        replies = client.ask(requests(2, schema=None, role=role.model_copy(update={"base_url": server.url})))
    assert [reply.value for reply in replies] == ["QUESTION 0", "QUESTION 1"]


def test_an_empty_text_is_asked_again_and_never_stored(live: ClientSettings, requests: Make, role: Role) -> None:
    with Server(lambda earlier, body: Fault(content="") if earlier == 0 else None) as server, Client.open(live) as client:
        replies = client.ask(requests(2, schema=None, role=role.model_copy(update={"base_url": server.url})))
        assert all(reply.text for reply in replies)
        assert len(server.requests) == 4


def test_a_stored_reply_that_no_longer_fits_is_named_in_replay_and_asked_again_live(
    server: Server, live: ClientSettings, replay: ClientSettings, requests: Make, tmp_path: Path
) -> None:
    [request] = requests(1)
    (tmp_path / "replies.jsonl").write_bytes(orjson.dumps({"custom_id": request.key, "content": '{"reason": "", "correct": true}'}))
    here = replay.model_copy(update={"replies": ["replies.jsonl"]})
    sentence = r"Item sd-qa-00000 has no reply .*the stored one \(replies.jsonl\) does not fit: reason: string should have at least 1"
    with pytest.raises(UserError, match=sentence), Client.open(here, root=tmp_path) as client:
        client.ask([request])
    assert ask(live, [request])
    assert len(server.requests) == 1
