# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Waits for an EKS cluster, refused calls, and lost replies."""

from __future__ import annotations

import typing as t

import pytest
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._aws.client import AwsError
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._core.failure import Failure, LostRace, Refused
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._core.plan import Change, Step
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._core.wait import Clock
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._core.waits import Waits
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._eks.cluster.apply import Applier
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._eks.cluster.model import Desired
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._eks.cluster.observe import Observer
from botocore.exceptions import ClientError

from .clusters import described

CREATE, DELETE = Step("CreateCluster", {"name": "ml"}, ()), Step("DeleteCluster", {"name": "ml"}, ())
LOGS = Step("UpdateClusterConfig", {"name": "ml"}, (Change("update", "EKS cluster ml", "logging", ("api",), ()),))
UPGRADE = Step("UpdateClusterVersion", {"name": "ml"}, (Change("update", "EKS cluster ml", "version", "1.34", "1.35"),))
NO_LOGS: dict[str, t.Any] = {"logging": {"clusterLogging": []}}
SECONDS = 600
MINE = {"accessConfig": {"authenticationMode": "API"}, "upgradePolicy": {"supportType": "STANDARD"}}


def refusal(code: str) -> ClientError:
    return ClientError({"Error": {"Code": code, "Message": "no"}}, "Operation")


GONE, BUSY = refusal("ResourceNotFoundException"), refusal("ResourceInUseException")


class Eks:
    """Returns the answers of DescribeCluster, and the statuses of updates, in order and repeats the last of each.

    :param first: the answer to the changing call.
    """

    def __init__(self, *answers: t.Any, first: t.Any = None, updates: t.Sequence[str] = ("Successful",)) -> None:
        self.answers, self.updates = list(answers), list(updates)
        self.first = first if first is not None else {"update": {"id": "1"}}
        self.calls: list[tuple[str, dict[str, t.Any]]] = []

    def call(self, operation: str, *, about: str, **arguments: t.Any) -> t.Any:
        self.calls.append((operation, arguments))
        if operation == "DescribeUpdate":
            return {"update": {"id": "1", "type": "LoggingUpdate", "status": self._next(self.updates)}}
        answer = self._next(self.answers) if operation == "DescribeCluster" else self.first
        if isinstance(answer, ClientError):
            raise AwsError(message=f"{operation} for {about} failed", exception=answer)
        return {"cluster": answer} if operation == "DescribeCluster" else answer

    def pages(self, operation: str, key: str, *, about: str, **arguments: t.Any) -> list[str]:
        self.calls.append((operation, arguments))
        return ["1"] if self.updates else []

    @staticmethod
    def _next(answers: list[t.Any]) -> t.Any:
        return answers.pop(0) if len(answers) > 1 else answers[0]

    def count(self, operation: str) -> int:
        return [name for name, _arguments in self.calls].count(operation)


def run(eks: Eks, step: Step, *, waits: bool = True, **more: t.Any) -> float:
    """Return the seconds that the wait took."""
    now = [0.0]
    clock = Clock(now=lambda: now[0], sleep=lambda seconds: now.__setitem__(0, now[0] + seconds), jitter=lambda: 0.0)
    desired = Desired("ml", **more)
    observer = Observer(eks, desired, waits=Waits(timeout=SECONDS, interval=20, clock=clock) if waits else None)
    Applier(eks, desired, observer)(step)
    return now[0]


def test_a_creation_ends_when_the_cluster_is_active() -> None:
    eks = Eks(GONE, described(status="CREATING"), described())
    assert run(eks, CREATE) < 5
    assert eks.calls[0][1]["clientRequestToken"] and eks.calls[0][1]["name"] == "ml"
    assert run(Eks(described(status="CREATING")), CREATE, waits=False) == 0


@pytest.mark.parametrize("step", [CREATE, DELETE])
def test_a_failure_is_explained_once_it_is_certain(step: Step) -> None:
    failed = described(status="FAILED", health={"issues": [{"code": "IamRoleNotFound", "message": "no"}]})
    then = "then run again" if step is DELETE else "then delete the cluster, and create it again"
    message = rf"EKS cluster ml is FAILED \(IamRoleNotFound: no\): create the cluster's role again with the same name, {then}"
    with pytest.raises(Failure, match=message):
        run(Eks(failed), step)
    with pytest.raises(Failure, match="is FAILED: EKS gives no reason; "):
        run(Eks(described(status="FAILED")), step)
    assert run(Eks(*[failed] * 4, GONE if step is DELETE else described()), step) > 0


def test_a_creation_that_takes_too_long_is_reported() -> None:
    with pytest.raises(Failure, match=f"EKS cluster ml is still CREATING after {SECONDS} s"):
        run(Eks(described(status="CREATING")), CREATE)
    with pytest.raises(Failure, match=f"EKS cluster ml is still not found after {SECONDS} s"):
        run(Eks(GONE), CREATE)


