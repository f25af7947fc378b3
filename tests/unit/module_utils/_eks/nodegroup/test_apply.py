# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Waits for a node group: the answers that end them, and the errors of failed ones."""

from __future__ import annotations

import typing as t

import pytest
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._aws.client import AwsError
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._core.failure import Failure, LostRace, Postponed
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._core.plan import Step
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._core.wait import Clock
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._core.waits import Waits
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._eks.nodegroup.apply import Applier
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._eks.nodegroup.model import Desired
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._eks.nodegroup.observe import Observer
from botocore.exceptions import ClientError

CREATE, DELETE = Step("CreateNodegroup", {"nodegroupName": "gpu"}, ()), Step("DeleteNodegroup", {}, ())
CONFIG, UPGRADE = Step("UpdateNodegroupConfig", {"labels": {}}, ()), Step("UpdateNodegroupVersion", {}, ())
WANTED = {"labels": {"a": "b"}, "version": "1.34"}
CAPACITY = {"code": "AsgInstanceLaunchFailures", "message": "no capacity"}
SECONDS = 600


def described(status: str, *issues: dict[str, str], version: str = "1.34", label: str = "b") -> dict[str, t.Any]:
    found = {"nodegroupArn": "arn", "status": status, "version": version, "labels": {"a": label}}
    return {**found, "scalingConfig": {"minSize": 1, "maxSize": 2, "desiredSize": 2}, "health": {"issues": list(issues)}}


def refusal(code: str) -> ClientError:
    return ClientError({"Error": {"Code": code, "Message": "no"}}, "Operation")


GONE, BUSY = refusal("ResourceNotFoundException"), refusal("ResourceInUseException")
STARTED = {"update": {"id": "1"}}


class Eks:
    """Returns the answers of DescribeNodegroup in order and repeats the last, as those of DescribeUpdate.

    ``first`` are the answers to the changing calls.
    """

    def __init__(self, *answers: t.Any, first: t.Any = STARTED, updates: t.Sequence[t.Any] = ("Successful",)) -> None:
        self.answers, self.updates = list(answers), list(updates)
        self.first = first if isinstance(first, list) else [first]
        self.calls: list[tuple[str, dict[str, t.Any]]] = []

    def call(self, operation: str, *, about: str, **arguments: t.Any) -> t.Any:
        self.calls.append((operation, arguments))
        queue = {"DescribeUpdate": self.updates, "DescribeNodegroup": self.answers}.get(operation, self.first)
        answer = queue.pop(0) if len(queue) > 1 else queue[0]
        if isinstance(answer, ClientError):
            raise AwsError(message=f"{operation} for {about} failed", exception=answer)
        if operation == "DescribeUpdate":
            return {"update": answer if isinstance(answer, dict) else {"status": answer}}
        return {"nodegroup": answer} if operation == "DescribeNodegroup" else answer


def applier(eks: Eks, *, waits: bool = True, settings: t.Any = None) -> tuple[Applier, list[float]]:
    now = [0.0]
    clock = Clock(now=lambda: now[0], sleep=lambda seconds: now.__setitem__(0, now[0] + seconds), jitter=lambda: 0.0)
    desired = Desired("pods", "gpu", settings=WANTED if settings is None else settings)
    observer = Observer(t.cast(t.Any, eks), desired, waits=Waits(timeout=SECONDS, interval=20, clock=clock) if waits else None)
    return Applier(t.cast(t.Any, eks), desired, observer), now


def run(eks: Eks, step: Step, **more: t.Any) -> float:
    """Return the seconds that the wait took."""
    apply, now = applier(eks, **more)
    apply(step)
    return now[0]


def test_a_wait_ends_when_the_group_is_ready() -> None:
    assert run(Eks(GONE, described("CREATING"), described("ACTIVE"), first={"nodegroup": {}}), CREATE) < 5
    assert run(Eks(described("UPDATING", label="old"), described("ACTIVE")), CONFIG) < 5
    assert run(Eks(described("UPDATING", version="1.33"), described("ACTIVE")), UPGRADE) < 5
    assert run(Eks(described("DELETING"), GONE, first={}), DELETE) < 5


def test_a_new_group_may_already_have_been_scaled() -> None:
    assert run(Eks(described("ACTIVE", label="other"), first={"nodegroup": {}}), CREATE) == 0


def test_an_update_is_followed_by_its_id_until_it_has_ended() -> None:
    eks = Eks(described("ACTIVE"), updates=(GONE, "InProgress", "InProgress", "Successful"))
    assert 0 < run(eks, CONFIG) < 5
    request = {"name": "pods", "nodegroupName": "gpu", "updateId": "1"}
    assert [each for each in eks.calls if each[0] == "DescribeUpdate"] == [("DescribeUpdate", request)] * 4
    assert eks.calls[0] == ("UpdateNodegroupConfig", CONFIG.arguments)


def test_a_group_is_read_again_until_it_shows_the_update() -> None:
    stale = [described("ACTIVE", label="old")] * 4
    assert run(Eks(*stale, described("ACTIVE")), CONFIG) > 0
    with pytest.raises(LostRace):
        run(Eks(described("ACTIVE", label="old")), CONFIG)


def test_a_group_that_another_caller_removes_is_planned_again() -> None:
    for step, first in ((CREATE, {}), (CONFIG, STARTED)):
        with pytest.raises(LostRace):
            run(Eks(GONE, first=first, updates=("InProgress",)), step)


