# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""When a call to task governance is complete, when a concurrent change won, and when it failed."""

from __future__ import annotations

import datetime
import typing as t

import pytest
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._aws.client import AwsError
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._core.failure import LostRace
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._core.plan import Step
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._core.wait import Clock, WaitFailed, WaitTimeout
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._core.waits import Waits
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._hyperpod.api import HyperPod
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._hyperpod.governance.apply import Applier
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._hyperpod.governance.fields import QUOTA
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._hyperpod.governance.model import Desired
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._hyperpod.governance.observe import Observer

CLUSTER = "arn:aws:sagemaker:us-west-2:111111111111:cluster/abc123def456"
WANTED = Desired(QUOTA, CLUSTER, "research", "research", settings={"team_name": "research", "description": "ours"})
OURS, OTHER = "a" * 12, "b" * 12
CREATE = Step(
    "CreateComputeQuota",
    {"Name": "research", "ClusterArn": CLUSTER, "ComputeQuotaConfig": {}, "ComputeQuotaTarget": {"TeamName": "research"}},
    (),
)
UPDATE = Step("UpdateComputeQuota", {"ComputeQuotaId": OURS, "TargetVersion": 4, "Description": "ours"}, ())
DELETE = Step("DeleteComputeQuota", {"ComputeQuotaId": OURS}, ())
MADE = {"ComputeQuotaArn": "arn", "ComputeQuotaId": OURS}
CHANGED = {"ComputeQuotaArn": "arn", "ComputeQuotaVersion": 5}
METHODS = {"CreateComputeQuota": "create_compute_quota", "UpdateComputeQuota": "update_compute_quota", "DeleteComputeQuota": "delete_compute_quota"}

Reading = tuple[str, int, str] | None
"""Status, version and description; None if the quota does not exist."""


class Script:
    """An applier of an API that answers one call as scripted, and then reads as scripted."""

    def __init__(self, stubbed: t.Any, *, waits: bool = True) -> None:
        client, self.api = stubbed("sagemaker")
        clock, self.seconds = Clock(now=lambda: self.seconds, sleep=self._sleep, jitter=lambda: 0), 0.0
        api, waiting = HyperPod(client), Waits(timeout=300, interval=20, clock=clock) if waits else None
        self.applier = Applier(api, WANTED, Observer(api, WANTED, instance_types=pytest.fail, waits=waiting))

    def _sleep(self, seconds: float) -> None:
        self.seconds += seconds

    def call(self, step: Step, answer: dict[str, t.Any] | str, *readings: Reading, quota: str = OURS) -> None:
        """:param answer: An error code, or the answer."""
        if isinstance(answer, str):
            self.api.add_client_error(METHODS[step.operation], answer, "AWS's words")
        else:
            self.api.add_response(METHODS[step.operation], answer, step.arguments)
        for reading in readings:
            self._expect(reading, quota)
        self.applier(step)

    def _expect(self, reading: Reading, quota: str) -> None:
        now = datetime.datetime(2026, 11, 21, tzinfo=datetime.timezone.utc)
        about = {"ComputeQuotaArn": "arn", "ComputeQuotaId": quota, "Name": "research", "CreationTime": now}
        summaries = []
        if reading is not None:
            status, version, description = reading
            target = {"ComputeQuotaTarget": {"TeamName": "research"}}
            summaries = [{**about, **target, "Status": status}]
        self.api.add_response("list_compute_quotas", {"ComputeQuotaSummaries": summaries})
        if reading is not None:
            details = {"ComputeQuotaVersion": version, "Description": description, "FailureReason": "no queue"}
            self.api.add_response("describe_compute_quota", {**summaries[0], **details}, {"ComputeQuotaId": quota})


@pytest.mark.parametrize(
    ("step", "answer", "readings"),
    [
        (CREATE, MADE, [None, ("Creating", 1, ""), ("Created", 1, "as AWS writes it")]),
        (UPDATE, CHANGED, [("Updated", 4, "old"), ("Updating", 5, "ours"), ("Updated", 5, "as AWS writes it")]),
        (UPDATE, CHANGED, [("UpdateFailed", 4, "old")] * 5 + [("Updated", 5, "ours")]),
        (DELETE, {}, [("Updated", 4, ""), ("Deleting", 4, ""), None]),
        (DELETE, {}, [("DeleteFailed", 4, ""), ("DeleteFailed", 4, ""), None]),
        (DELETE, "ResourceNotFound", [("Deleting", 4, ""), None]),
    ],
)
def test_a_call_is_complete_when_aws_reports_its_result(stubbed: t.Any, step: Step, answer: t.Any, readings: list[Reading]) -> None:
    Script(stubbed).call(step, answer, *readings)


