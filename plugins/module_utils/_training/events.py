# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# This module util is private to the collection.
"""The events in the untrusted log of a training job's Pod. The program roles/verify_training/files/train.py prints them."""

from __future__ import annotations

import dataclasses
import json
import re
import typing as t
from dataclasses import dataclass, field

from .._accelerators.node.nccl import logs
from .._accelerators.node.nccl.model import Log
from .._core.text import lines_of, printable
from .launcher import Launcher, launcher
from .model import Place

NAME, BEGIN = "mlfleet_training", '{"mlfleet_training":'
LONGEST_LINE, LONGEST_TEXT, MOST_EVENTS, MOST_FOREIGN = 4096, 300, 100_000, 20
LARGEST_INT, LARGEST_FLOAT = 2**53, 1e24
_PATTERNS = {"sha256": re.compile(r"[0-9a-f]{64}"), "folder": re.compile(r"step-[0-9]{8}")}


@dataclass(frozen=True)
class Event:
    rank: int
    attempt: int
    """The same number for all ranks, which grows with each restart; 0 until the ranks have joined."""
    time: float
    """Unix seconds of the node's clock."""


@dataclass(frozen=True)
class Start(Event):
    world: int
    node: int
    local_rank: int
    local_world: int
    host: str
    pid: int
    device: str
    memory: int
    """Bytes of GPU memory; 0 on a CPU."""
    capability: str
    dtype: str
    torch: str
    cuda: str
    nccl: str


@dataclass(frozen=True)
class Ready(Event):
    step: int
    """The step of the loaded checkpoint; 0 without one."""
    parameters: int
    size: str
    vocabulary: int
    validation: float | None
    """The validation loss after loading; None without a checkpoint."""
    load_seconds: float | None
    load_bytes: int | None
    """The size of the complete checkpoint, which only rank 0 reports; None without a checkpoint."""


@dataclass(frozen=True)
class Step(Event):
    step: int
    """The number of optimizer updates, including this one."""
    loss: float
    tokens: int
    """The tokens of all ranks."""
    seconds: float


@dataclass(frozen=True)
class Weights(Event):
    step: int
    shard: int
    replica: int
    sha256: str


@dataclass(frozen=True)
class Saved(Event):
    step: int
    folder: str
    validation: float
    """The validation loss before saving."""
    seconds: float
    """The seconds until all nodes see the checkpoint."""
    bytes: int
    """The size of all files of the checkpoint."""


@dataclass(frozen=True)
class Interrupted(Event):
    """This process kills itself, or waits to be ended, as a test of the restart."""

    step: int
    """The step before which the process kills itself or waits."""


@dataclass(frozen=True)
class End(Event):
    step: int
    updates: int
    """The number of updates from the optimizer, whose state is part of each checkpoint."""
    tokens_per_second: float | None
    """The rate of all ranks, measured by this rank; None after fewer than six steps."""
    flops_per_second: float | None
    efa_devices: int | None
    """The number of the node's EFA devices, which only the first process of a node reports; None if it is unknown."""
    efa_sent: int | None
    """The bytes that these devices sent during the training; None if they are unknown."""


@dataclass(frozen=True)
class Removed(Event):
    """The directory of checkpoints was removed."""


@dataclass(frozen=True)
class Error(Event):
    type: str
    message: str
    phase: str
    step: int


@dataclass(frozen=True)
class Deadline(Event):
    seconds: float
    phase: str
    step: int


@dataclass(frozen=True)
class Ended(Event):
    signal: int
    phase: str
    step: int


EVENTS: t.Mapping[str, type[Event]] = {
    "start": Start,
    "ready": Ready,
    "step": Step,
    "weights": Weights,
    "saved": Saved,
    "killed": Interrupted,
    "held": Interrupted,
    "end": End,
    "removed": Removed,
    "error": Error,
    "deadline": Deadline,
    "ended": Ended,
}
OF_RANK_0 = (Step, Saved, Removed)


@dataclass(frozen=True)
class PodLog:
    place: Place
    read: bool
    """False if the log could not be read, which is different from an empty log."""
    events: tuple[Event, ...] = ()
    """The events in the order of the log."""
    foreign: tuple[int, ...] = ()
    """Ranks in events that cannot be ranks of this Pod, at most 20."""
    unknown: int = 0
    malformed: int = 0
    duplicates: int = 0
    dropped: int = 0
    """The number of events after the first 100,000."""
    network: Log = field(default_factory=Log)
    """What NCCL logged."""
    launcher: Launcher = field(default_factory=Launcher)