def test_a_failed_creation_ends_the_wait_at_once() -> None:
    eks = Eks(described("CREATING"), described("CREATE_FAILED", CAPACITY), first={"nodegroup": {}})
    cause = r"is CREATE_FAILED \(desired 2; AsgInstanceLaunchFailures: no capacity\): see the message: .*; "
    message = f"{cause}then remove the group with eks_nodegroup and state=absent, and run again"
    with pytest.raises(Failure, match=message):
        run(eks, CREATE)
    assert len(eks.calls) == 3


@pytest.mark.parametrize(("step", "first"), [(CREATE, {}), (CONFIG, STARTED), (UPGRADE, STARTED)])
def test_a_degraded_group_ends_the_wait_unless_it_recovers(step: Step, first: dict[str, t.Any]) -> None:
    assert run(Eks(*[described("DEGRADED", CAPACITY)] * 4, described("ACTIVE"), first=first), step) > 0
    with pytest.raises(Failure, match=r"is DEGRADED \(desired 2; AsgInstanceLaunchFailures: no capacity\): see the message"):
        run(Eks(described("DEGRADED", CAPACITY), first=first), step)


def test_a_degraded_group_is_no_failure_before_its_update_has_ended() -> None:
    degraded = [described("DEGRADED", CAPACITY, label="old")] * 20
    assert run(Eks(*degraded, described("ACTIVE"), updates=(*["InProgress"] * 20, "Successful")), CONFIG) > 100


@pytest.mark.parametrize(
    ("update", "message"),
    [
        (
            {"status": "Failed", "errors": [{"errorCode": "PodEvictionFailure", "errorMessage": "blocked", "resourceIds": ["i-1"]}]},
            r"the update is Failed \(PodEvictionFailure: blocked \[i-1\]\); change the Pod disruption budget .* force_update=true$",
        ),
        ({"status": "Failed", "errors": [{"errorCode": "NewCode"}]}, r"the update is Failed \(NewCode\); correct the problem that EKS reports$"),
        ({"status": "Cancelled"}, "the update is Cancelled; EKS gives no reason; run again later$"),
    ],
)
def test_a_failed_update_is_reported_with_the_errors_of_eks(update: dict[str, t.Any], message: str) -> None:
    with pytest.raises(Failure, match=rf"^node group gpu of EKS cluster pods is ACTIVE \(desired 2\): {message}"):
        run(Eks(described("ACTIVE", version="1.33"), updates=(update,)), UPGRADE)


def test_a_failed_removal_from_before_the_call_is_checked_again() -> None:
    failed = described("DELETE_FAILED", {"code": "Ec2SecurityGroupDeletionFailure", "message": "in use"})
    assert run(Eks(*[failed] * 4, described("DELETING"), GONE, first={}), DELETE) > 0
    with pytest.raises(Failure, match="DELETE_FAILED .*: remove what uses the security group"):
        run(Eks(failed, first={}), DELETE)


def test_a_call_refused_as_busy_counts_as_ours_if_the_result_is_as_wanted() -> None:
    assert run(Eks(GONE, described("CREATING"), described("ACTIVE"), first=BUSY), CREATE) < 10
    assert run(Eks(described("UPDATING"), described("ACTIVE"), first=BUSY), CONFIG) < 5
    assert run(Eks(described("DELETING"), GONE, first=BUSY), DELETE) < 5
    for step, answers in (
        (CREATE, [described("ACTIVE", label="other")]),
        (CREATE, [described("CREATE_FAILED")]),
        (CREATE, [GONE]),
        (CONFIG, [described("UPDATING"), described("ACTIVE", label="other")]),
        (UPGRADE, [described("ACTIVE", version="1.33")]),
        (DELETE, [described("UPDATING"), described("ACTIVE")]),
    ):
        with pytest.raises(LostRace):
            run(Eks(*answers, first=BUSY), step)


def test_updates_that_eks_refuses_because_of_the_health_are_explained() -> None:
    message = r"^EKS refuses UpdateNodegroupConfig for node group gpu .* DEGRADED \(desired 2; .*\)\. Next step: see the message: .* run again\.$"
    with pytest.raises(Failure, match=message):
        run(Eks(described("DEGRADED", CAPACITY, label="old"), first=BUSY), CONFIG)


def test_other_errors_are_raised() -> None:
    for step in (CREATE, CONFIG, DELETE):
        with pytest.raises(AwsError):
            run(Eks(described("ACTIVE"), first=refusal("InvalidRequestException")), step)
    assert run(Eks(GONE, first=GONE), DELETE) == 0
    with pytest.raises(AwsError):
        run(Eks(GONE, first=GONE), CONFIG)


def test_without_waits_a_second_update_is_postponed_to_a_later_run() -> None:
    assert run(Eks(described("CREATING"), first={"nodegroup": {}}), CREATE, waits=False) == 0
    with pytest.raises(AwsError):
        run(Eks(described("UPDATING"), first=BUSY), CONFIG, waits=False)
    apply, _now = applier(Eks(described("UPDATING"), first=[STARTED, BUSY]), waits=False)
    apply(CONFIG)
    with pytest.raises(Postponed):
        apply(UPGRADE)


def test_tags_are_not_waited_for() -> None:
    eks, tag = Eks(described("UPDATING"), first={}), Step("TagResource", {"resourceArn": "arn", "tags": {"a": "b"}}, ())
    assert run(eks, tag) == 0 and eks.calls == [("TagResource", tag.arguments)]
