# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""What jobs gain by nodes that are near each other: on which nodes the test of NCCL measures it, and what that comes to. Pure."""

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
"""In the order in which they are measured."""
MOST_NAMED = 4
"""Network nodes that a line names."""
UNITS = ((2**30, "GiB"), (2**20, "MiB"), (1, "bytes"))
Document = dict[str, t.Any]


@dataclass(frozen=True)
class Kind:
    """What nodes of an instance type have."""

    gpus: int | None
    """None where nobody tells."""
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
        """Last network nodes above them."""
        return tuple(sorted({place.layers for place in self.places}))


@dataclass(frozen=True)
class Plan:
    """Nodes of one type, of which the near ones are below fewer network nodes than the spread ones."""

    instance_type: str
    kind: Kind
    sides: t.Mapping[str, Side]


@dataclass(frozen=True)
class Unmeasured:
    why: str
    """In a sentence."""
    later: bool = False
    """Another run may measure it."""


def plan(places: t.Sequence[Place], count: int, asked: str, kinds: t.Mapping[str, Kind]) -> Plan | Unmeasured:
    """On which free nodes it is measured.

    :param asked: instance type; empty for the one with GPUs of which the most nodes are free.
    :param kinds: of all types of compute nodes that the cluster has.
    """
    if asked and asked not in kinds:
        return Unmeasured(f"The cluster has no compute nodes of type {asked}.")
    chosen = asked or _most_free(places, kinds)
    kind = kinds.get(chosen, NOTHING)
    if not chosen:
        return _without_gpus({kinds.get(place.instance_type, NOTHING).gpus for place in places})
    if kind.gpus is None:
        return Unmeasured(f"Nobody tells how many GPUs nodes of type {chosen} have.")
    if kind.gpus == 0:
        return Unmeasured(f"Nodes of type {chosen} have no GPUs.")
    return _sides([place for place in places if place.state == FREE and place.instance_type == chosen], count, chosen, kind)


def _without_gpus(counts: t.Collection[int | None]) -> Unmeasured:
    """No node with GPUs is free. ``counts``: GPUs of all nodes."""
    if any(counts):
        return Unmeasured("No compute node with GPUs is idle.", later=True)
    return Unmeasured("Nobody tells how many GPUs compute nodes have." if None in counts else "No compute node has GPUs.")


def _most_free(places: t.Iterable[Place], kinds: t.Mapping[str, Kind]) -> str:
    free = collections.Counter(place.instance_type for place in places if place.state == FREE)
    return min((name for name in free if kinds.get(name, NOTHING).gpus), key=lambda name: (-free[name], name), default="")


def _sides(idle: t.Sequence[Place], count: int, chosen: str, kind: Kind) -> Plan | Unmeasured:
    """``idle``: all free nodes of the type."""
    placed = {place.name: place for place in idle if place.layers}
    root = tree(placed.values())
    close, apart = near(root, count), spread_apart(root, count)
    if len(idle) < count:
        return Unmeasured(f"Idle nodes of type {chosen}: {len(idle)}; {count} are needed.", later=True)
    if close is None or apart is None:
        return Unmeasured(f"Nobody tells where {len(idle) - len(placed)} of the {len(idle)} idle nodes of type {chosen} are.")
    sides = {NEAR: Side(tuple(placed[name] for name in close.nodes)), SPREAD: Side(tuple(placed[name] for name in apart.nodes))}
    if len(apart.last) == 1:
        return Unmeasured(f"All idle nodes of type {chosen} whose place is told are {_below(apart.last)}: {len(placed)}.")
    if len(sides[NEAR].last) == len(apart.last):
        nearest = f"the nearest {count} idle nodes of type {chosen}"
        return Unmeasured(f"As many network nodes are above {nearest} as above the farthest: {len(apart.last)}.")
    return Plan(chosen, kind, sides)


def next_side(done: t.Mapping[str, Outcome]) -> str:
    """Empty where no test comes any more: one that told no figure is followed by none."""
    for side in SIDES:
        if side not in done:
            return side
        if done[side].bandwidth is None:
            return ""
    return ""


def measured(planned: Plan, done: t.Mapping[str, Outcome]) -> Document:
    """By the tests that were made."""
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
            return f"The test on {side} nodes was not made."
        if not done[side].bandwidth:
            return f"The test on {side} nodes told no bandwidth: {done[side].failure or done[side].verdict}: {done[side].text}"
    one, other = (done[side] for side in SIDES)
    if one.carried_by != other.carried_by:
        carriers = " and ".join(f"{each.carried_by or 'something that is not proven'}" for each in (one, other))
        return f"The figures are not compared: {carriers} carried the data."
    return "" if one.bytes == other.bytes else "The figures are not compared: the messages have different sizes."


def line(gain: Document) -> str:
    """Both figures, and what they come to."""
    figures = [f"{side}: {_shown(gain[side])}" for side in SIDES if gain[side]]
    if gain["ratio"] is None:
        return "; ".join([*figures, f"what near nodes gain was not measured. {gain['not_measured']}"])
    test = f"all_reduce of {_size(gain[NEAR]['bytes'])}, {gain['instance_type']}"
    return "; ".join([*figures, f"near is {gain['ratio']:.2f} times as fast ({test})"])


def foreseen(planned: Plan) -> str:
    """In a sentence."""
    tests = ", then on ".join(f"{len(side.places)} nodes {_below(side.last)}" for side in planned.sides.values())
    return f"Check mode starts no test: it would be made on {tests}."


def _shown(figure: Document) -> str:
    where = f"{len(figure['nodes'])} nodes {_below([tuple(path) for path in figure['network_nodes']])}"
    if figure["bandwidth"] is None:
        return f"{where}, {figure['verdict']}"
    over = f"over {figure['carried_by']}" if figure["carried_by"] else "over what is not proven"
    verdict = "" if figure["verdict"] == PASSED else f" ({figure['verdict']})"
    return f"{where}, {figure['bandwidth']:.1f} GB/s {over} with {_size(figure['bytes'])}{verdict}"


def _below(paths: t.Sequence[Path]) -> str:
    """Names of network nodes are unique below one parent alone."""
    if len(paths) > MOST_NAMED:
        return f"below {len(paths)} network nodes"
    short = [path[-1] for path in paths]
    names = short if len(set(short)) == len(short) else [" > ".join(path) for path in paths]
    return f"below {', '.join(names[:-1])}{' and ' if names[1:] else ''}{names[-1]}"


def _size(count: int | None) -> str:
    if count is None:
        return "nobody knows how many bytes"
    unit, name = next((unit, name) for unit, name in UNITS if count % unit == 0)
    return f"{count // unit} {name}"
