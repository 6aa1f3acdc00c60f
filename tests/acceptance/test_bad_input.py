"""What a user can get wrong, each through the command that meets it: one sentence, exit code 1, nothing written.

The cases run a few at a time, each on its own copy of the project; a test waits for its own.
"""

from __future__ import annotations

import re
import resource
import shutil
from collections.abc import Callable
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest

from tests.acceptance.oracle import ask_live
from tests.acceptance.project import STAGES, Project, Result
from tests.llm.server import Fault, Server

INGEST, CORRECT, HYPERTRANSLATE = STAGES["ingest"], STAGES["correct"], STAGES["hypertranslate"]
RAW = "data/sample/raw"
BBH, TRIVIA = f"{RAW}/voicebench/bbh/test-00000-of-00001.parquet", f"{RAW}/openaudiobench/eval_datas/trivia_qa/trivia_qa.csv"
CLIP = f"{RAW}/openaudiobench/eval_datas/trivia_qa/audios/trivia_qa_0.mp3"
ROWS, RULEBOOK = "data/ingest/bbh/rows.jsonl", "rulebooks/ko/hypertranslation.yaml"


Attempts = dict[str, Future[tuple[Result, bool]]]


@dataclass(frozen=True)
class Case:
    name: str
    change: Callable[[Project], Any]
    command: tuple[str, ...]
    says: str
    """A regular expression that the sentence must match."""
    options: dict[str, Any] = field(default_factory=dict)


def table(change: Callable[[Any], Any]) -> Callable[[Project], None]:
    def rewrite(project: Project) -> None:
        import pyarrow.parquet as pq

        pq.write_table(change(pq.read_table(project.path(BBH))), project.path(BBH))

    return rewrite


def numbers(source: Any) -> Any:
    import pyarrow as pa

    return source.set_column(source.schema.get_field_index("prompt"), "prompt", pa.array(range(len(source))))


def cell(column: str, text: str) -> Callable[[Project], None]:
    return lambda project: project.csv("trivia_qa", lambda cells: cells[1].__setitem__(cells[0].index(column), text))


def write(name: str, content: str | bytes) -> Callable[[Project], Path]:
    return lambda project: project.write(name, content)


def cut(name: str, keep: float) -> Callable[[Project], Path]:
    return lambda project: project.write(name, (content := project.path(name).read_bytes())[: int(len(content) * keep)])


def replace(name: str, old: str, new: str) -> Callable[[Project], None]:
    return lambda project: project.replace(name, old, new)


def folder(name: str) -> Callable[[Project], None]:
    """A folder in the file's place: what cannot be read or written, whoever asks."""

    def change(project: Project) -> None:
        project.path(name).unlink(missing_ok=True)
        project.path(name).mkdir(parents=True)

    return change


def remove(*names: str) -> Callable[[Project], None]:
    def change(project: Project) -> None:
        for name in names:
            path = project.path(name)
            shutil.rmtree(path) if path.is_dir() else path.unlink()

    return change


def live(url: str = "http://127.0.0.1:9/v1", **role: Any) -> Callable[[Project], None]:
    def change(project: Project) -> None:
        shutil.rmtree(project.cache)
        ask_live(project, url, max_attempts=1, **role)

    return change


def full(bytes_a_file: int) -> dict[str, Any]:
    return {"preexec_fn": lambda: resource.setrlimit(resource.RLIMIT_FSIZE, (bytes_a_file, bytes_a_file))}


def nothing(project: Project) -> None:
    pass


