"""Change plugins/ in many small ways, one at a time, and see whether a unit test notices.

mutants.py                           30 changes, drawn by --seed; nothing in the work tree is touched
mutants.py --only PATH [--only ...]  changes of these files or folders alone
mutants.py --number 7                the seventh of the sample again, when a test for it has been written

"equivalent?" marks survivors of kinds that often make no difference; a person has to judge them. "unknown" is what did not
end within its time, and what only a test noticed that fails without the change, too.
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
    """A survivor of a kind that often makes no difference is marked as one."""
    verdict = VERDICTS[ended.status]
    return report.SUSPECT if verdict == report.SURVIVED and mutant.doubt else verdict


@dataclasses.dataclass(frozen=True)
class Trial:
    """What is needed to try a mutant out: texts as they are, the tests, and copies that are free."""

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


def tried(asked: argparse.Namespace) -> list[Outcome]:
    """All of the sample, several at a time."""
    files = sources(ROOT, asked.only)
    sample = list(enumerate(draw(files, count=asked.count, seed=asked.seed), 1))
    wanted = [each for each in sample if not asked.number or each[0] in asked.number]
    with contextlib.ExitStack() as stack:
        free: queue.Queue[Sandbox] = queue.Queue()
        for _each in range(asked.jobs):
            free.put(stack.enter_context(sandbox(ROOT, asked.seconds)))
        trial = Trial(report.text_of(files), Concerned(House(ROOT)), free)
        with ThreadPoolExecutor(asked.jobs) as pool:
            outcomes = list(pool.map(trial, wanted))
        return believed(outcomes, free.get())


def believed(outcomes: list[Outcome], copy: Sandbox) -> list[Outcome]:
    """The tests that noticed something run once more without any change; those that fail noticed nothing."""
    tests = sorted({outcome.by for outcome in outcomes if outcome.by})
    ended = dataclasses.replace(copy, seconds=copy.seconds * 4).run(tests) if tests else Ended("passed")
    liars = tests if ended.status == "unfinished" else ended.failed
    return [dataclasses.replace(each, verdict=report.UNKNOWN) if each.by in liars else each for each in outcomes]


def arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--count", type=int, default=30)
    parser.add_argument("--only", metavar="PATH", action="append", default=[])
    parser.add_argument("--number", type=int, action="append", default=[])
    parser.add_argument("--jobs", type=int, default=2)
    parser.add_argument("--seconds", type=float, default=600, help="for the tests of one mutant")
    parser.add_argument("--json", action="store_true")
    return parser.parse_args()


def main() -> int:
    asked = arguments()
    outcomes = tried(asked)
    figures = report.figures(outcomes)
    if asked.json:
        print(json.dumps({"mutants": [each.to_json() for each in outcomes], "figures": figures}, indent=2))
    else:
        survivors = [each for each in outcomes if each.verdict != report.KILLED]
        print("\n".join([line for each in survivors for line in each.lines()] + list(report.table(figures))))
    return 0


if __name__ == "__main__":
    sys.exit(main())
