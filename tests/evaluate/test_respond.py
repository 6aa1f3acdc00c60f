from __future__ import annotations

import base64
import io
import sqlite3
import threading
import unicodedata
from pathlib import Path
from typing import Any

import orjson
import pytest

from stages.core import files, runner, shards
from stages.core.errors import UserError
from stages.core.files import Row
from stages.evaluate.respond import STAGE
from stages.evaluate.spoken_replies import Replies, Reply, read
from stages.speech import studio
from tests.evaluate.clips import TONES, tone
from tests.evaluate.suite import values
from tests.llm.server import Fault, Server


def _settings(model: dict[str, Any], **more: Any) -> dict[str, Any]:
    suite = values("KVoiceBench")
    return {"suite": {**suite, "built": ["bbh"]}, "model": model, **more}


def _chat(server: Server, **more: Any) -> dict[str, Any]:
    return {"kind": "chat", "model": "speechlm", "base_url": server.url, "max_attempts": 2, "timeout_s": 5, **more}


def _run(root: Path, settings: dict[str, Any]) -> tuple[list[Row], list[Row], dict[str, Any]]:
    report = runner.run_stage(STAGE, "model", settings, root)
    folder = root / "data/respond/model"
    return files.read_jsonl(folder / "rows.jsonl"), files.read_jsonl(folder / "rejected.jsonl"), report


def _heard(body: dict[str, Any]) -> str:
    """What a listener says of the clip: its pitch, by counting zero crossings."""
    import numpy as np
    import soundfile

    part = body["messages"][-1]["content"][0]
    samples, rate = soundfile.read(io.BytesIO(base64.b64decode(part["input_audio"]["data"])))
    crossings = np.count_nonzero(np.diff(np.signbit(samples)))
    return f"{rate} Hz, pitch {round(crossings / 2 / (len(samples) / rate), -1):.0f}"


def test_a_chat_model_hears_each_clip_with_the_paper_s_decoding(spoken: Path) -> None:
    with Server(answer=_heard) as server:
        rows, rejected, report = _run(spoken, _settings(_chat(server)))
        sent = server.requests[0]
    assert {row["item_id"]: row["response"] for row in rows} == {id: f"16000 Hz, pitch {pitch}" for id, pitch in TONES.items()}
    assert rejected == []
    assert (sent["max_tokens"], sent["temperature"], sent["top_p"]) == (4096, 0.7, 0.95)
    assert [part["type"] for part in sent["messages"][-1]["content"]] == ["input_audio"]
    assert (report["asked"], report["from_store"]) == (3, 0)


def test_a_second_run_asks_nothing_and_a_changed_clip_is_asked_again(spoken: Path) -> None:
    with Server(answer=_heard) as server:
        first, _, _ = _run(spoken, _settings(_chat(server)))
        again, _, report = _run(spoken, _settings(_chat(server)))
        assert again == first
        assert report["from_store"] == len(server.requests) == 3
        shards.write_shards(spoken / "data/synthesize/bbh", [(id, tone(pitch + 100 * (pitch == 440))) for id, pitch in TONES.items()])
        changed, _, report = _run(spoken, _settings(_chat(server)))
    assert (report["asked"], report["from_store"]) == (1, 2)
    assert changed[2]["response"] == "16000 Hz, pitch 540"


def test_a_run_that_broke_off_goes_on_where_it_stopped(spoken: Path) -> None:
    def dead(earlier: int, body: dict[str, Any]) -> Fault | None:
        return Fault(status=500) if "pitch 330" in _heard(body) else None

    with Server(answer=_heard, misbehave=dead) as server:
        with pytest.raises(UserError, match=r"1 of 3 questions to model had no answer.*ko/bbh-test-00001: HTTP 500"):
            _run(spoken, _settings(_chat(server)))
        n = len(server.requests)
        server.misbehave = None
        rows, _, report = _run(spoken, _settings(_chat(server)))
        assert len(server.requests) == n + 1
    assert (len(rows), report["asked"], report["from_store"]) == (3, 1, 2)


def test_a_few_failures_are_rejected_with_their_reason(spoken: Path) -> None:
    def refusing(earlier: int, body: dict[str, Any]) -> Fault | None:
        return Fault(status=400, raw=b'{"error": {"message": "clip too long"}}') if "pitch 330" in _heard(body) else None

    with Server(answer=_heard, misbehave=refusing) as server:
        rows, rejected, _ = _run(spoken, _settings(_chat(server), max_failed_share=0.4))
    assert len(rows) == 2
    (one,) = rejected
    assert (one["id"], one["reason"]) == ("ko/bbh-test-00001", "no_answer")
    assert "clip too long" in one["detail"]


