# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# This module util is private to the collection.
"""The history of a training job over all its Pods. Steps that a restart repeated count once."""

from __future__ import annotations

import collections
import typing as t
from dataclasses import dataclass, replace

from .._accelerators.node.nccl import logs
from .._accelerators.node.nccl.model import SOCKETS
from .events import Deadline, End, Ended, Error, Event, Interrupted, PodLog, Ready, Removed, Saved, Start, Step, Weights

E = t.TypeVar("E", bound=Event)
Failure = t.Union[Error, Deadline, Ended]


@dataclass(frozen=True)
class History:
    starts: t.Mapping[int, Start]
    """The newest start, keyed by rank."""
    pods: t.Mapping[int, str]
    """The Pod of the newest start, keyed by rank."""
    shared: tuple[int, ...]
    """Ranks that two Pods reported in the same attempt."""
    restarts: int
    interrupted: bool
    """Whether a process killed itself, or waited to be ended, as the job requires."""
    ready: t.Mapping[int, Ready]
    """The events ``Ready`` of the last attempt, keyed by rank."""
    ends: t.Mapping[int, End]
    """The events ``End`` of the last attempt, keyed by rank."""
    first_step: int | None
    """The step of the checkpoint that the first attempt loaded; 0 without one, None if no attempt is known."""
    first_validation: float | None
    """The validation loss after the first attempt loaded its checkpoint."""
    loaded: Ready | None
    """The first event with the time and the size of a load; None if no load was measured."""
    older: tuple[tuple[int, int], ...]
    """Pairs of steps: the checkpoint that a later attempt loaded, and the newest complete checkpoint that it did not load."""
    steps: tuple[Step, ...]
    """The steps, ascending. A later attempt replaces all steps after the checkpoint that the attempt loads."""
    repeated: tuple[int, ...]
    """Steps that one attempt counted twice, or counted although the loaded checkpoint already contains them."""
    saved: tuple[Saved, ...]
    """The checkpoints, ascending, one per step."""
    weights: tuple[Weights, ...]
    removed: bool
    """Whether the checkpoints were removed after the training."""
    failures: tuple[Failure, ...]
    """The failures since the beginning of the last attempt, the earliest first; empty if every rank ended in this attempt."""


def history(pods: t.Sequence[PodLog], *, ranks: int) -> History:
    """:param ranks: the number of ranks of the job."""
    events = [event for pod in pods for event in pod.events]
    readies = _of(events, Ready)
    attempts = sorted({each.attempt for each in readies if each.attempt})
    last = max((each.attempt for each in events), default=0)
    placed = sorted(((each, pod.place.pod) for pod in pods for each in _of(pod.events, Start)), key=lambda each: each[0].time)
    ends = {each.rank: each for each in _of(events, End) if each.attempt == last}
    steps, repeated = _steps(events, attempts)
    first = [each for each in readies if attempts and each.attempt == attempts[0]]
    measured = [each for each in readies if each.rank == 0 and each.load_seconds and each.load_bytes is not None]
    return History(
        starts={start.rank: start for start, _pod in placed},
        pods={start.rank: pod for start, pod in placed},
        shared=_shared(pods),
        restarts=_restarts(pods),
        interrupted=bool(_of(events, Interrupted)),
        ready={each.rank: each for each in readies if last and each.attempt == last},
        ends=ends,
        first_step=first[0].step if first else None,
        first_validation=next((each.validation for each in first if each.validation is not None), None),
        loaded=min(measured, key=lambda each: each.attempt, default=None),
        older=tuple(_older(events, attempts)),
        steps=steps,
        repeated=repeated,
        saved=tuple({each.step: each for each in sorted(_of(events, Saved), key=lambda each: (each.step, each.attempt))}.values()),
        weights=tuple(_of(events, Weights)),
        removed=bool(_of(events, Removed)),
        failures=() if len(ends) == ranks else _failures(events, last),
    )


def carried_by(pods: t.Sequence[PodLog], *, nodes: int) -> str:
    """What carried the traffic: sockets if any Pod used sockets, EFA if the log of each Pod proves EFA, otherwise empty."""
    read = [pod.network for pod in pods if pod.read]
    if any(logs.carried_by(each, nodes=nodes) == SOCKETS for each in read):
        return SOCKETS
    if len(read) < max(len(pods), 1) or (nodes > 1 and any(each.gpu_direct is None for each in read)):
        return ""
    providers: dict[str, frozenset[str]] = collections.defaultdict(frozenset)
    for each in read:
        for name, hosts in each.providers.items():
            providers[name] |= hosts
    common = frozenset.intersection(*(each.networks for each in read))
    within = frozenset[str]().union(*(each.within for each in read))
    return logs.carried_by(replace(read[0], providers=providers, networks=common, within=within), nodes=nodes)


def _of(events: t.Iterable[Event], cls: type[E]) -> list[E]:
    return [each for each in events if isinstance(each, cls)]


def _shared(pods: t.Sequence[PodLog]) -> tuple[int, ...]:
    seen: dict[tuple[int, int], set[str]] = collections.defaultdict(set)
    for pod in pods:
        for each in _of(pod.events, Ready):
            seen[each.attempt, each.rank].add(pod.place.pod)
    return tuple(sorted({rank for (_attempt, rank), names in seen.items() if len(names) > 1}))


def _restarts(pods: t.Sequence[PodLog]) -> int:
    starts = [collections.Counter(each.local_rank for each in _of(pod.events, Start)) for pod in pods]
    return max((count for of_pod in starts for count in of_pod.values()), default=1) - 1


def _steps(events: t.Sequence[Event], attempts: t.Sequence[int]) -> tuple[tuple[Step, ...], tuple[int, ...]]:
    kept: dict[int, Step] = {}
    repeated: set[int] = set()
    loaded = {each.attempt: each.step for each in _of(events, Ready)}
    by_attempt: dict[int, list[Step]] = collections.defaultdict(list)
    for each in _of(events, Step):
        by_attempt[each.attempt].append(each)
    for attempt in attempts:
        kept = {number: step for number, step in kept.items() if number <= loaded[attempt]}
        for step in by_attempt[attempt]:
            if step.step in kept or step.step <= loaded[attempt]:
                repeated.add(step.step)
            kept.setdefault(step.step, step)
    return tuple(kept[number] for number in sorted(kept)), tuple(sorted(repeated))


def _older(events: t.Sequence[Event], attempts: t.Sequence[int]) -> t.Iterator[tuple[int, int]]:
    loaded = {each.attempt: each.step for each in _of(events, Ready)}
    for attempt in attempts[1:]:
        newest = max([loaded[attempts[0]], *(each.step for each in _of(events, Saved) if each.attempt < attempt)])
        if loaded[attempt] < newest:
            yield loaded[attempt], newest


def _failures(events: t.Sequence[Event], last: int) -> tuple[Failure, ...]:
    failures = [each for each in events if isinstance(each, (Error, Deadline, Ended))]
    began = min((each.time for each in events if last and each.attempt == last), default=0.0)
    current = [each for each in failures if each.attempt == last or (not each.attempt and each.time >= began)]
    return tuple(sorted(current, key=lambda each: each.time))
