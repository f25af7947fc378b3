# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# This module util is private to the collection.
"""Compares a job's request with its placement, which Kueue's assignment and the nodes of its Pods show. No I/O."""

from __future__ import annotations

import collections
import typing as t
from dataclasses import dataclass, field

from .model import REQUIRED, UNCONSTRAINED, Assigned, PodAt, PodSet, State, Wish

HOSTNAME = "kubernetes.io/hostname"
KEPT, SPILLED, MOVED, UNKNOWN, DIFFERS, LEFT = "kept", "spilled", "moved", "unknown", "differs", "left"
WRONG = (LEFT, DIFFERS)
_WORST = (LEFT, DIFFERS, MOVED, SPILLED, UNKNOWN, KEPT)
Path = tuple[str, ...]
"""The values of the labels of all layers, from the top down to one layer. Unlike a domain's name, a path is unique."""
UNLABELLED = "(no label)"
UNKNOWN_PLACES = "are on nodes without topology data"
FORBIDDEN = "are on nodes whose labels the caller may not read, because it lacks permission to list nodes"


@dataclass(frozen=True)
class Row:
    """A Pod and its placement."""

    podset: str
    pod: str
    node: str
    domain: str
    """The domain of the requested layer, or of the slices' layer, from the node's labels; empty without a request."""
    assigned: str
    """The domain that Kueue assigned; empty without an assignment."""
    verdict: str


@dataclass(frozen=True)
class Judged:
    """The placement of a pod set."""

    name: str
    mode: str
    level: str
    verdict: str
    described: str
    domains: tuple[tuple[str, int], ...]
    """The domains of the requested layer, each with its number of Pods."""
    rows: tuple[Row, ...]


@dataclass(frozen=True)
class Placement:
    podsets: tuple[Judged, ...] = ()
    apart: tuple[str, ...] = ()
    """Sentences about leaders in a different domain from their Pods, which no request forbids."""

    @property
    def verdict(self) -> str:
        """The worst verdict of all pod sets with a request or with a wrong assignment; ``unknown`` if there are none."""
        found = [each.verdict for each in self.podsets if each.mode or each.level or each.verdict == DIFFERS]
        return min(found, key=_WORST.index, default=UNKNOWN)

    @property
    def wrong(self) -> bool:
        return self.verdict in WRONG

    @property
    def described(self) -> str:
        return "; ".join([*(each.described for each in self.podsets if each.described), *self.apart])

    @property
    def rows(self) -> tuple[Row, ...]:
        return tuple(row for each in self.podsets for row in each.rows)


def placement(podsets: t.Iterable[PodSet], state: State) -> Placement:
    podsets = tuple(podsets)
    judged = tuple(_judged(each, state, alone=len(podsets) == 1) for each in podsets)
    return Placement(judged, tuple(_apart(podsets, state)))


def _apart(podsets: t.Sequence[PodSet], state: State) -> t.Iterator[str]:
    led = [each for each in podsets if each.wish.level and not each.leads]
    for leader in podsets:
        for each in led if leader.leads and not leader.wish else ():
            layers = _places_of(each, state, each.wish.level).path
            own, others = (_domains_of(one, state, layers) for one in (leader, each))
            if own and others and not own <= others:
                elsewhere = ", ".join(sorted(path[-1] for path in own - others))
                yield f"{leader.name}, the leader of the {each.name} Pods, is in a different domain: {elsewhere}"


def _places_of(podset: PodSet, state: State, level: str) -> _Places:
    assigned = _assignment(podset, state, alone=False)
    return _Places(state, assigned.levels if assigned else (), level)


def _domains_of(podset: PodSet, state: State, layers: Path) -> set[Path]:
    """:param layers: the layers down to the requested one."""
    assigned = _assignment(podset, state, alone=False)
    places = _places_of(podset, state, layers[-1])
    places.path = layers
    pods = [each for each in state.pods if each.podset == podset.name]
    return set(_seen(places, pods, assigned, _expected(podset, assigned, state)).counts)


