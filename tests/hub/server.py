"""The tests' Hub over HTTP: the part of the Hub's protocol that huggingface_hub and datasets use for dataset repositories.

Own code on the standard library. It keeps every commit and tag, wants a token for writing and for private repositories, takes
large files by the LFS batch protocol and checks their hashes, refuses a commit on another parent than expected, and serves
ranges. Everything asked is in `log`; `faults` make it misbehave; `quota_bytes` limits what it stores.
"""

from __future__ import annotations

import base64
import hashlib
import json
import re
import threading
import time
import urllib.parse
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

import yaml

from tests.hub.faults import Fault
from tests.hub.repositories import Entry, Repository, Storage

TOKEN = "hf_localtesttoken"
ACCOUNT = "local"
_LARGE = (".parquet", ".wav", ".flac", ".png", ".zip")


class Hub:
    def __init__(self, folder: Path) -> None:
        self.storage = Storage(folder)
        self.faults: list[Fault] = []
        self.log: list[tuple[str, str, int]] = []
        """(method, path, status) in order of answering."""
        self.quota_bytes: int | None = None
        self.url = ""

    def repository(self, name: str) -> Repository:
        return self.storage.repositories[name]

    def asked(self, match: str) -> list[str]:
        """`METHOD path` of the requests that match and were answered well."""
        lines = (f"{method} {path}" for method, path, status in self.log if status < 300)
        return [line for line in lines if re.search(match, line)]

    def environment(self) -> dict[str, str]:
        """For a client in a process of its own."""
        return {"HF_ENDPOINT": self.url, "HF_TOKEN": TOKEN, "HF_HUB_DISABLE_XET": "1", "HF_HUB_DISABLE_TELEMETRY": "1"}


@contextmanager
def serve(folder: Path, port: int = 0) -> Iterator[Hub]:
    hub = Hub(folder)
    handler = type("Handler", (_Handler,), {"hub": hub})
    with ThreadingHTTPServer(("127.0.0.1", port), handler) as server:
        server.daemon_threads = True
        hub.url = f"http://127.0.0.1:{server.server_port}"
        thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.05}, daemon=True)
        thread.start()
        try:
            yield hub
        finally:
            server.shutdown()


class Refused(Exception):
    def __init__(self, status: int, code: str, message: str) -> None:
        self.status, self.code, self.message = status, code, message


