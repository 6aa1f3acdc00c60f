import pytest

from stages import languages


@pytest.fixture(scope="session")
def ko():
    return languages.load("ko")


def applied(text: str, changes) -> str:
    """`text` with every change put in, from right to left."""
    for change in sorted(changes, key=lambda change: (change.start, change.end), reverse=True):
        assert text[change.start : change.end] == change.before
        text = text[: change.start] + change.after + text[change.end :]
    return text
