"""Scores for what other harnesses left, and for predictions files, without a config of their own.

    python -m stages.evaluate.score layout=voicebench files=results/*.jsonl      VoiceBench's inference or `result-` files
    python -m stages.evaluate.score layout=predictions files=kbbh.jsonl benchmark=KVoiceBench subset=bbh
    python -m stages.evaluate.score again=data/score/careful                     the stored judgments of a model, no call

VoiceBench's files are named [result-]<model>-<data>-<split>-<modality>.jsonl and hold the rows' columns with `response`, and, after its
judge, `score`, a list of raw judge replies. They are taken as they are. Options: subset= and language= where a name does not tell,
judge=stored (default: the raw replies in the file), ask (by the judge of the configuration) or none, mode=fixed or compat, out=FILE.json.
"""

from __future__ import annotations

import glob
from collections.abc import Sequence
from dataclasses import asdict
from pathlib import Path
from typing import Any

from stages.core import files, options, settings
from stages.core.app import read_config
from stages.core.errors import UserError, nearest
from stages.core.files import Row
from stages.core.paths import ROOT
from stages.core.progress import Progress
from stages.evaluate import predictions, totals
from stages.evaluate.benchmarks import Question, Suite, check, questions
from stages.evaluate.judge import JudgeSettings, judge
from stages.evaluate.score import ScoreSettings, again, cases, scored
from stages.evaluate.scorers import Item, Judgment, Score, protocol_of
from stages.evaluate.scorers.base import MODES, PROTOCOLS, Mode

_LAYOUTS = ("voicebench", "predictions")
_OPTIONS = ("layout", "again", "files", "benchmark", "subset", "language", "judge", "mode", "out")
_JUDGES = ("stored", "ask", "none")
_OPEN_FILES = 12


def main(arguments: Sequence[str], root: Path = ROOT) -> None:
    chosen = _chosen(arguments)
    mode = _one_of("mode", chosen.get("mode", "fixed"), MODES)
    if "again" in chosen:
        rows = _again(root / chosen["again"], mode, root)
        found = {name: totals.subset_scores(rows, name) for name in sorted({name for row in rows for name in row["benchmarks"]})}
    elif _one_of("layout", chosen["layout"], _LAYOUTS) == "voicebench":
        rows, found = [], {}
        for path in _paths(chosen, root):
            scored_rows = _voicebench(path, chosen, mode, root)
            rows += scored_rows
            found[path.name] = {scored_rows[0]["subset"]: totals.total(scored_rows)}
    else:
        rows = _predictions(chosen, mode, root)
        name = chosen["benchmark"]
        found = {name: totals.subset_scores(rows, name)}
    _show(found)
    if "out" in chosen:
        files.write_json(Path(chosen["out"]), {place: {subset: asdict(score) for subset, score in scores.items()} for place, scores in found.items()})


def _chosen(arguments: Sequence[str]) -> dict[str, str]:
    chosen: dict[str, str] = {}
    for argument in arguments:
        key, equals, value = argument.partition("=")
        if not equals or key not in _OPTIONS:
            raise UserError(f"The option {argument!r} is unknown.{nearest(key, _OPTIONS)} Options: {', '.join(f'{name}=' for name in _OPTIONS)}.")
        chosen[key] = value
    return chosen


def _one_of(name: str, value: str, known: Sequence[str]) -> Any:
    if value not in known:
        raise UserError(f"{name}={value} is not known.{nearest(value, known)} It is one of {', '.join(known)}.")
    return value


def _paths(chosen: dict[str, str], root: Path) -> list[Path]:
    patterns = [pattern for pattern in chosen.get("files", "").split(",") if pattern]
    found = [Path(path) for pattern in patterns for path in sorted(glob.glob(str(root / pattern)))]
    if not found:
        raise UserError(f"No file matches files={chosen.get('files', '')!r}; give one or more paths, separated by commas.")
    return found