COMPOSE, BUILT = ("stages.compose",), ("data/ingest", "data/correct", "data/hypertranslate")
CASES = [
    # sources
    Case("missing column", table(lambda t: t.drop_columns(["reference"])), (INGEST, "bbh"), r"has no column 'reference'"),
    Case("wrong type", table(numbers), (INGEST, "bbh"), r"has the type int64 in column 'prompt'"),
    Case(
        "unknown reference letter",
        lambda p: p.parquet("openbookqa", lambda rows: rows[0].update(reference="Z")),
        (INGEST, "openbookqa"),
        r"row 0 has the reference 'Z', which is not one of A, B, C, D",
    ),
    Case("two rows with one id", lambda p: p.parquet("bbh", lambda rows: rows[0].update(id=rows[1]["id"])), (INGEST, "bbh"), r"Two rows have the id"),
    Case("truncated parquet", cut(BBH, 0.5), (INGEST, "bbh"), r"is not a whole parquet file"),
    Case("a folder named .parquet", folder(BBH), (INGEST, "bbh"), r"is not a whole parquet file"),
    Case("source not there", remove(RAW), (INGEST, "bbh"), r"holds no parquet file; run `python -m stages.ingest.fetch voicebench`"),
    Case("broken literal", cell("answer_normalized_aliases", "['a', b"), (INGEST, "trivia_qa"), r"row 0 \(line 2\) .* is not a list of strings"),
    Case("a call for a literal", cell("answer_normalized_aliases", "open('pwned', 'w')"), (INGEST, "trivia_qa"), r"is not a list of strings"),
    Case("audio outside", cell("audio_filename", "../../x.mp3"), (INGEST, "trivia_qa"), r"leads out of"),
    Case("impossible file name", cell("audio_filename", "x" * 300 + ".mp3"), (INGEST, "trivia_qa"), r"which cannot exist"),
    Case("invalid UTF-8", lambda p: p.write(TRIVIA, p.path(TRIVIA).read_bytes() + b"q,['\xff'],x.mp3\n"), (INGEST, "trivia_qa"), r"as UTF-8 CSV"),
    Case("0-byte audio", write(CLIP, b""), (INGEST, "trivia_qa"), r"The audio trivia_qa_0.mp3 of .* row 0 .* has 0 bytes"),
    Case("a text named .mp3", write(CLIP, "hello, this is text"), (INGEST, "trivia_qa"), r"no known audio format"),
    # configuration
    Case("empty params.yaml", write("params.yaml", ""), COMPOSE, r"params.yaml needs `subsets`"),
    Case("params.yaml is a list", write("params.yaml", "[bbh]"), COMPOSE, r"params.yaml needs `subsets`"),
    Case("no params.yaml", remove("params.yaml"), COMPOSE, r"params.yaml cannot be read"),
    Case("params.yaml not YAML", write("params.yaml", "raw: ["), COMPOSE, r"params.yaml is not valid YAML .*line 1"),
    Case("misspelt knob", replace("params.yaml", "  max_cer:", "  max_cerr:"), COMPOSE, r"speech.max_cerr does not exist. Did you mean 'max_cer'"),
    Case("wrong value", replace("params.yaml", "  max_cer: 0.3", "  max_cer: lots"), COMPOSE, r"synthesize.max_cer has the value 'lots'"),
    Case("unknown profile", replace("params.yaml", "profile: sample", "profile: smaple"), COMPOSE, r"profile/smaple.yaml. Did you mean 'sample'"),
    Case("unknown subset", replace("params.yaml", "  bbh:", "  bhb:"), COMPOSE, r"conf/benchmark/bhb.yaml does not exist. Did you mean 'bbh'"),
    Case("misspelt key in conf", replace("conf/benchmark/bbh.yaml", "task_from", "task_form"), COMPOSE, r"ingest.task_form is unknown. Did you mean"),
    Case("missing value in conf", replace("conf/benchmark/bbh.yaml", "enabled", "enabeld"), COMPOSE, r"at subsets.bbh.correct.enabled"),
    Case("conf not YAML", write("conf/benchmark/bbh.yaml", "a: ["), COMPOSE, r"not valid YAML: .*conf/benchmark/bbh.yaml\", line"),
    Case("empty conf", write("conf/benchmark/bbh.yaml", ""), COMPOSE, r"conf/benchmark/bbh.yaml does not describe a subset"),
    Case("unknown module", replace("conf/config.yaml", "transfer.correct", "transfer.corect"), COMPOSE, r"stages.correct cannot be imported"),
    Case("misspelt override", nothing, (CORRECT, "-m", "subset=bbh", "speech.maxcer=1"), r"speech.maxcer does not exist. Did you mean 'max_cer'"),
    Case("override without syntax", nothing, (CORRECT, "-m", "subset=bbh", "speech.max_cer=[1"), r"cannot be composed"),
    Case("unknown option", nothing, (CORRECT, "-m", "subset=bbh", "tts=kokoro"), r"no conf/tts/kokoro.yaml. Did you mean 'kokoro_ko'"),
    Case("unknown subset in a sweep", nothing, (CORRECT, "-m", "subset=bhb,bbx"), r"subset=bhb: .*Did you mean 'bbh'.*2 jobs of the sweep failed"),
    Case("sweep without subset", nothing, (CORRECT, "-m", "speech.max_cer=1"), r"is not one of the subsets"),
    Case("unknown subset argument", nothing, (CORRECT, "bhb"), r"Did you mean 'bbh'"),
    Case("no data/config.json", remove("data/config.json"), (CORRECT, "bbh"), r"data/config.json does not exist; run `dvc repro`"),
    Case("corrupt data/config.json", cut("data/config.json", 0.5), (CORRECT, "bbh"), r"data/config.json is not valid JSON"),
    Case("unreadable data/config.json", folder("data/config.json"), (CORRECT, "bbh"), r"data/config.json cannot be read"),
    Case(
        "a stage's settings are a number",
        lambda p: p.configure(lambda c: c["subsets"]["bbh"].update(correct=3)),
        (CORRECT, "bbh"),
        r"subsets.bbh.correct has the value 3",
    ),
    Case("rulebook with a broken pattern", replace(RULEBOOK, "prompt: ['", "prompt: ['("), (HYPERTRANSLATE, "bbh"), r"is not a regular expression"),
    Case(
        "rulebook with an unknown field",
        replace(RULEBOOK, "      priority: 100", "      priorty: 100"),
        (HYPERTRANSLATE, "bbh"),
        r"unknown key principles.rules.0.priorty. Did you mean 'priority'",
    ),
    # rows, replies and stores
    Case("torn last line", cut(ROWS, 0.99), (CORRECT, "bbh"), r"ingest/bbh/rows.jsonl line 4 is not valid JSON"),
    Case("rows are not there", remove(ROWS), (CORRECT, "bbh"), r"rows.jsonl does not exist; run the stage before it"),
    Case("torn line explained", cut(ROWS, 0.99), ("stages.explain", "bbh-test-00003"), r"rows.jsonl line 4 is not valid JSON"),
    Case(
        "missing reply in replay",
        lambda p: (remove("cache")(p), p.write("data/sample/replies.jsonl", "")),
        (CORRECT, "bbh"),
        r"Item bbh-test-00000 has no reply for role reviewer \(4 requests: reviewer 4 missing\)",
    ),
    Case("torn replies file", cut("data/sample/replies.jsonl", 0.999), (CORRECT, "bbh"), r"replies.jsonl line \d+: not valid JSON"),
    Case("no API key", live(api_key_env="BENCHFERRY_NO_KEY"), (CORRECT, "bbh"), r"environment variable BENCHFERRY_NO_KEY is not set"),
    Case("a key for a variable's name", live(api_key_env="sk-1234"), (CORRECT, "bbh"), r"must be the name of an environment variable, not a key"),
    Case("nobody answers", live(), (CORRECT, "bbh"), r"4 requests: reviewer 4 failed, .* connection to http://127.0.0.1:9/v1 failed"),
    Case("full disk, rows", nothing, (INGEST, "bbh"), r"Cannot write .*rows.jsonl: File too large", full(1000)),
    Case("full disk, audio", nothing, (INGEST, "trivia_qa"), r"Cannot write .*audio-00000.parquet: ", full(1000)),
    Case("full disk, store", nothing, (CORRECT, "bbh"), r"The reply store .* free some space", full(5000)),
    Case("store cannot be written", folder("cache/replies.sqlite-wal"), (CORRECT, "bbh"), r"The reply store .* cannot be used"),
    Case("damaged store", write("cache/replies.sqlite", b"no database" * 99), (CORRECT, "bbh"), r"The reply store .* is damaged"),
    Case("output cannot be written", folder("data/correct/bbh/rows.jsonl"), (CORRECT, "bbh"), r"Cannot write .*correct/bbh/rows.jsonl"),
    # commands
    Case("explain nonsense", nothing, ("stages.explain", "nonsense"), r"No item 'nonsense' .* Ids look like bbh-test-00000"),
    Case("explain before a build", remove(*BUILT), ("stages.explain", "bbh-test-00001"), r"Nothing has been built yet"),
    Case("summary before a build", remove(*BUILT), ("stages.summary",), r"does not exist; run the stage before it, or `dvc repro`"),
    Case("publish before a build", remove(*BUILT), ("stages.publish.folder", "KVoiceBench"), r"does not exist; run the stage before it"),
    Case("publish nonsense", nothing, ("stages.publish.folder", "KVoiceBenc"), r"Did you mean 'KVoiceBench'"),
]


