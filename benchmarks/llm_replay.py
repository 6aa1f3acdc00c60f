"""How fast 10,000 stored replies are replayed: keys computed, replies read, validated by pydantic, accounted.

    python -m benchmarks.llm_replay [COUNT]
"""

from __future__ import annotations

import os
import resource
import sys
import tempfile
import time

from benchmarks.llm_rows import ROLE, Correction, make_requests
from stages.llm import Client, ClientSettings, Usage
from stages.llm.store import Store, Stored

REPLY = Correction(verdict="wrong", corrected="about 12,742 km", kind="restrictive_answer_set", reason="Both are in use. " * 14)
REPLY_TEXT = REPLY.model_dump_json()


def main(count: int) -> None:
    with tempfile.TemporaryDirectory() as cache:
        os.environ["BENCHFERRY_CACHE"] = cache
        with Store.open() as store:
            store.put_all(Stored(r.key, "reviewer", ROLE.model, REPLY_TEXT, Usage(350, 0, 90)) for r in make_requests(count, ROLE))
        for label in ("first replay (remembers the requests)", "second replay"):
            requests = make_requests(count, ROLE)
            started, cpu = time.perf_counter(), time.process_time()
            with Client.open(ClientSettings(mode="replay")) as client:
                replies = client.ask(requests)
            seconds, cpu = time.perf_counter() - started, time.process_time() - cpu
            assert [reply.value for reply in replies] == [REPLY] * count
            print(f"{label:40} {count:6} replies  {seconds:6.3f} s  {count / seconds:8,.0f}/s  {cpu / count * 1e6:5.0f} us CPU each")
    print(f"peak memory {resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024:.0f} MiB")
    print("bar: 10,000/s. Peers with a full cache: inspect_ai 38/s, lm-evaluation-harness 48/s")


if __name__ == "__main__":
    main(int(sys.argv[1]) if len(sys.argv) > 1 else 10_000)
