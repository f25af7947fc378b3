# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# This module util is private to the collection.
"""The lock as a run uses it: what it writes as its own, and the option ``lock`` of modules that change AWS.

Such a module takes the lock itself, just before its first change. A run that changes nothing takes none.
"""

from __future__ import annotations

import dataclasses
import datetime
import getpass
import os
import socket
import typing as t

from .._aws.account import check_region
from .._aws.client import BEFORE_CALLS, connect
from .._aws.run import boundary
from .._core.arn import ClusterArn
from .._core.converge import APPLIED, Resource, converge, retried
from .._core.failure import Refused
from .._core.plan import Plan, Step
from .._core.times import iso_seconds
from .api import LockStore
from .keep import LockKeeper
from .model import Claim, Locks, plan_acquire
from .process import RunProcess

LOCK_OPTION: dict[str, t.Any] = {"lock": {"type": "bool", "default": False}}
"""For ``argument_spec``, beside ``cluster_arn``; documented by the fragment ``mlfleet.hyperpod.lock``."""

DEFAULT_TTL = 3600
TRIES = 5


class LockTaken(Exception):
    """The lock was free and is ours now, so what was observed before may have been changed by its last holder."""


def own_token(token: str | None = None) -> str | None:
    """What tells this run from others: the given value, else the running ansible command, else nothing."""
    process = RunProcess.current()
    if token is None and process is not None:
        return f"{process.host}/{process.place}/{process.pid}/{process.started}"
    return token


def own_claim(*, owner: str | None = None, token: str | None = None, ttl: int = DEFAULT_TTL) -> Claim:
    """What this run writes if it takes the lock now.

    :raises Refused: if nothing tells this run from others.
    """
    process, own = RunProcess.current(), own_token(token)
    if own is None:
        raise Refused("token: needed here, because no running ansible command was found that could stand for the run.")
    now = datetime.datetime.now(datetime.timezone.utc)
    return Claim(
        owner=owner or own_name(),
        token=own,
        host=socket.gethostname(),
        place=process.place if process else "",
        pid=process.pid if process else 0,
        started=process.started if process else 0,
        acquired=iso_seconds(now),
        expires=iso_seconds(now + datetime.timedelta(seconds=ttl)),
    )


def holder_to_result(locks: Locks) -> dict[str, t.Any] | None:
    holder = locks.holder
    return None if holder is None else {"generation": holder[0], **holder[1].to_result()}


def run_of_holder(locks: Locks) -> str:
    """``running``, ``ended``, ``unknown``; empty if nobody holds the lock."""
    if locks.holder is None:
        return ""
    process = RunProcess.from_json(locks.holder[1].to_result())
    if process is None:
        return "unknown"
    return "running" if process.is_running() else "ended" if process.is_gone() else "unknown"


def retried_lock(body: t.Callable[[], t.Any], *, arn: ClusterArn) -> t.Any:
    """Run ``body`` again while others take the lock between its look and its attempt."""
    message = f"The lock of cluster {arn.id} changed hands {TRIES} times while it was asked for; run again."
    return retried(body, message=message, tries=TRIES)


def run_aws(module: t.Any, make: t.Callable[[t.Any], Resource]) -> t.NoReturn:
    """Run a module that changes AWS: ``make`` reads its options, and every expected failure becomes one sentence.

    With option ``lock`` the lock of the cluster is held from the first change to the module's end. If somebody else holds
    it, the module fails with ``locked_by`` before it has changed anything. It also fails when the lock is lost on the
    way; see ``keep``.
    """
    with boundary(module):
        resource = make(module)
        retried(lambda: converge_locked(module, resource), message=resource.lost_race)
    raise AssertionError("exit_json returned")


def converge_locked(module: t.Any, resource: Resource) -> t.NoReturn:
    to_take = _locked_cluster(module)

    def apply(step: Step) -> None:
        nonlocal to_take
        if to_take is not None:
            arn, to_take = to_take, None
            _take(module, arn)
        resource.apply(step)

    guarded = dataclasses.replace(resource, apply=apply)
    try:
        converge(module, guarded)
    except LockTaken:
        converge(module, guarded)


def take_lock(module: t.Any) -> bool:
    """With option ``lock`` hold the cluster's lock, for modules whose changes are known only when they are made.

    True: it is ours from now on only, so what was observed before may be out of date.
    """
    arn = _locked_cluster(module)
    if arn is None:
        return False
    try:
        _take(module, arn)
    except LockTaken:
        return True
    return False


def _locked_cluster(module: t.Any) -> ClusterArn | None:
    """The cluster whose lock the options ask for, if they do."""
    if not module.params.get("lock"):
        return None
    if module.params["cluster_arn"] is None:
        raise Refused("cluster_arn: missing; lock: true needs the ARN of the cluster whose lock is meant.")
    return ClusterArn.parse(module.params["cluster_arn"])


def _take(module: t.Any, arn: ClusterArn) -> None:
    check_region(arn, module.region)
    store, claim = LockStore(connect(module, "ssm"), arn), own_claim()

    def once() -> tuple[Plan, Locks]:
        plan = plan_acquire(store.observe(), claim, force=False)
        for step in plan.steps:
            store.apply(step)
        return plan, plan.predicted

    plan, locks = retried_lock(once, arn=arn)
    BEFORE_CALLS.clear()
    for note in plan.notes:
        module.warn(str(note))
    if not locks.held_by(claim.token):
        theirs = holder_to_result(locks) or {}
        module.fail_json(
            msg=f"Cluster {arn.id} is locked by {theirs['owner']} until {theirs['expires']}; nothing was changed.",
            locked_by=theirs,
            changes=APPLIED,
        )
    BEFORE_CALLS.append(LockKeeper(store, locks.holder, renewed=own_claim))
    if any(change.action == "create" for change in plan.changes):
        raise LockTaken


def own_name() -> str:
    """Who runs this, for people to read. Containers run as numbers that have no name."""
    try:
        user = getpass.getuser()
    except (KeyError, OSError):
        user = str(os.getuid())
    return f"{user}@{socket.gethostname()}"
