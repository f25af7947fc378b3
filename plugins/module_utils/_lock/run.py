# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# This module util is private to the collection.
"""The option ``lock`` of modules that change AWS resources.

Such a module acquires the lock immediately before its first change. A run without changes does not acquire the lock.
"""

from __future__ import annotations

import dataclasses
import typing as t

from .._aws.account import check_region
from .._aws.client import BEFORE_CALLS, connect
from .._aws.run import boundary
from .._core.arn import ClusterArn, lockable
from .._core.converge import APPLIED, Resource, converge, retried
from .._core.failure import Refused
from .._core.plan import Plan, Step
from .apply import Applier
from .claim import own_claim
from .keep import LockKeeper
from .model import Locks
from .observe import Observer
from .plan import plan_acquire
from .result import holder_to_result

LOCK_OPTION: dict[str, t.Any] = {"lock": {"type": "bool", "default": False}}
"""For ``argument_spec``, together with ``cluster_arn``. The fragment ``mlfleet.hyperpod.lock_option`` documents the option."""

TRIES = 5


class LockTaken(Exception):
    """This run has just acquired the lock. Its previous holder may have changed the state since this run observed it."""


def lost_race(arn: ClusterArn) -> str:
    """Message if each attempt to acquire the lock loses a race against another run."""
    return f"The lock of cluster {arn.id} changed hands {TRIES} times while this run tried to acquire it. Run again."


def run_aws(module: t.Any, make: t.Callable[[t.Any], Resource]) -> t.NoReturn:
    """Run a module that changes AWS resources. ``make`` reads its options. Each expected failure becomes one message.

    With the option ``lock``, the module acquires the cluster's lock for the run before its first change, and does not release
    it. If another run holds the lock, the module fails with ``locked_by`` before any change. If the run loses the lock later, the
    module fails as well; see ``keep``.
    """
    resource: Resource | None = None

    def failed(error: Exception) -> dict[str, t.Any]:
        return resource.failed(error) if resource else {}

    with boundary(module, failed):
        resource = make(module)
        retried(lambda: converge_locked(module, resource), message=resource.lost_race, tries=resource.tries)
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
    """Acquire the cluster's lock if the option ``lock`` is set; for modules that know their changes only when they make them.

    Returns True if the lock was acquired just now, so that the observed state may be outdated.
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
    """The cluster whose lock the module must acquire, or None without the option ``lock``."""
    if not module.params.get("lock"):
        return None
    if module.params["cluster_arn"] is None:
        raise Refused("cluster_arn: missing; lock=true requires the ARN of the cluster to lock.")
    return lockable(module.params["cluster_arn"])


def _take(module: t.Any, arn: ClusterArn) -> None:
    check_region(arn, module.region)
    ssm, claim = connect(module, "ssm"), own_claim()
    observer = Observer(ssm, arn)
    applier = Applier(ssm, arn, observer)

    def once() -> tuple[Plan, Locks]:
        seen = observer()
        plan = plan_acquire(seen, claim, force=False)
        for step in plan.steps:
            applier(step)
        return plan, plan.after(seen)

    plan, locks = retried(once, message=lost_race(arn), tries=TRIES)
    BEFORE_CALLS.clear()
    for note in plan.notes:
        module.warn(str(note))
    if locks.holder is None or not locks.held_by(claim.token):
        _fail_locked(module, arn, holder_to_result(locks) or {})
    BEFORE_CALLS.append(LockKeeper(observer, applier, locks.holder, renewed=own_claim))
    if any(change.action == "create" for change in plan.changes):
        raise LockTaken


def _fail_locked(module: t.Any, arn: ClusterArn, theirs: t.Mapping[str, t.Any]) -> t.NoReturn:
    module.fail_json(
        msg=f"Cluster {arn.id} is locked by {theirs['owner']} until {theirs['expires']}. Nothing was changed.",
        locked_by=theirs,
        changes=APPLIED,
    )
    raise AssertionError("fail_json returned")