class _Places:
    """Finds the domain of a layer for a node, or for the values of Kueue's assignment."""

    def __init__(self, state: State, levels: Path, level: str) -> None:
        self.nodes = state.nodes or {}
        self.lost = state.workload.unhealthy if state.workload else ()
        self.hosts = {labels.get(HOSTNAME, name): name for name, labels in self.nodes.items()}
        self.levels = levels
        """The levels of Kueue's assignment."""
        known = state.levels if level in state.levels else levels
        self.path = known[: known.index(level) + 1] if level in known else ((level,) if level else ())

    def of_node(self, name: str) -> Path | None:
        """The domain of a node; None if the node is unknown."""
        labels = self.nodes.get(name)
        return None if labels is None else tuple(labels.get(each) or UNLABELLED for each in self.path)

    def of_values(self, values: Path) -> Path | None:
        by_level = dict(zip(self.levels, values))
        if all(each in by_level for each in self.path):
            return tuple(by_level[each] for each in self.path)
        if HOSTNAME in by_level:
            return self.of_node(self.hosts.get(by_level[HOSTNAME], by_level[HOSTNAME]))
        return None

    def is_lost(self, values: Path) -> bool:
        """Whether the assigned node is lost."""
        return self.levels == (HOSTNAME,) and (values[-1] in self.lost or values[-1] not in self.hosts)

    def values_of(self, node: str) -> Path | None:
        """The values with which Kueue assigns this node."""
        labels = self.nodes.get(node)
        if labels is None:
            return (node,) if self.levels == (HOSTNAME,) else None
        return tuple(labels.get(each, "") for each in self.levels)


def _judged(podset: PodSet, state: State, *, alone: bool) -> Judged:
    assigned = _assignment(podset, state, alone)
    pods = [each for each in state.pods if each.podset == podset.name or alone]
    wish, levels = podset.wish, assigned.levels if assigned else ()
    finest = _Places(state, levels, wish.slice_level or wish.level)
    rows, strays, gone = _rows(podset, pods, assigned, finest)
    expected = _expected(podset, assigned, state)
    whole = _seen(_Places(state, levels, wish.level), pods, assigned, expected)
    slices = _seen(finest, pods, assigned, expected) if wish.slice_size else _Seen()
    known = assigned is not None or any(each.node for each in pods)
    unplaced = FORBIDDEN if state.nodes is None else UNKNOWN_PLACES
    verdict, text = _verdict(wish, whole, slices, known=known, strays=strays, gone=gone, unplaced=unplaced)
    domains = tuple((path[-1], count) for path, count in sorted((whole if wish.level else slices).counts.items()))
    text = f"the {podset.name} Pods {text}" if wish or verdict == DIFFERS else ""
    return Judged(podset.name, wish.mode, wish.level or wish.slice_level, verdict, text, domains, tuple(rows))


def _verdict(
    wish: Wish, whole: _Seen, slices: _Seen, *, known: bool, strays: bool, gone: bool, unplaced: str
) -> tuple[str, str]:
    """The verdict, and a text that follows the name of the Pods.

    :param strays: whether Pods are not where Kueue assigned them.
    :param gone: whether lost nodes are the only reason.
    :param unplaced: the text for nodes without known topology.
    """
    inside = whole.described or slices.described or "the topology"
    if wish.mode == REQUIRED and whole.spread:
        return LEFT, f"are not within one domain of {wish.level}: they are in {inside}"
    if slices.torn(wish.slice_size):
        each = f"slices of {wish.slice_size} Pods, each within one domain of {wish.slice_level}"
        return LEFT, f"are not in {each}: they are in {slices.described}"
    if strays:
        moved = f"are in {inside} as requested; some moved there because their nodes are lost"
        return (MOVED, moved) if gone else (DIFFERS, "are not on the nodes that Kueue assigned")
    if not known:
        return UNKNOWN, "have no known node yet"
    if wish.mode == UNCONSTRAINED:
        return KEPT, "may be anywhere, as requested"
    if not whole.counts and not slices.counts:
        return UNKNOWN, unplaced
    if whole.spread:
        return SPILLED, f"are not within one domain of {wish.level}, which was preferred but not required: they are in {inside}"
    return KEPT, f"are in {inside}"