class _Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    hub: Hub

    def log_message(self, *args: Any) -> None:
        pass

    def do_GET(self) -> None:
        parts = urllib.parse.urlsplit(self.path)
        self.where = parts.path
        self.query = dict(urllib.parse.parse_qsl(parts.query))
        request = f"{self.command} {self.where}"
        with self.hub.storage.lock:
            fault = next((fault for fault in self.hub.faults if fault.strikes(request)), None)
        try:
            if fault is not None and self._misbehave(fault):
                return
            self.body = self._read()
            if fault is not None and fault.flip:
                self.body = bytes([self.body[0] ^ 1]) + self.body[1:]
            with self.hub.storage.lock:
                self._lost = fault.status or 504 if fault is not None and fault.lose_answer else 0
                self._route()
        except Refused as refused:
            self._answer({"error": refused.message}, refused.status, {"X-Error-Code": refused.code, "X-Error-Message": refused.message})
        except (BrokenPipeError, ConnectionResetError):
            self.close_connection = True

    do_HEAD = do_POST = do_PUT = do_DELETE = do_GET

    def _misbehave(self, fault: Fault) -> bool:
        """Whether the fault is all that happens."""
        time.sleep(fault.hang_s)
        if fault.cut_after_bytes is not None:
            self.rfile.read(fault.cut_after_bytes)
            self.hub.log.append((self.command, self.where, 0))
            self.close_connection = True
            self.connection.close()
            return True
        if fault.status and not fault.lose_answer:
            self._read()
            headers = {"Retry-After": str(fault.retry_after_s)} if fault.retry_after_s is not None else {}
            self._answer({"error": fault.message or "ordered by a test"}, fault.status, headers)
            return True
        return False

    def _read(self) -> bytes:
        if "chunked" in self.headers.get("Transfer-Encoding", ""):
            found = b""
            while size := int(self.rfile.readline().split(b";")[0], 16):
                found += self.rfile.read(size)
                self.rfile.readline()
            self.rfile.readline()
            return found
        return self.rfile.read(int(self.headers.get("Content-Length") or 0))

    def _answer(self, value: Any, status: int = 200, headers: dict[str, str] | None = None, raw: bytes | None = None) -> None:
        status = getattr(self, "_lost", 0) or status
        content = json.dumps(value).encode() if raw is None else raw
        self.hub.log.append((self.command, self.where, status))  # before the client can go on
        self.send_response(status)
        self.send_header("Content-Type", "application/json" if raw is None else "application/octet-stream")
        self.send_header("Content-Length", str(len(content)))
        for name, text in (headers or {}).items():
            self.send_header(name, text)
        self.end_headers()
        if self.command != "HEAD":
            self.wfile.write(content)

    def _route(self) -> None:
        for method, pattern, action in _ROUTES:
            if self.command in method.split("|") and (found := re.fullmatch(pattern, self.where)):
                return action(self, *(urllib.parse.unquote(group or "") for group in found.groups()))
        raise Refused(404, "NotFound", f"{self.command} {self.where} is not part of this Hub")

    # who asks

    def _known(self) -> bool:
        return self.headers.get("Authorization") == f"Bearer {TOKEN}"

    def _write(self) -> None:
        if not self._known():
            raise Refused(401, "Unauthorized", "Invalid credentials in Authorization header")

    def _repository(self, name: str) -> Repository:
        found = self.hub.storage.repositories.get(name)
        if found is None or (found.private and not self._known()):
            raise Refused(404 if self._known() else 401, "RepoNotFound", "Repository not found")
        return found

    def _commit(self, name: str, revision: str) -> tuple[Repository, str]:
        repository = self._repository(name)
        if (sha := repository.resolve(revision or "main")) is None:
            raise Refused(404, "RevisionNotFound", f"Invalid rev id: {revision}")
        return repository, sha

    # accounts and repositories

    def whoami(self) -> None:
        self._write()
        access = {"accessToken": {"displayName": "tests", "role": "write"}}
        self._answer({"type": "user", "id": "1", "name": ACCOUNT, "fullname": ACCOUNT, "orgs": [], "auth": access})

    def validate_card(self) -> None:
        text = json.loads(self.body)["content"]
        try:
            head = yaml.safe_load(text.split("---\n")[1]) if text.startswith("---\n") else {}
            errors = [] if isinstance(head, dict) else [{"message": "the head is no mapping"}]
        except yaml.YAMLError as error:
            errors = [{"message": str(error)}]
        self._answer({"errors": errors, "warnings": []}, 400 if errors else 200)

    def create(self) -> None:
        self._write()
        asked = json.loads(self.body)
        name = f"{asked.get('organization') or ACCOUNT}/{asked['name']}"
        url = f"{self.hub.url}/datasets/{name}"
        if asked.get("type") != "dataset":
            raise Refused(400, "BadRequest", "this Hub holds datasets only")
        if name in self.hub.storage.repositories:
            return self._answer({"error": "You already created this dataset repo", "url": url}, 409)
        self.hub.storage.create(name, bool(asked.get("private") or asked.get("visibility") == "private"))
        return self._answer({"url": url, "name": name, "id": name})

    def settings(self, name: str) -> None:
        self._write()
        repository, asked = self._repository(name), json.loads(self.body)
        repository.gated = asked.get("gated", repository.gated)
        if "visibility" in asked or "private" in asked:
            repository.private = asked.get("visibility") == "private" or bool(asked.get("private"))
        self._answer({})

    def info(self, name: str, revision: str = "") -> None:
        repository, sha = self._commit(name, revision)
        commit = repository.commits[sha]
        files = [{"rfilename": path, "size": entry.size, "blobId": entry.oid} for path, entry in sorted(commit.tree.items())]
        self._answer(
            {
                "_id": name, "id": name, "author": name.split("/")[0], "sha": sha, "private": repository.private, "gated": repository.gated,
                "disabled": False, "tags": [], "downloads": 0, "likes": 0, "lastModified": commit.date, "createdAt": commit.date, "siblings": files,
            }
        )  # fmt: skip

    def refs(self, name: str) -> None:
        repository = self._repository(name)

        def listed(kind: str, named: dict[str, str]) -> list[dict[str, str]]:
            return [{"name": ref, "ref": f"refs/{kind}/{ref}", "targetCommit": sha} for ref, sha in named.items()]

        self._answer({"branches": listed("heads", repository.branches), "tags": listed("tags", repository.tags), "converts": []})

    def commits(self, name: str, revision: str) -> None:
        repository, sha = self._commit(name, revision)
        self._answer(
            [
                {"id": at, "title": c.title, "message": c.description, "date": c.date, "authors": [{"user": ACCOUNT}]}
                for at, c in repository.history(sha)
            ]
        )

    def tag(self, name: str, revision: str) -> None:
        self._write()
        repository, sha = self._commit(name, revision)
        asked = json.loads(self.body)
        if asked["tag"] in repository.tags:
            raise Refused(409, "Conflict", "Tag reference exists already")
        repository.tags[asked["tag"]] = sha
        repository.messages[asked["tag"]] = asked.get("message", "")
        self._answer({})

    # writing

    def preupload(self, name: str, revision: str) -> None:
        self._write()
        repository, sha = self._commit(name, revision)
        tree, files = repository.commits[sha].tree, []
        for file in json.loads(self.body)["files"]:
            large = b"\0" in base64.b64decode(file["sample"]) or file["size"] > 10_000_000 or file["path"].endswith(_LARGE)
            found: dict[str, Any] = {"path": file["path"], "uploadMode": "lfs" if large else "regular", "shouldIgnore": False}
            files.append({**found, "oid": tree[file["path"]].oid} if file["path"] in tree else found)
        self._answer({"files": files})

    def lfs_batch(self, name: str) -> None:
        self._write()
        self._repository(name)
        objects = []
        wanted = json.loads(self.body)["objects"]
        new = sum(o["size"] for o in wanted if not self.hub.storage.has(o["oid"]))
        held = sum(path.stat().st_size for path in self.hub.storage.folder.iterdir())
        if self.hub.quota_bytes is not None and held + new > self.hub.quota_bytes:
            raise Refused(403, "QuotaExceeded", "Storage limit reached, upgrade your plan")
        for o in wanted:
            found: dict[str, Any] = {"oid": o["oid"], "size": o["size"], "authenticated": True}
            if not self.hub.storage.has(o["oid"]):
                found["actions"] = {"upload": {"href": f"{self.hub.url}/lfs/{o['oid']}", "header": {}}}
            objects.append(found)
        self._answer({"transfer": "basic", "objects": objects})

    def lfs_put(self, sha256: str) -> None:
        if hashlib.sha256(self.body).hexdigest() != sha256:
            raise Refused(400, "BadHash", "the content does not have the announced sha256")
        self.hub.storage.keep(self.body)
        self._answer({})

    def commit(self, name: str, branch: str) -> None:
        self._write()
        repository, sha = self._commit(name, branch)
        tree, head = dict(repository.commits[sha].tree), {}
        for line in self.body.splitlines():
            operation = json.loads(line)
            key, value = operation["key"], operation["value"]
            if key == "header":
                head = value
            elif key == "file":
                tree[value["path"]] = self.hub.storage.small(base64.b64decode(value["content"]))
            elif key == "lfsFile":
                if not self.hub.storage.has(value["oid"]):
                    raise Refused(400, "MissingLfs", f"the large file {value['path']} was never uploaded")
                tree[value["path"]] = self.hub.storage.large(value["oid"])
            elif key == "deletedFile":
                if value["path"] not in tree:
                    raise Refused(404, "EntryNotFound", "A file with this name doesn't exist")
                del tree[value["path"]]
        if head.get("parentCommit", sha) != sha:
            raise Refused(412, "PreconditionFailed", "A commit has happened since. Please refresh and try again.")
        new = self.hub.storage.commit(repository, branch, tree, head["summary"], head.get("description", ""))
        self._answer({"success": True, "commitOid": new, "commitUrl": f"{self.hub.url}/datasets/{name}/commit/{new}", "hookOutput": ""})

    # reading

    def tree(self, name: str, revision: str, below: str = "") -> None:
        repository, sha = self._commit(name, revision)
        start = f"{below.strip('/')}/" if below.strip("/") else ""
        files = {path: entry for path, entry in sorted(repository.commits[sha].tree.items()) if path.startswith(start)}
        if start and not files:
            raise Refused(404, "EntryNotFound", f"{below} does not exist on {revision}")
        deep = self.query.get("recursive", "").casefold() in ("true", "1")
        folders = sorted({start + "/".join(parts[:n]) for path in files for parts in [path[len(start) :].split("/")] for n in range(1, len(parts))})
        shown = [entry.described(path) for path, entry in files.items() if deep or "/" not in path[len(start) :]]
        shown += [_folder(path) for path in folders if deep or "/" not in path[len(start) :]]
        self._answer(shown)

    def paths_info(self, name: str, revision: str) -> None:
        repository, sha = self._commit(name, revision)
        tree = repository.commits[sha].tree
        form = self.body.decode()
        wanted = json.loads(form)["paths"] if form.startswith("{") else urllib.parse.parse_qs(form).get("paths", [])
        files = [tree[path].described(path) for path in wanted if path in tree]
        self._answer([*files, *(_folder(path) for path in wanted if any(known.startswith(f"{path}/") for known in tree))])

    def resolve(self, name: str, revision: str, path: str) -> None:
        repository, sha = self._commit(name, revision)
        if repository.gated and not self._known():
            raise Refused(401, "GatedRepo", f"Access to dataset {name} is restricted")
        entry: Entry | None = repository.commits[sha].tree.get(path)
        if entry is None:
            raise Refused(404, "EntryNotFound", "Entry not found")
        content = self.hub.storage.content(entry.sha256)
        etag = entry.sha256 if entry.large else entry.oid
        headers = {"ETag": f'"{etag}"', "X-Repo-Commit": sha, "Accept-Ranges": "bytes"}
        if entry.large:
            headers |= {"X-Linked-ETag": f'"{etag}"', "X-Linked-Size": str(len(content))}
        asked = re.fullmatch(r"bytes=(\d+)-(\d*)", self.headers.get("Range", ""))
        if not asked:
            return self._answer(None, 200, headers, content)
        first, last = int(asked[1]), min(int(asked[2] or len(content) - 1), len(content) - 1)
        if first > last:
            return self._answer(None, 416, {"Content-Range": f"bytes */{len(content)}"}, b"")
        return self._answer(None, 206, {**headers, "Content-Range": f"bytes {first}-{last}/{len(content)}"}, content[first : last + 1])


