# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The latest real run and the latest check of each cluster and verb.

Only documents say whether a run was in check mode. The document of a run says it for all clusters of the run, so few are read.
"""

from __future__ import annotations

import typing as t
from dataclasses import dataclass, field

from ansible_collections.mlfleet.hyperpod.plugins.plugin_utils.report_store.documents import CLUSTERS, key_of_name, part_of
from ansible_collections.mlfleet.hyperpod.plugins.plugin_utils.report_store.listing import DEPTH, Names
from ansible_collections.mlfleet.hyperpod.plugins.plugin_utils.report_store.source import BROKEN, NOT_READ, Reading, Unreadable

from .reports import FUTURE, Report, Run, is_future, is_open, report_of, run_of, time_of

FOUND, NEVER, UNKNOWN = "found", "never", "not known"
MOST_RUNS = 500
"""Maximum number of documents of runs that are read only for trends."""
Pair = tuple[str, str]
Mode = bool | None
"""Whether a run was in check mode; None if it is not known."""


@dataclass
class Latest:
    """The latest run of a cluster and verb in one of the two modes."""

    state: str
    """``FOUND``, ``NEVER`` or ``UNKNOWN``."""
    report: Report | None = None
    """None if the latest run is not known."""
    problem: Unreadable | None = None
    """Why the latest run is not known. With a report, there may be a later one that could not be read."""
    files: tuple[str, ...] = ()
    """The keys of the report files of the run."""
    earlier: tuple[Report, ...] = ()
    """The reports before it in the same mode, the newest one first, up to one that is not known. Only read for open findings."""
    is_first_known: bool = False
    """Whether ``earlier`` reaches back to the first report in the store."""

    def since(self, finding: t.Mapping[str, str]) -> tuple[str, bool]:
        """When the open finding was first reported without a break, and whether this is known. It may be older otherwise."""
        if self.report is None:
            raise ValueError("a run that is not known has no findings")
        start = self.report.started
        for each in self.earlier:
            if each.arn != self.report.arn or identity(finding) not in map(identity, each.findings):
                return start, True
            start = each.started
        return start, self.is_first_known


@dataclass
class OfVerb:
    """The runs of one verb on one cluster."""

    real: Latest
    check: Latest
    count: int
    history: list[tuple[str, bool, str]] = field(default_factory=list)
    """Time, check mode and status of up to ``DEPTH`` runs, the oldest one first. Runs without a readable document are missing, and
    the status is ``UNKNOWN`` if the report is known to be unreadable.
    """


class Choice:
    """Finds the latest runs with few reads."""

    def __init__(self, pairs: t.Mapping[Pair, Names], reading: Reading, now: str) -> None:
        self._pairs, self._reading = pairs, reading
        names = {name for each in pairs.values() for name in each.newest}
        self._future = {name for name in names if is_future(name, now)}
        """The runs with a time in the future. Their documents are not read, so their modes are not known."""
        self._runs: dict[str, Run | Unreadable] = {}
        self._reports: dict[str, Report | Unreadable] = {}

    def latest(self) -> dict[Pair, OfVerb]:
        """The latest runs. Their histories and the ages of findings are not known yet."""
        for depth in range(DEPTH):
            self._read_runs(depth)
            self._read([key for pair in self._pairs for mode in (False, True) if (key := self._chosen(pair, mode)[0])])
        return self._found()

    def with_histories(self) -> dict[Pair, OfVerb]:
        """The runs of ``latest``, which must be called first, with histories and ages."""
        self._read_trends()
        self._read_earlier()
        return self._found()

    def _found(self) -> dict[Pair, OfVerb]:
        return {pair: self._of_verb(pair) for pair in self._pairs}

    def _read_runs(self, depth: int) -> None:
        """Read the documents of the runs that are ``depth`` before the newest ones, if the latest runs are not found yet."""
        names = self._at(depth, [pair for pair in self._pairs if not self._is_complete(pair)])
        new = {name for _pair, name in names if name not in self._runs}
        self._runs.update({_name(key): run for key, run in self._reading.objects(map(key_of_name, sorted(new)), run_of).items()})
        self._read([key for pair, name in names if self._run_mode(key := _key(pair, name)) is None])

    def _read(self, keys: t.Iterable[str]) -> None:
        self._reports.update(self._reading.objects([key for key in keys if key not in self._reports], self._report_of))

    def _report_of(self, key: str, raw: t.Any) -> Report | Unreadable:
        """The report, if the document of its run does not contradict it."""
        found, mode = report_of(key, raw), self._run_mode(key)
        if isinstance(found, Report) and mode is not None and mode is not found.check_mode:
            return Unreadable(key, BROKEN, "contradicts the document of its run")
        return found

    def _read_trends(self) -> None:
        names = {name for each in self._pairs.values() for name in each.newest if name not in self._future}
        new = sorted(names - set(self._runs))[-MOST_RUNS:]
        self._runs.update({_name(key): run for key, run in self._reading.objects(map(key_of_name, new), run_of).items()})

    def _read_earlier(self) -> None:
        """Read the reports before the latest ones that have open findings."""
        keys = [key for pair in self._pairs for mode in (False, True) for key in self._earlier(pair, mode)[0]]
        self._read(sorted(keys, reverse=True))

    def _earlier(self, pair: Pair, mode: bool) -> tuple[list[str], bool]:
        """The keys of the reports before the latest one in this mode, and whether they include the first one in the store."""
        latest, names = self._chosen(pair, mode)[0], self._pairs[pair]
        report = self._reports.get(latest)
        if not isinstance(report, Report) or not any(map(is_open, report.findings)):
            return [], False
        found: list[str] = []
        for name in [each for each in names.newest if _key(pair, each) < latest][::-1]:
            key = _key(pair, name)
            if self._mode(key) is None:
                return found, False
            if self._mode(key) is mode:
                found.append(key)
        return found, names.count == len(names.newest)

    def _at(self, depth: int, pairs: t.Iterable[Pair]) -> list[tuple[Pair, str]]:
        found = [(pair, name) for pair in pairs for name in list(self._pairs[pair].newest)[::-1][depth : depth + 1]]
        return [(pair, name) for pair, name in found if name not in self._future]

    def _is_complete(self, pair: Pair) -> bool:
        return all(self._chosen(pair, mode)[0] for mode in (False, True))

    def _run_mode(self, key: str) -> Mode:
        run = self._runs.get(_name(key))
        return run.check_mode if isinstance(run, Run) and key in run.statuses else None

    def _mode(self, key: str) -> Mode:
        """The mode by the report itself, if it was read, and otherwise by the document of the run."""
        report = self._reports.get(key)
        if isinstance(report, Unreadable):
            return self._run_mode(key)
        return report.check_mode if report else self._run_mode(key)

    def _chosen(self, pair: Pair, mode: bool) -> tuple[str, str]:
        """The key of the latest run in this mode, and of the latest run in an unknown mode after it. Both may be empty."""
        doubtful = ""
        for name in reversed(self._pairs[pair].newest):
            key = _key(pair, name)
            found = self._mode(key)
            if found is mode:
                return key, doubtful
            if found is None and not doubtful:
                doubtful = key
        return "", doubtful

    def _of_verb(self, pair: Pair) -> OfVerb:
        names = self._pairs[pair]
        return OfVerb(self._latest(pair, False), self._latest(pair, True), names.count, self._history(pair))

    def _latest(self, pair: Pair, mode: bool) -> Latest:
        key, doubtful = self._chosen(pair, mode)
        doubt = self._doubt(doubtful) if doubtful else None
        if not key:
            names = self._pairs[pair]
            all_known = doubt is None and names.count == len(names.newest)
            return Latest(NEVER if all_known else UNKNOWN, problem=doubt)
        found, run = self._reports[key], self._runs.get(_name(key))
        if isinstance(found, Unreadable):
            return Latest(UNKNOWN, problem=found)
        files = run.files if isinstance(run, Run) else ()
        return Latest(FOUND, found, doubt, files, *self._known_earlier(pair, mode))

    def _known_earlier(self, pair: Pair, mode: bool) -> tuple[tuple[Report, ...], bool]:
        keys, is_first = self._earlier(pair, mode)
        found: list[Report] = []
        for key in keys:
            report = self._reports.get(key)
            if not isinstance(report, Report):
                return tuple(found), False
            found.append(report)
        return tuple(found), is_first

    def _doubt(self, key: str) -> Unreadable:
        if _name(key) in self._future:
            return Unreadable(key, FUTURE, "has a time in the future")
        found = self._reports.get(key)
        return found if isinstance(found, Unreadable) else Unreadable(key, NOT_READ, "was not read")

    def _history(self, pair: Pair) -> list[tuple[str, bool, str]]:
        found = []
        for name in self._pairs[pair].newest:
            run, key = self._runs.get(name), _key(pair, name)
            if isinstance(run, Run) and key in run.statuses and name not in self._future:
                unreadable = isinstance(self._reports.get(key), Unreadable)
                found.append((time_of(name), run.check_mode, UNKNOWN if unreadable else run.statuses[key]))
        return found


def identity(finding: t.Mapping[str, str]) -> tuple[str, ...]:
    """What makes findings of two runs the same one. Their texts may have other numbers."""
    return tuple(finding[name] for name in ("code", "node", "subject"))


def _key(pair: Pair, name: str) -> str:
    return f"{CLUSTERS}{part_of(pair[0])}/{pair[1]}/{name}.json"


def _name(key: str) -> str:
    return key.rpartition("/")[2].removesuffix(".json")