def pod_log(place: Place, text: str | None) -> PodLog:
    """:param text: the logs of all containers that ran in the Pod, oldest first, without timestamps; None if unread."""
    if text is None:
        return PodLog(place, read=False)
    lines = lines_of(text)
    reader = _Reader(place)
    for line in lines:
        begin = line.find(BEGIN)
        if begin >= 0:
            reader.line(line[begin:])
    events, foreign = tuple(reader.events), tuple(sorted(reader.foreign))
    counts = {name: reader.counts.get(name, 0) for name in ("unknown", "malformed", "duplicates", "dropped")}
    return PodLog(place, True, events, foreign, network=_network(place, lines), launcher=launcher(lines), **counts)


class _Reader:
    def __init__(self, place: Place) -> None:
        self.place, self.node = place, place.node
        self.events: list[Event] = []
        self.foreign: set[int] = set()
        self.counts: dict[str, int] = {}
        self._seen: set[Event] = set()

    def line(self, text: str) -> None:
        try:
            document = json.JSONDecoder().raw_decode(text)[0] if len(text) <= LONGEST_LINE else {}
            event = _event(document)
        except (ValueError, RecursionError):
            return self._count("malformed")
        if event is None:
            return self._count("unknown")
        if self._is_foreign(event):
            if len(self.foreign) < MOST_FOREIGN:
                self.foreign.add(event.rank)
            return None
        if self.node is None or not _is_consistent(event, self.place):
            return self._count("malformed")
        if event in self._seen:
            return self._count("duplicates")
        if len(self.events) >= MOST_EVENTS:
            return self._count("dropped")
        self._seen.add(event)
        return self.events.append(event)

    def _is_foreign(self, event: Event) -> bool:
        """Whether the rank is not one of this Pod. If the rendezvous numbers the nodes, the newest start has the number."""
        if self.place.node is None and isinstance(event, Start) and _is_consistent(event, self.place):
            self.node = event.node
        node = event.rank // self.place.processes
        return node >= self.place.nodes or (self.node is not None and node != self.node)

    def _count(self, name: str) -> None:
        self.counts[name] = self.counts.get(name, 0) + 1


def _event(document: t.Any) -> Event | None:
    """The event in a line of the log; None for an unknown event.

    :raises ValueError: for a missing field, a wrong type or a value out of range.
    """
    name = document.get(NAME) if isinstance(document, dict) else None
    if not isinstance(name, str):
        raise ValueError(NAME)
    cls = EVENTS.get(name)
    if cls is None:
        return None
    return cls(**{each.name: _value(each.name, str(each.type), document.get(each.name)) for each in dataclasses.fields(cls)})


def _value(name: str, kind: str, value: t.Any) -> t.Any:
    if kind.endswith(" | None"):
        return None if value is None else _value(name, kind.partition(" ")[0], value)
    if kind == "str":
        if not isinstance(value, str) or (name in _PATTERNS and not _PATTERNS[name].fullmatch(value)):
            raise ValueError(name)
        return _shown(value)
    if kind == "int":
        if isinstance(value, bool) or not isinstance(value, int) or not 0 <= value <= LARGEST_INT:
            raise ValueError(name)
        return value
    if isinstance(value, bool) or not isinstance(value, (int, float)) or not 0 <= value <= LARGEST_FLOAT:  # NaN is neither
        raise ValueError(name)
    return float(value)


def _is_consistent(event: Event, place: Place) -> bool:
    node, local = divmod(event.rank, place.processes)
    if isinstance(event, Start):
        shape = (event.world, event.local_world, event.node, event.local_rank)
        return shape == (place.nodes * place.processes, place.processes, node, local)
    if isinstance(event, Weights):
        return (event.replica, event.shard) == (node, local)
    return event.rank == 0 or not isinstance(event, OF_RANK_0)


def _network(place: Place, lines: t.Sequence[str]) -> Log:
    """NCCL's part of the log. A Pod's log proves only this Pod's provider, whatever host names the log contains."""
    found = logs.log(lines)
    providers = {_shown(name): frozenset({place.pod}) for name in found.providers}
    networks = frozenset(_shown(name) for name in found.networks)
    return dataclasses.replace(found, providers=providers, networks=networks, evidence=tuple(map(_shown, found.evidence)))


def _shown(text: str) -> str:
    return printable(text[:LONGEST_TEXT])
