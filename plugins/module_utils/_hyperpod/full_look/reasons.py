# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# This module util is private to the collection.
"""Whether a cluster is quiet: why something may have happened since the last full look at it, as far as AWS tells. Pure."""

from __future__ import annotations

import datetime
import hashlib
import typing as t

from ..._core.times import moment_of
from .model import HEALTHY, FullLook, Observed, RunContext, targets_digest

AHEAD = datetime.timedelta(minutes=5)
"""Clocks of controllers differ by less."""
NAMED = 3
"""So many nodes or targets are named in a reason."""


def reasons(look: FullLook | None, run: RunContext, observed: Observed) -> tuple[str, ...]:
    """Why the cluster is not quiet, as sentences. With none, what it rests on is looked at (``reasons_of_parts``)."""
    if run.full:
        return ("This run is asked to look at everything.",)
    if look is None:
        return ("No full look is on record.",)
    if not look.well:
        return (f"The full look of {look.looked} changed something, left something pending or failed, or did not end.",)
    return (*_by_the_clock(look, run), *_of_the_declaration(look, run), *_of_the_cluster(look, run, observed))


def could_count(look: FullLook, run: RunContext, generation: int | None) -> bool:
    """Whether a look that does not count now may count for a later run: all comes back but time and the lock's generations.

    :param generation: of the lock, None where AWS did not tell it.
    """
    if not look.well or _is_due(look, run) or (generation is not None and generation > look.generation):
        return False
    # The period is part of the declaration, and another one may not be over.
    same = run.declared == look.declared and not run.problem
    return not (same and is_time(look, run) and moment_of(look.looked) <= run.now)


def _by_the_clock(look: FullLook, run: RunContext) -> t.Iterator[str]:
    if is_time(look, run):
        yield f"The last full look was at {look.looked}."
    if _is_due(look, run):
        yield f"Something ends or may be renewed since {look.due}."


def _is_due(look: FullLook, run: RunContext) -> bool:
    return bool(look.due) and moment_of(look.due) <= run.now


def is_time(look: FullLook, run: RunContext) -> bool:
    """Each cluster has its own minute of the period, so that many do not come at once."""
    period = run.minutes * 60
    if not period or moment_of(look.looked) > run.now + AHEAD:
        return True
    shift = int(hashlib.sha256(run.cluster_id.encode()).hexdigest()[:8], 16) % period
    then, now = (int(moment.timestamp() + shift) // period for moment in (moment_of(look.looked), run.now))
    return now > then


def _of_the_declaration(look: FullLook, run: RunContext) -> t.Iterator[str]:
    if run.problem:
        yield f"The declaration can't be told from the last one: {run.problem}"
        return
    parts = sorted(set(look.declared) | set(run.declared))
    other = [part for part in parts if look.declared.get(part) != run.declared.get(part)]
    if other or not parts:
        yield f"The declaration is another one ({', '.join(other) or 'it is not known'})."


def _of_the_cluster(look: FullLook, run: RunContext, observed: Observed) -> t.Iterator[str]:
    if observed.generation != look.generation:
        yield f"The lock's generation is {observed.generation}, and was {look.generation}."
    if observed.holder:
        yield f"The lock is held by {observed.holder}."
    if observed.nodes != look.nodes:
        yield "Nodes came, went, got a new disk or another status."
    strange = sorted(observed.instance_ids ^ run.inventory)
    if strange:
        yield f"Inventory and cluster differ about {_some(strange)}."
    if observed.records != look.records:
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


def hindrances(began: Observed, run: RunContext, observed: Observed) -> tuple[str, ...]:
    """Why a full look that ended well says nothing about the next one: something happened while it went on.

    A run takes the lock at most twice, for the login side and for the VPN. Of two generations the first is gone by now, and
    it may have been another run's.
    """
    found = []
    if not (observed.generation == began.generation or (observed.ours and observed.generation == began.generation + 1)):
        found.append("The lock was taken meanwhile.")
    if observed.nodes != began.nodes or observed.instance_ids != run.inventory:
        found.append("Nodes came, went or changed meanwhile, or are not in the inventory.")
    if observed.records != began.records:
        found.append("What is recorded about nodes and people changed meanwhile.")
    if run.problem or not run.declared:
        found.append("The declaration is not known.")
    return tuple(found)


def _some(names: t.Sequence[str]) -> str:
    more = len(names) - NAMED
    return ", ".join(names[:NAMED]) + (f" and {more} more" if more > 0 else "")
