"""The desk's interface, asked without a browser."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import orjson
import pytest

from stages.core import files, shards
from stages.review import decisions, queue
from stages.review.desk import server, settings
from stages.review.queue import QueueEntry
from tests.review.desk import builds
from tests.review.desk.builds import HOSTILE, ITEM, LISTEN, QUESTION, WRITE
from tests.review.desk.client import asking, judge


async def fetch(client: Any, path: str, **query: str) -> Any:
    response = await client.get(path, params=query)
    assert response.status == 200, await response.text()
    return await response.json()


def lines(root: Path, topic: str, reviewer: str = "kim") -> list[dict[str, Any]]:
    return [orjson.loads(line) for line in (root / "data/decisions" / topic / f"{reviewer}.jsonl").read_bytes().splitlines()]


def test_a_verdict_is_a_line_of_text_when_the_answer_comes(root: Path) -> None:
    async def work(client: Any) -> None:
        status, body = await judge(client, QUESTION, "particles", reason="  판단이 분명하다. ")
        assert status == 200
        (line,) = lines(root, "hypertranslation")
        assert line == body["saved"]
        assert (line["queue_id"], line["verdict"], line["reason"], line["reviewer"], line["seq"]) == (
            QUESTION,
            "particles",
            "판단이 분명하다.",
            "kim",
            1,
        )
        assert re.fullmatch(r"\d{4}-\d\d-\d\d", line["date"])

    asking(root, work)


def test_the_topic_follows_the_stage(root: Path) -> None:
    async def work(client: Any) -> None:
        await judge(client, LISTEN, "accept")
        await judge(client, builds.DISAGREEMENT, "accept")

    asking(root, work)
    assert {path.parent.name for path in (root / "data/decisions").glob("*/*")} == {"normalization", "correct"}


@pytest.mark.parametrize(
    ("id", "given", "sentence"),
    [
        (QUESTION, {"verdict": "accept"}, "does not take the verdict 'accept'"),
        (QUESTION, {"verdict": "particle"}, "it takes particles, delete, literal, reject, skip"),
        (ITEM, {"verdict": "reject"}, "Say why"),
        (ITEM, {"verdict": "edit"}, "Nothing of"),
        (ITEM, {"verdict": "edit", "edit": {"target_answer": " 아니요 "}}, "Nothing of"),
        (ITEM, {"verdict": "edit", "edit": {"target_answer": ""}}, "is empty"),
        (ITEM, {"verdict": "edit", "edit": {"prompt": "x"}}, "has no text 'prompt'"),
        (ITEM, {"verdict": "edit", "edit": {"target_answer": 3}}, "must be text"),
        (ITEM, {"verdict": "edit", "edit": {"target_answer": "네" * 20_001}}, "longer than 20000"),
        (WRITE, {"verdict": "edit", "edit": {"question": "직업은?", "option_1": "교사", "option_2": "교사", "answer": "교사"}}, "Two options"),
        (
            WRITE,
            {"verdict": "edit", "edit": {"question": "직업은?", "option_1": "교사", "option_2": "의사", "answer": "기자"}},
            "none of its options",
        ),
        (WRITE, {"verdict": "edit", "edit": {"question": "직업은?", "option_1": "교사", "answer": "교사"}}, "'option_2'"),
        (ITEM, {"verdict": "accept", "reviewer": "../../x"}, "reviewer's name"),
        (ITEM, {"verdict": "accept", "reviewer": ""}, "reviewer's name"),
        (ITEM, {"verdict": "accept", "reason": 5}, "has the texts"),
    ],
)
def test_what_an_entry_does_not_take_is_refused_in_a_sentence(root: Path, id: str, given: dict[str, Any], sentence: str) -> None:
    async def work(client: Any) -> None:
        status, body = await judge(client, id, seen=builds_seen(root, id), **given)
        assert (status, body["code"]) == (400, "refused")
        assert sentence in body["error"]

    asking(root, work)
    assert not list((root / "data").glob("decisions/**/*.jsonl"))


def builds_seen(root: Path, id: str) -> str:
    return next(entry for entry in queue.read(root) if entry.id == id).fingerprint()


def test_a_question_can_be_written_on_a_clip(root: Path) -> None:
    texts = {"question": "말하는 사람의 직업은?", "option_1": "교사", "option_2": "의사", "answer": "의사"}

    async def work(client: Any) -> None:
        status, _ = await judge(client, WRITE, "edit", edit=texts)
        assert status == 200

    asking(root, work)
    assert lines(root, "understanding")[0]["edit"] == texts


def test_two_windows_cannot_overwrite_each_other_unseen(root: Path) -> None:
    async def work(client: Any) -> None:
        assert (await judge(client, ITEM, "accept", after=0))[0] == 200
        status, body = await judge(client, ITEM, "reject", reason="12", after=0)
        assert (status, body["code"], body["verdict"]["verdict"]) == (409, "outdated", "accept")
        assert (await judge(client, ITEM, "reject", reason="12", after=1))[0] == 200
        assert [line["verdict"] for line in lines(root, "hypertranslation")] == ["accept", "reject"]

    asking(root, work)


def test_a_verdict_sent_twice_is_kept_once(root: Path) -> None:
    async def work(client: Any) -> None:
        first = await judge(client, ITEM, "accept", after=0)
        assert first == await judge(client, ITEM, "accept", after=0)
        assert len(lines(root, "hypertranslation")) == 1

    asking(root, work)


def test_a_verdict_on_a_text_that_has_changed_is_asked_again(root: Path) -> None:
    async def work(client: Any) -> None:
        seen = builds_seen(root, ITEM)
        await judge(client, ITEM, "accept")
        entries = [entry.model_copy(update={"target": {**entry.target, "target_answer": "네"}}) for entry in queue.read(root, "item")]
        queue.write(root, "item", entries)
        assert (await judge(client, ITEM, "reject", reason="x", seen=seen))[1]["code"] == "changed"
        assert (await fetch(client, "/api/entry", id=ITEM, reviewer="kim"))["mine"]["changed"] is True

    asking(root, work)


def test_others_verdicts_are_hidden_until_one_has_judged(root: Path) -> None:
    async def work(client: Any) -> None:
        await judge(client, ITEM, "reject", "lee", reason="숫자가 틀렸다")
        for verdict, seen in ((None, 0), ("skip", 0), ("accept", 1)):
            if verdict:
                await judge(client, ITEM, verdict, "kim")
            assert len((await fetch(client, "/api/entry", id=ITEM, reviewer="kim"))["others"]) == seen
        assert "틀렸다" not in await (await client.get("/api/state", params={"reviewer": "park"})).text()
        (line,) = await fetch(client, "/api/agreement", reviewer="park")
        assert (line["differing"], line["n_differing"], line["n"]) == ([], 1, 1)
        (line,) = await fetch(client, "/api/agreement", reviewer="kim")
        assert line["differing"] == [ITEM]

    asking(root, work)


def test_rules_come_with_their_text_and_an_unknown_one_is_said_to_be(root: Path) -> None:
    async def work(client: Any) -> None:
        known, unknown = (await fetch(client, "/api/entry", id=ITEM, reviewer="kim"))["rules"]
        assert (known["id"], known["do"], known["decided_by"]) == ("numbers-kept", "Keep every number.", "kim, 2026-11-29, ht-q05")
        assert known["examples"] == [{"in": "14 steps", "out": "14걸음", "why": ""}]
        assert (unknown["id"], unknown["book"]) == ("unheard-of", "")

    asking(root, work)


def test_every_rule_of_the_real_rulebooks_can_be_shown() -> None:
    from stages.core.paths import ROOT
    from stages.review.desk import rules

    found = rules.read(ROOT)
    assert len(found) > 50
    assert all(text["do"] or text["why"] for texts in found.values() for text in texts)


def test_an_affected_item_is_shown_as_far_as_it_was_built(root: Path) -> None:
    async def work(client: Any) -> None:
        item = await fetch(client, "/api/item", id="bbh-test-00003")
        assert (item["stage"], item["source"]["reference"], item["target"]["target_prompt"]) == ("ingest", "no", "왼쪽으로 14걸음 가세요.")
        missing = await client.get("/api/item", params={"id": "bbh-test-00099"})
        assert missing.status == 404

    asking(root, work)


def test_polling_costs_nothing_until_something_changes(root: Path) -> None:
    async def work(client: Any) -> None:
        version = (await fetch(client, "/api/state", reviewer="kim"))["version"]
        assert (await client.get("/api/state", params={"reviewer": "kim", "version": version})).status == 204
        decisions.append(root, "hypertranslation", "lee", ITEM, "accept")  # another desk on the same folder
        state = await fetch(client, "/api/state", reviewer="kim", version=version)
        assert next(entry for entry in state["entries"] if entry["id"] == ITEM)["others"] == 1

    asking(root, work)


def test_a_damaged_decision_is_a_sentence_with_its_line(root: Path) -> None:
    file = root / "data/decisions/correct/kim.jsonl"
    files.write_text(file, '<<<<<<< HEAD\n{"queue_id": "x"}\n')

    async def work(client: Any) -> None:
        response = await client.get("/api/state", params={"reviewer": "kim"})
        assert response.status == 400
        assert f"{file} line 1 is not a verdict" in (await response.json())["error"]

    asking(root, work)


# Audio


def test_audio_is_served_whole_and_in_ranges(root: Path) -> None:
    audio = shards.read_audio(root / "data/synthesize/bbh", "bbh-test-00003")
    size = len(audio)

    async def work(client: Any) -> None:
        whole = await client.get("/api/audio", params={"id": LISTEN})
        assert (whole.status, whole.headers["Content-Type"], await whole.read()) == (200, "audio/flac", audio)
        for header, first, end in (("bytes=0-", 0, size), ("bytes=10-19", 10, 20), ("bytes=-7", size - 7, size), (f"bytes=5-{size + 99}", 5, size)):
            part = await client.get("/api/audio", params={"id": LISTEN}, headers={"Range": header})
            assert (part.status, part.headers["Content-Range"], await part.read()) == (206, f"bytes {first}-{end - 1}/{size}", audio[first:end])
        for header in (f"bytes={size}-", "bytes=9-2", "lines=1"):
            assert (await client.get("/api/audio", params={"id": LISTEN}, headers={"Range": header})).status == 416
        assert (await client.get("/api/audio", params={"id": WRITE})).headers["Content-Type"] == "audio/wav"
        assert (await client.get("/api/audio", params={"id": HOSTILE})).status == 404

    asking(root, work)


@pytest.mark.parametrize(
    "clip", [{"subset": "../../../etc", "id": "passwd-1"}, {"subset": "bbh", "id": "../../../etc/passwd-00003"}, {"subset": "/etc", "id": "x-1"}]
)
def test_nothing_in_a_queue_names_a_path(root: Path, clip: dict[str, str]) -> None:
    spy = queue.parse({**builds.entry(LISTEN).model_dump(), "audio": {"stage": "ingest", **clip}}, "test")
    queue.write(root, "listen", [spy])
    shards.write_shards(root / "etc", [("passwd-00001", b"secret")])

    async def work(client: Any) -> None:
        response = await client.get("/api/audio", params={"id": LISTEN})
        assert response.status == 400
        assert b"secret" not in await response.read()

    asking(root, work)


@pytest.mark.parametrize("path", ["/page/../server.py", "/page/%2e%2e/strings.yaml", "/page/..%2fserver.py", "/data/review/item.jsonl", "/page/"])
def test_only_the_pages_own_files_are_served(root: Path, path: str) -> None:
    from yarl import URL

    async def work(client: Any) -> None:
        response = await client.get(URL(path, encoded=True))
        assert response.status == 404
        assert "Content-Security-Policy" in response.headers

    asking(root, work)


def test_every_file_of_the_page_is_served_and_none_asks_another_host(root: Path) -> None:
    names = {path.name for path in (server.HERE / "page").iterdir()}
    assert names == set(server.PAGE) | {"index.html"}

    async def work(client: Any) -> None:
        for path in ["/", *(f"/page/{name}" for name in server.PAGE)]:
            response = await client.get(path)
            text = (await response.text()).replace("http://www.w3.org/2000/svg", "")
            assert response.status == 200
            assert "://" not in text, path
            assert not re.search(r"innerHTML|outerHTML|insertAdjacent|document\.write|\beval\b", text), path

    asking(root, work)


def test_an_empty_folder_is_an_empty_queue(tmp_path: Path) -> None:
    async def work(client: Any) -> None:
        assert (await fetch(client, "/api/state", reviewer="kim"))["entries"] == []
        assert (await client.get("/api/entry", params={"id": ITEM, "reviewer": "kim"})).status == 404

    asking(tmp_path, work)


def test_a_long_queue_is_read_once_and_not_at_each_verdict(root: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    base = builds.entry(ITEM).model_dump()
    entries = [QueueEntry.model_validate({**base, "id": f"item:bbh:bbh-test-{n:05d}"}) for n in range(10_000)]
    queue.write(root, "item", entries)
    reads: list[Path] = []
    read = queue.read
    monkeypatch.setattr(queue, "read", lambda folder: reads.append(folder) or read(folder))

    async def work(client: Any) -> None:
        await fetch(client, "/api/state", reviewer="kim")
        for n in range(5):
            assert (await judge(client, f"item:bbh:bbh-test-{n:05d}", "accept"))[0] == 200
        state = await fetch(client, "/api/state", reviewer="kim")
        assert sum(entry["mine"] is not None for entry in state["entries"]) == 5

    asking(root, work)
    assert reads == [root]


def test_settings_name_the_nearest_key() -> None:
    from stages.core.errors import UserError

    with pytest.raises(UserError, match=r"review\.desk\.porrt is unknown.*'port'"):
        settings.load(["porrt=1"])
    with pytest.raises(UserError, match="neither a command nor key=value"):
        settings.load(["port"])
