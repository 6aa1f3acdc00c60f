"""A shell filter: one written line in, one spoken line out.

    echo "5번 버스를 5번 탔다." | python -m stages.languages.ko.read

A newline inside a text is the two characters backslash and n, on both sides. Each answer is written at once.
"""

from __future__ import annotations

import sys


def main() -> None:
    from stages.languages.ko.reader import Reader

    reader = Reader()
    out = sys.stdout.buffer
    for line in sys.stdin.buffer:
        text = line.decode("utf-8", "replace").rstrip("\r\n").replace("\\n", "\n")
        spoken = reader.read(text).text
        out.write(spoken.replace("\n", "\\n").encode("utf-8", "replace") + b"\n")
        out.flush()


if __name__ == "__main__":
    from stages.core.errors import UserError

    try:
        main()
    except UserError as error:
        print(f"error: {error}", file=sys.stderr)
        sys.exit(1)
    except BrokenPipeError:
        sys.stderr.close()
        sys.exit(1)