def test_a_cluster_that_exists_already_is_ours_or_refused() -> None:
    options = {"settings": {"role_arn": "role"}}
    assert run(Eks(described(**MINE), first=BUSY), CREATE, **options) == 0
    with pytest.raises(Refused, match="has just been created by another caller, and differs from the options: authentication_mode, support_type"):
        run(Eks(described(), first=BUSY), CREATE, **options)
    with pytest.raises(AwsError):
        run(Eks(described(status="DELETING"), first=BUSY), CREATE, **options)
    with pytest.raises(LostRace):
        run(Eks(GONE, first=BUSY), CREATE, **options)
    assert run(Eks(GONE, GONE, described(**MINE), first=BUSY), CREATE, **options) < 5
    with pytest.raises(AwsError):
        run(Eks(described(**MINE), first=refusal("InvalidParameterException")), CREATE, **options)


def test_a_cluster_with_our_token_is_ours_whatever_it_looks_like() -> None:
    class Lost(Eks):
        """The reply to the creation was lost, and the repeated call is refused."""

        def call(self, operation: str, *, about: str, **arguments: t.Any) -> t.Any:
            if operation == "CreateCluster":
                self.answers = [described(status="CREATING", clientRequestToken=arguments["clientRequestToken"]), described()]
            return super().call(operation, about=about, **arguments)

    assert run(Lost(GONE, first=BUSY), CREATE) < 5


def test_an_update_is_followed_by_its_id() -> None:
    """The status of the cluster is ACTIVE all the time."""
    eks = Eks(described(), described(**NO_LOGS), updates=["InProgress", "InProgress", "Successful"])
    assert 0 < run(eks, LOGS) < 5
    assert [name for name, _arguments in eks.calls] == ["UpdateClusterConfig", *["DescribeUpdate"] * 3, *["DescribeCluster"] * 2]
    assert eks.calls[1][1] == {"name": "ml", "updateId": "1"}
    assert run(Eks(described(version="1.35")), UPGRADE) == 0
    eks = Eks(described())
    assert run(eks, LOGS, waits=False) == 0 and len(eks.calls) == 1


def test_a_value_that_eks_returns_in_another_form_ends_the_wait_after_some_reads() -> None:
    assert 0 < run(Eks(described()), LOGS) < 60
    with pytest.raises(Failure, match="is still UPDATING"):
        run(Eks(described(status="UPDATING")), LOGS)


def test_a_failed_update_is_reported() -> None:
    with pytest.raises(Failure, match=r"an update of EKS cluster ml is Failed \(LoggingUpdate\): EKS gives no reason"):
        run(Eks(described(), updates=["InProgress", "Failed"]), LOGS)


@pytest.mark.parametrize("step", [LOGS, DELETE])
def test_an_update_of_another_caller_is_waited_for(step: Step) -> None:
    eks = Eks(described(), first=BUSY, updates=["InProgress", "InProgress", "Successful"])
    with pytest.raises(LostRace):
        run(eks, step)
    assert eks.count(step.operation) == 1 and eks.count("DescribeUpdate") == 3
    with pytest.raises(AwsError):
        run(Eks(described(), first=BUSY), step, waits=False)


def test_an_update_that_is_not_listed_yet_is_waited_for() -> None:
    eks = Eks(described(), described(), described(status="UPDATING"), described(), first=BUSY, updates=[])
    with pytest.raises(LostRace):
        run(eks, LOGS)
    assert eks.count("ListUpdates") == 4
    eks = Eks(described(), first=BUSY, updates=[])
    with pytest.raises(LostRace):
        run(eks, LOGS)
    assert eks.count("ListUpdates") == 6


def test_a_refused_update_counts_as_ours_if_the_cluster_has_the_values() -> None:
    assert run(Eks(described(), described(**NO_LOGS), first=BUSY, updates=["InProgress", "Successful"]), LOGS) > 0
    with pytest.raises(AwsError):
        run(Eks(described(**NO_LOGS), first=refusal("InvalidRequestException")), LOGS)


def test_a_removal_that_is_complete_or_in_progress_is_no_failure() -> None:
    assert run(Eks(described(status="DELETING"), GONE), DELETE) < 5
    assert run(Eks(GONE, first=GONE), DELETE) == 0
    assert run(Eks(described(status="DELETING"), described(status="DELETING"), GONE, first=BUSY), DELETE) < 5
    assert run(Eks(GONE, first=BUSY), DELETE) == 0
    with pytest.raises(AwsError):
        run(Eks(described(), first=refusal("InvalidRequestException")), DELETE)


def test_tags_are_not_waited_for() -> None:
    eks, tag = Eks(described(status="UPDATING"), first={}), Step("TagResource", {"resourceArn": "arn", "tags": {"a": "b"}}, ())
    assert run(eks, tag) == 0 and eks.calls == [("TagResource", tag.arguments)]
