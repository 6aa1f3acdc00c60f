"""VoiceBench, the source of the nine subsets of KVoiceBench (and of the open-ended one of KOpenAudioBench).

Source:   hlt-lab/voicebench on the Hugging Face Hub, 12 configs; Chen et al. 2024, arXiv 2410.17196.
Licence:  Apache-2.0 for the collection; the texts come from AlpacaEval, OpenBookQA, MMLU-Pro, SD-QA, BIG-Bench-Hard,
          IFEval and AdvBench.
Layout:   `<config>/<split>-<shard>-of-<shards>.parquet`, split `test`, but one split for each region of sd-qa (the same
          questions, other speakers) and one for each domain of mmsu; wildvoice comes in ten shards.
Columns:  `audio`, a struct {bytes, path}, and
            alpacaeval_full, commoneval, wildvoice, advbench   prompt
            sd-qa, openbookqa, mmsu                            prompt, reference (mmsu also question_id, category, src)
            bbh                                                id, prompt, reference
            ifeval                                             key, prompt, instruction_id_list, kwargs
Traps:    * `audio.bytes` may be null while the path is set: that row is text only.
          * every kwargs struct of ifeval has every key, null where the instruction has no such argument. Only null means
            absent: 0 and "" are values.
          * the BBH task is written nowhere but in the id; hyperbaton answers are (a) and (b), the others yes and no.
          * mmsu has no test split: its rows are numbered over the domain splits in the order of their names.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from stages.core.errors import UserError, nearest
from stages.core.files import nfc
from stages.ingest import audio, parquet
from stages.ingest.record import Record, refuse_twins, task_named_in

FILE = re.compile(r"(?P<split>.+)-(?P<shard>\d{5})-of-(?P<shards>\d{5})\.parquet")
BBH_TASKS = ("hyperbaton", "navigate", "sports_understanding", "web_of_lies")
ID_COLUMNS = ("id", "key", "question_id")

_PROMPT = {"prompt": "string", "audio": "audio"}
_ANSWERED = {**_PROMPT, "reference": "string"}
COLUMNS = {
    "open": _PROMPT,
    "refusal": _PROMPT,
    "short_answer": _ANSWERED,
    "multiple_choice": _ANSWERED,
    "bbh": {**_ANSWERED, "id": "string"},
    "ifeval": {**_PROMPT, "key": "integer", "instruction_id_list": "strings", "kwargs": "structs"},
}
"""Format to the columns that its rows must have; others are kept as they come."""


def records(folder: Path, format: str, splits: list[str] | None, task_from: str | None) -> Iterator[Record]:
    """The rows of one config of VoiceBench in the order of its files. Raises UserError for files that are not as upstream has them."""
    index = 0
    seen: dict[str, str] = {}
    for split, path in files(folder, splits):
        with parquet.opened(path) as file:
            parquet.check_columns(file, path, COLUMNS[format])
            for row, columns in enumerate(parquet.rows(file)):
                yield _record(index, split, path, row, columns, task_from, seen)
                index += 1


def files(folder: Path, splits: list[str] | None) -> list[tuple[str, Path]]:
    """(split, file) of the chosen splits, or of all by name, shards in order. Raises UserError for a missing split or shard."""
    shards: dict[str, dict[int, Path]] = defaultdict(dict)
    totals: dict[str, int] = {}
    for path in sorted(folder.glob("*.parquet")):
        name = FILE.fullmatch(path.name)
        if name is None:
            raise UserError(f"{path} is not named as upstream names its files (<split>-00000-of-00001.parquet); move it out of the folder.")
        if totals.setdefault(name["split"], int(name["shards"])) != int(name["shards"]):
            raise UserError(f"{path} belongs to another division of the split {name['split']!r} than the files beside it; fetch the source anew.")
        shards[name["split"]][int(name["shard"])] = path
    if not shards:
        raise UserError(f"{folder} holds no parquet file; run `python -m stages.ingest.fetch voicebench`, or set `raw` in params.yaml.")
    found = []
    for split in sorted(shards) if splits is None else splits:
        if split not in shards:
            raise UserError(f"{folder} has no split {split!r}; it has {', '.join(sorted(shards))}.{nearest(split, shards)}")
        for shard in range(totals[split]):
            if shard not in shards[split]:
                raise UserError(f"{folder / f'{split}-{shard:05d}-of-{totals[split]:05d}.parquet'} is missing beside its sister files; fetch it.")
            found.append((split, shards[split][shard]))
    return found


def _record(index: int, split: str, path: Path, row: int, columns: dict[str, Any], task_from: str | None, seen: dict[str, str]) -> Record:
    sound = columns.pop("audio") or {}
    columns = nfc(columns)
    own_id = next((str(columns[name]) for name in ID_COLUMNS if columns.get(name) is not None), None)
    where = f"{path} row {row}" + (f" ({own_id})" if own_id else "")
    if own_id is not None:
        refuse_twins(seen, f"{split}/{own_id}", where)
    task = {None: "", "split": split}.get(task_from)
    return Record(
        index=index,
        where=where,
        split=split,
        source_id=own_id or f"{split}/{row}",
        columns=columns,
        prompt=(columns["prompt"] or "").strip(),
        answers=[answer] if (answer := (columns.get("reference") or "").strip()) else [],
        task=task_named_in(own_id or "", BBH_TASKS, where) if task is None else task,
        instructions=_instructions(columns, where) if "instruction_id_list" in columns else [],
        audio_path=nfc(sound.get("path")),
        clip=clip(sound, path, row, where),
    )


def clip(sound: dict[str, Any], path: Path, row: int, where: str) -> audio.Clip | None:
    data = sound.get("bytes")
    if data is None:
        return None
    return audio.Clip(audio.checked(data, repr(sound.get("path")), where), path, row)


def _instructions(columns: dict[str, Any], where: str) -> list[dict[str, Any]]:
    ids, kwargs = columns["instruction_id_list"] or [], columns["kwargs"] or []
    if len(ids) != len(kwargs):
        raise UserError(f"{where} has {len(ids)} instruction ids but {len(kwargs)} kwargs; each instruction needs its own.")
    return [
        {"id": id, "kwargs": {name: value for name, value in (arguments or {}).items() if value is not None}}
        for id, arguments in zip(ids, kwargs, strict=True)
    ]
