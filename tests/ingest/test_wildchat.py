"""WildChat: both released forms, every filter, and files that are not as upstream has them."""

from __future__ import annotations

import random
from collections import Counter
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from stages.core.errors import UserError
from stages.core.files import Row
from stages.core.paths import ROOT
from stages.core.progress import Progress
from stages.core.stage import Rejection
from stages.ingest import wildchat
from stages.ingest.wildchat import Source, WildChatSettings

SETTINGS: dict[str, Any] = {"root": "raw", "path": "wildchat", "repo_id": "r", "revision": "v", "licence": "CC0-1.0", "source_language": "English"}
TURN = pa.struct([("content", pa.string()), ("role", pa.string()), ("language", pa.string()), ("toxic", pa.bool_()), ("redacted", pa.bool_())])
FLAGGED = pa.list_(pa.struct([("flagged", pa.bool_())]))
SCHEMA = pa.schema(
    [
        ("conversation_id", pa.string()), ("model", pa.string()), ("conversation", pa.list_(TURN)), ("turn", pa.int64()), ("language", pa.string()),
        ("openai_moderation", FLAGGED), ("toxic", pa.bool_()), ("redacted", pa.bool_()),
    ]
)  # fmt: skip


def turn(content: str | None = "Why is the sky blue?", **other: Any) -> dict[str, Any]:
    return {"content": content, "role": "user", "language": "English", "toxic": False, "redacted": False} | other


def chat(*turns: dict[str, Any], **other: Any) -> dict[str, Any]:
    return {
        "conversation_id": "c", "model": "m", "conversation": list(turns), "turn": 1, "language": "English",
        "openai_moderation": [{"flagged": False} for _ in turns], "toxic": False, "redacted": False,
    } | other  # fmt: skip


def write(root: Path, *shards: list[dict[str, Any]], schema: pa.Schema = SCHEMA) -> None:
    folder = root / "raw/wildchat/data"
    folder.mkdir(parents=True, exist_ok=True)
    for number, rows in enumerate(shards):
        path = folder / f"train-{number:05d}-of-{len(shards):05d}.parquet"
        pq.write_table(pa.Table.from_pylist([{name: row[name] for name in schema.names} for row in rows], schema), path)


def read(root: Path, **settings: Any) -> tuple[list[Row], list[Rejection], dict[str, Any]]:
    return read_folder(root / "raw/wildchat", **settings)


def read_folder(folder: Path, **settings: Any) -> tuple[list[Row], list[Rejection], dict[str, Any]]:
    flow = wildchat.run(iter(()), WildChatSettings(**{**SETTINGS, **settings}), Source("w", folder, Progress("w")))
    results = list(flow.results)
    return [one for one in results if not isinstance(one, Rejection)], [one for one in results if isinstance(one, Rejection)], flow.report


def reason(root: Path, one: dict[str, Any], **settings: Any) -> str | None:
    write(root, [one])
    kept, rejected, _ = read(root, **settings)
    assert len(kept) + len(rejected) == 1
    return rejected[0].reason if rejected else None


