"""The desk's server: one page that carries everything itself, and a small JSON interface. Import lazily (it brings aiohttp)."""

from __future__ import annotations

import asyncio
import importlib.util
import os
import secrets
import sys
from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import Any

import orjson
from aiohttp import web

from stages.core.errors import UserError
from stages.review import decisions
from stages.review.desk import clips, exchange, guard
from stages.review.desk.catalog import Catalog, Changed, NotFound
from stages.review.desk.settings import DeskSettings

HERE = Path(__file__).parent
PAGE = {
    **{f"{name}.js": "text/javascript" for name in ("agreement", "api", "app", "diff", "dom", "entry", "list", "state", "verdict")},
    "desk.css": "text/css",
    "icon.svg": "image/svg+xml",
}
"""Everything that the page loads besides itself, by name; no name from outside reaches the file system."""

FONT = ("pylopdf_fonts_ko", "NotoSansKR-Regular.otf")
"""The package that carries Noto Sans KR (SIL OFL), read as bytes and never imported."""

CATALOG = web.AppKey("catalog", Catalog)


def make_app(settings: DeskSettings, token: str | None) -> web.Application:
    """The application; `token` is None where no login is asked."""
    app = web.Application(middlewares=[_headers, guard.middleware(settings, token), _errors], client_max_size=1 << 20)
    desk = Desk(settings, token)
    app[CATALOG] = desk.catalog
    app.router.add_get("/", desk.index)
    app.router.add_get("/page/{name}", desk.page)
    app.router.add_get("/font/korean.otf", desk.font)
    app.router.add_get("/api/strings", desk.strings)
    app.router.add_post("/api/login", desk.login)
    app.router.add_get("/api/state", desk.state)
    app.router.add_get("/api/entry", desk.entry)
    app.router.add_post("/api/verdict", desk.verdict)
    app.router.add_get("/api/agreement", desk.agreement)
    app.router.add_get("/api/item", desk.item)
    app.router.add_get("/api/audio", desk.audio)
    app.router.add_get("/api/export", desk.export)
    return app


class Desk:
    def __init__(self, settings: DeskSettings, token: str | None) -> None:
        import yaml

        self.settings, self.token = settings, token
        self.catalog = Catalog(settings.folder)
        self.clips = clips.Clips(settings.folder, settings.clip_cache_mib << 20)
        strings = yaml.safe_load((HERE / "strings.yaml").read_text(encoding="utf-8"))
        needed = settings.model_dump(include={"language", "pairs", "counterparts", "order", "fixed", "poll_s"})
        self._strings = {**strings, **needed}

    async def index(self, request: web.Request) -> web.StreamResponse:
        return web.FileResponse(HERE / "page" / "index.html")

    async def page(self, request: web.Request) -> web.StreamResponse:
        name = request.match_info["name"]
        if name not in PAGE:
            raise web.HTTPNotFound
        return web.FileResponse(HERE / "page" / name, headers={"Content-Type": f"{PAGE[name]}; charset=utf-8"})

    async def font(self, request: web.Request) -> web.StreamResponse:
        path = font_path()
        if path is None:
            raise web.HTTPNotFound
        return web.FileResponse(path, headers={"Content-Type": "font/otf", "Cache-Control": "max-age=604800"})

    async def strings(self, request: web.Request) -> web.StreamResponse:
        return _json(self._strings)

    async def login(self, request: web.Request) -> web.StreamResponse:
        return await guard.log_in(str((await _body(request)).get("token", "")), self.token)

    async def state(self, request: web.Request) -> web.StreamResponse:
        reviewer = _reviewer(request)
        now = await asyncio.to_thread(self.catalog.snapshot)
        if request.query.get("version") == now.version:
            return web.Response(status=204)
        return _json(await asyncio.to_thread(self.catalog.summary, reviewer))

    async def entry(self, request: web.Request) -> web.StreamResponse:
        return _json(await asyncio.to_thread(self.catalog.detail, request.query.get("id", ""), _reviewer(request)))

    async def verdict(self, request: web.Request) -> web.StreamResponse:
        saved = await asyncio.to_thread(self.catalog.judge, await _body(request))
        return _json({"saved": saved.model_dump()})

    async def agreement(self, request: web.Request) -> web.StreamResponse:
        return _json(await asyncio.to_thread(self.catalog.agreement, _reviewer(request)))

    async def item(self, request: web.Request) -> web.StreamResponse:
        return _json(await asyncio.to_thread(self.catalog.item, request.query.get("id", "")))

    async def audio(self, request: web.Request) -> web.StreamResponse:
        entry = await asyncio.to_thread(self.catalog.entry, request.query.get("id", ""))
        if entry.audio is None:
            raise NotFound(f"{entry.id} has no audio.")
        audio = await asyncio.to_thread(self.clips.read, entry.audio)
        headers = {"Content-Type": clips.media_type(audio), "Accept-Ranges": "bytes", "Cache-Control": "private, no-cache"}
        try:
            wanted = request.http_range
        except ValueError:
            wanted = slice(len(audio), None)
        if wanted.start is None and wanted.stop is None:
            return web.Response(body=audio, headers=headers)
        span = clips.part(audio, wanted.start, wanted.stop)
        if span is None:
            return web.Response(status=416, headers={**headers, "Content-Range": f"bytes */{len(audio)}"})
        first, end = span
        return web.Response(status=206, body=audio[first:end], headers={**headers, "Content-Range": f"bytes {first}-{end - 1}/{len(audio)}"})

    async def export(self, request: web.Request) -> web.StreamResponse:
        form = request.query.get("form", "")
        now = await asyncio.to_thread(self.catalog.snapshot)
        lines = exchange.export(list(now.entries.values()), form)
        body = b"".join(orjson.dumps(line, option=orjson.OPT_APPEND_NEWLINE) for line in lines)
        return web.Response(
            body=body, headers={"Content-Type": "application/x-ndjson", "Content-Disposition": f'attachment; filename="queue-{form}.jsonl"'}
        )


