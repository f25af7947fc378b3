# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Which groups need another software version, and the single call for them."""

from __future__ import annotations

import typing as t

import pytest
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._core.failure import Refused
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._core.plan import Change, Step
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._hyperpod.cluster_software.model import Desired, Software, State
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._hyperpod.cluster_software.plan import plan
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._hyperpod.model import Cluster

ARN = "arn:aws:sagemaker:us-west-2:111111111111:cluster/abc123def456"
BATCHES = {"deployment_config": {"rolling_update_policy": {"maximum_batch_size": {"type": "INSTANCE_COUNT", "value": 1}}}}
IMAGE = "ami-0123456789abcdef0"


def state(*, status: str = "InService", orchestrator: str = "Slurm", **group: str) -> State:
    about = {"ClusterArn": ARN, "ClusterName": "ml", "ClusterStatus": status, "Orchestrator": {orchestrator: {}}}
    cluster = Cluster.from_api({**about, "InstanceGroups": [{"InstanceGroupName": name} for name in "ab"]})
    software = {"release": "1.0.0", "version_status": "UpToDate", **group}
    return State(cluster, {"a": Software("a", **software), "b": Software("b", "1.0.0", version_status="UpToDate")})


def wanted(version: str = "", **more: t.Any) -> Desired:
    return Desired(ARN, {"a": version}, **more)


@pytest.mark.parametrize(
    ("desired", "group", "parameters"),
    [
        (wanted(), {}, None),
        (wanted(), {"version_status": "UpdateAvailable"}, {}),
        (wanted(), {"version_status": "SecurityUpdateRequired"}, {}),
        (wanted(), {"version_status": ""}, {}),
        (wanted("1.0.0"), {"version_status": "UpdateAvailable"}, None),
        (wanted("1.0.1"), {}, {"ImageReleaseVersion": "1.0.1"}),
        (wanted(force=True), {}, {}),
        (wanted(image_id=IMAGE), {"image_id": IMAGE, "version_status": ""}, None),
        (wanted(image_id=IMAGE), {"image_id": "ami-00000000"}, {}),
        (wanted(image_id="default"), {"image_id": IMAGE}, None),
        (wanted(image_id="default"), {"version_status": "EndOfLife"}, {}),
    ],
)
def test_groups_with_other_software_are_updated(desired: Desired, group: dict[str, str], parameters: dict[str, str] | None) -> None:
    found = plan(desired, state(**group))
    if parameters is None:
        assert not found
        return
    (step,) = found.steps
    assert step.arguments["InstanceGroups"] == [{"InstanceGroupName": "a", **parameters}]
    assert step.arguments.get("ImageId") == desired.image_id
    (change,) = found.changes
    assert change.resource == "software of group a" and change.after
    after = found.after(state(**group))
    assert after.groups["a"].update_status == "Succeeded" and after.groups["b"] == state().groups["b"]
    assert desired.force or desired.image_id == "default" or not plan(desired, after)


def test_batches_are_sent_for_eks_clusters() -> None:
    (step,) = plan(wanted(force=True, deployment=BATCHES), state(orchestrator="Eks")).steps
    policy = {"RollingUpdatePolicy": {"MaximumBatchSize": {"Type": "INSTANCE_COUNT", "Value": 1}}}
    assert step.arguments["DeploymentConfig"] == policy


@pytest.mark.parametrize(
    ("desired", "found", "words"),
    [
        (Desired(ARN, {"c": ""}), {}, "instance_groups: 'c' is not allowed"),
        (wanted(deployment=BATCHES), {}, "deployment_config: .* is not allowed: updates in batches require EKS"),
        (wanted(force=True), {"status": "Updating"}, "Cluster ml is Updating"),
    ],
)
def test_invalid_requests_are_refused(desired: Desired, found: dict[str, t.Any], words: str) -> None:
    with pytest.raises(Refused, match=words):
        plan(desired, state(**found))


RESOURCE = "software of group a"


@pytest.mark.parametrize(
    ("desired", "group", "sent", "change"),
    [
        (wanted(force=True), {}, {}, ("image_release_version", "1.0.0", "the newest")),
        (wanted("1.0.1"), {"release": ""}, {"ImageReleaseVersion": "1.0.1"}, ("image_release_version", None, "1.0.1")),
        (wanted(image_id=IMAGE), {}, {}, ("image_id", None, IMAGE)),
        (wanted(image_id=IMAGE), {"image_id": "ami-1"}, {}, ("image_id", "ami-1", IMAGE)),
        (wanted(image_id="default", force=True), {}, {}, ("image_release_version", "1.0.0", "the newest")),
    ],
    ids=["the newest", "a version", "an image", "another image", "the default image"],
)
def test_requests_and_changes_are_as_expected(desired: Desired, group: dict[str, str], sent: dict[str, str], change: tuple[str, str, str]) -> None:
    image = {"ImageId": desired.image_id} if desired.image_id else {}
    arguments = {"ClusterName": ARN, "InstanceGroups": [{"InstanceGroupName": "a", **sent}], **image}
    assert plan(desired, state(**group)).steps == (Step("UpdateClusterSoftware", arguments, (Change("update", RESOURCE, *change),)),)
