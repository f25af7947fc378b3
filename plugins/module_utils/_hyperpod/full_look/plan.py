# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# This module util is private to the collection.
"""Whether a cluster is quiet: nothing has happened since the last full look at it, as far as AWS tells. Pure.

A full look is a run of ``reconcile`` that asked the login nodes. What it left is recorded as hashes; as long as all of them
are the same, nothing is due and the record is not too old, a run need not ask a node.
"""

from __future__ import annotations

import datetime
import hashlib
import json
import typing as t
from dataclasses import asdict, dataclass, field

from ..._core.times import iso_seconds, moment_of

VERSION = 1
LARGEST = 4096
"""Characters of a standard parameter."""
LONGEST_MINUTES = 10_080
AHEAD = datetime.timedelta(minutes=5)
"""Clocks of controllers differ by less."""
HEALTHY = "healthy"
NAMED = 3
"""So many nodes or targets are named in a reason."""


def digest(value: t.Any) -> str:
    """Of plain data; the same for the same content in any order of keys."""
    text = json.dumps(value, sort_keys=True, default=str)
    return hashlib.sha256(text.encode()).hexdigest()[:32]


@dataclass(frozen=True)
class FullLook:
    """What the last full look left, as it is recorded."""

    looked: str
    well: bool
    """It changed nothing, and left nothing pending or failed."""
    generation: int = 0
    """Of the lock, when it ended."""
    declared: t.Mapping[str, str] = field(default_factory=dict)
    """Hash of each part of the declaration."""
    nodes: str = ""
    records: str = ""
    targets: str = ""
    target_group: str = ""
    """ARN."""
    endpoint: str = ""
    """Id of the Client VPN endpoint, for a cluster that has one."""
    vpn: str = ""
    due: str = ""
    """When something ends or may be renewed; empty for never."""

    def to_json(self) -> str:
        return json.dumps({"version": VERSION, **asdict(self)}, sort_keys=True)

    @classmethod
    def from_json(cls, text: str | None) -> FullLook | None:
        """None for a record that can't be read, or of another version: the next run looks at everything."""
        try:
            data = json.loads(text or "")
            look = cls(**{name: data[name] for name in cls.__dataclass_fields__})
            times = [moment_of(look.looked), moment_of(look.due or look.looked)]
        except (ValueError, KeyError, TypeError, AttributeError, RecursionError):
            return None
        kinds = isinstance(look.well, bool) and isinstance(look.generation, int) and isinstance(look.declared, dict)
        return look if data.get("version") == VERSION and kinds and all(time.tzinfo for time in times) else None


@dataclass(frozen=True)
class Asked:
    """What the run knows without AWS."""

    cluster_id: str
    now: datetime.datetime
    declared: t.Mapping[str, str]
    problem: str = ""
    """Why the declaration could not be read."""
    inventory: frozenset[str] = frozenset()
    """Instance ids."""
    minutes: int = 60
    full: bool = False


@dataclass(frozen=True)
class Seen:
    """What AWS tells."""

    generation: int
    holder: str = ""
    """Who holds the lock."""
    ours: bool = False
    """The last generation of the lock is this run's."""
    nodes: str = ""
    instance_ids: frozenset[str] = frozenset()
    records: str = ""


def reasons(look: FullLook | None, asked: Asked, seen: Seen) -> tuple[str, ...]:
    """Why the cluster is not quiet, as sentences. With none, what it rests on is looked at (``reasons_of_parts``)."""
    if asked.full:
        return ("This run is asked to look at everything.",)
    if look is None:
        return ("No full look is on record.",)
    if not look.well:
        return (f"The full look of {look.looked} changed something, left something pending or failed, or did not end.",)
    return (*_by_the_clock(look, asked), *_of_the_declaration(look, asked), *_of_the_cluster(look, asked, seen))


def could_count(look: FullLook, asked: Asked, generation: int | None) -> bool:
    """Whether a look that does not count now may count for a later run: all comes back but time and the lock's generations.

    :param generation: of the lock, None where AWS did not tell it.
    """
    if not look.well or _is_due(look, asked) or (generation is not None and generation > look.generation):
        return False
    # The period is part of the declaration, and another one may not be over.
    same = asked.declared == look.declared and not asked.problem
    return not (same and is_time(look, asked) and moment_of(look.looked) <= asked.now)


def _by_the_clock(look: FullLook, asked: Asked) -> t.Iterator[str]:
    if is_time(look, asked):
        yield f"The last full look was at {look.looked}."
    if _is_due(look, asked):
        yield f"Something ends or may be renewed since {look.due}."