@dataclass(frozen=True)
class _Seen:
    """The domains of one layer, each with its number of Pods, for the report."""

    counts: collections.Counter[Path] = field(default_factory=collections.Counter)
    spread: bool = False
    """Whether a source shows the Pods in more than one domain, or on nodes without the label."""
    whole: tuple[collections.Counter[Path], ...] = ()
    """The domains from each source that covers all Pods."""

    @property
    def described(self) -> str:
        return ", ".join(f"{path[-1]} ({count})" for path, count in sorted(self.counts.items()))

    def torn(self, size: int) -> bool:
        """Whether a slice of ``size`` Pods must be in more than one domain, or on nodes without the label."""
        found = [each for counts in self.whole for each in counts.items()]
        return any(path[-1] == UNLABELLED or count % size for path, count in found)


def _expected(podset: PodSet, assigned: Assigned | None, state: State) -> int | None:
    """The number of Pods; None if unknown."""
    if assigned is not None:
        return assigned.pods
    counted = state.workload.pods if state.workload else {}
    return counted.get(podset.name) if podset.pods is None else podset.pods


def _seen(places: _Places, pods: t.Sequence[PodAt], assigned: Assigned | None, expected: int | None) -> _Seen:
    bound = [each for each in pods if each.node]
    by_pods = _counted((places.of_node(each.node), 1) for each in bound)
    by_kueue = _counted((places.of_values(values), count) for values, count in (assigned.domains if assigned else ()))
    all_bound = expected is not None and len(bound) >= expected
    spread = any(len(each) > 1 or UNLABELLED in [path[-1] for path in each] for each in (by_pods, by_kueue))
    whole = tuple(each for each in (by_kueue, by_pods) if expected is not None and sum(each.values()) >= expected)
    return _Seen(by_pods if by_pods and (all_bound or not by_kueue) else by_kueue, spread, whole)


def _assignment(podset: PodSet, state: State, alone: bool) -> Assigned | None:
    found = state.workload.assigned if state.workload else ()
    named = next((each for each in found if each.podset == podset.name), None)
    chosen = named or (found[0] if alone and len(found) == 1 else None)
    return chosen if chosen is not None and chosen.domains else None


def _counted(found: t.Iterable[tuple[Path | None, int]]) -> collections.Counter[Path]:
    counts: collections.Counter[Path] = collections.Counter()
    for path, count in found:
        if path:
            counts[path] += count
    return counts


def _rows(
    podset: PodSet, pods: t.Sequence[PodAt], assigned: Assigned | None, places: _Places
) -> tuple[list[Row], bool, bool]:
    """The rows, whether Pods are not where Kueue assigned them, and whether lost nodes are the only reason."""
    left: collections.Counter[Path] = collections.Counter()
    for values, count in assigned.domains if assigned else ():
        left[values] += count
    rows, strays = [], []
    for pod in sorted(pods, key=lambda each: each.name):
        path = places.of_node(pod.node) if pod.node else None
        domain = path[-1] if path else ""
        own = places.values_of(pod.node) if pod.node and assigned else None
        if own is None:
            rows.append(Row(podset.name, pod.name, pod.node, domain, "", "" if pod.node else "no node yet"))
        elif left[own] > 0:
            left[own] -= 1
            rows.append(Row(podset.name, pod.name, pod.node, domain, own[-1], "as assigned"))
        else:
            strays.append(Row(podset.name, pod.name, pod.node, domain, "", "elsewhere"))
    unfilled = [values for values, count in sorted(left.items()) for _each in range(count)]
    gone = [values for values in unfilled if places.is_lost(values)]
    ordered = gone + [values for values in unfilled if values not in gone]
    for stray, values in zip(strays, ordered):
        why = "moved: its node is lost" if values in gone else "elsewhere"
        rows.append(Row(stray.podset, stray.pod, stray.node, stray.domain, values[-1], why))
    rows += strays[len(ordered) :]
    return rows, bool(strays), bool(places.nodes) and 0 < len(strays) <= len(gone)


HEADER = ("pods", "pod", "node", "domain", "assigned", "")


def table(rows: t.Sequence[Row]) -> list[str]:
    """Lines for the report."""
    cells = [HEADER, *((each.podset, each.pod, each.node, each.domain, each.assigned, each.verdict) for each in rows)]
    widths = [max(len(row[place]) for row in cells) for place in range(len(HEADER))]
    return ["  ".join(cell.ljust(width) for cell, width in zip(row, widths)).rstrip() for row in cells]
