"""Write data/sample/raw, the bundled sample in the upstream layouts, and the list of its items in README.md.

    python data/sample/make_sample.py              from items.yaml and clips/
    python data/sample/make_sample.py --record     first speak the clips that are named but not there (needs espeak-ng)

The layouts are those that stages/ingest/voicebench.py and openaudiobench.py describe, traps included.
"""

from __future__ import annotations

import argparse
import csv
import shutil
import subprocess
import tempfile
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import yaml

HERE = Path(__file__).parent
WILDVOICE_SHARDS = 10
AUDIO = pa.struct([("bytes", pa.binary()), ("path", pa.string())])
KWARGS = pa.struct(
    [
        ("language", pa.string()), ("num_sentences", pa.int64()), ("relation", pa.string()), ("num_placeholders", pa.int64()),
        ("num_bullets", pa.int64()), ("num_highlights", pa.int64()), ("section_spliter", pa.string()), ("num_sections", pa.int64()),
        ("num_paragraphs", pa.int64()), ("postscript_marker", pa.string()), ("keywords", pa.list_(pa.string())), ("keyword", pa.string()),
        ("frequency", pa.int64()), ("num_words", pa.int64()), ("nth_paragraph", pa.int64()), ("first_word", pa.string()),
        ("forbidden_words", pa.list_(pa.string())), ("prompt_to_repeat", pa.string()), ("end_phrase", pa.string()), ("letter", pa.string()),
        ("let_frequency", pa.int64()), ("let_relation", pa.string()), ("capital_frequency", pa.int64()), ("capital_relation", pa.string()),
    ]
)  # fmt: skip
TYPES = {
    "id": pa.string(), "key": pa.int64(), "question_id": pa.int64(), "prompt": pa.string(), "reference": pa.string(), "category": pa.string(),
    "src": pa.string(), "instruction_id_list": pa.list_(pa.string()), "kwargs": pa.list_(KWARGS), "audio": AUDIO,
}  # fmt: skip
"""Upstream columns in upstream order."""
QUESTION_COLUMNS = {
    "llama_questions": ("Questions", "Answer"),
    "trivia_qa": ("question", "answer_normalized_aliases"),
    "web_questions": ("question", "answers"),
}
CLOSING = "What is the answer to the above multiple choice question? Select one of the following: {}."


def write(out: Path, items: dict[str, Any], clips: Path) -> None:
    """Write the sample's two question sets below `out`, in place of what is there."""
    for source in ("voicebench", "openaudiobench"):
        shutil.rmtree(out / source, ignore_errors=True)
    for config, of_config in items["voicebench"].items():
        for name, rows in voicebench_files(config, of_config, clips).items():
            write_parquet(out / "voicebench" / config / f"{name}.parquet", rows)
    for subset, of_subset in items["openaudiobench"].items():
        write_csv(out / "openaudiobench" / "eval_datas" / subset, of_subset, clips)