@pytest.mark.parametrize(
    ("conversation", "expected"),
    [
        (chat(turn()), None),
        (chat(turn(), language="French"), "language"),
        (chat(turn(language="French")), "language"),
        (chat(turn(language=None)), None),
        (chat(turn(), toxic=True), "toxic"),
        (chat(turn("word " * 49)), None),
        (chat(turn("word " * 50)), "too_long"),
        (chat(turn(), turn=2), "several_turns"),
        (chat(turn(), turn(role="assistant"), turn()), "several_turns"),
        (chat(turn(), turn(role="assistant")), None),
        (chat(turn(role="assistant"), turn()), "no_query"),
        (chat(), "no_query"),
        (chat(turn(None)), "no_query"),
        (chat(turn(), openai_moderation=[{"flagged": True}]), "flagged"),
        (chat(turn(), turn(role="assistant", toxic=True)), "toxic_turn"),
        (chat(turn(toxic=None), toxic=None, openai_moderation=None), "unmarked"),
        (chat(turn(toxic=None), toxic=None), None),
        (chat(turn(), redacted=True), "redacted"),
        (chat(turn(redacted=True)), "redacted"),
        (chat(turn("")), "empty"),
        (chat(turn(" \n\t")), "empty"),
        (chat(turn("bake at \x07 high altitude")), "control_characters"),
        (chat(turn("a broken \ufffd letter")), "control_characters"),
        (chat(turn("no\u200b width at all")), "control_characters"),
        (chat(turn("turned \u202e around it is")), "control_characters"),
        (chat(turn("\ufeffa mark of order")), "control_characters"),
        (chat(turn("two\nlines\tand a tab")), None),
    ],
)
def test_each_filter_removes_what_it_names(tmp_path: Path, conversation: dict[str, Any], expected: str | None) -> None:
    assert reason(tmp_path, conversation) == expected


def test_a_conversation_without_its_list_is_no_query(tmp_path: Path) -> None:
    assert reason(tmp_path, {**chat(), "conversation": None}) == "no_query"


def test_a_query_is_kept_as_asked_with_its_place(tmp_path: Path) -> None:
    write(tmp_path, [chat(turn("x"), language="French")], [chat(turn(" Cafe\u0301 or tea? "))])
    kept, rejected, _ = read(tmp_path)
    assert kept == [
        {
            "id": "w-0000001", "subset": "w", "source": "r", "source_revision": "v", "licence": "CC0-1.0", "conversation_id": "c", "n_words": 3,
            "source_file": "train-00001-of-00002.parquet", "source_index": 1, "source_model": "m", "source_language": "English",
            "query": "Café or tea?",
        }
    ]  # fmt: skip
    assert [(one.row["id"], one.rule_id, one.detail) for one in rejected] == [("w-0000000", "wildchat.language", "French / English")]
    assert "query" not in rejected[0].row


def test_older_files_without_moderation_are_judged_by_what_they_say(tmp_path: Path) -> None:
    older = pa.schema([SCHEMA.field(name) for name in SCHEMA.names if name != "openai_moderation"])
    write(tmp_path, [chat(turn()), chat(turn(), toxic=True)], schema=older)
    kept, rejected, report = read(tmp_path)
    assert (len(kept), [one.reason for one in rejected], report["without_moderation"]) == (1, ["toxic"], 2)


def test_files_that_mark_nothing_are_rejected_and_counted_unless_the_settings_take_them(tmp_path: Path) -> None:
    plain = pa.struct([("content", pa.string()), ("role", pa.string())])
    bare = pa.schema([("conversation_id", pa.string()), ("conversation", pa.list_(plain)), ("turn", pa.int64()), ("language", pa.string())])
    folder = tmp_path / "raw/wildchat"
    folder.mkdir(parents=True)
    row = {"conversation_id": "c", "conversation": [{"content": "Why?", "role": "user"}], "turn": 1, "language": "English"}
    pq.write_table(pa.Table.from_pylist([row], bare), folder / "train-00000-of-00001-b18b5b1ffc5a2b96.parquet")
    assert [one.reason for one in read(tmp_path)[1]] == ["unmarked"]
    assert len(read(tmp_path, unmarked="keep")[0]) == 1


