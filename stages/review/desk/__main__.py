"""`python -m stages.review.desk`: the review desk, and its exchange with other annotation tools.

python -m stages.review.desk [key=value ...]                            serve the desk; keys: conf/review/desk.yaml
python -m stages.review.desk export label-studio|argilla FILE           the queue as JSONL for another tool
python -m stages.review.desk import label-studio|argilla FILE [REVIEWER]  that tool's answers as verdicts
"""

from __future__ import annotations

import sys
from pathlib import Path

from stages.core.app import exiting
from stages.core.errors import UserError
from stages.review.desk import settings


def main(arguments: list[str]) -> None:
    keys = [argument for argument in arguments if "=" in argument]
    words = [argument for argument in arguments if "=" not in argument]
    if words and words[0] in ("-h", "--help"):
        print(__doc__)
        return
    chosen = settings.load(keys)
    if not words:
        from stages.review.desk import server

        server.serve(chosen)
    elif words[0] == "export" and len(words) == 3:
        from stages.review.desk import exchange

        print(exchange.write(chosen.folder, words[1], Path(words[2])))
    elif words[0] == "import" and len(words) in (3, 4):
        from stages.review.desk import exchange

        print(exchange.read(chosen.folder, words[1], Path(words[2]), words[3] if len(words) == 4 else None))
    else:
        raise UserError(f"Cannot make sense of {' '.join(words)!r}; `python -m stages.review.desk --help` lists the commands.")


if __name__ == "__main__":
    exiting(lambda: main(sys.argv[1:]))
