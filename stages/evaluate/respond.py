"""Respond: a model under test answers every question of the benchmarks.

Source: paper 2605.27984, section 5.1 and appendix E: one run for each model and benchmark, at most 4,096 tokens, temperature 0.7, top-p
0.95. In the audio modality the question is heard, and for audio understanding also read; in the text modality it is read alone, which
tells what the text by itself gives away. Answers are stored when they arrive (stages/evaluate/responses.py), so a run that broke off
goes on where it stopped. A question without an answer is rejected here and counts as missing, hence wrong, in every score.
"""

from __future__ import annotations

import hashlib
from collections import defaultdict
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import Any

from pydantic import Field

from stages.core.app import main
from stages.core.errors import UserError
from stages.core.files import Row, nfc
from stages.core.progress import Progress
from stages.core.settings import Settings
from stages.core.stage import Context, Outcome, Rejection, Stage
from stages.evaluate import predictions
from stages.evaluate.benchmarks import Question, Suite, queries, questions
from stages.evaluate.responses import Responses, key_of
from stages.evaluate.speechlms.base import BROKEN, Account, Answer, Asked, Decoding, Failure, Modality, Model, Predictions, open_model


class RespondSettings(Settings):
    suite: Suite
    only: list[str] | None = None
    """Benchmarks to be asked; null for all of the suite."""
    queries: list[str] = Field(default_factory=list)
    """Units of `wildspeech` whose queries are asked as well, for a model that answers in speech (conf/talker/)."""
    model: Model
    modality: Modality = "audio"
    decoding: Decoding = Decoding()
    max_failed_share: float = Field(default=0.02, ge=0, le=1)
    """The run fails when a larger share of the questions asked now had no answer after all retries."""
    long_chars: int = Field(default=20_000, ge=1)
    """Longer answers are counted; a judge sees their beginning alone."""


@dataclass
class Tools:
    questions: list[Question]
    """Those that are asked."""
    others: list[Question]
    """The rest of the suite, to tell a file of the wrong benchmark."""
    root: Path
    name: str
    progress: Progress
    responses: Responses | None


def run(rows: list[Row], settings: RespondSettings, tools: Tools) -> Outcome:
    account = Account()
    failed: dict[str, str] = {}
    passed_over = 0
    if isinstance(settings.model, Predictions):
        answers, passed_over = _read(settings.model, settings, tools)
    else:
        answers, failed = _ask(settings, tools, account)
    texts = {id: answer.text for id, answer in answers.items()}
    found = predictions.inspect(tools.questions, texts, settings.long_chars)
    kept = [_row(question, answers[question.id], settings) for question in tools.questions if question.id in answers]
    rejected = [
        Rejection(_about(question), "no_answer", "respond", failed.get(question.id, "no row in the predictions file"))
        for question in tools.questions
        if question.id not in answers
    ]
    audio = [(question.id, clip) for question in tools.questions if question.id in answers and (clip := answers[question.id].audio)]
    report = {
        **asdict(account),
        **found.counts(),
        "n_of_other_benchmarks": passed_over,
        "found": {name: ids[:20] for name, ids in vars(found).items() if ids},
    }
    return Outcome(kept, rejected, report, audio if not isinstance(settings.model, Predictions) else None)


def _about(question: Question) -> Row:
    return {
        "id": question.id, "item_id": question.item.id, "language": question.language, "benchmarks": list(question.benchmarks),
        "config": question.config,
    }  # fmt: skip


def _row(question: Question, answer: Answer, settings: RespondSettings) -> Row:
    model = settings.model
    return {
        **_about(question),
        "model": getattr(model, "model", None) or model.kind,
        "modality": "predictions" if isinstance(model, Predictions) else settings.modality,
        "response": answer.text,
        "heard": answer.heard,
        "finish_reason": answer.finish_reason,
        "reply_sha256": hashlib.sha256(answer.audio).hexdigest() if answer.audio else None,
    }


def _read(model: Predictions, settings: RespondSettings, tools: Tools) -> tuple[dict[str, Answer], int]:
    """The answers, and how many lines are about benchmarks that are not asked."""
    by_path: dict[str, list[Question]] = defaultdict(list)
    for question in tools.questions:
        by_path[_path_of(model, question)].append(question)
    answers: dict[str, Answer] = {}
    passed_over = 0
    for path, asked in sorted(by_path.items()):
        given = predictions.read(tools.root / path, path)
        texts = predictions.match(asked, given, path, tools.questions, tools.others)
        passed_over += len(given) - len(texts)
        if not model.any_language:
            scripts = {benchmark.language: benchmark.script for benchmark in settings.suite.benchmarks.values()}
            predictions.check_language(asked, texts, scripts, path)
        answers |= {id: Answer(text) for id, text in texts.items()}
    if not answers:
        raise UserError(f"There is no prediction in {', '.join(sorted(by_path))}; correct the path of the model, or run the model first.")
    return answers, passed_over


def _path_of(model: Predictions, question: Question) -> str:
    known = {"language": question.language, "benchmark": question.benchmarks[0], "config": question.config, "subset": question.subset}
    try:
        return model.path.format(**known)
    except (LookupError, ValueError):
        raise UserError(f"The path {model.path!r} of a predictions model has a placeholder that is none of {', '.join(known)}.") from None


