"""pandera's polars API without what it would load beside it. Import this module lazily (it brings pandera and polars)."""

import importlib.abc
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

__all__ = ["only_polars", "pa"]


class _Hidden(importlib.abc.MetaPathFinder):
    """pandera imports pandas and hypothesis where it finds them, at its import and at its first validation: backends unused here."""

    def find_spec(self, fullname: str, path: Any = None, target: Any = None) -> None:
        if fullname.partition(".")[0] in ("pandas", "hypothesis") and fullname not in sys.modules:
            raise ModuleNotFoundError(f"No module named {fullname.partition('.')[0]!r}", name=fullname)


@contextmanager
def only_polars() -> Iterator[None]:
    """Hides them for the time of an import or of a validation."""
    hidden = _Hidden()
    sys.meta_path.insert(0, hidden)
    try:
        yield
    finally:
        sys.meta_path.remove(hidden)


with only_polars():
    import pandera.polars as pa