def _voicebench(path: Path, chosen: dict[str, str], mode: Mode, root: Path) -> list[Row]:
    subset = chosen.get("subset") or _subset_of(path.name)
    language = chosen.get("language", "en")
    rows = files.read_jsonl(path)
    if not rows:
        raise UserError(f"{path} has no row; give the file of a run.")
    asked: list[Question] = []
    answers: dict[str, str] = {}
    judgments: dict[str, list[Judgment]] = {}
    protocol = protocol_of("voicebench", subset)
    if protocol == "open" and any("reference" in row for row in rows):
        protocol = "reference"  # VoiceBench's own rule: a row with a reference is judged by it
    for number, row in enumerate(rows):
        where = f"{path.name} line {number + 1}"
        item = _item(row, number, protocol, subset, language, where)
        id = f"{language}/{item.id}"
        check(item, path.name)
        asked.append(Question(id, item, None, ("VoiceBench",), subset, subset, "", item.prompt, None, None))
        if "response" in row:
            answers[id] = predictions.strip_thoughts(str(row["response"] or ""))
        judgments[id] = [Judgment(item.id, sample, text) for sample, text in enumerate(_replies(row, where))]
    who = _one_of("judge", chosen.get("judge", "stored"), _JUDGES)
    if who == "ask":
        judgments = _ask(asked, answers, root)
    elif who == "none":
        judgments = {}
    return [scored(question, answers.get(question.id), judgments, {}, mode) for question in asked]


def _subset_of(name: str) -> str:
    stem = name.removesuffix(".jsonl").removeprefix("result-")
    found = [subset for subset in PROTOCOLS if f"-{subset}-" in f"-{stem}-"]
    if not found:
        known = ", ".join(PROTOCOLS)
        raise UserError(f"The name {name} does not tell the subset ([result-]<model>-<data>-<split>-<modality>.jsonl); add subset=, one of {known}.")
    return max(found, key=len)


def _item(row: Row, number: int, protocol: str, subset: str, language: str, where: str) -> Item:
    prompt, reference = row.get("prompt"), row.get("reference")
    if not isinstance(prompt, str):
        raise UserError(f"{where} has no prompt; VoiceBench's rows keep the columns of the dataset.")
    choices: list[Row] = []
    try:
        if protocol == "multiple_choice":
            choices = options.of_lines(prompt)
        elif protocol == "bbh" and reference and str(reference).lower() in ("(a)", "(b)"):
            choices = options.of_sentence(prompt)
    except options.Unreadable as why:
        raise UserError(f"The options of {where} cannot be read ({why}); correct the prompt there.") from None
    upstream = str(row.get("id") or row.get("key") or "")
    task = upstream.rpartition("_")[0] if protocol == "bbh" else ""
    return Item(
        f"{subset}-{number:05d}", protocol, language, subset, prompt, None if reference is None else str(reference),
        () if reference is None else (str(reference),), tuple((one["label"], one["text"]) for one in choices), _instructions(row, where), task,
    )  # fmt: skip


def _instructions(row: Row, where: str) -> tuple[tuple[str, dict[str, Any]], ...]:
    """Instruction ids with their arguments, null ones left out."""
    names, kwargs = row.get("instruction_id_list") or [], row.get("kwargs") or []
    for key, given, kind in (("instruction_id_list", names, str), ("kwargs", kwargs, (dict, type(None)))):
        if not isinstance(given, list) or not all(isinstance(one, kind) for one in given):
            raise UserError(
                f"\"{key}\" in {where} is not a list of {'ids' if kind is str else 'objects'}; VoiceBench's rows keep the dataset's columns."
            )
    if len(names) != len(kwargs):
        raise UserError(f"{where} has {len(names)} instruction ids and {len(kwargs)} kwargs; give one object of arguments for each instruction.")
    return tuple((name, {key: value for key, value in (given or {}).items() if value is not None}) for name, given in zip(names, kwargs, strict=True))