@pytest.mark.parametrize(
    ("step", "readings"),
    [
        (CREATE, [("Creating", 1, "ours"), ("Created", 1, "ours")]),
        (UPDATE, [("Updating", 5, "ours"), ("Updated", 5, "ours")]),
        (DELETE, [("Deleting", 4, ""), None]),
    ],
)
def test_a_call_with_a_lost_reply_is_recognised_as_ours(stubbed: t.Any, step: Step, readings: list[Reading]) -> None:
    """botocore repeated the call, and the second one is refused."""
    code = "ValidationException" if step is DELETE else "ConflictException"
    Script(stubbed).call(step, code, *readings, readings[-1])
    if readings[0]:
        Script(stubbed, waits=False).call(step, code, readings[0], readings[0])


def test_a_quota_recreated_under_the_same_name_is_not_deleted(stubbed: t.Any) -> None:
    Script(stubbed).call(DELETE, {}, ("Created", 1, ""), quota=OTHER)


@pytest.mark.parametrize(
    ("step", "readings"),
    [
        (CREATE, [("Created", 1, "foreign")]),
        (UPDATE, [("Updating", 5, "foreign"), ("Updated", 5, "foreign")]),
        (UPDATE, [("Updated", 4, "old"), ("Updated", 4, "old"), ("Updated", 5, "foreign")]),
        (UPDATE, [None]),
    ],
)
def test_a_faster_concurrent_change_is_an_error(stubbed: t.Any, step: Step, readings: list[Reading]) -> None:
    with pytest.raises(LostRace):
        Script(stubbed).call(step, "ConflictException", *readings)


def test_a_quota_recreated_concurrently_is_an_error(stubbed: t.Any) -> None:
    with pytest.raises(LostRace):
        Script(stubbed).call(UPDATE, "ConflictException", ("Updated", 4, "foreign"), quota=OTHER)


@pytest.mark.parametrize(
    ("step", "reading"), [(CREATE, None), (UPDATE, ("Updated", 4, "old")), (DELETE, ("Updated", 4, "")), (DELETE, ("Updated", 9, ""))]
)
def test_a_refusal_without_a_concurrent_change_is_raised(stubbed: t.Any, step: Step, reading: Reading) -> None:
    code = "ValidationException" if step is DELETE else "ConflictException"
    with pytest.raises(AwsError) as caught:
        Script(stubbed).call(step, code, reading, reading, reading)
    assert caught.value.code == code and step.operation in str(caught.value)


def test_without_a_wait_a_running_operation_is_an_error(stubbed: t.Any) -> None:
    with pytest.raises(AwsError, match="wait until the running operation has ended"):
        Script(stubbed, waits=False).call(UPDATE, "ConflictException", ("Updating", 4, "old"))


@pytest.mark.parametrize("code", ["AccessDeniedException", "ResourceLimitExceeded", "ResourceNotFound"])
def test_any_other_refusal_is_raised_at_once(stubbed: t.Any, code: str) -> None:
    with pytest.raises(AwsError):
        Script(stubbed).call(UPDATE, code)


@pytest.mark.parametrize(
    ("step", "answer", "readings", "sentence"),
    [
        (CREATE, MADE, [("Creating", 1, ""), ("CreateFailed", 1, "")], "is CreateFailed: no queue; fix the cause, then recreate it"),
        (UPDATE, CHANGED, [("UpdateFailed", 5, "")], "is UpdateFailed: no queue; fix the cause, then run again$"),
        (UPDATE, CHANGED, [("UpdateRollbackFailed", 6, "")], "is UpdateRollbackFailed: no queue; fix the cause, then recreate it"),
        (UPDATE, CHANGED, [("UpdateFailed", 4, "")] * 6, "is UpdateFailed: no queue; fix the cause, then run again$"),
        (DELETE, {}, [("Deleting", 4, ""), *[("DeleteFailed", 4, "")] * 3], "is DeleteFailed: no queue; fix the cause, then run again to delete it$"),
    ],
)
def test_a_failure_is_reported_with_its_reason(stubbed: t.Any, step: Step, answer: t.Any, readings: list[Reading], sentence: str) -> None:
    with pytest.raises(WaitFailed, match=f"compute quota research of team research {sentence}"):
        Script(stubbed).call(step, answer, *readings)


def test_a_wait_has_a_deadline(stubbed: t.Any) -> None:
    with pytest.raises(WaitTimeout, match="compute quota research of team research is still Creating after 300 s"):
        Script(stubbed).call(CREATE, MADE, *[("Creating", 1, "")] * 21)


def test_tags_are_not_waited_for(stubbed: t.Any) -> None:
    script = Script(stubbed)
    for operation, arguments in (("add_tags", {"Tags": [{"Key": "a", "Value": "1"}]}), ("delete_tags", {"TagKeys": ["a"]})):
        script.api.add_response(operation, {}, {"ResourceArn": "arn", **arguments})
    script.applier(Step("AddTags", {"ResourceArn": "arn", "Tags": [{"Key": "a", "Value": "1"}]}, ()))
    script.applier(Step("DeleteTags", {"ResourceArn": "arn", "TagKeys": ["a"]}, ()))
