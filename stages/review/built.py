"""What a build puts to people: flagged and refused items, reviewers who disagree, clips to listen to.

    python -m stages.review.built

Reads what the stages left below data/ and writes the queues data/review/{item,disagreement,listen}.jsonl; `make review` does so
before it opens the desk. Verdicts on items and on disagreements are acted on by the next `dvc repro` (stages.transfer.people,
stages.transfer.correct), each told by the text that was judged. conf/review/built.yaml says what is shown and how it is asked.
Source: paper 2605.27984 sections 3.1.1, 3.1.2 and 3.1.4.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterator
from pathlib import Path
from typing import Any, Literal

import orjson
from pydantic import Field

from stages.core import files
from stages.core.app import exiting
from stages.core.files import Row
from stages.core.paths import ROOT
from stages.core.settings import Settings, load
from stages.core.verdicts import audible_entry, disagreement_entry, item_entry
from stages.review import queue
from stages.review.queue import Clip, Kind, Option, QueueEntry

CONFIG = Path("conf/review/built.yaml")
KINDS: tuple[Kind, ...] = ("item", "disagreement", "listen")
NOISY: tuple[Literal["perturb", "perturb_again"], ...] = ("perturb", "perturb_again")
"""The stages that put clips into noise."""
STAGES = ("correct", "hypertranslate", "synthesize", *NOISY)
"""The stages whose entries are made here; those of others, such as stages/wildspeech/review.py's, stay in their queues."""
_TITLE = 90


class BuiltSettings(Settings):
    categories: list[str]
    listen_cer: float = Field(ge=0)
    listen_at_least: int = Field(ge=0)
    listen_at_most: int = Field(ge=0)
    prompts: dict[str, dict[str, str]]
    options: dict[str, list[Option]]


def read_settings(root: Path) -> BuiltSettings:
    import yaml

    return load(BuiltSettings, yaml.safe_load((root / CONFIG).read_text(encoding="utf-8")), "review.built")


def run(root: Path, settings: BuiltSettings) -> dict[Kind, list[QueueEntry]]:
    """Make the queues of everything that has been built so far, write them and say what is in them."""
    found: dict[Kind, list[QueueEntry]] = {kind: [] for kind in KINDS}
    for subset in sorted({path.parent.name for path in (root / "data").glob("correct/*/rows.jsonl")}):
        for entry in [*disagreements(root, subset, settings), *items(root, subset, settings), *clips(root, subset, settings)]:
            found[entry.kind].append(entry)
    for stage in NOISY:
        for unit in sorted({path.parent.name for path in (root / "data").glob(f"{stage}/*/rows.jsonl")}):
            found["listen"] += audible(root, stage, unit, settings)
    for kind, entries in found.items():
        others = [entry for entry in queue.read(root, kind) if entry.stage not in STAGES]
        queue.write(root, kind, [*others, *entries])
    counts = ", ".join(f"{len(entries)} {name}" for name, entries in zip(("items", "disagreements", "clips"), found.values(), strict=True))
    print(f"of the build, for people: {counts}" if any(found.values()) else "nothing has been built yet; `make build` brings items to review")
    return found


def _rows(root: Path, stage: str, subset: str, kept: bool = True) -> list[Row]:
    path = root / "data" / stage / subset / ("rows.jsonl" if kept else "rejected.jsonl")
    return files.read_jsonl(path) if path.exists() else []


def disagreements(root: Path, subset: str, settings: BuiltSettings) -> Iterator[QueueEntry]:
    """Proposals of the reviewer that the meta-reviewer did not confirm, and keys of which the reviewer was not sure."""
    path = root / "data" / "reports" / "correct" / f"{subset}.json"
    report: dict[str, Any] = orjson.loads(path.read_bytes()) if path.exists() else {}
    rows = [*_rows(root, "correct", subset, kept=False), *_rows(root, "correct", subset)]
    by_id = {row["id"]: row for row in rows}
    for line in report.get("disagreements", []):
        row = by_id.get(line["id"])
        if row is None:
            continue
        found = [f"reviewer: {line['reviewer']} ({line['type']})", f"meta-reviewer: {line['meta_reviewer']}: {line['reason']}"]
        yield QueueEntry(
            id=disagreement_entry(row, line["proposal"]),
            kind="disagreement",
            stage="correct",
            subset=subset,
            title=_title(row["prompt"]),
            prompt=settings.prompts["disagreement"],  # type: ignore[arg-type]
            source={"prompt": row["prompt"], "references": "\n".join(row["references"] or [row["reference"] or ""])},
            target={"corrected_references": "\n".join(line["proposal"])},
            options=settings.options["disagreement"],
            affected=[row["id"]],
            flags=[*found, row.get("detail") or row.get("correction_reason") or ""],
        )
    unsure = set(report.get("unsure_ids", []))
    for row in rows:
        if row["id"] in unsure:
            yield _unsure(row, settings)


def items(root: Path, subset: str, settings: BuiltSettings) -> Iterator[QueueEntry]:
    """Items that were redesigned, flagged, deleted or refused, each once."""
    later = {
        row["id"]: (stage, row)
        for stage in ("normalize", "synthesize", "validate")
        for row in _rows(root, stage, subset, kept=False)
    }  # fmt: skip
    for row in _rows(root, "hypertranslate", subset):
        flags = [row["category"].replace("_", " "), *row["transfer_flags"]]
        if row["id"] in later:
            stage, out = later[row["id"]]
            yield _item(out, "refused" if stage == "validate" else "unread", [_why(out), *flags], settings)
        elif row["transfer_flags"] or row["category"] in settings.categories:
            yield _item(row, "kept", flags, settings)
    for row in _rows(root, "hypertranslate", subset, kept=False):
        flags = [_why(row), *(row.get("transfer_flags") or [])]
        if row["reason"] == "failed_checks":
            yield _item(row, "failed", flags, settings, settings.options["failed"] if row["rule_id"] != "twin" else [])
        elif "target_prompt" in row:
            yield _item(row, "deleted", flags, settings)
        else:
            yield _item(row, "by_rule", flags, settings)