def _by_hand(row: dict[str, Any], language: str, max_words: int) -> str | None:
    """The filters once more, over plain values, in the same order."""
    turns = row["conversation"] or []
    first = turns[0] if turns else {}
    asked = first.get("role") == "user" and first.get("content") is not None
    query = first["content"].strip() if asked else ""
    users = sum(one["role"] == "user" for one in turns)
    moderation = row.get("openai_moderation") or []
    known = [row.get("toxic")] + [one.get("toxic") for one in turns] + [one.get("flagged") for one in moderation]
    if row["language"] != language or (first.get("language") or language) != language:
        return "language"
    if row.get("toxic"):
        return "toxic"
    if len(query.split()) >= max_words:
        return "too_long"
    if max(users, row["turn"]) > 1:
        return "several_turns"
    if not asked:
        return "no_query"
    if any(one["flagged"] for one in moderation):
        return "flagged"
    if any(one.get("toxic") for one in turns):
        return "toxic_turn"
    if all(one is None for one in known):
        return "unmarked"
    if row.get("redacted") or any(one.get("redacted") for one in turns):
        return "redacted"
    if not query:
        return "empty"
    control = any((ord(sign) < 32 and sign not in "\t\n\r") or 127 <= ord(sign) < 160 or sign == "\ufffd" for sign in query)
    return "control_characters" if control else None


def _recount(paths: list[Path], language: str) -> Counter[str | None]:
    return Counter(_by_hand(row, language, 50) for path in paths for row in pq.read_table(path).to_pylist())


@pytest.mark.parametrize("language", ["English", "Korean"])
def test_an_independent_count_of_the_mirror_agrees_step_by_step(shared: Path, language: str) -> None:
    folder = shared / "mirror" / "wildchat"
    kept, rejected, report = read_folder(folder, source_language=language)
    expected = _recount(wildchat.files(folder), language)
    assert Counter(one.reason for one in rejected) == Counter({reason: n for reason, n in expected.items() if reason is not None})
    assert len(kept) == expected[None]
    left = sum(expected.values())
    for step in report["steps"]:
        assert (step["before"], step["removed"]) == (left, expected[step["step"]])
        left -= step["removed"]
        assert step["left"] == left


def test_the_four_filters_of_the_paper_leave_212_of_the_mirror_s_conversations(shared: Path) -> None:
    _, _, report = read_folder(shared / "mirror" / "wildchat")
    assert [step["step"] for step in report["steps"]][:4] == ["language", "toxic", "too_long", "several_turns"]
    assert [step["left"] for step in report["steps"]][:4] == [311, 293, 257, 212]


def test_the_bundled_sample_has_a_case_of_every_filter_in_both_forms() -> None:
    folder = ROOT / "data/sample/raw/wildchat/data"
    expected = _recount(sorted(folder.glob("*.parquet")), "English")
    kept, rejected, _ = read(ROOT / "data/sample")
    assert Counter(one.reason for one in rejected) + Counter({None: len(kept)}) == expected
    assert set(expected) == {step.reason for step in wildchat.wildchat_filters.STEPS} | {None}
    assert [("conversation_hash" in pq.read_schema(path).names) for path in sorted(folder.glob("*.parquet"))] == [True, False]


def test_random_conversations_are_judged_as_by_hand(tmp_path: Path) -> None:
    rng = random.Random(8)
    odd = [None, True, False, False, False, False]

    def one() -> dict[str, Any]:
        turns = [
            turn(rng.choice(["", "why so?", None, "\x01", "w " * 60]), role=rng.choice(["user", "user", "assistant"]), toxic=rng.choice(odd))
            | {"redacted": rng.choice(odd), "language": rng.choice(["English", "English", "Korean", None])}
            for _ in range(rng.choice([0, 1, 1, 1, 2, 3]))
        ]
        return chat(*turns, turn=rng.choice([1, 1, 1, 2]), language=rng.choice(["English", "Korean"]), toxic=rng.choice(odd)) | {
            "redacted": rng.choice(odd), "openai_moderation": rng.choice([None, [], [{"flagged": None}], [{"flagged": True}], [{"flagged": False}]]),
            "conversation": rng.choice([None, turns, turns, turns]),
        }  # fmt: skip

    rows = [one() for _ in range(5_000)]
    write(tmp_path, rows[:2_000], rows[2_000:])
    kept, rejected, _ = read(tmp_path)
    found = {one["id"]: None for one in kept} | {one.row["id"]: one.reason for one in rejected}
    assert [found[f"w-{place:07d}"] for place in range(5_000)] == [_by_hand(row, "English", 50) for row in rows]


