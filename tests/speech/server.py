"""A loopback server that speaks the OpenAI audio API: it says a tone whose length tells the text's, and can misbehave."""

from __future__ import annotations

import io
import json
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

import numpy as np
import soundfile


@dataclass
class Server:
    url: str = ""
    plan: list[str] = field(default_factory=list)
    """What the next answers are: `ok`, a status such as `503`, `html`, `cut`; `ok` after its end."""
    requests: list[dict[str, Any]] = field(default_factory=list)
    keys: list[str | None] = field(default_factory=list)
    transcript: str = "안녕하세요"


def _wav(text: str) -> bytes:
    out = io.BytesIO()
    tone = 0.3 * np.sin(2 * np.pi * 200 * np.arange(int(24000 * 0.2 * len(text))) / 24000)
    soundfile.write(out, tone, 24000, format="WAV", subtype="PCM_16")
    return out.getvalue()


@contextmanager
def serving() -> Iterator[Server]:
    state = Server()

    class Handler(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            body = self.rfile.read(int(self.headers["content-length"]))
            state.keys.append(self.headers.get("authorization"))
            spoken = self.path.endswith("/audio/speech")
            state.requests.append(json.loads(body) if spoken else {"path": self.path, "bytes": body})
            step = state.plan.pop(0) if state.plan else "ok"
            if step == "cut":
                self.connection.close()
            elif step == "html":
                self._answer(200, "text/html", b"<html>welcome</html>")
            elif step.isdigit():
                self._answer(int(step), "application/json", b'{"error": {"message": "told to"}}', {"retry-after": "0"})
            elif spoken:
                self._answer(200, "audio/wav", _wav(state.requests[-1]["input"]))
            else:
                self._answer(200, "application/json", json.dumps({"text": f" {state.transcript} "}).encode())

        def _answer(self, status: int, kind: str, body: bytes, headers: dict[str, str] | None = None) -> None:
            self.send_response(status)
            for name, value in {"content-type": kind, "content-length": str(len(body)), **(headers or {})}.items():
                self.send_header(name, value)
            self.end_headers()
            self.wfile.write(body)

        def log_message(self, *_: object) -> None:
            pass

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    state.url = f"http://127.0.0.1:{server.server_port}/v1"
    try:
        yield state
    finally:
        server.shutdown()
        server.server_close()