def attempted(case: Case, base: Project, to: Path) -> tuple[Result, bool]:
    """What the command says, and whether every file of the data is as it was before it."""
    project = base.copy(to)
    case.change(project)
    before = project.all_bytes()
    result = project.run(*case.command, **case.options)
    unchanged = project.all_bytes() == before and not project.path("pwned").exists()
    shutil.rmtree(project.folder)
    return result, unchanged


@pytest.fixture(scope="module")
def attempts(base: Project, pool: ThreadPoolExecutor, tmp_path_factory: pytest.TempPathFactory, request: pytest.FixtureRequest) -> Attempts:
    """The cases that this session has chosen, started."""
    chosen = [item.callspec.params["case"] for item in request.session.items if getattr(item, "originalname", "") == test_one_sentence.__name__]
    root = tmp_path_factory.mktemp("bad")
    return {case.name: pool.submit(attempted, case, base, root / str(number)) for number, case in enumerate(chosen)}


@pytest.mark.parametrize("case", CASES, ids=lambda case: case.name)
def test_one_sentence(case: Case, attempts: Attempts) -> None:
    result, unchanged = attempts[case.name].result()
    refused(result, case.says)
    assert unchanged


def refused(result: Result, says: str) -> None:
    assert result.code == 1, result
    assert result.err.startswith("error: ")
    assert result.err.count("\n") == 1, result.err
    assert re.search(says, result.err), result.err


def test_an_endpoint_that_answers_html(project: Project) -> None:
    with Server(misbehave=lambda earlier, body: Fault(raw=b"<!doctype html><title>Log in</title>")) as server:
        live(server.url)(project)
        refused(project.stage("correct", "bbh"), r"answers HTML \(<!doctype html><title>Log in</title>\); check llm.reviewer.base_url")


def test_another_working_directory_is_as_good(project: Project, tmp_path: Path) -> None:
    project.env["PYTHONPATH"] = str(project.folder)
    elsewhere = tmp_path / "elsewhere"
    elsewhere.mkdir()
    assert "built up to hypertranslate" in project.run("stages.explain", "bbh-test-00000", cwd=elsewhere).out
    swept = project.run(CORRECT, "subset=bbh", cwd=elsewhere)
    assert (swept.code, swept.out) == (0, "subset=bbh: 4 of 4 kept -> .cache/multirun/correct/0\n")
    assert not any(elsewhere.iterdir())
