"""A Hub to try things on: python -m tests.hub FOLDER [PORT]. It forgets its repositories when it ends."""

from __future__ import annotations

import sys
import threading
from pathlib import Path

from tests.hub.server import TOKEN, serve

if __name__ == "__main__":
    with serve(Path(sys.argv[1]), int(sys.argv[2]) if len(sys.argv) > 2 else 0) as hub:
        print(f"HF_ENDPOINT={hub.url} HF_TOKEN={TOKEN}", flush=True)
        threading.Event().wait()