def test_a_spoken_answer_is_kept_beside_its_transcript(spoken: Path) -> None:
    clip = tone(880)
    message = {"role": "assistant", "content": None, "audio": {"id": "a", "data": base64.b64encode(clip).decode(), "transcript": "아니요"}}
    raw = orjson.dumps({"choices": [{"message": message, "finish_reason": "stop"}]})
    extra = {"modalities": ["text", "audio"], "audio": {"voice": "one", "format": "flac"}}
    with Server(misbehave=lambda earlier, body: Fault(raw=raw)) as server:
        rows, _, _ = _run(spoken, _settings(_chat(server, extra_body=extra)))
        assert server.requests[0]["modalities"] == ["text", "audio"]
    assert {row["response"] for row in rows} == {"아니요"}
    assert shards.read_audio(spoken / "data/respond/model", "ko/bbh-test-00001") == clip


@pytest.mark.parametrize("data", ["%%%", base64.b64encode(b"no sound file").decode()])
def test_audio_that_cannot_be_decoded_is_counted_and_its_text_kept(spoken: Path, data: str) -> None:
    """Kept as a clip, it would stop the transcription of all others."""
    message = {"role": "assistant", "content": None, "audio": {"data": data, "transcript": "아니요"}}
    raw = orjson.dumps({"choices": [{"message": message, "finish_reason": "stop"}]})
    with Server(misbehave=lambda earlier, body: Fault(raw=raw)) as server:
        rows, rejected, report = _run(spoken, _settings(_chat(server)))
        _, _, again = _run(spoken, _settings(_chat(server)))
        assert len(server.requests) == 3
    assert {(row["response"], row["finish_reason"], row["reply_sha256"]) for row in rows} == {("아니요", "broken_audio", None)}
    assert (rejected, report["broken_audio"], again["broken_audio"]) == ([], 3, 3)


def test_real_queries_are_asked_aloud_and_their_spoken_answers_reach_the_talkers(root: Path) -> None:
    ids = ["wildspeech-0000007", "wildspeech-pf-00011"]
    folder = root / "data/perturb/wildspeech"
    files.write_jsonl(folder / "rows.jsonl", [{"id": id, "language": "en", "query": f"Query {id}?"} for id in ids])
    shards.write_shards(folder, [(id, tone(pitch)) for id, pitch in zip(ids, (440, 550), strict=True)])

    def speak(earlier: int, body: dict[str, Any]) -> Fault:
        spoken = {"data": base64.b64encode(tone(880)).decode(), "transcript": _heard(body)} if "440" in _heard(body) else None
        message = {"role": "assistant", "content": None if spoken else "only written", "audio": spoken}
        return Fault(raw=orjson.dumps({"choices": [{"message": message, "finish_reason": "stop"}]}))

    with Server(misbehave=speak) as server:
        chosen = _settings(_chat(server), only=[], queries=["wildspeech"])
        rows, rejected, _ = _run(root, chosen)
        _run(root, chosen)
        assert len(server.requests) == 2, "what was answered is not asked again"
    assert rejected == []
    assert [(row["id"], row["config"], row["response"]) for row in rows] == [
        ("en/wildspeech-0000007", "wildspeech", "16000 Hz, pitch 440"),
        ("en/wildspeech-pf-00011", "wildspeech", "only written"),
    ]
    replies = read(Replies(kind="respond", path="model"), set(ids), "en", root)
    assert replies == {ids[0]: Reply(tone(880), "16000 Hz, pitch 440"), ids[1]: Reply(None, "only written")}


def test_queries_that_are_not_built_are_named(root: Path) -> None:
    model = {"kind": "predictions", "path": "x.jsonl"}
    with pytest.raises(UserError, match="Config key queries names 'wildspeach', but data/perturb/wildspeach has no rows"):
        _run(root, _settings(model, queries=["wildspeach"]))


def test_the_text_modality_sends_the_written_question_and_reads_no_clip(root: Path) -> None:
    with Server(answer=lambda body: "네") as server:
        _run(root, _settings(_chat(server), modality="text"))
        assert all(isinstance(body["messages"][-1]["content"], str) for body in server.requests)
        assert {body["messages"][-1]["content"] for body in server.requests} >= {"앞으로 3걸음, 뒤로 3걸음 가면 제자리인가요?"}


