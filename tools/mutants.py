"""Make many small changes to plugins/, one at a time, and check whether a unit test fails.

mutants.py                           30 changes, drawn by --seed; the work tree is not modified
mutants.py --only PATH [--only ...]  changes of these files or folders only
mutants.py --number 7                repeat the seventh change, for example after you wrote a test for it

"equivalent?" marks survivors that are often equivalent to the original; a person must check them. "unknown" marks changes whose
tests did not end in time, or whose failing test also fails without the change.
"""

from __future__ import annotations

import argparse
import contextlib
import dataclasses
import json
import queue
import sys
import typing as t
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
sys.path.insert(0, str(ROOT))

from tools.figures.house import House  # noqa: E402
from tools.mutation import report  # noqa: E402
from tools.mutation.concerned import Concerned  # noqa: E402
from tools.mutation.draw import draw, sources  # noqa: E402
from tools.mutation.places import Mutant  # noqa: E402
from tools.mutation.report import Outcome  # noqa: E402
from tools.mutation.sandbox import Ended, Sandbox, sandbox  # noqa: E402

VERDICTS = {"passed": report.SURVIVED, "failed": report.KILLED, "unfinished": report.UNKNOWN}


def verdict_of(mutant: Mutant, ended: Ended) -> str:
    """The verdict on a mutant; a survivor that may be equivalent is marked."""
    verdict = VERDICTS[ended.status]
    return report.SUSPECT if verdict == report.SURVIVED and mutant.doubt else verdict


@dataclasses.dataclass(frozen=True)
class Trial:
    """A callable that tests a mutant: original texts, the tests, and a queue of free copies."""

    texts: t.Mapping[str, str]
    concerned: Concerned
    free: queue.Queue[Sandbox]

    def __call__(self, numbered: tuple[int, Mutant]) -> Outcome:
        number, mutant = numbered
        tests = self.concerned.tests(mutant.file)
        with self._copy() as copy:
            ended = copy.try_out(mutant, tests) if tests else Ended("passed")
        text = report.diff(mutant, self.texts[mutant.file])
        outcome = Outcome(number, mutant, verdict_of(mutant, ended), "".join(ended.failed[:1]), len(tests), text)
        print(*outcome.lines(), sep="\n", file=sys.stderr, flush=True)
        return outcome

    @contextlib.contextmanager
    def _copy(self) -> t.Iterator[Sandbox]:
        copy = self.free.get()
        try:
            yield copy
        finally:
            self.free.put(copy)


def outcomes_of(options: argparse.Namespace) -> list[Outcome]:
    """Outcomes of the sample, with several mutants in parallel."""
    files = sources(ROOT, options.only)
    sample = list(enumerate(draw(files, count=options.count, seed=options.seed), 1))
    wanted = [each for each in sample if not options.number or each[0] in options.number]
    with contextlib.ExitStack() as stack:
        free: queue.Queue[Sandbox] = queue.Queue()
        for _each in range(options.jobs):
            free.put(stack.enter_context(sandbox(ROOT, options.seconds)))
        trial = Trial(report.text_of(files), Concerned(House(ROOT)), free)
        with ThreadPoolExecutor(options.jobs) as pool:
            outcomes = list(pool.map(trial, wanted))
        return confirmed(outcomes, free.get())


def confirmed(outcomes: list[Outcome], copy: Sandbox) -> list[Outcome]:
    """Outcomes after a run of the failed tests without a change; a test that fails again proves nothing."""
    tests = sorted({outcome.by for outcome in outcomes if outcome.by})
    ended = dataclasses.replace(copy, seconds=copy.seconds * 4).run(tests) if tests else Ended("passed")
    unreliable = tests if ended.status == "unfinished" else ended.failed
    return [dataclasses.replace(each, verdict=report.UNKNOWN) if each.by in unreliable else each for each in outcomes]


def arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--count", type=int, default=30)
    parser.add_argument("--only", metavar="PATH", action="append", default=[])
    parser.add_argument("--number", type=int, action="append", default=[])
    parser.add_argument("--jobs", type=int, default=2)
    parser.add_argument("--seconds", type=float, default=600, help="timeout for the tests of one mutant")
    parser.add_argument("--json", action="store_true")
    return parser.parse_args()


def main() -> int:
    options = arguments()
    outcomes = outcomes_of(options)
    figures = report.figures(outcomes)
    if options.json:
        print(json.dumps({"mutants": [each.to_json() for each in outcomes], "figures": figures}, indent=2))
    else:
        survivors = [each for each in outcomes if each.verdict != report.KILLED]
        print("\n".join([line for each in survivors for line in each.lines()] + list(report.table(figures))))
    return 0


if __name__ == "__main__":
    sys.exit(main())
