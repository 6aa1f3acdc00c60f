"""Asking what the store does not hold: a pool of workers for each role, each reply stored the moment it arrives."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator
from typing import TYPE_CHECKING

from pydantic import BaseModel

from stages.core.errors import UserError
from stages.core.progress import Task
from stages.llm.account import RoleAccount, usd
from stages.llm.budget import Budget, OutOfBudget
from stages.llm.limiter import Stopped
from stages.llm.request import InvalidReply, Reply, Request, clean
from stages.llm.settings import ClientSettings, Role
from stages.llm.store import Store, Stored
from stages.llm.transport import Completion, Endpoint, ItemError, api_key

if TYPE_CHECKING:
    import aiohttp

_HOPELESS = 10
"""When an endpoint leaves this many requests in a row without an answer, the rest is not sent."""


class GroupCommit:
    """Commits together what arrives in one turn of the event loop. Nobody goes on before his reply is committed."""

    def __init__(self, store: Store, run: str) -> None:
        self._store, self._run = store, run
        self._arrived: list[tuple[Request, Stored, float]] = []
        self._committed: asyncio.Future[None] | None = None

    async def put(self, request: Request, reply: Stored, cost_usd: float) -> None:
        self._arrived.append((request, reply, cost_usd))
        if self._committed is None:
            loop = asyncio.get_running_loop()
            self._committed = loop.create_future()
            loop.call_soon(self._commit)
        await self._committed

    def _commit(self) -> None:
        arrived, committed = self._arrived, self._committed
        self._arrived, self._committed = [], None
        assert committed is not None
        try:
            self._store.put(self._run, arrived)
        except Exception as error:  # handed to those who wait, all of them
            committed.set_exception(error)
        else:
            committed.set_result(None)


class Live:
    """The asking side of a client; one for the client's whole life, so that connections and limits outlive a round."""

    def __init__(self, settings: ClientSettings, store: Store, run: str, accounts: dict[str, RoleAccount], budget: Budget) -> None:
        self.stopped: UserError | None = None
        self._settings, self._store, self._run, self._accounts, self._budget = settings, store, run, accounts, budget
        self._commits = GroupCommit(store, run)
        self._endpoints: dict[str, Endpoint] = {}
        self._session: aiohttp.ClientSession | None = None

    async def ask(self, requests: list[Request], task: Task) -> tuple[dict[str, Reply], dict[str, str]]:
        """Ask every request and store the valid replies. Returns them by key, and key -> why for those that failed.

        After a reason to stop (`stopped`) requests in flight are still waited for and stored, and no other is sent.
        """
        replies: dict[str, Reply] = {}
        problems: dict[str, str] = {}
        queues: dict[str, list[Request]] = {}
        for request in requests:
            queues.setdefault(request.role.name, []).append(request)
        workers = []
        for queue in queues.values():
            endpoint = self._endpoint(queue[0].role)
            remaining = iter(queue)
            workers += [self._work(endpoint, remaining, replies, problems, task) for _ in range(min(endpoint.role.concurrency, len(queue)))]
        async with asyncio.TaskGroup() as group:
            for worker in workers:
                group.create_task(worker)
        return replies, problems

    def prepare(self, roles: list[Role]) -> None:
        """Raise UserError, before any call, where a key or a price that the budget needs is missing."""
        for role in roles:
            api_key(role)
        self._budget.check_prices(roles)

    def _endpoint(self, role: Role) -> Endpoint:
        if role.name not in self._endpoints:
            if self._session is None:
                import aiohttp

                self._session = aiohttp.ClientSession(connector=aiohttp.TCPConnector(limit=0, ttl_dns_cache=300))
            self._endpoints[role.name] = Endpoint(role, self._settings, self._session)
        return self._endpoints[role.name]

    async def _work(
        self, endpoint: Endpoint, queue: Iterator[Request], replies: dict[str, Reply], problems: dict[str, str], task: Task
    ) -> None:
        account = self._accounts[endpoint.role.name]
        for request in queue:
            try:
                reserved_usd = await self._budget.reserve(endpoint.role, len(request.sent))
                try:
                    stored, value = await self._valid(endpoint, request)
                    await self._keep(request, stored)
                    replies[request.key] = Reply(request.key, value, stored.text, stored.usage, from_store=False)
                finally:
                    self._budget.settle(reserved_usd)
                    account.retries, endpoint.retries = account.retries + endpoint.retries, 0
                account.asked += 1
            except (ItemError, InvalidReply) as problem:
                problems[request.key] = str(problem)
                account.failed += 1
                if endpoint.unanswered >= _HOPELESS:
                    self._stop(UserError(f"The last {endpoint.unanswered} requests to llm.{endpoint.role.name} had no answer: {problem}"))
            except Stopped:
                return
            except UserError as error:
                self._stop(error)
                return
            task.advance(1, f"${self._budget.spent_usd:.2f}" if self._budget.spent_usd else None)
            if self.stopped:
                return

    def _stop(self, error: UserError) -> None:
        self.stopped = self.stopped or error
        for endpoint in self._endpoints.values():
            endpoint.limiter.stop()

    async def _valid(self, endpoint: Endpoint, request: Request) -> tuple[Stored, BaseModel | str]:
        """A reply of the requested form, after one repair at most. Raises InvalidReply."""
        account = self._accounts[endpoint.role.name]
        first = await endpoint.complete(request.sent)
        text = clean(first.text, request.schema is not None)
        try:
            return _stored(request, first, text), _value(request, first, text)
        except InvalidReply as problem:
            account.invalid_replies += 1
            self._pay(request, first)
            if first.finish_reason == "length":
                raise InvalidReply(f"the reply was cut at {first.usage.completion_tokens} tokens; raise llm.{request.role.name}.max_tokens") from None
            second = await endpoint.complete(request.repair(text, str(problem)))
        text = clean(second.text, request.schema is not None)
        try:
            value = _value(request, second, text)
        except InvalidReply as problem:
            account.invalid_replies += 1
            self._pay(request, second)
            raise InvalidReply(f"{problem}, also after one repair") from None
        account.repaired += 1
        return _stored(request, second, text, first), value

    async def _keep(self, request: Request, reply: Stored) -> None:
        cost = usd(request.role, reply.usage)
        await self._commits.put(request, reply, cost)
        self._note(request, reply.usage.completion_tokens, cost)

    def _pay(self, request: Request, completion: Completion) -> None:
        cost = usd(request.role, completion.usage)
        self._store.spend(self._run, request.role.name, completion.usage, cost)
        self._note(request, completion.usage.completion_tokens, cost)

    def _note(self, request: Request, completion_tokens: int, cost: float) -> None:
        self._budget.paid(cost, completion_tokens)
        self._accounts[request.role.name].usd_spent += cost

    def farewell(self, reason: UserError, n_stored: int, left: list[Request]) -> UserError:
        """Why the run stopped, what is safe and what remains, as one sentence."""
        head = f"{str(reason).rstrip('.')}; {n_stored} more replies are stored, {len(left)} requests remain"
        if not isinstance(reason, OutOfBudget):
            return UserError(f"{head}; run again to go on.")
        cost = sum(self._budget.estimate_usd(request.role, len(request.sent)) for request in left)
        return UserError(f"{head} (about ${cost:.4f}); raise llm.client.max_cost_usd and run again to go on.")

    async def close(self) -> None:
        if self._session is not None:
            await self._session.close()


def _value(request: Request, completion: Completion, text: str) -> BaseModel | str:
    value = request.parse(text)
    if request.schema is None and completion.finish_reason == "length":
        raise InvalidReply("the reply was cut")
    return value


def _stored(request: Request, completion: Completion, text: str, failed: Completion | None = None) -> Stored:
    seconds = completion.seconds + (failed.seconds if failed else 0.0)
    attempts = completion.attempts + (failed.attempts if failed else 0)
    return Stored(request.key, request.role.name, request.role.model, text, completion.usage, round(seconds, 3), attempts, completion.finish_reason)