def test_an_unreachable_endpoint_ends_the_run_in_one_sentence(spoken: Path) -> None:
    with pytest.raises(UserError, match="had no answer"):
        _run(spoken, _settings({"kind": "chat", "model": "m", "base_url": "http://127.0.0.1:9/v1", "max_attempts": 1}))


def test_an_address_without_a_model_server_is_told(spoken: Path) -> None:
    with Server(misbehave=lambda earlier, body: Fault(status=404)) as server, pytest.raises(UserError, match="does not know the address"):
        _run(spoken, _settings(_chat(server)))


def test_the_cascade_answers_what_it_heard(spoken: Path) -> None:
    """The real recognizer hears words in no tone: nothing is asked, and the answer is empty."""
    heard_by = {"kind": "whisper", "name": "whisper-base", "weights": {"origin": "package"}, "device": "cpu", "compute_type": "int8", "beam_size": 1,
                "tail_s": 6.0, "max_tokens_per_s": 12.0}  # fmt: skip
    with Server(answer=lambda body: f"answer to {body['messages'][-1]['content']}") as server:
        llm = {"name": "cascade", "model": "text", "base_url": server.url}
        rows, _, _ = _run(spoken, _settings({"kind": "cascade", "recognizer": heard_by, "llm": llm}))
        asked = {body["messages"][-1]["content"] for body in server.requests}
    assert len(rows) == 3
    for row in rows:
        assert row["heard"] is not None
        assert row["response"] == (f"answer to {row['heard']}" if row["heard"] else "")
    assert asked == {row["heard"] for row in rows if row["heard"]}