def _ask(settings: RespondSettings, tools: Tools, account: Account) -> tuple[dict[str, Answer], dict[str, str]]:
    """Answers by question id, and why the others have none."""
    assert not isinstance(settings.model, Predictions)
    assert tools.responses is not None
    model = open_model(settings.model, tools.name, settings.decoding, tools.root, tools.responses.spent_usd(tools.name))
    failed: dict[str, str] = {}
    if settings.modality == "audio":
        failed |= {question.id: why for question in tools.questions if (why := _unheard(question, tools.root))}
    asked = [question for question in tools.questions if question.id not in failed]
    keys = _keys(asked, model.fingerprint(), settings.modality, tools.root)
    stored = tools.responses.get(list(keys.values()))
    answers = {id: stored[key] for id, key in keys.items() if key in stored}
    open_questions = [question for question in asked if question.id not in answers]
    account.from_store = len(answers)
    account.broken_audio = sum(answer.finish_reason == BROKEN for answer in answers.values())
    if not open_questions:
        return answers, failed
    model.prepare()
    with tools.progress.task(tools.name, len(open_questions)) as task:

        def took(one: Asked, answer: Answer | Failure) -> None:
            task.advance()
            if isinstance(answer, Failure):
                failed[one.id] = answer.reason
                account.failed += 1
                return
            answer = replace(answer, text=nfc(answer.text), heard=nfc(answer.heard))
            tools.responses.put(keys[one.id], tools.name, one.id, answer)  # type: ignore[union-attr]
            answers[one.id] = answer
            account.asked += 1
            account.broken_audio += answer.finish_reason == BROKEN
            account.prompt_tokens += answer.prompt_tokens
            account.completion_tokens += answer.completion_tokens
            account.usd += answer.usd
            if account.usd:
                task.note = f"${account.usd:.2f}"

        model.answers(_posed(open_questions, settings.modality, tools.root), took)
    account.retries = model.retries
    if account.failed > settings.max_failed_share * len(open_questions):
        first = next(id for id in failed if id in keys)
        raise UserError(
            f"{account.failed} of {len(open_questions)} questions to {tools.name} had no answer, more than max_failed_share = "
            f"{settings.max_failed_share:g}; first {first}: {failed[first]}. Every answer so far is stored, run again to ask the rest."
        )
    return answers, failed


def _unheard(question: Question, root: Path) -> str | None:
    """Why a question cannot be heard, as a clause; None where it can. Raises UserError where its clip is not there."""
    if len(question.files) > 1:
        return f"the question has {len(question.files)} clips, and a model is given one; ask it in the text modality"
    if not question.files:
        return "the question has no audio" if question.clip is None else None
    if not (root / question.files[0]).is_file():
        raise UserError(
            f"The clip {question.files[0]} of question {question.item.id} does not exist; unpack the audio of {question.benchmarks[0]} beside its "
            "published file, or ask in the text modality (evaluation.modality=text)."
        )
    return None


def _shown(question: Question, modality: Modality) -> str | None:
    """What is written: in the text modality the question as a person would write it."""
    return question.text if modality == "audio" else (question.text or question.item.prompt)


def _keys(asked: Sequence[Question], fingerprint: dict[str, Any], modality: Modality, root: Path) -> dict[str, str]:
    """question id -> store key. The clips are read once to know their content."""
    hashes: dict[str, str] = {}
    if modality == "audio":
        for question, clip in _clips(asked, root):
            hashes[question.id] = hashlib.sha256(clip).hexdigest()
    return {question.id: key_of(fingerprint, question.language, _shown(question, modality), hashes.get(question.id)) for question in asked}


def _posed(asked: Sequence[Question], modality: Modality, root: Path) -> Iterator[Asked]:
    if modality == "text":
        for question in asked:
            yield Asked(question.id, question.language, _shown(question, modality), None)
    else:
        for question, clip in _clips(asked, root):
            yield Asked(question.id, question.language, _shown(question, modality), clip)


def _clips(asked: Sequence[Question], root: Path) -> Iterator[tuple[Question, bytes]]:
    """(question, its clip), one row group of a shard in memory at a time."""
    from stages.core import shards

    by_folder: dict[str, dict[str, list[Question]]] = defaultdict(lambda: defaultdict(list))
    for question in asked:
        if question.files:
            yield question, (root / question.files[0]).read_bytes()
            continue
        assert question.clip is not None
        folder, id = question.clip
        by_folder[folder][id].append(question)
    for folder, by_id in sorted(by_folder.items()):
        for id, clip in shards.iter_audio(root / folder, by_id):
            for question in by_id[id]:
                yield question, clip


@contextmanager
def open_tools(settings: RespondSettings, context: Context) -> Iterator[Tools]:
    everything = questions(settings.suite, context.root)
    chosen = set(settings.suite.benchmarks if settings.only is None else settings.only)
    if unknown := chosen - settings.suite.benchmarks.keys():
        raise UserError(f"There is no benchmark {sorted(unknown)[0]!r} in conf/evaluation/; known: {', '.join(settings.suite.benchmarks)}.")
    asked = [question for question in everything if chosen & set(question.benchmarks)] + queries(settings.queries, context.root)
    others = [question for question in everything if not chosen & set(question.benchmarks)]
    if isinstance(settings.model, Predictions):
        yield Tools(asked, others, context.root, context.subset, context.progress, None)
    else:
        with Responses.open() as responses:
            yield Tools(asked, others, context.root, context.subset, context.progress, responses)


STAGE = Stage(
    name="respond",
    run=run,
    settings=RespondSettings,
    group="speechlms",
    reads=None,
    input_schema=None,
    output_schema="Responded",
    tools=open_tools,
)

if __name__ == "__main__":
    main(STAGE)