def test_a_truncated_file_is_named(tmp_path: Path) -> None:
    write(tmp_path, [chat(turn())])
    path = tmp_path / "raw/wildchat/data/train-00000-of-00001.parquet"
    path.write_bytes(path.read_bytes()[:-200])
    with pytest.raises(UserError, match=r"train-00000-of-00001\.parquet is not a whole parquet file"):
        read(tmp_path)


def test_a_file_damaged_in_its_middle_is_named(tmp_path: Path) -> None:
    write(tmp_path, [chat(turn(f"{place} why is it so?" * 5)) for place in range(3_000)])
    path = tmp_path / "raw/wildchat/data/train-00000-of-00001.parquet"
    data = bytearray(path.read_bytes())
    data[100:20_000] = b"\xff" * 19_900
    path.write_bytes(bytes(data))
    with pytest.raises(UserError, match=r"train-00000-of-00001\.parquet is not a whole parquet file"):
        read(tmp_path)


def test_a_missing_shard_is_named(tmp_path: Path) -> None:
    write(tmp_path, [chat(turn())], [chat(turn())])
    (tmp_path / "raw/wildchat/data/train-00000-of-00002.parquet").unlink()
    with pytest.raises(UserError, match=r"train-00000-of-00002\.parquet is missing beside its sister files"):
        read(tmp_path)


@pytest.mark.parametrize(
    ("names", "sentence"),
    [
        (["model", "conversation", "turn", "language"], "has neither conversation_hash nor conversation_id"),
        (["conversation_id", "turn", "language"], "has no column 'conversation'"),
        (["conversation_id", "conversation", "language"], "has no column 'turn'"),
    ],
)
def test_a_file_of_another_form_is_named(tmp_path: Path, names: list[str], sentence: str) -> None:
    write(tmp_path, [chat(turn())], schema=pa.schema([SCHEMA.field(name) for name in names]))
    with pytest.raises(UserError, match=sentence):
        read(tmp_path)


def test_an_empty_folder_says_what_to_do(tmp_path: Path) -> None:
    with pytest.raises(UserError, match="holds no parquet file"):
        read(tmp_path)


def test_a_limit_reads_the_first_rows_only(tmp_path: Path) -> None:
    write(tmp_path, [chat(turn()) for _ in range(5)], [chat(turn()) for _ in range(5)])
    assert len(read(tmp_path, limit=7)[0]) == 7


@pytest.mark.parametrize(
    ("column", "values", "told"),
    [
        ("toxic", pa.array(["no"]), "has the type string in column 'toxic', where upstream has a boolean"),
        ("openai_moderation", pa.array([{"flagged": True}]), "in column 'openai_moderation', where upstream has a list of structs"),
        (
            "conversation",
            pa.array([[{"content": "Why is it so?", "role": "user", "toxic": "no"}]]),
            "has the type string in 'toxic' of its conversations, where upstream has a boolean",
        ),
        ("model", pa.StringArray.from_buffers(1, pa.py_buffer(b"\0\0\0\0\x03\0\0\0"), pa.py_buffer(b"ab\xff")), "is not a whole parquet file"),
    ],
)
def test_a_column_of_another_kind_is_named(tmp_path: Path, column: str, values: pa.Array, told: str) -> None:
    write(tmp_path, [chat(turn())])
    path = tmp_path / "raw/wildchat/data/train-00000-of-00001.parquet"
    table = pq.read_table(path)
    pq.write_table(table.set_column(table.schema.get_field_index(column), column, values), path)
    with pytest.raises(UserError, match=told) as error:
        read(tmp_path)
    assert "train-00000-of-00001.parquet" in str(error.value)