def _is_due(look: FullLook, asked: Asked) -> bool:
    return bool(look.due) and moment_of(look.due) <= asked.now


def is_time(look: FullLook, asked: Asked) -> bool:
    """Each cluster has its own minute of the period, so that many do not come at once."""
    period = asked.minutes * 60
    if not period or moment_of(look.looked) > asked.now + AHEAD:
        return True
    shift = int(hashlib.sha256(asked.cluster_id.encode()).hexdigest()[:8], 16) % period
    then, now = (int(moment.timestamp() + shift) // period for moment in (moment_of(look.looked), asked.now))
    return now > then


def _of_the_declaration(look: FullLook, asked: Asked) -> t.Iterator[str]:
    if asked.problem:
        yield f"The declaration can't be told from the last one: {asked.problem}"
        return
    parts = sorted(set(look.declared) | set(asked.declared))
    other = [part for part in parts if look.declared.get(part) != asked.declared.get(part)]
    if other or not parts:
        yield f"The declaration is another one ({', '.join(other) or 'it is not known'})."


def _of_the_cluster(look: FullLook, asked: Asked, seen: Seen) -> t.Iterator[str]:
    if seen.generation != look.generation:
        yield f"The lock's generation is {seen.generation}, and was {look.generation}."
    if seen.holder:
        yield f"The lock is held by {seen.holder}."
    if seen.nodes != look.nodes:
        yield "Nodes came, went, got a new disk or another status."
    strange = sorted(seen.instance_ids ^ asked.inventory)
    if strange:
        yield f"Inventory and cluster differ about {_some(strange)}."
    if seen.records != look.records:
        yield "What is recorded about nodes and people is another."


def reasons_of_parts(look: FullLook, *, targets: t.Mapping[str, str], vpn: str) -> tuple[str, ...]:
    """As ``reasons``, of what the cluster rests on.

    :param targets: health by address and port.
    :param vpn: a hash, empty for a cluster without.
    """
    found = []
    if targets_digest(targets) != look.targets or not targets:
        found.append("The registered targets are others.")
    elif len({address.rpartition(":")[2] for address in targets}) > 1:
        found.append("Login nodes are on their way from one port to another.")
    sick = sorted(f"{address} ({health})" for address, health in targets.items() if health != HEALTHY)
    if sick:
        found.append(f"Not healthy: {_some(sick)}.")
    if vpn != look.vpn:
        found.append("The client VPN is another.")
    return tuple(found)


def in_service(targets: t.Mapping[str, str]) -> int:
    """How many addresses are healthy; on the way from one port to another a node is a target twice."""
    return len({address.rpartition(":")[0] for address, health in targets.items() if health == HEALTHY})


def targets_digest(targets: t.Mapping[str, str]) -> str:
    """Of the addresses; their health is looked at each time."""
    return digest(sorted(targets))


def hindrances(began: Seen, asked: Asked, seen: Seen) -> tuple[str, ...]:
    """Why a full look that ended well says nothing about the next one: something happened while it went on.

    A run takes the lock at most twice, for the login side and for the VPN. Of two generations the first is gone by now, and
    it may have been another run's.
    """
    found = []
    if not (seen.generation == began.generation or (seen.ours and seen.generation == began.generation + 1)):
        found.append("The lock was taken meanwhile.")
    if seen.nodes != began.nodes or seen.instance_ids != asked.inventory:
        found.append("Nodes came, went or changed meanwhile, or are not in the inventory.")
    if seen.records != began.records:
        found.append("What is recorded about nodes and people changed meanwhile.")
    if asked.problem or not asked.declared:
        found.append("The declaration is not known.")
    return tuple(found)


def due(ends: t.Iterable[t.Mapping[str, t.Any]], *, now: datetime.datetime) -> str:
    """The next moment at which something may be renewed or ends; empty for none. What is no time is due at once.

    :param ends: each with ``until`` and perhaps ``days``, how long before that it is renewed.
    """
    moments = []
    for each in ends:
        try:
            until = moment_of(str(each["until"]))
            moments += [until - datetime.timedelta(days=int(each.get("days") or 0)), until]
        except (ValueError, KeyError, OverflowError):
            return iso_seconds(now)
    return min((iso_seconds(moment) for moment in moments if moment > now), default="")


def _some(names: t.Sequence[str]) -> str:
    more = len(names) - NAMED
    return ", ".join(names[:NAMED]) + (f" and {more} more" if more > 0 else "")