def font_path() -> Path | None:
    """The packaged Korean font, or None where the package is not installed; then the page uses the system's fonts alone."""
    package, name = FONT
    spec = importlib.util.find_spec(package)
    folders = list(spec.submodule_search_locations or []) if spec else []
    return next((path for folder in folders if (path := Path(folder) / name).exists()), None)


def _reviewer(request: web.Request) -> str:
    return decisions.reviewer_name(request.query.get("reviewer", ""))


async def _body(request: web.Request) -> dict[str, Any]:
    try:
        value = orjson.loads(await request.read())
    except orjson.JSONDecodeError:
        value = None
    if not isinstance(value, dict):
        raise UserError("The request must be one JSON object.")
    return value


def _json(value: Any) -> web.Response:
    return web.Response(body=orjson.dumps(value), content_type="application/json", charset="utf-8")


Handler = Callable[[web.Request], Awaitable[web.StreamResponse]]


@web.middleware
async def _headers(request: web.Request, handler: Handler) -> web.StreamResponse:
    try:
        response = await handler(request)
    except web.HTTPException as error:
        error.headers.update(guard.HEADERS)
        raise
    response.headers.update(guard.HEADERS)
    response.headers.setdefault("Cache-Control", "no-cache")
    return response


@web.middleware
async def _errors(request: web.Request, handler: Handler) -> web.StreamResponse:
    """A user's mistake becomes its sentence; a bug of ours stays a traceback in the terminal."""
    try:
        return await handler(request)
    except decisions.Outdated as outdated:
        return guard.error(409, "outdated", "Another window has saved a verdict on this entry.", verdict=outdated.verdict.model_dump())
    except Changed:
        return guard.error(409, "changed", "The entry has changed since it was loaded; look at it again.")
    except NotFound as error:
        return guard.error(404, "missing", str(error))
    except UserError as error:
        return guard.error(400, "refused", str(error))


def serve(settings: DeskSettings) -> None:
    """Serve until interrupted; prints the address once it is listening."""
    asyncio.run(_serve(settings))


async def _serve(settings: DeskSettings) -> None:
    token = None if settings.loopback else os.environ.get(settings.token_env) or secrets.token_urlsafe(16)
    app = make_app(settings, token)
    now = await asyncio.to_thread(app[CATALOG].snapshot)  # a damaged file stops the start, with its sentence
    runner = web.AppRunner(app, access_log=None)
    await runner.setup()
    try:
        try:
            await web.TCPSite(runner, settings.host, settings.port).start()
        except OSError as error:
            raise UserError(
                f"Cannot listen on {settings.host} port {settings.port} ({error.strerror or error}); choose another: "
                "python -m stages.review.desk port=8766"
            ) from None
        port = runner.addresses[0][1]
        shown = f"[{settings.host}]" if ":" in settings.host else settings.host
        # Behind # the token stays in the browser: no server, log or referrer ever sees it as part of an address.
        made = f"#token={token}" if token and not os.environ.get(settings.token_env) else ""
        print(f"review desk: http://{shown}:{port}/{made} ({len(now.entries)} entries; stop with Ctrl-C)", flush=True)
        for problem in now.decisions.torn:
            print(f"warning: {problem}", file=sys.stderr, flush=True)
        await asyncio.Event().wait()
    finally:
        await runner.cleanup()
