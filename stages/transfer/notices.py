"""What a person should see in a source item, though nothing is wrong with its transfer: text that speaks to a model.

An item is data all the way: its text stands between tags that it cannot close, labels, keys, yes/no words and numbers are set by program,
the checks compare the result with the source, and no reply is ever run. So an item that orders a model about can at worst spoil itself.
It is transferred like any other and flagged.
"""

from __future__ import annotations

from stages.core.files import Row
from stages.transfer.rules import Rulebook, found

NOTICE = "notice: "
ADDRESSES = "the source speaks to a model"


def notices(row: Row, book: Rulebook) -> list[str]:
    """Entries for transfer_flags, `notice: what: seen`."""
    parts = [row["prompt"], *row["references"], *(option["text"] for option in row["options"]), *(one["kwargs"] for one in row["instructions"])]
    for part in parts:
        if part and (seen := found(book.quality.addresses_the_model, part)):
            return [f"{NOTICE}{ADDRESSES}: {' '.join(seen.split())!r}"]
    return []
