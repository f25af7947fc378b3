# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# This module util is private to the collection.
"""Applies the plan of an add-on: makes each call, then waits until EKS has installed, changed or removed the add-on."""

from __future__ import annotations

import typing as t

from ..._aws.client import Api, AwsError
from ..._aws.tag_steps import EKS
from ..._core.failure import Failure, LostRace
from ..._core.plan import Step
from ..._core.text import printable
from ..._core.wait import WaitTimeout
from ..._core.waits import repeated
from ..._hyperpod.waits import LAGGING
from ..common import IN_USE, NOT_FOUND, UPDATE, Answer
from .model import ACTIVE, ADDON, DEGRADED, DEGRADED_MINUTES, DELETING, INSTALLED, LACKS_NODES, Addon, Desired
from .observe import Observer
from .plan import left

REFUSED = "InvalidRequestException"
WAYS = {
    "ConfigurationConflict": "set resolve_conflicts=OVERWRITE to replace the fields that others have set",
    "AddonPermissionFailure": "set pod_identity_associations or service_account_role_arn, so that the service account has a role",
    "AddonSubscriptionNeeded": "subscribe to the add-on in AWS Marketplace",
    LACKS_NODES: "add nodes that can run its Pods and run again, or set wait_for=installed to accept this status",
}
"""The next step for the operator, keyed by the code of an issue."""


class Applier:
    """Applies the steps of one add-on. If ``observer`` waits, each step ends before the next begins."""

    def __init__(self, eks: Api, desired: Desired, observer: Observer) -> None:
        self.eks = eks
        self.desired = desired
        self.observer = observer

    def __call__(self, step: Step) -> None:
        if step.operation in EKS.operations:
            self.eks.call(step.operation, about=self.desired.about, **step.arguments)
            return
        done = _gone if step.operation == "DeleteAddon" else self._works(step)
        answer = self._answer(step)
        if answer is not None:
            self._wait(done, str((answer.get("update") or {}).get("id", "")))
        elif not done(self.observer.until(lambda addon: addon is None or not ADDON.is_busy(addon.status))):
            raise LostRace  # a concurrent change: observe and plan again

    def _answer(self, step: Step) -> Answer | None:
        """EKS's answer; None if EKS is already working on the add-on, possibly because of our own call whose reply was lost."""
        try:
            return self.eks.call(step.operation, about=self.desired.about, **step.arguments)
        except AwsError as error:
            removal = step.operation == "DeleteAddon"
            if removal and error.code == NOT_FOUND:
                return {}
            if self.observer.waits is None:
                raise
            if error.code == IN_USE or (removal and error.code == REFUSED and self._is_going()):
                return None
            raise

    def _is_going(self) -> bool:
        addon = self.observer.look()
        return addon is None or addon.status == DELETING

    def _works(self, step: Step) -> t.Callable[[Addon | None], bool]:
        def works(addon: Addon | None) -> bool:
            if addon is None or left(self.desired, addon, step.arguments["addonVersion"]):
                return False
            return addon.status == ACTIVE or (self.desired.wait_for == INSTALLED and addon.lacks_nodes)

        return works

    def _wait(self, done: t.Callable[[Addon | None], bool], update: str) -> None:
        """
        :param update: ID of the started update; empty if the step started none.
        :raises WaitFailed: with EKS's reasons.
        """
        last: list[Addon | None] = [None]
        by_status, stuck = repeated(_broken, LAGGING), _stuck(self.observer.now)

        def failed(addon: Addon | None) -> str | None:
            last[0] = addon
            return (self._failed(update) if update else by_status(addon)) or stuck(addon)

        try:
            self.observer.until(done, failed=failed)
        except WaitTimeout as error:
            if last[0] is None or not last[0].lacks_nodes:
                raise
            raise Failure(
                f"{error}, because no node can run its Pods. Add nodes to the cluster and run again, or set wait_for=installed to "
                "accept this status."
            ) from error

    def _failed(self, update: str) -> str | None:
        """Why the update failed; None if it has not failed."""
        desired = self.desired
        about = f"an update of {desired.about}"
        answer = self.eks.call("DescribeUpdate", about=about, name=desired.cluster, addonName=desired.name, updateId=update)
        found = answer["update"]
        if found["status"] not in UPDATE.failed:
            return None
        errors = found.get("errors") or ()
        listed = "; ".join(f"{each.get('errorCode', 'Unknown')}: {each.get('errorMessage', '')}" for each in errors)
        return printable(f"{listed or 'EKS gives no reason'}; {_way([each.get('errorCode', '') for each in errors])}")


def _gone(addon: Addon | None) -> bool:
    return addon is None


def _broken(addon: Addon | None) -> str | None:
    """The next step if the add-on has failed. EKS may return the failure of an earlier operation for some time."""
    if addon is None or addon.status not in ADDON.failed:
        return None
    way = _way([issue.code for issue in addon.issues])
    return way if addon.issues else f"EKS gives no reason; {way}"


def _stuck(now: t.Callable[[], float]) -> t.Callable[[Addon | None], str | None]:
    """A function that returns the next step once the add-on has been DEGRADED with the same issues for ``DEGRADED_MINUTES``."""
    known: t.Any = None
    since = 0.0

    def judged(addon: Addon | None) -> str | None:
        nonlocal known, since
        if addon is None or addon.status != DEGRADED:
            known = None
            return None
        issues = {(each.code, each.resources) for each in addon.issues}
        if issues != known:
            known, since = issues, now()
        if now() - since < DEGRADED_MINUTES * 60:
            return None
        return f"this has not changed for {DEGRADED_MINUTES} minutes; {_way(each.code for each in addon.issues)}"

    return judged


def _way(codes: t.Iterable[str]) -> str:
    """The next step for the operator, by the codes of the issues."""
    return next((WAYS[code] for code in codes if code in WAYS), "correct the problem and run again")
