# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""How task governance is read when AWS does not return everything."""

from __future__ import annotations

import dataclasses
import datetime
import typing as t

import pytest
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._aws.client import AwsError
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._core.failure import Refused
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._hyperpod.api import HyperPod
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._hyperpod.governance.fields import QUOTA
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._hyperpod.governance.model import Desired, State
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._hyperpod.governance.observe import Observer
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._hyperpod.instance_types import InstanceTypes

CLUSTER = "arn:aws:sagemaker:us-west-2:111111111111:cluster/abc123def456"
EKS = {"Eks": {"ClusterArn": "arn:aws:eks:us-west-2:111111111111:cluster/one"}}
GPU = "ml.p4d.24xlarge"
WANTED = Desired(QUOTA, CLUSTER, "research", "research")
WHEN = datetime.datetime(2026, 11, 21, tzinfo=datetime.timezone.utc)


def quota(number: int, name: str, *, team: str = "research", status: str = "Created", **config: t.Any) -> dict[str, t.Any]:
    about = {"ComputeQuotaArn": f"arn:{number}", "ComputeQuotaId": f"{number:012}", "ComputeQuotaVersion": 3, "CreationTime": WHEN}
    return {**about, "Name": name, "Status": status, "ComputeQuotaTarget": {"TeamName": team}, "ComputeQuotaConfig": config}


class Script:
    """An observer of an API with scripted answers."""

    def __init__(self, stubbed: t.Any) -> None:
        client, self.api = stubbed("sagemaker")
        ec2, self.ec2 = stubbed("ec2")
        self.client, self.types = HyperPod(client), InstanceTypes(ec2)

    def cluster(self, orchestrator: dict[str, t.Any] | None = None, count: int = 2, **more: t.Any) -> Script:
        group = {"InstanceGroupName": "a", "InstanceType": GPU, "TargetCount": count, "CurrentCount": 0, **more}
        about = {"ClusterArn": CLUSTER, "ClusterStatus": "InService", "InstanceGroups": [group]}
        self.api.add_response("describe_cluster", {**about, "Orchestrator": orchestrator or EKS}, {"ClusterName": CLUSTER})
        return self

    def listed(self, *quotas: dict[str, t.Any]) -> Script:
        self.api.add_response("list_compute_quotas", {"ComputeQuotaSummaries": list(quotas)}, {"ClusterArn": CLUSTER})
        return self

    def described(self, found: dict[str, t.Any]) -> Script:
        self.api.add_response("describe_compute_quota", found, {"ComputeQuotaId": found["ComputeQuotaId"]})
        return self

    def observed(self, wanted: Desired = WANTED) -> State:
        return Observer(self.client, wanted, instance_types=lambda: self.types, waits=None)()


def test_one_of_two_quotas_of_a_team_is_found_by_name(stubbed: t.Any) -> None:
    both = quota(1, "other"), quota(2, "research", status="UpdateFailed")
    state = Script(stubbed).cluster().listed(*both).described({**both[1], "FailureReason": "no\x07"}).listed(*both).observed()
    assert state.found is not None and (state.found.id, state.found.version, state.found.described) == ("000000000002", 3, "UpdateFailed (no?)")
    assert [other.name for other in state.others] == ["other"] and state.capacity.instances == {GPU: 2}


def test_a_deleted_quota_is_absent(stubbed: t.Any) -> None:
    gone, going = quota(1, "research", status="Deleted"), quota(2, "research")
    state = Script(stubbed).cluster().listed(gone, going).described({**going, "Status": "Deleted"}).listed(gone).observed()
    assert (state.found, state.others) == (None, ())
    script = Script(stubbed).cluster().listed(going)
    script.api.add_client_error("describe_compute_quota", "ResourceNotFound")
    assert script.listed().observed().found is None


@pytest.mark.parametrize("failing", ["list_compute_quotas", "describe_compute_quota"])
def test_a_quota_that_cannot_be_read_does_not_count_as_absent(stubbed: t.Any, failing: str) -> None:
    script = Script(stubbed).cluster()
    if failing != "list_compute_quotas":
        script.listed(quota(1, "research"))
    script.api.add_client_error(failing, "AccessDeniedException")
    with pytest.raises(AwsError, match="for compute quota research of team research of cluster arn:"):
        script.observed(dataclasses.replace(WANTED, present=False))


