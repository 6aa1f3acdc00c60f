"""Filter a million conversations in bounded memory: the stage wildchat, then the steps of select that need no model.

    python -m benchmarks.wildchat [ROWS] [FOLDER]        FOLDER: a WildChat in its layout, ../shared/mirror/wildchat by default
    python -m benchmarks.wildchat --once [LANGUAGE]      the mirror as it is, with what was removed by which reason

The conversations of FOLDER are repeated with changed words until there are ROWS of them, written as shards of 100,000, and
filtered in a process of their own, whose peak memory is printed with the rows per second, and what each step removed.
"""

from __future__ import annotations

import json
import random
import resource
import shutil
import subprocess
import sys
import tempfile
import time
from collections import Counter
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq

from stages.core import runner, streams
from stages.core.files import read_json
from stages.core.paths import ROOT
from stages.core.progress import Progress
from stages.core.stage import Rejection
from stages.core.steps import Steps
from stages.ingest import wildchat
from stages.wildspeech import duplicates, select, voiceable

MIRROR = ROOT.parent / "shared" / "mirror" / "wildchat"
SHARD_ROWS = 100_000
LIMIT_MIB = 1536
CHANGED = 0.4
"""Share of the words of a user's turn that are exchanged for other words of the mirror."""
FILTERS = {"root": "raw", "path": "wildchat", "repo_id": "benchmark", "revision": "none", "licence": "CC0-1.0", "source_language": "English"}