def _why(row: Row) -> str:
    return f"{row['reason'].replace('_', ' ')}: {row['detail']}"


def _item(row: Row, asked: str, flags: list[str], settings: BuiltSettings, options: list[Option] | None = None) -> QueueEntry:
    target = {} if asked == "by_rule" else {"target_prompt": row.get("target_prompt") or "", "target_answers": _lines(row.get("target_answers"))}
    if not row.get("target_answers") and not row["references"]:
        target.pop("target_answers", None)
    return QueueEntry(
        id=item_entry(row),
        kind="item",
        stage="hypertranslate",
        subset=row["subset"],
        title=_title(row["prompt"]),
        prompt=settings.prompts[asked],  # type: ignore[arg-type]
        source=_source(row) | {column: row[column] for column in ("spoken", "transcript") if row.get(column)},
        target=target,
        options=options or [],
        affected=[row["id"]],
        rules=sorted({row.get("rule_id") or "", *(row.get("rule_ids") or [])} - {""}),
        flags=[*flags, *(f"constraint: {one['id']} {one['kwargs']}" for one in row.get("target_instructions") or [])],
    )


def clips(root: Path, subset: str, settings: BuiltSettings) -> Iterator[QueueEntry]:
    """The worst clips by what the recognizer heard, and some others drawn by id."""
    rows = _rows(root, "synthesize", subset)
    bad = sorted((row for row in rows if row["cer"] > settings.listen_cer), key=lambda row: (-row["cer"], row["id"]))
    good = sorted((row for row in rows if row["cer"] <= settings.listen_cer), key=lambda row: hashlib.sha256(row["id"].encode()).digest())
    for row in [*bad, *good[: settings.listen_at_least]][: settings.listen_at_most]:
        yield QueueEntry(
            id=f"listen:{subset}:{row['id']}.{row['speech_sha256'][:12]}",
            kind="listen",
            stage="synthesize",
            subset=subset,
            title=_title(row["spoken"]),
            prompt=settings.prompts["listen"],  # type: ignore[arg-type]
            source={"target_prompt": row["target_prompt"]},
            target={"spoken": row["spoken"], "transcript": row["transcript"]},
            affected=[row["id"]],
            rules=sorted({change["rule_id"] for change in row["readings"]}),
            flags=[f"CER {row['cer']:.3f}", f"voice: {row['voice']}, {row['duration_s']:.1f} s"],
            audio=Clip(subset=subset, id=row["id"]),
        )


def audible(root: Path, stage: Literal["perturb", "perturb_again"], unit: str, settings: BuiltSettings) -> Iterator[QueueEntry]:
    """Clips in noise, the least understood first: the paper has each checked by ear. A rejected one goes no further."""
    noisy = [row for row in _rows(root, stage, unit) if row["condition"] != "clean" or row["room"]]
    for row in sorted(noisy, key=lambda row: (-row["noisy_cer"], row["id"]))[: settings.listen_at_most]:
        told = f"{row['noise_kind']} ({row['noise_family']}) at {row['snr_db']:g} dB" if row["noise_file"] else f"room {row['room']}"
        yield QueueEntry(
            id=audible_entry(unit, row),
            kind="listen",
            stage=stage,
            subset=unit,
            title=_title(row["said"]),
            prompt=settings.prompts["audible"],  # type: ignore[arg-type]
            source={"said": row["said"], "transcript": row["noisy_transcript"]},
            affected=[row["id"]],
            flags=[told, f"CER {row['noisy_cer']:.3f} in noise, {row['cer']:.3f} without", f"voice: {row['voice']}", *row["speech_flags"]],
            audio=Clip(stage=stage, subset=unit, id=row["id"]),
        )


def _unsure(row: Row, settings: BuiltSettings) -> QueueEntry:
    """A key that the reviewer could not judge, to be accepted or rejected as it is."""
    texts = {"prompt": row["prompt"], "references": _lines(row["references"])}
    return QueueEntry(
        id=disagreement_entry(row, ["unsure"]),
        kind="disagreement",
        stage="correct",
        subset=row["subset"],
        title=_title(row["prompt"]),
        prompt=settings.prompts["unsure"],  # type: ignore[arg-type]
        source=texts,
        affected=[row["id"]],
        flags=["the reviewer was unsure"],
    )


def _source(row: Row) -> dict[str, str]:
    """The source's text and key, and the key after correction where that is another."""
    texts = {"prompt": row["prompt"], "references": _lines(row["references"]), "corrected_references": _lines(row["corrected_references"])}
    texts["instructions"] = "\n".join(f"{one['id']} {one['kwargs']}" for one in row["instructions"])
    if texts["corrected_references"] == texts["references"]:
        texts["corrected_references"] = ""
    return {column: text for column, text in texts.items() if text}


def _lines(values: Any) -> str:
    return "\n".join(map(str, values or []))


def _title(text: str) -> str:
    flat = " ".join(text.split())
    return flat if len(flat) <= _TITLE else f"{flat[: _TITLE - 1].rstrip()}…"


if __name__ == "__main__":
    exiting(lambda: run(ROOT, read_settings(ROOT)))
