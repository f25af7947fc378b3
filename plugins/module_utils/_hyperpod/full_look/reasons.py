# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# This module util is private to the collection.
"""Decides whether a cluster is quiet: reasons why it may have changed since the last full look. Pure, no I/O."""

from __future__ import annotations

import datetime
import hashlib
import typing as t

from ..._core.times import moment_of
from .model import HEALTHY, FullLook, Observed, RunContext, targets_digest

AHEAD = datetime.timedelta(minutes=5)
"""The most by which clocks of controllers may differ."""
NAMED = 3
"""The most nodes or targets that a reason names."""


def reasons(look: FullLook | None, run: RunContext, observed: Observed) -> tuple[str, ...]:
    """Sentences about why the cluster is not quiet. If there are none, ``reasons_of_parts`` must be checked next."""
    if run.full:
        return ("This run checks everything, as requested.",)
    if look is None:
        return ("No full look is recorded.",)
    if not look.well:
        return (f"The full look of {look.looked} changed something, left something pending or failed, or did not end.",)
    return (*_by_the_clock(look, run), *_of_the_declaration(look, run), *_of_the_cluster(look, run, observed))


def could_count(look: FullLook, run: RunContext, generation: int | None) -> bool:
    """Whether a look that is outdated now may count for a later run: every value can return except time and the lock's generation.

    :param generation: of the lock, None if it is unknown.
    """
    if not look.well or _is_due(look, run) or (generation is not None and generation > look.generation):
        return False
    # The period is part of the declaration; a longer one may not have ended.
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
    """Each cluster has its own minute of the period, so that full looks of many clusters are spread."""
    period = run.minutes * 60
    if not period or moment_of(look.looked) > run.now + AHEAD:
        return True
    shift = int(hashlib.sha256(run.cluster_id.encode()).hexdigest()[:8], 16) % period
    then, now = (int(moment.timestamp() + shift) // period for moment in (moment_of(look.looked), run.now))
    return now > then


def _of_the_declaration(look: FullLook, run: RunContext) -> t.Iterator[str]:
    if run.problem:
        yield f"The declaration can't be compared with the last one: {run.problem}"
        return
    parts = sorted(set(look.declared) | set(run.declared))
    other = [part for part in parts if look.declared.get(part) != run.declared.get(part)]
    if other or not parts:
        yield f"The declaration changed ({', '.join(other) or 'it is unknown'})."


def _of_the_cluster(look: FullLook, run: RunContext, observed: Observed) -> t.Iterator[str]:
    if observed.generation != look.generation:
        yield f"The lock's generation changed from {look.generation} to {observed.generation}."
    if observed.holder:
        yield f"The lock is held by {observed.holder}."
    if observed.nodes != look.nodes:
        yield "Nodes were added, removed or replaced, or have a new disk or status."
    strange = sorted(observed.instance_ids ^ run.inventory)
    if strange:
        yield f"Inventory and cluster differ in {_some(strange)}."
    if observed.records != look.records:
        yield "The records about nodes and people changed."


def reasons_of_parts(look: FullLook, *, targets: t.Mapping[str, str], vpn: str) -> tuple[str, ...]:
    """As ``reasons``, for load balancer targets and the client VPN.

    :param targets: health by address and port.
    :param vpn: a hash, empty for a cluster without.
    """
    found = []
    if targets_digest(targets) != look.targets or not targets:
        found.append("The registered targets changed.")
    elif len({address.rpartition(":")[2] for address in targets}) > 1:
        found.append("Login nodes are moving from one port to another.")
    sick = sorted(f"{address} ({health})" for address, health in targets.items() if health != HEALTHY)
    if sick:
        found.append(f"Not healthy: {_some(sick)}.")
    if vpn != look.vpn:
        found.append("The client VPN changed.")
    return tuple(found)


def in_service(targets: t.Mapping[str, str]) -> int:
    """The number of healthy addresses. A node that moves from one port to another is a target twice."""
    return len({address.rpartition(":")[0] for address, health in targets.items() if health == HEALTHY})


def hindrances(began: Observed, run: RunContext, observed: Observed) -> tuple[str, ...]:
    """Why a successful full look can't be compared with the next one: something changed during the run.

    A run takes the lock at most twice, for the login side and for the VPN. Of two new generations, the first is no longer visible
    and may have been another run's.
    """
    found = []
    if not (observed.generation == began.generation or (observed.ours and observed.generation == began.generation + 1)):
        found.append("The lock was taken during the run.")
    if observed.nodes != began.nodes or observed.instance_ids != run.inventory:
        found.append("Nodes were added, removed or changed during the run, or are missing from the inventory.")
    if observed.records != began.records:
        found.append("The records about nodes and people changed during the run.")
    if run.problem or not run.declared:
        found.append("The declaration is unknown.")
    return tuple(found)


def _some(names: t.Sequence[str]) -> str:
    more = len(names) - NAMED
    return ", ".join(names[:NAMED]) + (f" and {more} more" if more > 0 else "")
