# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# This module util is private to the collection.
"""Reasons why a cluster may have changed since the last full look. A cluster without such reasons is quiet. No I/O."""

from __future__ import annotations

import datetime
import hashlib
import typing as t

from ..._core.times import moment_of
from .model import HEALTHY, FullLook, Observed, RunContext, targets_digest

AHEAD = datetime.timedelta(minutes=5)
"""The maximum difference between the clocks of control nodes."""
NAMED = 3
"""The maximum number of nodes or targets that a reason names."""


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
    """Whether a later run may use a full look that this run can't use: all values can return to the recorded ones, except the
    time and the lock's generation.

    :param generation: the lock's generation; None if it is unknown.
    """
    if not look.well or _is_due(look, run) or (generation is not None and generation > look.generation):
        return False
    # The period is part of the declaration, so a later run may have a longer period that has not ended.
    same = run.declared == look.declared and not run.problem
    return not (same and is_time(look, run) and moment_of(look.looked) <= run.now)


def _by_the_clock(look: FullLook, run: RunContext) -> t.Iterator[str]:
    if is_time(look, run):
        yield f"A full look is due (hyperpod_full_look_minutes): the last one was at {look.looked}."
    if _is_due(look, run):
        yield f"Since {look.due}, something has expired or may be renewed."


def _is_due(look: FullLook, run: RunContext) -> bool:
    return bool(look.due) and moment_of(look.due) <= run.now


def is_time(look: FullLook, run: RunContext) -> bool:
    """Whether a new period has begun. Clusters' periods begin at different times, so that their full looks are spread."""
    period = run.minutes * 60
    if not period or moment_of(look.looked) > run.now + AHEAD:
        return True
    shift = int(hashlib.sha256(run.cluster_id.encode()).hexdigest()[:8], 16) % period
    then, now = (int(moment.timestamp() + shift) // period for moment in (moment_of(look.looked), run.now))
    return now > then


def _of_the_declaration(look: FullLook, run: RunContext) -> t.Iterator[str]:
    if run.problem:
        yield f"The declaration can't be compared with that of the last full look: {run.problem}"
        return
    parts = sorted(set(look.declared) | set(run.declared))
    other = [part for part in parts if look.declared.get(part) != run.declared.get(part)]
    if other or not parts:
        yield f"The declaration changed ({', '.join(other)})." if other else "The declaration is unknown."


def _of_the_cluster(look: FullLook, run: RunContext, observed: Observed) -> t.Iterator[str]:
    if observed.generation != look.generation:
        yield f"The lock's generation changed from {look.generation} to {observed.generation}."
    if observed.holder:
        yield f"The lock is held by {observed.holder}."
    if observed.nodes != look.nodes:
        yield "Nodes were added, removed or replaced, or have a new disk or status."
    strange = sorted(observed.instance_ids ^ run.inventory)
    if strange:
        yield f"The inventory and the cluster differ in these nodes: {_some(strange)}."
    if observed.records != look.records:
        yield "The records about nodes and users changed."


def reasons_of_parts(look: FullLook, *, targets: t.Mapping[str, str], vpn: str) -> tuple[str, ...]:
    """As ``reasons``, for targets of the load balancer and for the Client VPN.

    :param targets: the health of each target, keyed by address and port.
    :param vpn: a hash; empty for a cluster without a Client VPN.
    """
    found = []
    if targets_digest(targets) != look.targets or not targets:
        found.append("The registered targets changed.")
    elif len({address.rpartition(":")[2] for address in targets}) > 1:
        found.append("Login nodes are moving to a different port.")
    sick = sorted(f"{address} ({health})" for address, health in targets.items() if health != HEALTHY)
    if sick:
        found.append(f"These targets are not healthy: {_some(sick)}.")
    if vpn != look.vpn:
        found.append("The Client VPN changed.")
    return tuple(found)


def in_service(targets: t.Mapping[str, str]) -> int:
    """The number of healthy addresses. A node that moves to a different port is a target twice."""
    return len({address.rpartition(":")[0] for address, health in targets.items() if health == HEALTHY})


def hindrances(began: Observed, run: RunContext, observed: Observed) -> tuple[str, ...]:
    """Why later runs can't be compared with a successful full look: something may have changed during the run.

    A run acquires the lock at most twice, for the login nodes and for the Client VPN. If the lock has two new generations, the
    first one is no longer visible and may belong to a different run.
    """
    found = []
    if not (observed.generation == began.generation or (observed.ours and observed.generation == began.generation + 1)):
        found.append("A different run may have acquired the lock during this run.")
    if observed.nodes != began.nodes or observed.instance_ids != run.inventory:
        found.append("Nodes were added, removed or changed during this run, or the inventory and AWS list different nodes.")
    if observed.records != began.records:
        found.append("The records about nodes and users were changed during this run.")
    if run.problem or not run.declared:
        found.append("The declaration is unknown.")
    return tuple(found)


def _some(names: t.Sequence[str]) -> str:
    more = len(names) - NAMED
    return ", ".join(names[:NAMED]) + (f" and {more} more" if more > 0 else "")
