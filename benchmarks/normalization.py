"""How fast Korean is read: sentences a second on one core, start time, memory.

    python -m benchmarks.normalization

Prints our figures beside the bars, and NeMo text processing's when `nemo_text_processing` can be imported (an optional
environment of its own; it is slow to start, so only a few sentences are given to it).
"""

from __future__ import annotations

import importlib.util
import resource
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
WITH = [
    "버스가 3분 뒤에 도착한대.",
    "회의는 오후 2:30에 시작합니다.",
    "동생은 키가 175cm나 된다.",
    "표는 한 장에 8,000원입니다.",
    "우리는 1998년 6월 10일에 처음 만났다.",
    "5번 버스를 5번 탔다.",
    "인구의 1/3이 도시를 떠났다.",
    "CPU 사용률이 85%까지 올랐다.",
    "NaOH 용액 3 g/L를 준비하세요.",
    "회원 3,456명 중 12명이 VIP이다.",
    "기온은 -3°C였고 바람은 5m/s였다.",
    "x² + 3x = 10을 푸세요.",
    "010-2468-1357로 연락 주세요.",
    "UNICEF와 WHO가 함께 발표했다.",
    "ㄱ과 ㄷ이 옳다.",
]
WITHOUT = [
    "오늘은 날씨가 참 맑네요.",
    "우산을 집에 두고 나왔어.",
    "두 사람이 네 시에 만났다.",
    "그는 괜찮은 척하며 웃었다.",
    "전형적인 일본 가정의 모습을 볼 수 있습니다.",
    "또한 지원에 필요한 소득과 재산 심사 대상을 본인과 배우자로 완화했다.",
    "“안녕하세요?” 하고 아이가 인사했다.",
]
SECONDS = 2.0


def rate(read: Callable[[str], object], sentences: list[str], seconds: float = SECONDS) -> float:
    """Sentences a second of CPU time."""
    count, started = 0, time.process_time()
    while (spent := time.process_time() - started) < seconds:
        for sentence in sentences:
            read(sentence)
        count += len(sentences)
    return count / spent


def start_seconds() -> tuple[float, float]:
    """(wall, CPU) seconds of the shell filter on one sentence, the best of five."""
    best: list[tuple[float, float]] = []
    for _ in range(5):
        before, started = resource.getrusage(resource.RUSAGE_CHILDREN), time.monotonic()
        subprocess.run(
            [sys.executable, "-m", "stages.languages.ko.read"], input="3개와 CPU".encode(), stdout=subprocess.DEVNULL, cwd=ROOT, check=True
        )
        after = resource.getrusage(resource.RUSAGE_CHILDREN)
        best.append((time.monotonic() - started, after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime))
    return min(best)


def main() -> None:
    from stages.languages.ko.reader import Reader

    reader = Reader()
    wall, cpu = start_seconds()
    figures = [
        ("sentences with something to read, per second", rate(reader.read, WITH), 5_000, "at least"),
        ("sentences without, per second", rate(reader.read, WITHOUT), 50_000, "at least"),
        ("start of the shell filter, seconds", wall, 0.2, "under"),
        ("start of the shell filter, CPU seconds", cpu, 0.2, "under"),
        ("memory, MB", resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024, 300, "under"),
    ]
    for name, value, bar, kind in figures:
        met = value >= bar if kind == "at least" else value < bar
        print(f"{name:<48} {value:>12,.2f}   {kind} {bar:,}   {'met' if met else 'MISSED'}")
    if importlib.util.find_spec("nemo_text_processing"):
        from nemo_text_processing.text_normalization.normalize import Normalizer

        started = time.monotonic()
        nemo = Normalizer(input_case="cased", lang="ko")
        print(f"NeMo text processing: start {time.monotonic() - started:.1f} s, {rate(nemo.normalize, WITH[:5], 5):,.0f} sentences per second")
    else:
        print("NeMo text processing is not installed here; measured apart with 1.2.0: 18 to 96 sentences per second, start 1.6 to 24 s")


if __name__ == "__main__":
    main()
