# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Chooses the nodes for two NCCL tests and compares the results, to measure the gain from nearby nodes."""

from __future__ import annotations

import collections
import typing as t
from dataclasses import dataclass

from ansible_collections.mlfleet.hyperpod.plugins.module_utils._topology.answers import near
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._topology.apart import Path, spread_apart
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._topology.model import FREE, Place, tree
from ansible_collections.mlfleet.hyperpod.plugins.plugin_utils._accelerators.nccl.model import PASSED, Outcome

NEAR, SPREAD = "near", "spread"
SIDES = (NEAR, SPREAD)
"""The two groups of nodes that are compared, in the order of measurement."""
WORDS = {NEAR: "nearby nodes", SPREAD: "spread nodes"}
MOST_NAMED = 4
"""The maximum number of network nodes that a line names."""
UNITS = ((2**30, "GiB"), (2**20, "MiB"), (1, "bytes"))
Document = dict[str, t.Any]


@dataclass(frozen=True)
class Kind:
    """The devices of an instance type."""

    gpus: int | None
    """None if unknown."""
    efa: bool


NOTHING = Kind(None, efa=False)


@dataclass(frozen=True)
class Side:
    places: tuple[Place, ...]

    @property
    def ids(self) -> tuple[str, ...]:
        return tuple(place.instance_id for place in self.places)

    @property
    def last(self) -> tuple[Path, ...]:
        """The paths of the last network nodes above the nodes."""
        return tuple(sorted({place.layers for place in self.places}))


@dataclass(frozen=True)
class Plan:
    """The nodes to test, all of one type. The nearby nodes are below fewer network nodes than the spread nodes."""

    instance_type: str
    kind: Kind
    sides: t.Mapping[str, Side]


@dataclass(frozen=True)
class Unmeasured:
    why: str
    """The reason as a sentence."""
    later: bool = False
    """Whether a later run may be able to measure."""


def plan(places: t.Sequence[Place], count: int, instance_type: str, kinds: t.Mapping[str, Kind]) -> Plan | Unmeasured:
    """Chooses free nodes for the measurement.

    :param instance_type: the type to measure; empty for the type with GPUs that has the most free nodes.
    :param kinds: the devices of each instance type of the cluster's compute nodes.
    """
    if instance_type and instance_type not in kinds:
        return Unmeasured(f"The cluster has no compute nodes of type {instance_type}.")
    chosen = instance_type or _most_free(places, kinds)
    kind = kinds.get(chosen, NOTHING)
    if not chosen:
        return _without_gpus({kinds.get(place.instance_type, NOTHING).gpus for place in places})
    if kind.gpus is None:
        return Unmeasured(f"The number of GPUs of type {chosen} is unknown.")
    if kind.gpus == 0:
        return Unmeasured(f"Nodes of type {chosen} have no GPUs.")
    return _sides([place for place in places if place.state == FREE and place.instance_type == chosen], count, chosen, kind)


def _without_gpus(counts: t.Collection[int | None]) -> Unmeasured:
    """Why no node can be tested if no node with GPUs is free. ``counts``: the number of GPUs of each node."""
    if any(counts):
        return Unmeasured("No compute node with GPUs is idle.", later=True)
    return Unmeasured("The number of GPUs of compute nodes is unknown." if None in counts else "No compute node has GPUs.")


def _most_free(places: t.Iterable[Place], kinds: t.Mapping[str, Kind]) -> str:
    free = collections.Counter(place.instance_type for place in places if place.state == FREE)
    return min((name for name in free if kinds.get(name, NOTHING).gpus), key=lambda name: (-free[name], name), default="")


def _sides(idle: t.Sequence[Place], count: int, chosen: str, kind: Kind) -> Plan | Unmeasured:
    """The plan with both sides, or why nothing can be measured. ``idle``: all free nodes of the type."""
    placed = {place.name: place for place in idle if place.layers}
    root = tree(placed.values())
    close, apart = near(root, count), spread_apart(root, count)
    if len(idle) < count:
        return Unmeasured(f"The test needs {count} idle nodes of type {chosen}, and the cluster has {len(idle)}.", later=True)
    if close is None or apart is None:
        unknown = f"{len(idle) - len(placed)} of the {len(idle)} idle nodes of type {chosen}"
        return Unmeasured(f"Topology data is missing for {unknown}.")
    sides = {NEAR: Side(tuple(placed[name] for name in close.nodes)), SPREAD: Side(tuple(placed[name] for name in apart.nodes))}
    if len(apart.last) == 1:
        return Unmeasured(f"All {len(placed)} idle nodes of type {chosen} with topology data are {_below(apart.last)}.")
    if len(sides[NEAR].last) == len(apart.last):
        nodes = f"The nearest and the farthest {count} idle nodes of type {chosen}"
        return Unmeasured(f"{nodes} are below the same number of network nodes: {len(apart.last)}.")
    return Plan(chosen, kind, sides)