def _replies(row: Row, where: str) -> list[str | None]:
    """The raw replies of the judge in `score`; numbers are read as their digits, null is a reply that never came."""
    given = row.get("score")
    if given is None:
        return []
    if not isinstance(given, list) or not all(one is None or isinstance(one, (str, int, float)) for one in given):
        raise UserError(f'"score" in {where} is {given!r}; it is to be the list of the judge\'s raw replies, such as ["4", "5", "4"].')
    return [None if one is None else str(one) for one in given]


def _ask(asked: Sequence[Question], answers: dict[str, str], root: Path) -> dict[str, list[Judgment]]:
    chosen = settings.load(JudgeSettings, read_config("evaluation.judge", root), "evaluation.judge")
    return judge(cases(asked, answers), chosen, root, Progress("judge")).judgments


def _predictions(chosen: dict[str, str], mode: Mode, root: Path) -> list[Row]:
    suite = _suite(root)
    name = _one_of("benchmark", chosen.get("benchmark", ""), list(suite.benchmarks))
    everything = questions(suite, root)
    asked = [question for question in everything if name in question.benchmarks and chosen.get("subset") in (None, question.subset, question.config)]
    if not asked:
        raise UserError(f"{name} has no subset {chosen.get('subset')!r}.{nearest(chosen.get('subset', ''), suite.benchmarks[name].subsets)}")
    ids = {question.id for question in asked}
    others = [question for question in everything if question.id not in ids]
    answers: dict[str, str] = {}
    for path in _paths(chosen, root):
        texts = predictions.match(asked, predictions.read(path, path.name), path.name, others)
        if twice := answers.keys() & texts.keys():
            raise UserError(f"Prediction {min(twice)} is in two of the files {chosen['files']}; give each id once.")
        answers |= texts
    predictions.check_language(asked, answers, {suite.benchmarks[name].language: suite.benchmarks[name].script}, chosen["files"])
    _tell(predictions.inspect(asked, answers, 20_000))
    answers = {id: predictions.strip_thoughts(text) for id, text in answers.items()}
    judgments = _ask(asked, answers, root) if _one_of("judge", chosen.get("judge", "none"), _JUDGES) == "ask" else {}
    return [scored(question, answers.get(question.id), judgments, {}, mode) for question in asked]


def _tell(found: predictions.Findings) -> None:
    for what, ids in vars(found).items():
        if ids:
            more = f" and {len(ids) - _OPEN_FILES} more" if len(ids) > _OPEN_FILES else ""
            print(f"{what}: {', '.join(ids[:_OPEN_FILES])}{more}")


def _again(folder: Path, mode: Mode, root: Path) -> list[Row]:
    values = read_config(f"speechlms.{folder.name}.score", root)
    chosen = settings.load(ScoreSettings, values, f"speechlms.{folder.name}.score")
    return again(folder, questions(chosen.suite, root, chosen.only), mode)


def _suite(root: Path) -> Suite:
    built = {"built": list(read_config("subsets", root)), "understanding": list(read_config("understanding", root))}
    return settings.load(Suite, {"benchmarks": read_config("evaluation.benchmarks", root), **built}, "evaluation")


def _show(found: dict[str, dict[str, Score]]) -> None:
    for place, scores in found.items():
        print(place)
        for subset, score in scores.items():
            value = "not judged" if score.value is None else f"{score.value:.2f}"
            interval = "" if score.interval is None else f" [{score.interval[0]:.1f}, {score.interval[1]:.1f}]"
            counts = ", ".join(f"{name} {getattr(score, name)}" for name in totals.COUNTS if getattr(score, name) or name == "n")
            parts = "".join(f", {name} {value:.4g}" for name, value in sorted(score.parts.items()))
            print(f"  {subset}: {score.metric} {value}{interval}{parts} ({counts}; {score.scorer} {score.version}, {score.mode})")
