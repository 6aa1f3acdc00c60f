"""Write data/sample/raw/wildspeech: a few queries of our own in the released layout of WildSpeech-Bench, without audio.

    python data/sample/make_wildspeech.py

They are queries of the bundled WildChat sample, so that both ways into Korean meet the same texts. CC0 1.0.
"""

from __future__ import annotations

from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq

HERE = Path(__file__).parent
ROWS = [
    ("Do you think it's rude to arrive early to a party?", "opinion exchange", "none", "",
     "Takes a position on arriving early. Says when it matters, such as what it means for the host."),
    ("I want to thank my parents Maria and Paul. How should I put that in a speech?", "prosodical", "none", "pause",
     "Thanks two people, who are the parents."),
    ("I have one hour before guests arrive and the kitchen is a mess. Where should I begin?", "solution request", "none", "",
     "Names one task to begin with. Fits the plan into one hour."),
    ("What happens to my sleep when the clocks go forward in spring?", "information inquiry", "none", "",
     "Says that an hour of sleep is lost. Says how long it takes to get used to the new time."),
    ("Make up a two line rhyme about a cat that is afraid of mice.", "text creation", "none", "",
     "Has two lines that rhyme. Is about a cat that fears mice."),
    ("Write a short birthday message for a colleague who is retiring after thirty years.", "text creation", "none", "",
     "Congratulates on the birthday. Mentions the thirty years and the retirement."),
]  # fmt: skip


def main() -> None:
    audio = pa.struct([("bytes", pa.binary()), ("path", pa.string())])
    columns = {
        "audio": pa.array([{"bytes": None, "path": f"{number:04d}.wav"} for number in range(len(ROWS))], audio),
        "user_query": pa.array([row[0] for row in ROWS]),
        "taskType": pa.array([row[1] for row in ROWS]),
        "checklist": pa.array([row[4] for row in ROWS]),
        "conversation_hash": pa.array([f"sample-{number:04d}" for number in range(len(ROWS))]),
        "modification_type": pa.array([row[2] for row in ROWS]),
        "additional_info": pa.array([row[3] for row in ROWS]),
    }
    out = HERE / "raw/wildspeech"
    out.mkdir(parents=True, exist_ok=True)
    pq.write_table(pa.table(columns), out / "train-00000-of-00001.parquet")


if __name__ == "__main__":
    main()
