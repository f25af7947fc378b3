"""Outcomes of mutants as text and figures."""

from __future__ import annotations

import dataclasses
import difflib
import typing as t
from dataclasses import dataclass

from .draw import stratum
from .places import Mutant, Source

KILLED, SURVIVED, SUSPECT, UNKNOWN = "killed", "survived", "equivalent?", "unknown"
VERDICTS = (KILLED, SURVIVED, SUSPECT, UNKNOWN)


@dataclass(frozen=True)
class Outcome:
    """One mutant and the result of its tests."""

    number: int
    """Number in the sample, from 1."""
    mutant: Mutant
    verdict: str
    by: str
    """The test that failed."""
    tests: int
    """Number of test files that concern it."""
    diff: str

    def lines(self) -> list[str]:
        mutant = self.mutant
        head = f"{self.number:>3}  {self.verdict:<11}  {mutant.file}:{mutant.line} {mutant.function or '(file)'}: {mutant.kind}"
        details = [self.by] if self.by else [*filter(None, [mutant.doubt]), f"{self.tests} test files", *self.diff.splitlines()[3:]]
        return [head, *(f"     {line}" for line in details)]

    def to_json(self) -> dict[str, t.Any]:
        return {**dataclasses.asdict(self), "stratum": stratum(self.mutant.file)}


def diff(mutant: Mutant, text: str) -> str:
    """A unified diff for ``patch``."""
    lines = difflib.unified_diff(
        text.splitlines(keepends=True),
        mutant.apply(text).splitlines(keepends=True),
        f"a/{mutant.file}",
        f"b/{mutant.file}",
        n=1,
    )
    return "".join(lines)


def figures(outcomes: t.Iterable[Outcome]) -> dict[str, dict[str, int]]:
    """Number of mutants by verdict, for each stratum and in total."""
    counts: dict[str, dict[str, int]] = {}
    for each in outcomes:
        for row in (stratum(each.mutant.file), "all"):
            counts.setdefault(row, dict.fromkeys(VERDICTS, 0))[each.verdict] += 1
    return dict(sorted(counts.items(), key=lambda item: (item[0] == "all", item[0])))


def table(by_row: t.Mapping[str, t.Mapping[str, int]]) -> t.Iterator[str]:
    """A line for each stratum; the rate excludes mutants that may be equivalent or are unknown."""
    yield f"{'':<32}" + "".join(f"{verdict:>13}" for verdict in VERDICTS) + f"{'rate':>8}"
    for row, counts in by_row.items():
        judged = counts[KILLED] + counts[SURVIVED]
        rate = f"{100 * counts[KILLED] / judged:.0f} %" if judged else "-"
        yield f"{row:<32}" + "".join(f"{counts[verdict]:>13}" for verdict in VERDICTS) + f"{rate:>8}"


def text_of(sources: t.Iterable[Source]) -> dict[str, str]:
    return {each.name: each.text for each in sources}
