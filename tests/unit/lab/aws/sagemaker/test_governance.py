# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Task governance: states, versions, dependencies, and values that AWS fills in."""

from __future__ import annotations

import time
import typing as t

import pytest
from lab.aws import cloud, request
from lab.aws.sagemaker import governance
from lab.names import ACCOUNT
from refusals import code

EKS = {"Eks": {"ClusterArn": f"arn:aws:eks:us-west-2:{ACCOUNT}:cluster/one"}}
GROUP = {"InstanceGroupName": "a", "InstanceType": "ml.p4d.24xlarge", "InstanceCount": 0, "ExecutionRole": f"arn:aws:iam::{ACCOUNT}:role/x"}
QUIET = {"Tags": [{"Key": "lab/hosts", "Value": "none"}]}
RESOURCES = [{"InstanceType": "ml.p4d.24xlarge", "Accelerators": 8}]
FAIR = {"PriorityClasses": [{"Name": "training", "Weight": 80}]}
NOWHERE = f"arn:aws:sagemaker:us-west-2:{ACCOUNT}:cluster/abc123def456"


class Governed:
    """A cluster with EKS."""

    def __init__(self, account: t.Any, name: str, orchestrator: dict[str, t.Any] | None = None) -> None:
        self.account, self.api, self.control, self.name = account, account.sagemaker, account.control, name
        request = {"Orchestrator": orchestrator or EKS, "NodeProvisioningMode": "Continuous", "InstanceGroups": [GROUP], **QUIET}
        self.arn = self.api.create_cluster(ClusterName=name, VpcConfig=account.network(), **request)["ClusterArn"]
        self.until(lambda: self.api.describe_cluster(ClusterName=name)["ClusterStatus"] == "InService")

    def quota(self, name: str, **more: t.Any) -> str:
        """Create a quota and return its ID without waiting."""
        config = {"ComputeQuotaResources": RESOURCES, **more}
        request = {"Name": name, "ClusterArn": self.arn, "ComputeQuotaConfig": config, "ComputeQuotaTarget": {"TeamName": name}}
        return str(self.api.create_compute_quota(**request)["ComputeQuotaId"])

    def scheduler(self, name: str = "fair") -> str:
        made = self.api.create_cluster_scheduler_config(Name=name, ClusterArn=self.arn, SchedulerConfig=FAIR)
        return str(made["ClusterSchedulerConfigId"])

    def settled(self, quota: str) -> dict[str, t.Any]:
        self.until(lambda: not self.api.describe_compute_quota(ComputeQuotaId=quota)["Status"].endswith("ing"))
        return dict(self.api.describe_compute_quota(ComputeQuotaId=quota))

    @staticmethod
    def until(done: t.Callable[[], bool]) -> None:
        deadline = time.monotonic() + 60
        while not done():
            assert time.monotonic() < deadline
            time.sleep(0.02)


@pytest.fixture(scope="module")
def governed(account: t.Any) -> Governed:
    return Governed(account, "governed")


