# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Waits for an add-on: the answers that end them, and the errors of failed ones."""

from __future__ import annotations

import typing as t
from pathlib import Path

import pytest
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._aws.client import AwsError
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._core.failure import Failure, LostRace
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._core.plan import Step
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._core.wait import Clock
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._core.waits import Progress, Waits
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._eks.addon.apply import Applier
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._eks.addon.model import Desired
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._eks.addon.observe import Observer
from botocore.exceptions import ClientError

V1, V2 = "v1.0.0-eksbuild.1", "v2.0.0-eksbuild.1"
UPDATE = Step("UpdateAddon", {"addonVersion": V2}, ())
CREATE, DELETE = Step("CreateAddon", {"addonVersion": V2}, ()), Step("DeleteAddon", {}, ())
REPLICAS = {"code": "InsufficientNumberOfReplicas", "message": "none"}
SECONDS, MINUTE = 3600, 60


def described(status: str, *issues: dict[str, str], version: str = V2) -> dict[str, t.Any]:
    return {"addonArn": "arn", "addonVersion": version, "status": status, "health": {"issues": list(issues)}}


def refusal(code: str) -> ClientError:
    return ClientError({"Error": {"Code": code, "Message": "no"}}, "Operation")


class Eks:
    """Returns the answers of DescribeAddon in order and repeats the last; ``first`` is the answer to the changing call."""

    def __init__(self, *answers: t.Any, first: t.Any = None, update: str = "Successful", errors: t.Sequence[t.Any] = ()) -> None:
        self.answers, self.first = list(answers), first if first is not None else {"update": {"id": "1"}}
        self.update = {"status": update, "errors": list(errors)}
        self.calls: list[tuple[str, dict[str, t.Any]]] = []
        self.now = [0.0]

    def call(self, operation: str, *, about: str, **arguments: t.Any) -> t.Any:
        self.calls.append((operation, arguments))
        answer = self.first
        if operation == "DescribeUpdate":
            return {"update": self.update}
        if operation == "DescribeAddon":
            answer = self.answers.pop(0) if len(self.answers) > 1 else self.answers[0]
            answer = answer if isinstance(answer, ClientError) else {"addon": answer}
        if isinstance(answer, ClientError):
            raise AwsError(message=f"{operation} for {about} failed", exception=answer)
        return answer


def run(
    eks: Eks, step: Step = UPDATE, *, waits: bool = True, timeout: int = SECONDS, progress: str | None = None, **more: t.Any
) -> float:
    """Return the seconds that the wait took."""
    now = eks.now
    clock = Clock(now=lambda: now[0], sleep=lambda seconds: now.__setitem__(0, now[0] + seconds), jitter=lambda: 0.0)
    desired = Desired("pods", "cni", version=V2, **more)
    lines = Progress(progress, now=clock.now)
    given = Waits(timeout=timeout, interval=20, clock=clock, progress=lines) if waits else None
    Applier(eks, desired, Observer(eks, desired, waits=given))(step)
    return now[0]


GONE = refusal("ResourceNotFoundException")


def test_a_wait_ends_when_the_add_on_is_ready():
    assert run(Eks(described("ACTIVE", version=V1), described("UPDATING"), described("ACTIVE"), update="InProgress")) < 5
    assert run(Eks(described("CREATING"), described("DEGRADED", REPLICAS), described("ACTIVE"), first={"addon": {}}), CREATE) < 5
    assert run(Eks(described("DEGRADED", REPLICAS)), wait_for="installed") == 0
    assert run(Eks(described("DELETING"), GONE, first={}), DELETE) < 5
    assert run(Eks(described("CREATING")), waits=False) == 0


def test_a_failure_from_before_the_call_is_checked_again():
    stale = [described("CREATE_FAILED", version=V1)] * 4
    assert run(Eks(*stale, described("ACTIVE"), first={"addon": {}}), CREATE) > 0
    with pytest.raises(Failure, match="CREATE_FAILED: EKS gives no reason; correct the problem and run again"):
        run(Eks(described("CREATE_FAILED"), first={"addon": {}}), CREATE)


def test_a_failed_update_is_reported_with_the_errors_of_eks():
    errors = [{"errorCode": "ConfigurationConflict", "errorMessage": "others\x1b"}]
    eks = Eks(described("UPDATE_FAILED"), update="Failed", errors=errors)
    with pytest.raises(Failure, match=r"ConfigurationConflict: others\?; set resolve_conflicts=OVERWRITE"):
        run(eks)
    with pytest.raises(Failure, match="EKS gives no reason"):
        run(Eks(described("ACTIVE", version=V1), update="Cancelled"))


NO_ACCESS = {"code": "AccessDenied", "message": "no", "resourceIds": ["role/a"]}


class Degraded(Eks):
    """DEGRADED with these issues; after some minutes with others, and then ACTIVE."""

    def __init__(self, *turns: tuple[int, t.Sequence[dict[str, t.Any]]]) -> None:
        super().__init__(described("ACTIVE"))
        self.turns = turns

    def call(self, operation: str, *, about: str, **arguments: t.Any) -> t.Any:
        if operation == "DescribeAddon":
            issues = next((issues for until, issues in self.turns if self.now[0] < until * MINUTE), None)
            self.answers = [described("ACTIVE") if issues is None else described("DEGRADED", *issues)]
        return super().call(operation, about=about, **arguments)


