"""Text of unknown encoding: byte order marks, UTF-16 of either order, CP949. What was found is said."""

from __future__ import annotations

import codecs
from pathlib import Path

from stages.core.files import nfc


class Unreadable(Exception):
    """Bytes that are not text; the message says where they stop being it."""


def read(path: Path) -> tuple[str, list[str]]:
    """As `decode`, of a file; one that cannot be read is Unreadable too."""
    try:
        data = path.read_bytes()
    except OSError as error:
        raise Unreadable(f"it cannot be read: {error.strerror}") from None
    return decode(data)


def decode(data: bytes) -> tuple[str, list[str]]:
    """The text in NFC with line ends as they are, and notes on what is unusual about its bytes. Raises Unreadable.

    A mark at the start decides. Without one, bytes that are half zeros are UTF-16, and what is not UTF-8 is tried as CP949.
    """
    for mark, encoding, name in _MARKS:
        if data.startswith(mark):
            notes = [] if encoding.startswith("utf-16") else [f"begins with a byte order mark ({name})"]
            return _decoded(data[len(mark) :], encoding, notes)
    if order := _zeros(data):
        return _decoded(data, order, ["UTF-16 without a byte order mark"])
    try:
        return nfc(data.decode("utf-8")), []
    except UnicodeDecodeError as error:
        try:
            return nfc(data.decode("cp949")), ["CP949, not UTF-8"]
        except UnicodeDecodeError:
            raise Unreadable(f"neither UTF-8 nor CP949: byte {error.start} is 0x{data[error.start]:02x}") from None


_MARKS = [(codecs.BOM_UTF8, "utf-8", "UTF-8"), (codecs.BOM_UTF16_LE, "utf-16-le", "UTF-16"), (codecs.BOM_UTF16_BE, "utf-16-be", "UTF-16")]


def _zeros(data: bytes) -> str | None:
    """The byte order of UTF-16 text whose first line is ASCII, as that of every TextGrid."""
    head = data[:64]
    if len(head) >= 8:
        if not any(head[0::2][:8]) and all(head[1::2][:8]):
            return "utf-16-be"
        if not any(head[1::2][:8]) and all(head[0::2][:8]):
            return "utf-16-le"
    return None


def _decoded(data: bytes, encoding: str, notes: list[str]) -> tuple[str, list[str]]:
    if encoding.startswith("utf-16") and len(data) % 2:
        data, notes = data[:-1], [*notes, "ends in half a character"]
    try:
        return nfc(data.decode(encoding)), notes
    except UnicodeDecodeError as error:
        raise Unreadable(f"not {encoding.upper()} at byte {error.start}") from None