def make(folder: Path, rows: int, source: Path) -> None:
    """Write the repeated conversations below `folder`."""
    given = pa.concat_tables(pq.read_table(path) for path in wildchat.files(source))
    rng = random.Random(0)
    english = [turn for turns in given["conversation"].to_pylist() for turn in turns if turn["language"] == "English"]
    words = sorted({word for turn in english for word in turn["content"].split() if word.isalpha() and word.isascii()})
    folder.mkdir(parents=True)
    shards = -(-rows // SHARD_ROWS)
    for shard in range(shards):
        wanted = min(SHARD_ROWS, rows - shard * SHARD_ROWS)
        times = -(-wanted // len(given))
        tables = [_changed(given, words, rng) for _ in range(times)]
        path = folder / f"train-{shard:05d}-of-{shards:05d}.parquet"
        pq.write_table(pa.concat_tables(tables).slice(0, wanted), path, compression="zstd", row_group_size=10_000)


def _changed(given: pa.Table, words: list[str], rng: random.Random) -> pa.Table:
    chunk = given["conversation"].combine_chunks()
    turns = chunk.flatten()
    fields = [turns.type.field(place).name for place in range(turns.type.num_fields)]
    columns = dict(zip(fields, turns.flatten(), strict=True))
    texts = [
        " ".join(rng.choice(words) if rng.random() < CHANGED and word.isalpha() else word for word in text.split(" ")) if role == "user" else text
        for text, role in zip(columns["content"].to_pylist(), columns["role"].to_pylist(), strict=True)
    ]
    columns["content"] = pa.array(texts, pa.string())
    rebuilt = pa.StructArray.from_arrays([columns[name] for name in fields], fields=list(turns.type))
    lists = pa.ListArray.from_arrays(chunk.offsets, rebuilt)
    return given.set_column(given.schema.get_field_index("conversation"), "conversation", lists)


def measured(root: Path) -> dict[str, Any]:
    """Run both parts below `root` and say what they did; for a process of its own."""
    started = time.monotonic()
    report = runner.run_stage(wildchat.STAGE, "wildspeech", FILTERS, root)
    filtered = time.monotonic()
    left, steps = select.Survivors(), Steps()
    source = streams.Source([root / "data/wildchat/wildspeech/rows.jsonl"], "Gathered", root)
    settings = select.SelectSettings.model_construct(voice=voiceable.VoiceSettings(scripts=["LATIN"]), duplicates=duplicates.DuplicateSettings())
    for _ in select.sift(iter(source), settings, left, steps):
        pass
    sifted = time.monotonic()
    return {
        "rows": report["n_in"],
        "wildchat": {"seconds": filtered - started, "steps": report["steps"]},
        "select": {"seconds": sifted - filtered, "steps": steps.report["steps"]},
        "left": len(left.rows),
        "peak_mib": resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024,
    }


def main(arguments: list[str]) -> None:
    if arguments[:1] == ["--measure"]:
        root = Path(arguments[1])
        (root / "measured.json").write_text(json.dumps(measured(root)))
        return
    if arguments[:1] == ["--once"]:
        once(MIRROR, arguments[1] if len(arguments) > 1 else "English")
        return
    rows = int(arguments[0]) if arguments else 1_000_000
    source = Path(arguments[1]) if len(arguments) > 1 else MIRROR
    if not source.is_dir():
        sys.exit(f"{source} is not there; name a folder in the layout of WildChat.")
    root = Path(tempfile.mkdtemp(prefix="wildchat-"))
    try:
        started = time.monotonic()
        make(root / "raw" / "wildchat" / "data", rows, source)
        size = sum(path.stat().st_size for path in (root / "raw").rglob("*.parquet"))
        print(f"{rows:,} conversations written in {time.monotonic() - started:.0f} s, {size / 2**20:.0f} MiB")
        subprocess.run([sys.executable, "-m", "benchmarks.wildchat", "--measure", str(root)], cwd=ROOT, check=True)
        found = read_json(root / "measured.json")
    finally:
        shutil.rmtree(root, ignore_errors=True)
    show(found)


def once(source: Path, language: str) -> None:
    """Filter `source` as it is; print every step, and the removed rows by reason with an example of each."""
    scripts, words = {"Korean": (["HANGUL"], 2)}.get(language, (["LATIN"], 3))
    settings = wildchat.WildChatSettings.model_validate({**FILTERS, "source_language": language})
    flow = wildchat.run(iter(()), settings, wildchat.Source("wildspeech", source, Progress("wildchat")))
    results = list(flow.results)
    kept = [one for one in results if not isinstance(one, Rejection)]
    left, steps = select.Survivors(), Steps()
    voice = voiceable.VoiceSettings(scripts=scripts, min_words=words)
    chosen = select.SelectSettings.model_construct(voice=voice, duplicates=duplicates.DuplicateSettings())
    removed = [one for one in results if isinstance(one, Rejection)] + [one for one in select.sift(iter(kept), chosen, left, steps) if one]
    for step in flow.report["steps"] + steps.report["steps"]:
        print(f"  {step['step']:20} {step['before']:>6,} {-step['removed']:>6,} {step['left']:>6,}")
    print()
    for rule, count in sorted(Counter(one.rule_id for one in removed).items()):
        example = next(one for one in removed if one.rule_id == rule)
        print(f"  {rule:28} {count:>4}   {example.row['id']}: {example.detail!r} {example.row.get('query', '')!r}")


def show(found: dict[str, Any]) -> None:
    for part in ("wildchat", "select"):
        n, seconds = found[part]["steps"][0]["before"], found[part]["seconds"]
        print(f"\n{part}: {n:,} rows in {seconds:.1f} s, {n / seconds:,.0f} rows/s")
        for step in found[part]["steps"]:
            print(f"  {step['step']:20} {step['before']:>10,} {-step['removed']:>10,} {step['left']:>10,}")
    total = found["wildchat"]["seconds"] + found["select"]["seconds"]
    print(f"\n{found['left']:,} queries left of {found['rows']:,} rows, {found['rows'] / total:,.0f} rows/s in all")
    print(f"peak memory {found['peak_mib']:.0f} MiB, {'within' if found['peak_mib'] < LIMIT_MIB else 'ABOVE'} {LIMIT_MIB} MiB")


if __name__ == "__main__":
    main(sys.argv[1:])