def test_the_cascade_listens_while_the_text_model_answers(spoken: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Listening to the second question ends only when the first has reached the text model."""
    reached = threading.Event()
    waited: list[bool] = []

    class Listener:
        name, revision = "listener", "1"

        def request(self) -> dict[str, Any]:
            return {}

        def prepare(self) -> None: ...

        def transcribe(self, samples: Any, rate: int, language: str) -> str:
            if waited:
                waited.append(reached.wait(10))
            else:
                waited.append(True)
            return f"question {len(waited)}"

    def answer(body: dict[str, Any]) -> str:
        reached.set()
        return "네"

    monkeypatch.setattr(studio, "open_recognizer", lambda settings, root: Listener())
    heard_by = {"kind": "whisper", "name": "whisper-base", "weights": {"origin": "package"}, "device": "cpu", "compute_type": "int8", "beam_size": 1,
                "tail_s": 6.0, "max_tokens_per_s": 12.0}  # fmt: skip
    with Server(answer=answer) as server:
        llm = {"name": "cascade", "model": "text", "base_url": server.url}
        rows, _, _ = _run(spoken, _settings({"kind": "cascade", "recognizer": heard_by, "llm": llm}))
    assert waited == [True, True, True]
    assert {row["heard"] for row in rows} == {"question 1", "question 2", "question 3"}


def test_an_answer_is_composed_before_it_is_stored_so_that_a_second_run_writes_the_same(spoken: Path) -> None:
    with Server(answer=lambda body: unicodedata.normalize("NFD", "네, 그렇습니다.")) as server:
        first, _, report = _run(spoken, _settings(_chat(server)))
        written = (spoken / "data/respond/model/rows.jsonl").read_bytes()
        _run(spoken, _settings(_chat(server)))
    assert {row["response"] for row in first} == {"네, 그렇습니다."}
    assert (spoken / "data/respond/model/rows.jsonl").read_bytes() == written
    assert "네, 그렇습니다.".encode() in written
    assert report["retries"] == 0


def test_tries_in_vain_are_counted(spoken: Path) -> None:
    def once(earlier: int, body: dict[str, Any]) -> Fault | None:
        return None if earlier else Fault(status=500)

    with Server(answer=_heard, misbehave=once) as server:
        rows, _, report = _run(spoken, _settings(_chat(server)))
    assert (len(rows), report["retries"]) == (3, 3)


def _mmau(root: Path, *rows: dict[str, Any]) -> dict[str, Any]:
    """The settings of a run on a published file of MMAU with these rows."""
    files.write_json(
        root / "mmau/test.json", [{"question": "What plays?", "choices": ["a flute", "a drum"], "answer": "a flute", **row} for row in rows]
    )
    about = {"layout": "mmau", "protocol": "mmau", "language": "en", "script": "LATIN", "kind": "audio_understanding", "path": "mmau/test.json"}
    return {"benchmarks": {"MMAU": about}, "built": []}


def test_mmau_is_heard_from_the_clips_beside_its_file(root: Path) -> None:
    (root / "mmau/test-mini-audios").mkdir(parents=True)
    (root / "mmau/test-mini-audios/a.wav").write_bytes(tone(440))
    one, two = {"id": "a", "audio_id": "./test-mini-audios/a.wav"}, {"id": "b", "audio_path": ["data/x.wav", "data/y.wav"]}
    with Server(answer=_heard) as server:
        rows, rejected, _ = _run(root, {"suite": _mmau(root, one, two), "model": _chat(server)})
        assert server.requests[0]["messages"][-1]["content"][1]["text"] == "What plays?\na flute\na drum"
    assert [(row["item_id"], row["response"]) for row in rows] == [("a", "16000 Hz, pitch 440")]
    assert [(row["item_id"], row["detail"]) for row in rejected] == [
        ("b", "the question has 2 clips, and a model is given one; ask it in the text modality")
    ]


@pytest.mark.parametrize(
    ("named", "sentence"),
    [
        ("./test-mini-audios/a.wav", "The clip mmau/test-mini-audios/a.wav of question a does not exist; unpack the audio of MMAU beside its"),
        ("../secret.wav", "names the clip '../secret.wav', which is not beside it"),
        ("/etc/passwd", "names the clip '/etc/passwd', which is not beside it"),
    ],
)
def test_a_clip_of_mmau_that_is_not_there_is_named(root: Path, named: str, sentence: str) -> None:
    (root / "secret.wav").write_bytes(tone(440))
    model = {"kind": "chat", "model": "m", "base_url": "http://127.0.0.1:9/v1", "max_attempts": 1}
    with pytest.raises(UserError) as error:
        _run(root, {"suite": _mmau(root, {"id": "a", "audio_id": named}), "model": model})
    assert sentence in str(error.value)


def test_predictions_are_taken_and_a_missing_one_is_rejected(root: Path) -> None:
    rows = files.read_jsonl(root / "data/validate/bbh/rows.jsonl")
    files.write_jsonl(root / "run/ko.jsonl", [{"id": row["id"], "response": "네, 그렇습니다. 맞습니다. 정말로요."} for row in rows[1:]])
    kept, rejected, report = _run(root, _settings({"kind": "predictions", "path": "run/{language}.jsonl", "model": "mine"}))
    assert len(kept) == len(rows) - 1
    assert {row["model"] for row in kept} == {"mine"}
    assert [row["item_id"] for row in rejected] == [rows[0]["id"]]
    assert report["n_missing"] == 1
    assert not (root / "cache").exists()


def test_one_file_for_both_languages_is_refused(root: Path) -> None:
    """The rows of an item have the same id in English and Korean: one of them would be lost."""
    suite = {**values("VoiceBench", "KVoiceBench"), "built": ["bbh"]}
    files.write_jsonl(root / "run.jsonl", [{"id": "bbh-test-00000", "prediction": "yes"}])
    with pytest.raises(UserError, match=r"run.jsonl would answer en/bbh-test-00000 and ko/bbh-test-00000.*put \{language\} into"):
        _run(root, {"suite": suite, "model": {"kind": "predictions", "path": "run.jsonl"}})


def test_a_placeholder_that_does_not_exist_is_named(root: Path) -> None:
    with pytest.raises(UserError, match="has a placeholder that is none of language, benchmark, config, subset"):
        _run(root, _settings({"kind": "predictions", "path": "run/{lang}.jsonl"}))


def test_the_store_of_answers_holds_no_key(spoken: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SPEECHLM_KEY", "sk-very-secret-value")
    with Server(answer=_heard) as server:
        _run(spoken, _settings(_chat(server, api_key_env="SPEECHLM_KEY")))
        assert server.headers[0]["Authorization"] == "Bearer sk-very-secret-value"
    path = spoken / "cache/responses.sqlite"
    with sqlite3.connect(path) as database:
        assert database.execute("SELECT count(*) FROM answers").fetchone() == (3,)
    assert b"sk-very" not in b"".join(found.read_bytes() for found in path.parent.glob("responses.sqlite*"))