def test_a_quota_passes_through_its_states_and_versions(governed: Governed) -> None:
    governed.control.settings(transition_seconds=30)
    api, quota = governed.api, governed.quota("a")
    assert api.describe_compute_quota(ComputeQuotaId=quota)["Status"] == "Creating"
    assert code(api.update_compute_quota, ComputeQuotaId=quota, TargetVersion=1, Description="x") == "ConflictException"
    assert code(api.delete_compute_quota, ComputeQuotaId=quota) == "ValidationException"
    governed.control.settings(transition_seconds=0.05)
    assert (governed.settled(quota)["Status"], governed.settled(quota)["ComputeQuotaVersion"]) == ("Created", 1)
    governed.control.settings(transition_seconds=30)
    assert code(api.update_compute_quota, ComputeQuotaId=quota, TargetVersion=2, Description="x") == "ConflictException"
    assert api.update_compute_quota(ComputeQuotaId=quota, TargetVersion=1, Description="x")["ComputeQuotaVersion"] == 2
    assert api.describe_compute_quota(ComputeQuotaId=quota)["Status"] == "Updating"
    governed.control.settings(transition_seconds=0.05)
    assert (governed.settled(quota)["Status"], governed.settled(quota)["Description"]) == ("Updated", "x")
    former = api.describe_compute_quota(ComputeQuotaId=quota, ComputeQuotaVersion=1)
    assert (former["ComputeQuotaVersion"], former["Status"], "Description" in former) == (1, "Created", False)
    assert code(api.describe_compute_quota, ComputeQuotaId=quota, ComputeQuotaVersion=3) == "ResourceNotFound"
    governed.control.settings(transition_seconds=30)
    api.delete_compute_quota(ComputeQuotaId=quota)
    assert api.describe_compute_quota(ComputeQuotaId=quota)["Status"] == "Deleting"
    governed.control.settings(transition_seconds=0.05)
    assert governed.settled(quota)["Status"] == "Deleted"
    assert code(api.delete_compute_quota, ComputeQuotaId=quota) == "ResourceNotFound"
    governed.control.settings(deleted_policy_seconds=0)
    assert code(api.describe_compute_quota, ComputeQuotaId=quota) == "ResourceNotFound"


def test_defaults_of_aws_and_replaced_values(governed: Governed) -> None:
    api, quota = governed.api, governed.quota("b", PreemptTeamTasks="Never")
    found = governed.settled(quota)
    config = found["ComputeQuotaConfig"]
    assert (found["ActivationState"], found["ComputeQuotaTarget"]) == ("Enabled", {"TeamName": "b", "FairShareWeight": 0})
    assert config["ResourceSharingConfig"] == {"Strategy": "LendAndBorrow", "BorrowLimit": 50}
    assert config["ComputeQuotaResources"] == [{**RESOURCES[0], "VCpu": 96.0, "MemoryInGiB": 1024.0}]
    api.update_compute_quota(ComputeQuotaId=quota, TargetVersion=1, ComputeQuotaConfig={"ResourceSharingConfig": {"Strategy": "Lend"}})
    config = governed.settled(quota)["ComputeQuotaConfig"]
    assert config == {"ComputeQuotaResources": [], "ResourceSharingConfig": {"Strategy": "Lend"}, "PreemptTeamTasks": "LowerPriority"}
    wrong = {"ResourceSharingConfig": {"Strategy": "Lend", "BorrowLimit": 50}}
    assert code(api.update_compute_quota, ComputeQuotaId=quota, TargetVersion=2, ComputeQuotaConfig=wrong) == "ValidationException"
    other = {"TeamName": "other"}
    assert code(api.update_compute_quota, ComputeQuotaId=quota, TargetVersion=2, ComputeQuotaTarget=other) == "ValidationException"


def test_one_scheduler_configuration_a_cluster_and_one_quota_a_team(account: t.Any) -> None:
    options = Governed(account, "one-each")
    scheduler, quota = options.scheduler(), options.quota("a")
    described = options.api.describe_cluster_scheduler_config(ClusterSchedulerConfigId=scheduler)
    assert described["StatusDetails"] == {"FairShare": described["Status"], "PriorityClasses": described["Status"]}
    assert code(options.scheduler, name="other") == code(options.quota, name="a") == "ConflictException"
    assert code(options.api.delete_cluster, ClusterName="one-each") == "ConflictException"
    options.until(lambda: options.api.describe_cluster_scheduler_config(ClusterSchedulerConfigId=scheduler)["Status"] == "Created")
    options.api.delete_cluster_scheduler_config(ClusterSchedulerConfigId=scheduler)
    options.settled(quota)
    options.api.delete_compute_quota(ComputeQuotaId=quota)
    options.until(lambda: code(options.api.delete_cluster, ClusterName="one-each") == "")


def test_only_clusters_with_eks(account: t.Any, governed: Governed) -> None:
    slurm = Governed(account, "with-slurm", {"Slurm": {}})
    assert code(slurm.scheduler) == code(slurm.quota, name="a") == "ValidationException"
    assert code(governed.api.list_compute_quotas, ClusterArn=NOWHERE) == "ValidationException"


