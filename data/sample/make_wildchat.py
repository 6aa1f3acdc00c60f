"""Write data/sample/raw/wildchat: the bundled conversations in the two forms in which WildChat was released.

    python data/sample/make_wildchat.py

The first shard has the columns of WildChat-1M (conversation_hash, moderation, addresses that are made up), the second those
of the first release as far as older copies of it go (conversation_id, no moderation results). stages/ingest/wildchat.py describes both.
"""

from __future__ import annotations

import datetime
import hashlib
import shutil
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import yaml

HERE = Path(__file__).parent
CATEGORIES = ["harassment", "hate", "self-harm", "sexual", "violence"]
TIME = pa.timestamp("us", tz="UTC")
HEADER = pa.struct([("accept-language", pa.string()), ("user-agent", pa.string())])
PLAIN_TURN = [("content", pa.string()), ("language", pa.string()), ("redacted", pa.bool_()), ("role", pa.string()), ("toxic", pa.bool_())]
LATER_TURN = [("content", pa.string()), ("country", pa.string()), ("hashed_ip", pa.string()), ("header", HEADER), ("language", pa.string())]
LATER_TURN += [("redacted", pa.bool_()), ("role", pa.string()), ("state", pa.string()), ("timestamp", TIME), ("toxic", pa.bool_())]
LATER_TURN += [("turn_identifier", pa.int64())]
MODERATION = pa.struct(
    [
        ("categories", pa.struct([(name, pa.bool_()) for name in CATEGORIES])),
        ("category_scores", pa.struct([(name, pa.float64()) for name in CATEGORIES])),
        ("flagged", pa.bool_()),
    ]
)
DETOXIFY = pa.struct([(name, pa.float64()) for name in ("identity_attack", "insult", "obscene", "severe_toxicity", "threat", "toxicity")])
ENDS = [("turn", pa.int64()), ("language", pa.string())]
MARKS = [("toxic", pa.bool_()), ("redacted", pa.bool_())]
ABOUT = [("model", pa.string()), ("timestamp", TIME)]
ORIGIN = [("state", pa.string()), ("country", pa.string()), ("hashed_ip", pa.string()), ("header", HEADER)]
MODERATED = [("openai_moderation", pa.list_(MODERATION)), ("detoxify_moderation", pa.list_(DETOXIFY))]
LATER = pa.schema(
    [
        ("conversation_hash", pa.string()), *ABOUT, ("conversation", pa.list_(pa.struct(LATER_TURN))), *ENDS, *MODERATED, *MARKS, *ORIGIN,
    ]
)  # fmt: skip
EARLIER = pa.schema([("conversation_id", pa.string()), *ABOUT, ("conversation", pa.list_(pa.struct(PLAIN_TURN))), *ENDS, *MARKS])
NOBODY = hashlib.sha256(b"nobody").hexdigest()
REPLY = "A reply of the model, of no use here."


def conversation(number: int, given: dict[str, Any]) -> dict[str, Any]:
    """One conversation with every column of both forms."""
    language = given.get("language", "English")
    marks = given.get("marks", "given")
    toxic, redacted = (None, None) if marks is None else (given.get("toxic", False), given.get("redacted", False))
    turns = []
    for turn in range(given.get("turns", 1)):
        texts = [("user", given["query"] if turn == 0 else "Could you say that in other words?"), ("assistant", REPLY)]
        for role, text in texts[::-1] if given.get("first") == "assistant" else texts:
            marked = None if marks is None else toxic or (given.get("toxic_turn", False) and role == "assistant")
            turns.append(
                {"content": text, "language": language, "redacted": redacted, "role": role, "toxic": marked, "turn_identifier": number * 10 + turn}
                | {"country": "Nowhere", "hashed_ip": NOBODY, "header": {"accept-language": "en", "user-agent": "none"}}
                | {"state": None, "timestamp": None}
            )
    moderation = {"categories": dict.fromkeys(CATEGORIES, False), "category_scores": dict.fromkeys(CATEGORIES, 0.001)}
    hashed = hashlib.md5(f"{number}:{given['query']}".encode()).hexdigest()
    return {
        "conversation_hash": hashed, "conversation_id": hashed, "model": "none", "timestamp": datetime.datetime(2024, 1, 1, tzinfo=datetime.UTC),
        "conversation": turns, "turn": given.get("turns", 1), "language": language, "toxic": toxic, "redacted": redacted,
        "openai_moderation": [moderation | {"flagged": given.get("flagged", False)} for _ in turns],
        "detoxify_moderation": [dict.fromkeys((field.name for field in DETOXIFY), 0.001) for _ in turns],
        "state": None, "country": "Nowhere", "hashed_ip": NOBODY, "header": None,
    }  # fmt: skip


def main() -> None:
    items = yaml.safe_load((HERE / "wildchat.yaml").read_text(encoding="utf-8"))
    out = HERE / "raw" / "wildchat" / "data"
    shutil.rmtree(out.parent, ignore_errors=True)
    out.mkdir(parents=True)
    number = 0
    for shard, (form, schema) in enumerate([("later", LATER), ("earlier", EARLIER)]):
        rows = []
        for given in items[form]:
            rows.append({name: value for name, value in conversation(number, given).items() if name in schema.names})
            number += 1
        pq.write_table(pa.Table.from_pylist(rows, schema), out / f"train-{shard:05d}-of-00002.parquet", compression="zstd")


if __name__ == "__main__":
    main()
