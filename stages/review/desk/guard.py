"""Who may talk to the desk. Import lazily (it brings aiohttp).

On loopback there is no login, so a web page elsewhere must not reach the desk through the reviewer's own browser: the Host
header must be a name of this desk (DNS rebinding), and what changes something must be JSON from the desk's own page (CSRF).
Bound elsewhere, everything but the empty page also needs the token, given once and kept in a strict, script-proof cookie.
"""

from __future__ import annotations

import asyncio
import hashlib
import hmac
import ipaddress
import socket
from collections.abc import Awaitable, Callable
from typing import Any
from urllib.parse import urlsplit

from aiohttp import web

from stages.review.desk.settings import DeskSettings

Handler = Callable[[web.Request], Awaitable[web.StreamResponse]]

COOKIE = "benchferry_desk"
HEADERS = {
    "Content-Security-Policy": (
        "default-src 'none'; script-src 'self'; style-src 'self'; font-src 'self'; media-src 'self'; connect-src 'self'; img-src 'self'; "
        "base-uri 'none'; form-action 'none'; frame-ancestors 'none'; require-trusted-types-for 'script'; trusted-types 'none'"
    ),
    "X-Content-Type-Options": "nosniff",
    "Referrer-Policy": "no-referrer",
    "Cross-Origin-Resource-Policy": "same-origin",
    "Cross-Origin-Opener-Policy": "same-origin",
}
"""On every answer. With no trusted types the browser itself refuses to turn a string into HTML or script."""


def middleware(settings: DeskSettings, token: str | None) -> Any:
    """`token` is None on loopback."""

    @web.middleware
    async def guard(request: web.Request, handler: Handler) -> web.StreamResponse:
        refusal = _refusal(request, settings, token)
        if refusal is not None:
            return refusal
        return await handler(request)

    return guard


def _refusal(request: web.Request, settings: DeskSettings, token: str | None) -> web.Response | None:
    if not host_allowed(request.headers.get("Host", ""), settings):
        return error(403, "host", "This desk does not go by that name; add it to allowed_hosts in conf/review/desk.yaml.")
    site = request.headers.get("Sec-Fetch-Site", "none")
    if request.path.startswith("/api/") and site not in ("same-origin", "none"):
        return error(403, "origin", "Only the desk's own page may ask this.")
    if request.method not in ("GET", "HEAD"):
        origin = request.headers.get("Origin")
        if origin is not None and urlsplit(origin).netloc != request.headers["Host"]:
            return error(403, "origin", "Only the desk's own page may change something.")
        if request.content_type != "application/json":
            return error(415, "json", "Send application/json.")
    if token is not None and request.path.startswith("/api/") and request.path not in ("/api/login", "/api/strings") and not knows(request, token):
        return error(401, "token", "The token is needed; the desk printed it when it started.")
    return None


def host_allowed(header: str, settings: DeskSettings) -> bool:
    """Whether a Host header names this desk. A plain address is no name that someone else's DNS could answer for."""
    try:
        host = urlsplit(f"//{header}").hostname or ""
    except ValueError:
        return False
    if settings.loopback:
        names = {"localhost"}
    else:
        names = {"localhost", socket.gethostname().lower(), settings.host.lower()}
    if host in names | {name.lower() for name in settings.allowed_hosts}:
        return True
    try:
        address = ipaddress.ip_address(host)
    except ValueError:
        return False
    return address.is_loopback or not settings.loopback


def _cookie(token: str) -> str:
    return hashlib.sha256(f"benchferry desk {token}".encode()).hexdigest()


def knows(request: web.Request, token: str) -> bool:
    given = request.headers.get("Authorization", "").removeprefix("Bearer ")
    return hmac.compare_digest(given.encode(), token.encode()) or hmac.compare_digest(
        request.cookies.get(COOKIE, "").encode(), _cookie(token).encode()
    )


async def log_in(given: str, token: str | None) -> web.Response:
    if token is not None and not hmac.compare_digest(given.encode(), token.encode()):
        await asyncio.sleep(0.5)  # 128 bits cannot be guessed anyway; this keeps a loop from costing us anything
        return error(401, "token", "That is not the token; the desk printed it when it started.")
    response = web.json_response({"ok": True})
    if token is not None:
        response.set_cookie(COOKIE, _cookie(token), httponly=True, samesite="Strict", path="/", max_age=30 * 24 * 3600)
    return response


def error(status: int, code: str, sentence: str, **more: Any) -> web.Response:
    """An error as the page reads it: a code that it can translate, and the sentence."""
    return web.json_response({"code": code, "error": sentence, **more}, status=status)
