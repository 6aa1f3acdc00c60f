"""Who may talk to the desk."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from stages.review.desk import guard, settings
from tests.review.desk.builds import ITEM
from tests.review.desk.client import asking

TOKEN = "a-token-of-the-tests"
BODY = {"id": ITEM, "verdict": "accept", "reviewer": "kim", "reason": "", "edit": {}, "seen": ""}


@pytest.mark.parametrize(
    ("host", "asked", "allowed"),
    [
        ("127.0.0.1", "127.0.0.1:8765", True),
        ("127.0.0.1", "localhost:9000", True),  # through a tunnel on another port
        ("127.0.0.1", "[::1]:8765", True),
        ("127.0.0.1", "evil.example:8765", False),  # DNS rebinding
        ("127.0.0.1", "localhost.evil.example", False),
        ("127.0.0.1", "192.168.0.5:8765", False),
        ("127.0.0.1", "", False),
        ("127.0.0.1", "[::1", False),
        ("0.0.0.0", "192.168.0.5:8765", True),
        ("0.0.0.0", "evil.example", False),
        ("0.0.0.0", "desk.lab.example", True),
    ],
)
def test_the_desk_answers_to_its_own_names_only(host: str, asked: str, allowed: bool) -> None:
    chosen = settings.load([f"host={host}", "allowed_hosts=[desk.lab.example]"])
    assert guard.host_allowed(asked, chosen) is allowed


@pytest.mark.parametrize(
    ("headers", "status"),
    [
        ({"Origin": "http://evil.example"}, 403),
        ({"Origin": "null"}, 403),
        ({"Origin": "http://127.0.0.1:1"}, 403),
        ({"Sec-Fetch-Site": "cross-site"}, 403),
        ({"Sec-Fetch-Site": "same-site"}, 403),
        ({"Content-Type": "text/plain"}, 415),
        ({"Content-Type": "application/x-www-form-urlencoded"}, 415),
        ({"Host": "evil.example"}, 403),
        ({"Sec-Fetch-Site": "same-origin"}, 409),  # passes the guard; the entry then sees that `seen` is wrong
    ],
)
def test_another_sites_page_cannot_give_a_verdict(root: Path, headers: dict[str, str], status: int) -> None:
    async def work(client: Any) -> None:
        response = await client.post("/api/verdict", json=BODY, headers=headers)
        assert response.status == status

    asking(root, work)
    assert not list((root / "data").glob("decisions/**/*.jsonl"))


def test_another_sites_page_cannot_read_either(root: Path) -> None:
    async def work(client: Any) -> None:
        for path in ("/api/state?reviewer=kim", f"/api/audio?id={ITEM}", "/api/export?form=argilla"):
            assert (await client.get(path, headers={"Sec-Fetch-Site": "cross-site"})).status == 403

    asking(root, work)


def test_a_body_that_is_no_object_or_too_large_is_refused(root: Path) -> None:
    async def work(client: Any) -> None:
        for data in (b"[]", b"{", b'"x"', b"\xff"):
            assert (await client.post("/api/verdict", data=data, headers={"Content-Type": "application/json"})).status == 400
        assert (await client.post("/api/verdict", data=b" " * (1 << 21), headers={"Content-Type": "application/json"})).status == 413

    asking(root, work)


def test_on_the_network_everything_but_the_empty_page_needs_the_token(root: Path) -> None:
    async def work(client: Any) -> None:
        for path in (
            "/api/state?reviewer=kim",
            f"/api/entry?id={ITEM}&reviewer=kim",
            f"/api/audio?id={ITEM}",
            "/api/item?id=x",
            "/api/export?form=argilla",
        ):
            assert (await client.get(path)).status == 401, path
            assert (await client.get(path, headers={"Authorization": "Bearer wrong"})).status == 401
            assert (await client.get(path, headers={"Authorization": f"Bearer {TOKEN}"})).status != 401
        assert (await client.post("/api/verdict", json=BODY)).status == 401
        assert (await client.get("/")).status == 200
        assert (await client.post("/api/login", json={"token": "wrong"})).status == 401
        assert (await client.get("/api/state?reviewer=kim")).status == 401
        login = await client.post("/api/login", json={"token": TOKEN})
        cookie = login.headers["Set-Cookie"]
        assert TOKEN not in cookie
        assert "HttpOnly" in cookie
        assert "SameSite=Strict" in cookie
        assert (await client.get("/api/state?reviewer=kim")).status == 200

    asking(root, work, "host=0.0.0.0", token=TOKEN)


def test_a_desk_on_the_network_has_a_token_and_prints_only_one_that_it_made(root: Path, started: Any) -> None:
    made = started(root, "host=0.0.0.0")
    assert "/#token=" in made.line
    given = started(root, "host=0.0.0.0", env={"BENCHFERRY_DESK_TOKEN": TOKEN})
    assert "token" not in given.line


def test_a_desk_on_loopback_asks_for_none(root: Path, started: Any) -> None:
    assert "token" not in started(root, env={"BENCHFERRY_DESK_TOKEN": TOKEN}).line