@pytest.mark.parametrize("wait_for", ["active", "installed"])
def test_an_add_on_that_stays_degraded_ends_the_wait_with_its_issues(wait_for):
    eks = Degraded((60, [NO_ACCESS]))
    text = r"is DEGRADED \(AccessDenied: no \(resources role/a\)\): this has not changed for 10 minutes; correct the problem and run"
    with pytest.raises(Failure, match=text):
        run(eks, wait_for=wait_for)
    assert 10 * MINUTE <= eks.now[0] < 11 * MINUTE


@pytest.mark.parametrize(
    "turns",
    [
        [(9, [NO_ACCESS])],
        [(9, [REPLICAS]), (18, [NO_ACCESS]), (27, [{**NO_ACCESS, "resourceIds": ["role/b"]}])],
        [(9, [NO_ACCESS]), (18, [NO_ACCESS, REPLICAS])],
    ],
)
def test_an_add_on_whose_issues_change_is_waited_for(turns: list[t.Any]) -> None:
    assert run(Degraded(*turns)) > turns[-1][0] * MINUTE


def test_the_ten_minutes_begin_with_the_status() -> None:
    busy = [described("UPDATING")] * 40
    eks = Eks(described("DEGRADED", NO_ACCESS), *busy, described("DEGRADED", NO_ACCESS), described("ACTIVE"))
    assert run(eks) > 10 * MINUTE


def test_missing_nodes_are_reported_at_the_end() -> None:
    with pytest.raises(Failure, match=r"for 10 minutes; add nodes that can run its Pods and run again, or set wait_for=installed"):
        run(Degraded((60, [REPLICAS])))
    with pytest.raises(Failure, match=f"after {MINUTE} s, because no node can run its Pods. Add nodes to the cluster and run again"):
        run(Degraded((60, [REPLICAS])), timeout=MINUTE)


def test_the_progress_lines_name_the_issues(tmp_path: Path) -> None:
    lines = tmp_path / "lines"
    run(Degraded((3, [NO_ACCESS])), progress=str(lines))
    assert "add-on cni of EKS cluster pods is DEGRADED (AccessDenied: no (resources role/a)) after " in lines.read_text()


def test_a_call_refused_as_busy_counts_as_ours_if_the_result_is_as_wanted():
    busy = refusal("ResourceInUseException")
    assert run(Eks(described("CREATING"), described("ACTIVE"), first=busy), CREATE) < 5
    with pytest.raises(LostRace):
        run(Eks(described("UPDATING"), described("ACTIVE", version=V1), first=busy))
    with pytest.raises(AwsError):
        run(Eks(described("UPDATING"), first=busy), waits=False)


def test_a_removal_that_is_complete_or_in_progress_is_no_failure():
    refused = refusal("InvalidRequestException")
    assert run(Eks(GONE, first=GONE), DELETE) == 0
    assert run(Eks(described("DELETING"), described("DELETING"), GONE, first=refused), DELETE) < 5
    with pytest.raises(AwsError):
        run(Eks(described("UPDATING"), first=refused), DELETE)
    with pytest.raises(AwsError):
        run(Eks(described("ACTIVE"), first=refused))


def test_tags_are_not_waited_for():
    eks, tag = Eks(described("UPDATING"), first={}), Step("TagResource", {"resourceArn": "arn", "tags": {"a": "b"}}, ())
    assert run(eks, tag) == 0 and eks.calls == [("TagResource", tag.arguments)]


def test_the_update_that_was_started_is_described() -> None:
    eks = Eks(described("ACTIVE", version=V1), described("ACTIVE"), update="InProgress")
    run(eks)
    request = {"name": "pods", "addonName": "cni", "updateId": "1"}
    assert eks.calls[0] == ("UpdateAddon", UPDATE.arguments) and ("DescribeUpdate", request) in eks.calls


def test_an_add_on_that_is_not_listed_yet_is_waited_for() -> None:
    assert run(Eks(GONE, described("ACTIVE"), first={"addon": {}}), CREATE) < 5


@pytest.mark.parametrize(
    ("codes", "way"),
    [
        (["ConfigurationConflict"], "set resolve_conflicts=OVERWRITE"),
        (["AddonPermissionFailure"], "set pod_identity_associations or service_account_role_arn"),
        (["AddonSubscriptionNeeded"], "subscribe to the add-on in AWS Marketplace"),
        (["InternalFailure"], "correct the problem and run again"),
        (["InternalFailure", "AddonSubscriptionNeeded"], "subscribe to the add-on in AWS Marketplace"),
    ],
)
def test_the_advice_follows_the_first_known_issue(codes: list[str], way: str) -> None:
    failed = described("CREATE_FAILED", *({"code": code, "message": "no"} for code in codes))
    with pytest.raises(Failure, match=rf"CREATE_FAILED \({codes[0]}: no.*\): {way}"):
        run(Eks(failed, first={"addon": {}}), CREATE)