def test_removal_succeeds_if_the_cluster_cannot_have_quotas(stubbed: t.Any) -> None:
    absent = dataclasses.replace(WANTED, present=False)
    assert Script(stubbed).cluster({"Slurm": {}}).observed(absent) == State()
    with pytest.raises(Refused, match="the cluster uses Slurm"):
        Script(stubbed).cluster({"Slurm": {}}).observed()
    for wanted in (absent, WANTED):
        script = Script(stubbed)
        script.api.add_client_error("describe_cluster", "ResourceNotFound")
        if wanted is absent:
            assert script.observed(wanted) == State()
            continue
        with pytest.raises(Refused, match="does not exist in Region us-west-2"):
            script.observed(wanted)


def test_types_are_looked_up_only_if_partial_instances_are_compared(stubbed: t.Any) -> None:
    in_gpus = dataclasses.replace(WANTED, settings={"compute_quota_resources": [{"instance_type": GPU, "accelerators": 8}]})
    script = Script(stubbed).cluster().listed().listed()
    gpus = [{"Name": "A100", "Count": 8}]
    described = {"InstanceTypes": [{"InstanceType": "p4d.24xlarge", "GpuInfo": {"Gpus": gpus}, "VCpuInfo": {"DefaultVCpus": 96}}]}
    request = {"Filters": [{"Name": "instance-type", "Values": ["p4d.24xlarge"]}]}
    script.ec2.add_response("describe_instance_types", described, request)
    (has,) = script.observed(in_gpus).capacity.each.values()
    assert (has["accelerators"], has["vcpu"], has["mig-7g.40gb"]) == (8, 96, 8) and "memory_in_gib" not in has
    for more in ({"present": False}, {"allow_oversubscription": True}):
        assert Script(stubbed).cluster().listed().listed().observed(dataclasses.replace(in_gpus, **more)).capacity.each == {}


def test_partitions_by_label_are_kept_separately_from_instance_amounts(stubbed: t.Any) -> None:
    in_parts = {"instance_type": GPU, "accelerator_partition": {"type": "mig-1g.5gb", "count": 1}}
    wanted = dataclasses.replace(WANTED, settings={"compute_quota_resources": [in_parts]})
    script = Script(stubbed).cluster(KubernetesConfig={"DesiredLabels": {"nvidia.com/mig.config": "all-1g.5gb"}}).listed().listed()
    gpus = [{"Name": "A100", "Count": 8, "MemoryInfo": {"SizeInMiB": 40960}}]
    script.ec2.add_response("describe_instance_types", {"InstanceTypes": [{"InstanceType": "p4d.24xlarge", "GpuInfo": {"Gpus": gpus}}]})
    capacity = script.observed(wanted).capacity
    assert (capacity.cut, capacity.each[GPU]["mig-1g.5gb"]) == ({GPU: {"mig-1g.5gb": 2}}, 56)


def test_tags_are_read_if_declared_or_kept(stubbed: t.Any) -> None:
    failed = quota(1, "research", status="CreateFailed")
    for wanted in (dataclasses.replace(WANTED, tags={}), dataclasses.replace(WANTED, recreate=True)):
        script = Script(stubbed).cluster().listed(failed).described(failed).listed(failed)
        script.api.add_response("list_tags", {"Tags": [{"Key": "a", "Value": "1"}]}, {"ResourceArn": "arn:1"})
        found = script.observed(wanted).found
        assert found is not None and found.tags == {"a": "1"}


def test_fields_that_an_old_botocore_drops_are_recorded(stubbed: t.Any, monkeypatch: pytest.MonkeyPatch) -> None:
    script = Script(stubbed).cluster().listed().listed()
    assert script.observed().dropped == ()
    script = Script(stubbed).cluster().listed().listed()
    shapes = script.client.client.meta.service_model._service_description["shapes"]
    monkeypatch.delitem(shapes["ResourceSharingConfig"]["members"], "AbsoluteBorrowLimits")
    assert script.observed().dropped[0] == "ComputeQuotaConfig.ResourceSharingConfig.AbsoluteBorrowLimits"
