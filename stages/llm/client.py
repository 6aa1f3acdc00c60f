"""The one client of every role: `ask` looks into the store, asks for the rest where it may, and returns what was asked for.

    with Client.open(settings, progress, root) as client:
        replies = client.ask(requests)
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

from stages.core.errors import UserError
from stages.core.paths import ROOT
from stages.core.progress import Progress
from stages.llm.account import RoleAccount
from stages.llm.request import InvalidReply, Reply, Request
from stages.llm.settings import ClientSettings, Role
from stages.llm.store import Store

if TYPE_CHECKING:
    import asyncio

    from stages.llm.live import Live

_NAMED = 5


class Client:
    """A stage's access to models for one subset. `progress.label` names the run in the store's accounts."""

    def __init__(self, settings: ClientSettings, store: Store, progress: Progress) -> None:
        self._settings, self._store, self._progress = settings, store, progress
        self._run = progress.label
        self._accounts: dict[str, RoleAccount] = {}
        self._roles: dict[str, Role] = {}
        self._seen: set[str] = set()
        self._accounted: set[str] = set()
        self._runner: asyncio.Runner | None = None
        self._live: Live | None = None

    @classmethod
    @contextmanager
    def open(cls, settings: ClientSettings, progress: Progress | None = None, root: Path = ROOT) -> Iterator[Client]:
        """A client on the store of the cache folder, after taking in the replies files that `settings` names.

        Raises UserError when the store cannot be used or a replies file cannot be read.
        """
        with Store.open() as store:
            if settings.replies:
                from stages.llm.exchange import take_file

                for name in settings.replies:
                    take_file(store, root / name, name)
            client = cls(settings, store, progress or Progress("llm"))
            try:
                yield client
            finally:
                client._close()

    def ask(self, requests: Sequence[Request]) -> list[Reply]:
        """The replies to `requests`, in their order. Equal requests are asked once.

        Raises UserError: in replay for the first request without a stored reply; live for a missing API key before any call, a
        spent budget, an endpoint that cannot work, and for items that failed after everything else was answered and stored.
        """
        replies, problems, left = self._replies(requests)
        if left:
            raise UserError(_failed_sentence(left, problems))
        return [replies[request.key] for request in requests]

    def ask_some(self, requests: Sequence[Request], optional: bool = False) -> list[Reply | str]:
        """As `ask`, but an item that failed for itself has, in the place of its reply, why. What ends a run still raises UserError.

        `optional` requests may stay open in a replay: they are kept for `export --missing`, and the run goes on without them.
        """
        replies, problems, _ = self._replies(requests, optional)
        return [replies[request.key] if request.key in replies else problems[request.key] for request in requests]

    def _replies(self, requests: Sequence[Request], optional: bool = False) -> tuple[dict[str, Reply], dict[str, str], list[Request]]:
        """Replies by key, why others failed, and the requests of those."""
        unique = {request.key: request for request in requests}
        self._enrol(unique)
        replies, unusable = self._look_up(unique)
        missing = [request for key, request in unique.items() if key not in replies]
        replaying = self._settings.mode == "replay"
        self._store.remember(unique.values() if replaying else [unique[key] for key in replies])
        if missing and replaying and not optional:
            raise UserError(_missing_sentence(missing, unusable))
        problems = {request.key: unusable.get(request.key, "no reply is recorded") for request in missing} if replaying else {}
        if missing and not replaying:
            asked, problems = self._ask_live(missing)
            replies |= asked
        self._account(unique, replies)
        return replies, problems, [request for request in missing if request.key not in replies]

    def usage(self) -> dict[str, Any]:
        """Requests, tokens and dollars per role, for a stage's report."""
        return {name: self._accounts[name].report() for name in sorted(self._accounts)}

    def _enrol(self, unique: dict[str, Request]) -> None:
        """Open an account for each role, and note the run's keys."""
        for key, request in unique.items():
            role = self._roles.setdefault(request.role.name, request.role)
            if role is not request.role and role != request.role:
                raise ValueError(f"two different roles are named {role.name!r}")
            if key not in self._seen:
                self._accounts.setdefault(role.name, RoleAccount()).requests += 1
        self._store.use(self._run, unique, afresh=not self._seen)
        self._seen |= unique.keys()

    def _look_up(self, unique: dict[str, Request]) -> tuple[dict[str, Reply], dict[str, str]]:
        """The stored replies that have the requested form, and key -> why for those that have not."""
        replies: dict[str, Reply] = {}
        unusable: dict[str, str] = {}
        for key, stored in self._store.replies(list(unique)).items():
            request = unique[key]
            try:
                replies[key] = Reply(key, request.parse(stored.text), stored.text, stored.usage, from_store=True)
            except InvalidReply as problem:
                unusable[key] = f"the stored one ({stored.origin}) does not fit: {problem}"
        return replies, unusable

    def _account(self, unique: dict[str, Request], replies: dict[str, Reply]) -> None:
        for key in (unique.keys() & replies.keys()) - self._accounted:
            role = unique[key].role
            self._accounts[role.name].used(role, replies[key].usage, replies[key].from_store)
        self._accounted |= unique.keys() & replies.keys()

    def _ask_live(self, missing: list[Request]) -> tuple[dict[str, Reply], dict[str, str]]:
        roles = [self._roles[name] for name in sorted({request.role.name for request in missing})]
        if self._live is None:
            import asyncio

            from stages.llm.budget import Budget
            from stages.llm.live import Live

            budget = Budget(self._settings.max_cost_usd, self._store.spent_usd())
            self._live = Live(self._settings, self._store, self._run, self._accounts, budget)
            self._runner = asyncio.Runner()
        assert self._runner is not None
        self._live.prepare(roles)
        with self._progress.task("+".join(role.name for role in roles), len(missing)) as task:
            replies, problems = self._runner.run(self._live.ask(missing, task))
        left = [request for request in missing if request.key not in replies]
        if stopped := self._live.stopped:
            raise self._live.farewell(stopped, len(replies), left)
        if left:
            self._store.remember(left)
            self._store.failed(problems)
        return replies, problems

    def _close(self) -> None:
        if self._runner is not None and self._live is not None:
            self._runner.run(self._live.close())
            self._runner.close()


def _missing_sentence(missing: list[Request], unusable: dict[str, str]) -> str:
    first = missing[0]
    why = f": {unusable[first.key]}" if first.key in unusable else ""
    return (
        f"Item {first.item_id} has no reply for role {first.role.name}{why} ({_counted(missing)} missing); write the open requests with "
        "`python -m stages.llm export --missing --out requests.jsonl`, take in the replies with `python -m stages.llm import FILE`, or set "
        "llm.client.mode to live."
    )


def _failed_sentence(failed: list[Request], problems: dict[str, str]) -> str:
    named = "; ".join(f"{request.item_id} ({request.role.name}): {problems[request.key]}" for request in failed[:_NAMED])
    more = f"; and {len(failed) - _NAMED} more, listed by `python -m stages.llm show --missing`" if len(failed) > _NAMED else ""
    return f"{_counted(failed)} failed, all other replies are stored; run again to ask only these: {named}{more}."


def _counted(requests: list[Request]) -> str:
    counts = Counter(request.role.name for request in requests)
    return f"{len(requests)} request{'s' * (len(requests) > 1)}: " + ", ".join(f"{role} {n}" for role, n in sorted(counts.items()))
