# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# This module util is private to the collection.
"""Reads features, partitions, reservations and resources of Slurm nodes with scontrol. Standard library only, Python 3.9 syntax."""

from __future__ import annotations

import collections
import typing as t
from dataclasses import replace

from ...._core.text import lines_of, printable
from ...system import CommandFailed, run
from .model import SlurmNode
from .names import expanded

_NODES = ("scontrol", "--all", "show", "node")
_RESERVATIONS = ("scontrol", "--all", "show", "reservation")
_NOTHING = ("", "(null)")
_NODE, _RESERVATION = "NodeName=", "ReservationName="


def with_holders(nodes: t.Sequence[SlurmNode]) -> tuple[SlurmNode, ...]:
    """The nodes with these values. If scontrol fails, the values are empty: no decision depends on them alone."""
    shown = parse_nodes(_shown(_NODES))
    reserved = parse_reservations(_shown(_RESERVATIONS))
    return tuple(_with(node, shown.get(node.name, {}), reserved.get(node.name, ())) for node in nodes)


def parse_nodes(text: str) -> dict[str, dict[str, tuple[str, ...]]]:
    """Fields, keyed by node name. Only a field at the start of a line counts, because reasons and comments may contain any text."""
    return {record[0].split()[0][len(_NODE) :]: _lists(record) for record in _records(text, _NODE)}


def parse_reservations(text: str) -> dict[str, tuple[str, ...]]:
    """Names of the active reservations, keyed by node."""
    found: dict[str, list[str]] = collections.defaultdict(list)
    for record in _records(text, _RESERVATION):
        fields = _fields(record)
        if fields.get("State") == "ACTIVE":
            for name in expanded(fields.get("Nodes", "")):
                found[name].append(printable(fields["ReservationName"]))
    return {name: tuple(reservations) for name, reservations in found.items()}


def _with(node: SlurmNode, fields: t.Mapping[str, tuple[str, ...]], reservations: t.Sequence[str]) -> SlurmNode:
    return replace(
        node,
        features=_once(fields.get("ActiveFeatures", ()), fields.get("AvailableFeatures", ())),
        partitions=fields.get("Partitions", ()),
        reservations=_once(fields.get("ReservationName", ()), reservations),
        gres=fields.get("Gres", ()),
    )


def _once(*lists: t.Sequence[str]) -> tuple[str, ...]:
    return tuple(dict.fromkeys(each for one in lists for each in one))


def _shown(argv: t.Sequence[str]) -> str:
    try:
        return run(argv, timeout=60).stdout
    except CommandFailed:
        return ""


def _records(text: str, opening: str) -> t.Iterator[list[str]]:
    """The lines of each record. A record begins with ``opening`` at the start of a line; its other lines begin with spaces."""
    record: list[str] = []
    for line in lines_of(text):
        if line.startswith(opening):
            if record:
                yield record
            record = [line]
        elif record:
            record.append(line.strip())
    if record:
        yield record


def _lists(record: t.Sequence[str]) -> dict[str, tuple[str, ...]]:
    """Names, keyed by field. If a field is repeated, the first one counts."""
    found: dict[str, tuple[str, ...]] = {}
    for line in record:
        name, _sign, value = line.partition("=")
        names = value.strip().split(",")
        found.setdefault(name, tuple(printable(each) for each in names if each not in _NOTHING))
    return found


def _fields(record: t.Sequence[str]) -> dict[str, str]:
    """Values, keyed by field, from lines with several fields. If a field is repeated, the first one counts."""
    found: dict[str, str] = {}
    for word in (word for line in record for word in line.split()):
        name, _sign, value = word.partition("=")
        found.setdefault(name, value)
    return found
