"""Requests and replies from the command line.

    python -m stages.llm plan                         what a profile will ask and what it will cost, before any call
    python -m stages.llm export --out requests.jsonl  the requests without a reply, as OpenAI Batch input
    python -m stages.llm import replies.jsonl         replies of a batch service, another machine or a person
    python -m stages.llm show KEY                     a request and its reply
"""

from __future__ import annotations

import argparse
import sys
from collections import Counter
from pathlib import Path

import orjson

from stages.core.app import exiting
from stages.core.errors import UserError
from stages.llm import exchange, plan
from stages.llm.store import Asked, Store


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m stages.llm", description="Requests to models and their replies.")
    commands = parser.add_subparsers(dest="command", required=True)
    commands.add_parser("plan", help="requests, tokens and dollars that a profile needs, and what the store holds")
    export = commands.add_parser("export", help="write the requests without a reply as OpenAI Batch JSONL")
    export.add_argument("--out", type=Path, required=True, metavar="FILE.jsonl")
    export.add_argument("--stage", action="append", metavar="NAME", help="only this stage's first-round requests (repeatable)")
    export.add_argument("--subset", action="append", metavar="NAME", help="only this subset's first-round requests (repeatable)")
    export.add_argument("--missing", action="store_true", help="what the last runs wanted and did not get, second rounds included")
    export.add_argument("--replies", action="store_true", help="instead, the stored replies that the last runs used, as a replies file")
    take = commands.add_parser("import", help="take in replies, each checked against its request's schema")
    take.add_argument("file", type=Path)
    show = commands.add_parser("show", help="print a request and its reply, or list the open requests")
    show.add_argument("key", nargs="?", help="a key or the beginning of one")
    show.add_argument("--missing", action="store_true", help="list what the last runs wanted and did not get, and why")
    arguments = parser.parse_args()
    if arguments.command == "plan":
        plan.main()
    elif arguments.command == "export":
        _export(arguments)
    elif arguments.command == "import":
        _import(arguments.file)
    else:
        _show(arguments.key, arguments.missing)


def _export(arguments: argparse.Namespace) -> None:
    if (arguments.missing or arguments.replies) and (arguments.stage or arguments.subset):
        raise UserError("--stage and --subset choose first-round requests; leave them out with --missing and --replies.")
    with Store.open() as store:
        if arguments.replies:
            count = exchange.write_replies(arguments.out, store, store.used())
            print(f"{count} replies -> {arguments.out}")
            return
        notes: list[str] = []
        if arguments.missing:
            asked = store.missing()
        else:
            works, notes = plan.work(stages=arguments.stage, subsets=arguments.subset)
            asked = _without_reply(store, works)
        exchange.write_requests(arguments.out, asked)
    print("\n".join([*notes, f"{len(asked)} requests ({_counted(asked)}) -> {arguments.out}"]))


def _without_reply(store: Store, works: list[plan.Work]) -> list[Asked]:
    """The rendered requests without a reply, remembered, so that their replies can be checked when they come in."""
    for work in works:
        if work.estimated_from:
            print(f"{work.stage} {work.subset}: left out, its rows do not exist yet.", file=sys.stderr)
    requests = {request.key: request for work in works if not work.estimated_from for request in work.requests}
    stored = store.replies(list(requests))
    open_requests = {key: request for key, request in requests.items() if key not in stored}
    store.remember(open_requests.values())
    asked = (store.request(key) for key in sorted(open_requests, key=lambda key: (open_requests[key].item_id, open_requests[key].role.name, key)))
    return [request for request in asked if request is not None]


def _counted(asked: list[Asked]) -> str:
    return ", ".join(f"{role} {count}" for role, count in sorted(Counter(request.role for request in asked).items())) or "none missing"


def _import(path: Path) -> None:
    with Store.open() as store:
        taken, problems = exchange.import_replies(store, path)
    print(f"{taken} replies taken in from {path}")
    if problems:
        print("\n".join(problems), file=sys.stderr)
        raise UserError(f"{len(problems)} of {taken + len(problems)} replies in {path} cannot be used and were left out (see above).")


def _show(key: str | None, missing: bool) -> None:
    with Store.open() as store:
        if missing:
            for request in store.missing():
                print(f"{request.item_id}  {request.role}  {request.key}  {request.problem or 'not answered yet'}")
            return
        keys = store.keys_from(key or "")
        if not key or len(keys) != 1:
            raise UserError(f"{len(keys)} keys of the store begin with {key or ''!r}; give one, as `export` or `python -m stages.explain` shows it.")
        asked, reply = store.request(keys[0]), store.replies(keys).get(keys[0])
    print(f"key: {keys[0]}")
    if asked:
        print(f"item: {asked.item_id}\nrole: {asked.role}\nmodel: {asked.model}\nsample: {asked.sample}")
        body = orjson.loads(asked.body)
        for message in body.pop("messages"):
            print(f"\n[{message['role']}]\n{message['content']}")
        print(f"\n[parameters]\n{orjson.dumps(body, option=orjson.OPT_INDENT_2).decode()}")
    if reply:
        tokens = f"{reply.usage.prompt_tokens} + {reply.usage.completion_tokens} tokens"
        print(f"\n[reply: {reply.origin}, {tokens}, {reply.seconds:g} s, {reply.attempts} tries]\n{reply.text}")
    else:
        print(f"\n[no reply{': ' + asked.problem if asked and asked.problem else ''}]")


if __name__ == "__main__":
    exiting(main)
