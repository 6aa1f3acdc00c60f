"""How many planted defects the checks of a transferred item find, and how often they raise a false alarm on a good pair.

    python -m benchmarks.check_mutations [--count 200] [--seed 0] [--all] [--missed]

The bar: at least 95 % of 200 defects of at least 12 kinds found, at most 2 % of untouched pairs alarmed.
Pairs are own sentences (tests/transfer); defects are planted by program (tests/transfer/mutations.py).
"""

from __future__ import annotations

import argparse
from collections import Counter
from dataclasses import dataclass

from stages.core.paths import ROOT
from stages.languages import load
from stages.transfer.check import RULEBOOK, pair_of
from stages.transfer.checks import run_checks
from stages.transfer.checks.pair import Words
from stages.transfer.rules import read_rulebook
from tests.transfer.held_out_pairs import HELD_OUT
from tests.transfer.more_pairs import MORE
from tests.transfer.mutations import Line, Mutant, all_mutants, planted
from tests.transfer.pairs import GOOD

PAIRS: dict[str, Line] = {**GOOD, **MORE, **HELD_OUT}


@dataclass(frozen=True)
class Result:
    found: list[tuple[Mutant, str]]
    """A defect and the first check that named it."""
    missed: list[Mutant]
    alarms: dict[str, str]
    """Good pair -> what was said of it."""

    @property
    def recall(self) -> float:
        return len(self.found) / (len(self.found) + len(self.missed))

    @property
    def alarm_rate(self) -> float:
        return len(self.alarms) / len(PAIRS)


def measure(mutants: list[Mutant]) -> Result:
    book = read_rulebook(ROOT / RULEBOOK)
    words = Words(book, load(book.language))

    def said_of(name: str, line: Line) -> list[str]:
        return [str(failure) for failure in run_checks(pair_of({"id": name, **line}, words, name), words)]

    verdicts = [(mutant, said_of(mutant.pair, mutant.line)) for mutant in mutants]
    alarms = {name: said[0] for name, line in PAIRS.items() if (said := said_of(name, line))}
    return Result([(mutant, said[0].split(":")[0]) for mutant, said in verdicts if said], [mutant for mutant, said in verdicts if not said], alarms)


def table(result: Result) -> str:
    found, missed = Counter(mutant.kind for mutant, _ in result.found), Counter(mutant.kind for mutant in result.missed)
    lines = [f"{'defect':22} {'planted':>7} {'found':>6}   named first by"]
    for kind in sorted(found | missed):
        checks = Counter(check for mutant, check in result.found if mutant.kind == kind)
        lines.append(f"{kind:22} {found[kind] + missed[kind]:7} {found[kind]:6}   {', '.join(f'{name} {n}' for name, n in checks.most_common(4))}")
    total = len(result.found) + len(result.missed)
    lines.append(f"{len(found | missed)} kinds, {total} defects planted, {len(result.found)} found: {100 * result.recall:.1f} %")
    lines.append(f"{len(PAIRS)} untouched pairs, {len(result.alarms)} alarmed: {100 * result.alarm_rate:.1f} %")
    return "\n".join(lines + [f"  {name}: {said}" for name, said in result.alarms.items()])


def main() -> None:
    form = argparse.RawDescriptionHelpFormatter
    parser = argparse.ArgumentParser(prog="python -m benchmarks.check_mutations", description=__doc__, formatter_class=form)
    parser.add_argument("--count", type=int, default=200)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--all", action="store_true", help="plant every defect that can be planted")
    parser.add_argument("--missed", action="store_true", help="show what was not found")
    arguments = parser.parse_args()
    result = measure(all_mutants(PAIRS) if arguments.all else planted(PAIRS, arguments.count, arguments.seed))
    print(table(result))
    for mutant in result.missed if arguments.missed else []:
        print(f"\n{mutant.kind} in {mutant.pair}: {mutant.line['target']}")


if __name__ == "__main__":
    main()