def voicebench_files(config: str, items: list[dict[str, Any]], clips: Path) -> dict[str, list[dict[str, Any]]]:
    """File name (without its ending) to its rows."""
    if config == "mmsu":
        domains = sorted({item["domain"] for item in items})
        return {
            f"{domain}-00000-of-00001": [voicebench_row(f"mmsu_{domain}", n, item, clips) for n, item in enumerate(items) if item["domain"] == domain]
            for domain in domains
        }
    if config == "sd-qa":
        return {"usa-00000-of-00001": [voicebench_row("sdqa_usa", n, item, clips) for n, item in enumerate(items)]}
    rows = [voicebench_row(config, n, item, clips) for n, item in enumerate(items)]
    shards = WILDVOICE_SHARDS if config == "wildvoice" else 1
    return {f"test-{n:05d}-of-{shards:05d}": rows[n * len(rows) // shards : (n + 1) * len(rows) // shards] for n in range(shards)}


def voicebench_row(stem: str, number: int, item: dict[str, Any], clips: Path) -> dict[str, Any]:
    row = {name: item[name] for name in ("id", "key", "question_id", "prompt", "reference") if name in item}
    if "options" in item:
        labels = "ABCD"[: len(item["options"])]
        lines = [f"{label}. {text}" for label, text in zip(labels, item["options"], strict=True)]
        row["prompt"] = "\n".join([item["prompt"], *lines, CLOSING.format(f"{', '.join(labels[:-1])}, or {labels[-1]}")])
    if "domain" in item:
        row |= {"category": item["domain"], "src": "benchferry-sample"}
    if "instructions" in item:
        pairs = [pair for one in item["instructions"] for pair in one.items()]
        row |= {"instruction_id_list": [id for id, _ in pairs], "kwargs": [kwargs for _, kwargs in pairs]}
    clip = item.get("clip")
    row["audio"] = {"bytes": (clips / clip).read_bytes() if clip else None, "path": clip or f"{stem}_{number:05d}.wav"}
    return row


def write_parquet(path: Path, rows: list[dict[str, Any]]) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    names = columns_of(path.parent.name)
    schema = pa.schema([(name, TYPES[name]) for name in names])
    pq.write_table(pa.Table.from_pylist(rows, schema=schema), path)


def columns_of(config: str) -> list[str]:
    answered = {"sd-qa", "openbookqa", "mmsu", "bbh"}
    extra = {"bbh": {"id"}, "ifeval": {"key", "instruction_id_list", "kwargs"}, "mmsu": {"question_id", "category", "src"}}.get(config, set())
    wanted = {"prompt", "audio"} | extra | ({"reference"} if config in answered else set())
    return [name for name in TYPES if name in wanted]


def write_csv(folder: Path, items: list[dict[str, Any]], clips: Path) -> None:
    folder.mkdir(parents=True, exist_ok=True)
    subset = folder.name
    with (folder / f"{subset}.csv").open("w", encoding="utf-8", newline="") as out:
        table = csv.writer(out)
        table.writerow([*QUESTION_COLUMNS[subset], "audio_filename"])
        for number, item in enumerate(items):
            answer = repr(item["answers"]) if "answers" in item else item["answer"]
            table.writerow([item["question"], answer, f"{subset}_{number}.mp3"])
            if "clip" in item:
                (folder / "audios").mkdir(exist_ok=True)
                shutil.copyfile(clips / item["clip"], folder / "audios" / f"{subset}_{number}.mp3")


def listing(items: dict[str, Any]) -> str:
    """The items and what each is there for, as a Markdown table."""
    lines = ["| subset | item | question | upstream answer | there for |", "|---|---|---|---|---|"]
    for subsets in items.values():
        for subset, of_subset in subsets.items():
            for number, item in enumerate(sorted(of_subset, key=lambda item: item.get("domain", ""))):
                question = (item.get("prompt") or item["question"]).strip()
                if "options" in item:
                    question += " " + " / ".join(item["options"])
                answer = " \\| ".join(item["answers"]) if "answers" in item else item.get("reference", item.get("answer", ""))
                if "instructions" in item:
                    answer = ", ".join(id for one in item["instructions"] for id in one)
                lines.append(f"| {subset} | {number} | {question.replace('<', '&lt;')} | {answer} | {item['why']} |")
    return "\n".join(lines) + "\n"


def record(items: dict[str, Any], clips: Path) -> None:
    """Speak the clips that are named in items.yaml but not there, with espeak-ng, encoded as their endings say."""
    import soundfile

    clips.mkdir(exist_ok=True)
    for subsets in items.values():
        for item in (item for of_subset in subsets.values() for item in of_subset if "clip" in item):
            path = clips / item["clip"]
            if path.exists():
                continue
            with tempfile.TemporaryDirectory() as folder:
                spoken = Path(folder) / "spoken.wav"
                text = (item.get("prompt") or item["question"]).strip().strip('"')
                subprocess.run(["espeak-ng", "-v", "en-us", "-s", "165", "-w", str(spoken), text], check=True)
                samples, rate = soundfile.read(spoken, dtype="float32")
            soundfile.write(path, samples, rate)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--record", action="store_true", help="speak missing clips with espeak-ng")
    arguments = parser.parse_args()
    items = yaml.safe_load((HERE / "items.yaml").read_text(encoding="utf-8"))
    if arguments.record:
        record(items, HERE / "clips")
    write(HERE / "raw", items, HERE / "clips")
    readme = HERE / "README.md"
    head = readme.read_text(encoding="utf-8").split("| subset |")[0]
    readme.write_text(head + listing(items), encoding="utf-8")


if __name__ == "__main__":
    main()
