"""Keys come from the environment and stay there: nothing that a run writes or prints holds one."""

from __future__ import annotations

from tests.acceptance.live import KEYS, ROLES, LiveBuild


def test_a_live_build_uses_each_roles_key_and_ends_in_a_release(live_build: LiveBuild) -> None:
    assert [result.code for result in live_build.results] == [0, 0, 1] + [0] * 7, live_build.results
    assert "Incorrect API key provided: [key]" in live_build.results[2].err
    assert live_build.authorizations == {f"Bearer {KEYS[name]}" for name in ROLES.values()}
    assert list(live_build.folder.glob("data/publish/KVoiceBench/*/*.parquet"))


def test_no_file_and_no_output_of_it_holds_a_key(live_build: LiveBuild) -> None:
    for key in KEYS.values():
        assert not any(key in result.out + result.err for result in live_build.results)
        for path in live_build.folder.rglob("*"):
            assert not (path.is_file() and key.encode() in path.read_bytes()), path