@pytest.mark.parametrize(
    ("rule", "status", "reason"), [("no queue", "UpdateFailed", "no queue"), ("UpdateRollbackFailed: stuck", "UpdateRollbackFailed", "stuck")]
)
def test_a_failed_update_keeps_the_old_values(governed: Governed, rule: str, status: str, reason: str) -> None:
    api, quota = governed.api, governed.quota(status.lower())
    governed.settled(quota)
    governed.control.faults({"kind": "fail_later", "operation": "UpdateComputeQuota", "code": rule, "times": 1})
    api.update_compute_quota(ComputeQuotaId=quota, TargetVersion=1, Description="new")
    found = governed.settled(quota)
    assert (found["Status"], found["FailureReason"], "Description" in found) == (status, reason, False)
    second = code(api.update_compute_quota, ComputeQuotaId=quota, TargetVersion=2, Description="new")
    assert second == ("" if status == "UpdateFailed" else "ConflictException")


def test_listings_have_pages_filters_and_an_order(account: t.Any) -> None:
    options = Governed(account, "listed")
    for name in ("b", "a", "ab"):
        options.quota(name)
    pages = options.api.get_paginator("list_compute_quotas").paginate(
        ClusterArn=options.arn, SortBy="Name", SortOrder="Ascending", PaginationConfig={"PageSize": 2}
    )
    names = [[each["Name"] for each in page["ComputeQuotaSummaries"]] for page in pages]
    assert names == [["a", "ab"], ["b"]]
    found = options.api.list_compute_quotas(ClusterArn=options.arn, NameContains="a")["ComputeQuotaSummaries"]
    assert [each["Name"] for each in found] == ["ab", "a"]
    assert options.api.list_compute_quotas(ClusterArn=options.arn, Status="Deleted")["ComputeQuotaSummaries"] == []
    assert options.api.list_cluster_scheduler_configs(ClusterArn=options.arn)["ClusterSchedulerConfigSummaries"] == []


def test_a_change_may_become_visible_late(governed: Governed) -> None:
    governed.control.settings(policy_lag_seconds=0.4)
    with governed.account.held("policy_lag_seconds"):
        quota = governed.quota("late")
        assert code(governed.api.describe_compute_quota, ComputeQuotaId=quota) == "ResourceNotFound"
    governed.until(lambda: not code(governed.api.describe_compute_quota, ComputeQuotaId=quota))


def test_tags(governed: Governed) -> None:
    quota = governed.settled(governed.quota("tagged"))["ComputeQuotaArn"]
    governed.api.add_tags(ResourceArn=quota, Tags=[{"Key": "a", "Value": "1"}, {"Key": "b", "Value": "2"}])
    governed.api.delete_tags(ResourceArn=quota, TagKeys=["a"])
    assert governed.api.list_tags(ResourceArn=quota)["Tags"] == [{"Key": "b", "Value": "2"}]


def test_followers_are_notified_of_settled_quotas(monkeypatch: pytest.MonkeyPatch) -> None:
    """From it the lab's Kubernetes can create the namespace of a team."""

    class Cluster:
        arn = NOWHERE

    monkeypatch.setattr(governance, "pause", lambda: None)
    monkeypatch.setattr(request, "current", lambda: None)
    simulated = cloud.Cloud(None, None, None)
    monkeypatch.setattr(cloud, "_current", simulated)
    notified: list[tuple[str, str, str]] = []
    simulated.quota_followers.append(lambda policy: notified.append((policy.cluster.arn, policy.team, policy.status)))
    for kind in (governance.QUOTA, governance.SCHEDULER):
        policy = governance.Policy(kind, t.cast(t.Any, Cluster()), "a", {"ComputeQuotaTarget": {"TeamName": "a"}}, {})
        governance._set_off(policy, "Created", "CreateFailed")
    Governed.until(lambda: bool(notified) and policy.status == "Created")
    assert notified == [(NOWHERE, "a", "Created")]