def _folder(path: str) -> dict[str, Any]:
    return {"type": "directory", "oid": hashlib.sha1(path.encode()).hexdigest(), "size": 0, "path": path}


_NAME = r"/([^/]+/[^/]+?)"
_ROUTES: list[tuple[str, str, Callable[..., None]]] = [
    ("GET", "/api/whoami-v2", _Handler.whoami),
    ("POST", "/api/validate-yaml", _Handler.validate_card),
    ("POST", "/api/repos/create", _Handler.create),
    ("PUT", f"/api/datasets{_NAME}/settings", _Handler.settings),
    ("GET", f"/api/datasets{_NAME}", _Handler.info),
    ("GET", f"/api/datasets{_NAME}/revision/([^/]+)", _Handler.info),
    ("GET", f"/api/datasets{_NAME}/refs", _Handler.refs),
    ("GET", f"/api/datasets{_NAME}/commits/([^/]+)", _Handler.commits),
    ("POST", f"/api/datasets{_NAME}/tag/([^/]+)", _Handler.tag),
    ("POST", f"/api/datasets{_NAME}/preupload/([^/]+)", _Handler.preupload),
    ("POST", f"/api/datasets{_NAME}/commit/([^/]+)", _Handler.commit),
    ("GET", f"/api/datasets{_NAME}/tree/([^/]+)(?:/(.*))?", _Handler.tree),
    ("POST", f"/api/datasets{_NAME}/paths-info/([^/]+)", _Handler.paths_info),
    ("POST", rf"/datasets{_NAME}\.git/info/lfs/objects/batch", _Handler.lfs_batch),
    ("PUT", "/lfs/([0-9a-f]{64})", _Handler.lfs_put),
    ("GET|HEAD", f"/datasets{_NAME}/resolve/([^/]+)/(.+)", _Handler.resolve),
]