def next_side(done: t.Mapping[str, Outcome]) -> str:
    """The next side to measure; empty after both, or after a test without a result."""
    for side in SIDES:
        if side not in done:
            return side
        if done[side].bandwidth is None:
            return ""
    return ""


def measured(planned: Plan, done: t.Mapping[str, Outcome]) -> Document:
    """The result of the completed tests."""
    figures = {side: _figure(planned.sides[side], done[side]) if side in done else None for side in SIDES}
    why = _not_compared(done)
    ratio = None if why else round(_bandwidth(done[NEAR]) / _bandwidth(done[SPREAD]), 2)
    return {"instance_type": planned.instance_type, **figures, "ratio": ratio, "not_measured": why}


def unmeasured(why: str) -> Document:
    return {"instance_type": "", **dict.fromkeys(SIDES), "ratio": None, "not_measured": why}


def _figure(side: Side, outcome: Outcome) -> Document:
    return {
        "nodes": [place.name for place in side.places],
        "network_nodes": [list(path) for path in side.last],
        "bandwidth": outcome.bandwidth,
        "bytes": outcome.bytes,
        "carried_by": outcome.carried_by,
        "verdict": outcome.verdict,
        "text": outcome.text,
    }


def _bandwidth(outcome: Outcome) -> float:
    return outcome.bandwidth or 0.0


def _not_compared(done: t.Mapping[str, Outcome]) -> str:
    for side in SIDES:
        if side not in done:
            return f"The test on {WORDS[side]} did not run."
        if not done[side].bandwidth:
            why = f"{done[side].failure or done[side].verdict}: {done[side].text}"
            return f"The test on {WORDS[side]} returned no bandwidth: {why}"
    one, other = (done[side] for side in SIDES)
    if one.carried_by != other.carried_by:
        carriers = " and ".join(each.carried_by or "an unknown transport" for each in (one, other))
        return f"The results are not comparable: {carriers} carried the data."
    return "" if one.bytes == other.bytes else "The results are not comparable: the messages have different sizes."


def line(gain: Document) -> str:
    """Both results and their comparison, as one line."""
    figures = [f"{WORDS[side]}: {_shown(gain[side])}" for side in SIDES if gain[side]]
    if gain["ratio"] is None:
        return "; ".join([*figures, f"the gain from nearby nodes was not measured. {gain['not_measured']}"])
    test = f"all_reduce of {_size(gain[NEAR]['bytes'])}, {gain['instance_type']}"
    return "; ".join([*figures, f"the nearby nodes are {gain['ratio']:.2f} times as fast ({test})"])


def foreseen(planned: Plan) -> str:
    tests = ", then on ".join(f"{len(side.places)} nodes {_below(side.last)}" for side in planned.sides.values())
    return f"Check mode starts no tests. They would run on {tests}."


def _shown(figure: Document) -> str:
    where = f"{len(figure['nodes'])} nodes {_below([tuple(path) for path in figure['network_nodes']])}"
    if figure["bandwidth"] is None:
        return f"{where}, {figure['verdict']}"
    over = f"over {figure['carried_by']}" if figure["carried_by"] else "over an unknown transport"
    verdict = "" if figure["verdict"] == PASSED else f" ({figure['verdict']})"
    return f"{where}, {figure['bandwidth']:.1f} GB/s {over} with {_size(figure['bytes'])}{verdict}"


def _below(paths: t.Sequence[Path]) -> str:
    """The network nodes as a phrase. Names are unique below one parent only, so equal names are shown with their full paths."""
    if len(paths) > MOST_NAMED:
        return f"below {len(paths)} network nodes"
    short = [path[-1] for path in paths]
    names = short if len(set(short)) == len(short) else [" > ".join(path) for path in paths]
    return f"below {', '.join(names[:-1])}{' and ' if names[1:] else ''}{names[-1]}"


def _size(count: int | None) -> str:
    if count is None:
        return "an unknown number of bytes"
    unit, name = next((unit, name) for unit, name in UNITS if count % unit == 0)
    return f"{count // unit} {name}"
