# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""compute_quota against the simulated API."""

from __future__ import annotations

import threading
import typing as t

import pytest
from modules.fixtures.governed import PROFILE, TYPE, TYPE_IN_PARTS, eventually
from modules.fixtures.small_cluster import QUICK
from simulated.shape import changes_once, one_shape, reads

DERIVED = ["compute_quota.compute_quota_resources"]
"""Values that AWS fills in."""


@pytest.fixture
def wanted(governed):
    return {"cluster_arn": governed.arn, "name": "research", "team_name": "research", **QUICK}


def of_gpus(number: int, **more: t.Any) -> dict[str, t.Any]:
    return {"compute_quota_resources": [{"instance_type": TYPE, "accelerators": number, **more}]}


def of_nodes(number: int) -> dict[str, t.Any]:
    return {"compute_quota_resources": [{"instance_type": TYPE, "count": number}]}


def of_parts(number: int, profile: str = PROFILE, instance_type: str = TYPE_IN_PARTS) -> dict[str, t.Any]:
    partition = {"type": profile, "count": number}
    return {"compute_quota_resources": [{"instance_type": instance_type, "accelerator_partition": partition}]}


def test_made_and_removed(governed, wanted):
    settings = {
        "description": "Training",
        "compute_quota_resources": [
            {"instance_type": TYPE, "count": 1},
            *of_parts(7)["compute_quota_resources"],
        ],
        "resource_sharing_config": {"strategy": "LendAndBorrow", "absolute_borrow_limits": [{"instance_type": TYPE, "count": 2}]},
        "preempt_team_tasks": "Never",
        "fair_share_weight": 40,
    }
    unforeseen = ["compute_quota.compute_quota_id", "compute_quota.compute_quota_arn"]
    made, removed = one_shape(
        governed,
        "compute_quota",
        present={**wanted, **settings, "tags": {"team": "research"}},
        absent={**wanted, "state": "absent"},
        unforeseen=unforeseen,
    )
    quota = made["compute_quota"]
    assert (quota["status"], quota["version"], quota["activation_state"], quota["tags"]) == ("Created", 1, "Enabled", {"team": "research"})
    assert quota["resource_sharing_config"]["borrow_limit"] == 50
    assert {name: quota[name] for name in settings if name != "resource_sharing_config"} == {
        name: value for name, value in settings.items() if name != "resource_sharing_config"
    }
    assert removed["compute_quota"] == {"exists": False, "name": "research", "team_name": "research"}


@pytest.mark.slow
def test_omitted_options_are_kept_and_values_of_aws_are_no_difference(governed, wanted):
    governed.run("compute_quota", **wanted, **of_gpus(8), preempt_team_tasks="Never", description="x")
    reads(governed, "compute_quota", **wanted, **of_gpus(8))
    reads(governed, "compute_quota", **wanted)
    done = changes_once(governed, "compute_quota", **wanted, fair_share_weight=7, description="")
    assert [each["field"] for each in done["changes"]] == ["fair_share_weight", "description"]
    quota = done["compute_quota"]
    assert (quota["version"], quota["status"], quota["preempt_team_tasks"], quota["fair_share_weight"]) == (2, "Updated", "Never", 7)
    done = changes_once(governed, "compute_quota", unforeseen=DERIVED, **wanted, **of_gpus(4))
    assert done["compute_quota"]["compute_quota_resources"] == [
        {"instance_type": TYPE, "accelerators": 4, "vcpu": 48.0, "memory_in_gib": 512.0}
    ]
    done = changes_once(governed, "compute_quota", **wanted, resource_sharing_config={"strategy": "Lend"}, compute_quota_resources=[])
    assert done["compute_quota"]["resource_sharing_config"] == {"strategy": "Lend"}
    assert done["compute_quota"]["compute_quota_resources"] == []
    refused = governed.run("compute_quota", **wanted, resource_sharing_config={"borrow_limit": 60})
    assert "resource_sharing_config.borrow_limit: 60 is not allowed: strategy is 'Lend'" in refused["msg"], refused


@pytest.mark.slow
def test_tags_are_changed_by_separate_calls(governed, wanted):
    governed.run("compute_quota", **wanted, tags={"a": "1", "b": "2"})
    done = changes_once(governed, "compute_quota", **wanted, tags={"b": "3", "c": "4"})
    assert done["mutating"] == ["AddTags", "DeleteTags"] and done["compute_quota"]["tags"] == {"b": "3", "c": "4"}
    reads(governed, "compute_quota", **wanted, tags={"c": "4"}, purge_tags=False)
    assert "tags" not in reads(governed, "compute_quota", **wanted)["compute_quota"]


def test_a_quota_of_another_name_is_neither_changed_nor_removed(governed, wanted):
    governed.quota("other", team="research")
    governed.quota("vision")
    for state in ("present", "absent"):
        refused = governed.run("compute_quota", **{**wanted, "state": state})
        assert "name: 'research' is not allowed: team research has compute quota other" in refused["msg"], refused
        assert refused["failed"] and not refused["mutating"]
        refused = governed.run("compute_quota", **{**wanted, "state": state, "team_name": "new", "name": "vision"})
        assert "the compute quota of team vision has this name" in refused["msg"] and not refused["mutating"], refused


@pytest.mark.slow
def test_more_than_the_capacity_of_the_cluster_is_refused(governed, wanted):
    governed.quota("vision", count=1)
    governed.quota("idle", count=2, ActivationState="Disabled")
    refused = governed.run("compute_quota", **wanted, **of_nodes(2))
    assert (
        f"compute_quota_resources: '{TYPE}: 2 instances' is not allowed: the cluster has 2, and quotas of other teams guarantee 1"
        " (vision 1). Allowed: at most 1 instances, or more with allow_oversubscription: true." in refused["msg"]
    )
    assert refused["failed"] and not refused["mutating"]
    refused = governed.run("compute_quota", check=True, **wanted, **of_gpus(9))
    assert f"'{TYPE}: 9 accelerators' is not allowed: the cluster has 16" in refused["msg"] and "(vision 8)" in refused["msg"], refused
    refused = governed.run("compute_quota", **wanted, compute_quota_resources=[{"instance_type": "ml.p5.48xlarge", "vcpu": 1}])
    assert "no instance group of that type" in refused["msg"] and not refused["mutating"], refused
    assert governed.run("compute_quota", **wanted, **of_gpus(8))["changed"]
    done = governed.run("compute_quota", **wanted, **of_gpus(16), allow_oversubscription=True)
    assert done["changed"] and not done.get("failed"), done
    reads(governed, "compute_quota", **wanted, **of_gpus(16))
    assert governed.run("compute_quota", **wanted, **of_gpus(12))["changed"], "less than before is allowed"
    assert governed.run("compute_quota", **wanted, activation_state="Disabled")["changed"]
    refused = governed.run("compute_quota", **wanted, activation_state="Enabled")
    assert "12 accelerators" in refused["msg"] and not refused["mutating"], refused


@pytest.mark.slow
def test_more_gpu_partitions_than_labels_state_are_refused(governed, wanted):
    label = "according to label nvidia.com/mig.config of its instance groups"
    assert governed.run("compute_quota", **{**wanted, "name": "vision", "team_name": "vision"}, **of_parts(50))["changed"]
    refused = governed.run("compute_quota", **wanted, **of_parts(7))
    assert (
        f"compute_quota_resources: '{TYPE_IN_PARTS}: 7 partitions {PROFILE}' is not allowed: the cluster has 56 {label}, and quotas of other teams"
        f" guarantee 50 (vision 50). Allowed: at most 6 partitions {PROFILE}, or more with allow_oversubscription: true." in refused["msg"]
    )
    assert refused["failed"] and not refused["mutating"]
    (whole,) = of_gpus(1)["compute_quota_resources"]
    for wrong, message in (
        (of_parts(1, "mig-2g.20gb"), f"'{TYPE_IN_PARTS}: 1 partitions mig-2g.20gb' is not allowed: the cluster has 0 {label}. Allowed"),
        (of_parts(1, "mig-1g.5gb", TYPE), f"'{TYPE}: 1 partitions mig-1g.5gb' is not allowed: the cluster has 0 {label}. Allowed"),
        ({"compute_quota_resources": [{**whole, "instance_type": TYPE_IN_PARTS}]}, f"1 whole accelerators' is not allowed: the cluster has 0 {label}"),
        (
            {"compute_quota_resources": [{"instance_type": TYPE_IN_PARTS, "count": 1}]},
            "8 accelerators, whole and partitioned' is not allowed: the cluster has 8",
        ),
    ):
        refused = governed.run("compute_quota", check=True, **wanted, **wrong)
        assert refused["failed"] and message in refused["msg"] and not refused["mutating"], refused
    assert governed.run("compute_quota", **wanted, **of_parts(6))["changed"]
    done = governed.run("compute_quota", **wanted, **of_parts(20), allow_oversubscription=True)
    assert done["changed"] and not done.get("failed"), done
    reads(governed, "compute_quota", **wanted, **of_parts(20))
    assert governed.run("compute_quota", **wanted, **of_parts(12))["changed"], "less than before is allowed"


class OtherWriter:
    """Changes a quota during ``rounds`` updates of it by the module."""

    def __init__(self, governed: t.Any, quota: str, rounds: int) -> None:
        self.governed, self.quota, self.rounds = governed, quota, rounds
        self._expect(1)
        self.thread = threading.Thread(target=self._work)
        self.thread.start()

    def _expect(self, version: int) -> None:
        self.governed.fault(kind="hang", operation="UpdateComputeQuota", where={"TargetVersion": version}, times=1)

    def _work(self) -> None:
        for version in range(1, self.rounds + 1):
            eventually(lambda: any(rule["fired"] for rule in self.governed.control("faults")))
            change = {"TargetVersion": version, "Description": f"theirs {version}"}
            self.governed.sagemaker.update_compute_quota(ComputeQuotaId=self.quota, **change)
            self.governed.clear_faults()  # the module's call then arrives, too late
            if version < self.rounds:
                self._expect(version + 1)


def test_a_concurrent_change_is_planned_again(governed, wanted, faults):
    other = OtherWriter(governed, governed.quota("research"), rounds=2)
    done = governed.run("compute_quota", **wanted, fair_share_weight=9)
    other.thread.join()
    assert not done.get("failed") and done["changed"], done
    quota = done["compute_quota"]
    assert (quota["version"], quota["description"], quota["fair_share_weight"]) == (4, "theirs 2", 9)


def test_a_concurrent_creation(governed, wanted, faults):
    faults(kind="hang", operation="CreateComputeQuota", where={"Description": "ours"}, times=1)

    def make() -> None:
        eventually(lambda: any(rule["fired"] for rule in governed.control("faults")))
        governed.quota("research", Description="theirs")
        governed.clear_faults()

    other = threading.Thread(target=make)
    other.start()
    done = governed.run("compute_quota", **wanted, description="ours")
    other.join()
    quota = done["compute_quota"]
    assert (quota["description"], quota["version"], quota["compute_quota_resources"][0]["count"]) == ("ours", 2, 1), done
    assert [(each["action"], each["before"]) for each in done["changes"]] == [("update", "theirs")]


def test_repeated_concurrent_changes_fail_with_a_message(governed, wanted, faults):
    other = OtherWriter(governed, governed.quota("research"), rounds=3)
    failed = governed.run("compute_quota", **wanted, fair_share_weight=9)
    other.thread.join()
    assert failed["failed"] and failed["msg"].endswith("keeps changing concurrently. Run again later."), failed


def test_a_conflict_without_a_concurrent_change_shows_the_error_of_aws(governed, wanted, faults):
    quota = governed.quota("research")
    faults(kind="error", operation="UpdateComputeQuota", code="ConflictException", times=1)
    failed = governed.run("compute_quota", **wanted, description="x")
    assert failed["failed"] and "UpdateComputeQuota" in failed["msg"] and "ConflictException" in failed["msg"], failed
    assert governed.described(quota)["ComputeQuotaVersion"] == 1


@pytest.mark.slow
def test_lost_replies_cause_no_duplicates(governed, wanted, faults):
    for operation in ("CreateComputeQuota", "UpdateComputeQuota", "DeleteComputeQuota"):
        faults(kind="cut_after", operation=operation, times=1)
    for options in ({}, {"description": "x"}, {"state": "absent"}):
        done = governed.run("compute_quota", **wanted, **options)
        assert not done.get("failed") and done["changed"], done
        assert not governed.run("compute_quota", **wanted, **options)["changed"]
    assert [rule["fired"] for rule in governed.control("faults")] == [1, 1, 1]


@pytest.mark.parametrize("wait", [True, False])
def test_lost_replies_without_a_wait(governed, wanted, faults, wait):
    governed.set_up(transition_seconds=30)
    faults(kind="cut_after", operation="CreateComputeQuota", times=1)
    if wait:
        threading.Timer(1, governed.set_up, kwargs={"transition_seconds": 0.05}).start()
    done = governed.run("compute_quota", **wanted, wait=wait)
    assert not done.get("failed") and done["changed"], done
    assert done["compute_quota"]["status"] == ("Created" if wait else "Creating")


@pytest.mark.slow
def test_throttling_and_late_replies_are_no_failure(governed, wanted, faults):
    governed.set_up(policy_lag_seconds=0.7)
    for operation in ("CreateComputeQuota", "ListComputeQuotas", "DescribeComputeQuota", "UpdateComputeQuota", "DeleteComputeQuota"):
        faults(kind="throttle", operation=operation, times=1)
    for options in ({}, {"description": "x"}, {"state": "absent"}):
        done = governed.run("compute_quota", **wanted, **options)
        assert not done.get("failed") and done["changed"], done
        assert done["compute_quota"].get("status") in ("Created", "Updated", None)
    assert all(rule["fired"] for rule in governed.control("faults"))


@pytest.mark.slow
def test_a_running_operation_is_waited_for(governed, wanted):
    governed.set_up(transition_seconds=30)
    started = governed.run("compute_quota", **wanted, **of_nodes(1), wait=False)
    assert started["compute_quota"]["status"] == "Creating", started
    late = governed.run("compute_quota", **{**wanted, "wait_timeout": 1})
    assert late["failed"] and "compute quota research of team research is still Creating after 1 s" in late["msg"], late
    busy = governed.run("compute_quota", **wanted, description="x", wait=False)
    assert busy["failed"] and "wait until the running operation has ended" in busy["msg"], busy
    threading.Timer(1, governed.set_up, kwargs={"transition_seconds": 0.05}).start()
    done = governed.run("compute_quota", **wanted, description="x")
    assert done["compute_quota"]["status"] == "Updated", done


@pytest.mark.slow
def test_a_running_deletion_is_waited_for_and_the_quota_recreated(governed, wanted):
    first = governed.run("compute_quota", **wanted)["compute_quota"]["compute_quota_id"]
    governed.set_up(transition_seconds=30)
    removed = governed.run("compute_quota", **wanted, state="absent", wait=False)
    assert removed["changed"] and removed["compute_quota"]["status"] == "Deleting", removed
    assert not governed.run("compute_quota", **wanted, state="absent", wait=False)["changed"]
    foreseen = governed.run("compute_quota", check=True, **wanted)
    assert [each["action"] for each in foreseen["changes"]] == ["create"] and not foreseen["mutating"], foreseen
    threading.Timer(1, governed.set_up, kwargs={"transition_seconds": 0.05}).start()
    done = governed.run("compute_quota", **wanted)
    assert done["mutating"] == ["CreateComputeQuota"] and done["compute_quota"]["compute_quota_id"] != first, done


@pytest.mark.slow
def test_a_failed_creation_is_repeated_on_request(governed, wanted, faults):
    faults(kind="fail_later", operation="CreateComputeQuota", code="no queue", times=1)
    failed = governed.run("compute_quota", **wanted, **of_nodes(1), tags={"a": "1"})
    assert failed["failed"] and "is CreateFailed: no queue" in failed["msg"] and "recreate: true" in failed["msg"], failed
    refused = governed.run("compute_quota", **wanted, **of_nodes(1))
    assert "is CreateFailed (no queue), and AWS cannot change it in this status. Set recreate: true" in refused["msg"] and not refused["mutating"]
    unforeseen = [f"compute_quota.{name}" for name in ("compute_quota_id", "compute_quota_arn")]
    wanted["tags"] = {"a": "1"}
    done = changes_once(governed, "compute_quota", unforeseen=unforeseen, **wanted, **of_nodes(1), recreate=True)
    assert done["mutating"] == ["DeleteComputeQuota", "CreateComputeQuota"] and done["compute_quota"]["status"] == "Created"
    assert governed.sagemaker.list_tags(ResourceArn=done["compute_quota"]["compute_quota_arn"])["Tags"] == [{"Key": "a", "Value": "1"}]


@pytest.mark.slow
def test_a_failed_rollback_is_recreated_if_all_its_settings_are_declared(governed, wanted, faults):
    governed.run("compute_quota", **wanted, **of_nodes(1), fair_share_weight=3)
    faults(kind="fail_later", operation="UpdateComputeQuota", code="UpdateRollbackFailed: stuck", times=1)
    failed = governed.run("compute_quota", **wanted, description="new")
    assert failed["failed"] and "is UpdateRollbackFailed: stuck; fix the cause, then recreate it" in failed["msg"], failed
    refused = governed.run("compute_quota", **wanted, description="new", recreate=True)
    assert "Also declare its other settings (compute_quota_resources, fair_share_weight), so" in refused["msg"] and not refused["mutating"], refused
    done = governed.run("compute_quota", **wanted, **of_nodes(1), description="new", fair_share_weight=3, recreate=True)
    quota = done["compute_quota"]
    assert (quota["fair_share_weight"], quota["description"], quota["version"], quota["status"]) == (3, "new", 1, "Created"), done


@pytest.mark.slow
def test_a_failed_update_is_retried(governed, wanted, faults):
    governed.run("compute_quota", **wanted, **of_nodes(1))
    faults(kind="fail_later", operation="UpdateComputeQuota", code="no queue", times=1)
    failed = governed.run("compute_quota", **wanted, description="new")
    assert failed["failed"] and failed["msg"].endswith("is UpdateFailed: no queue; fix the cause, then run again"), failed
    second = changes_once(governed, "compute_quota", **wanted)
    assert [(each["field"], each["before"], each["after"]) for each in second["changes"]] == [("status", "UpdateFailed", "Updated")]
    assert governed.run("compute_quota", **wanted, description="new")["compute_quota"]["description"] == "new"


@pytest.mark.slow
def test_a_failed_deletion_is_retried(governed, wanted, faults):
    governed.run("compute_quota", **wanted)
    faults(kind="fail_later", operation="DeleteComputeQuota", code="in use", times=1)
    failed = governed.run("compute_quota", **wanted, state="absent")
    assert failed["failed"] and failed["msg"].endswith("is DeleteFailed: in use; fix the cause, then run again to delete it"), failed
    refused = governed.run("compute_quota", **wanted)
    assert "is DeleteFailed (in use), and AWS cannot change it" in refused["msg"], refused
    removed = governed.run("compute_quota", **wanted, state="absent")
    assert removed["changed"] and not removed["compute_quota"]["exists"], removed


@pytest.mark.slow
def test_the_next_run_completes_an_interrupted_run(governed, wanted, faults):
    faults(kind="fail_later", operation="CreateComputeQuota", code="no queue", times=1)
    governed.run("compute_quota", **wanted, **of_nodes(1))
    faults(kind="deny", operation="CreateComputeQuota", times=1)
    broken = governed.run("compute_quota", **wanted, **of_nodes(1), recreate=True)
    assert broken["failed"] and "already done: delete compute quota research" in broken["msg"], broken
    done = governed.run("compute_quota", **wanted, **of_nodes(1))
    assert done["mutating"] == ["CreateComputeQuota"] and done["compute_quota"]["status"] == "Created"


@pytest.mark.slow
def test_only_clusters_with_eks_have_quotas(simulator, small_cluster):
    wanted = {"cluster_arn": small_cluster.arn, "name": "a", "team_name": "a", **QUICK}
    refused = small_cluster.run("compute_quota", **wanted)
    assert refused["msg"].endswith("the cluster uses Slurm. Allowed: the ARN of a cluster with EKS."), refused
    reads(small_cluster, "compute_quota", **wanted, state="absent")
    nowhere = {**wanted, "cluster_arn": f"{small_cluster.arn[:-12]}abc123def456"}
    assert "does not exist in Region" in simulator.run("compute_quota", **nowhere)["msg"]
    reads(simulator, "compute_quota", **nowhere, state="absent")


def test_bad_input_is_refused_before_any_call(governed, wanted):
    limits = {"strategy": "Lend", "borrow_limit": 5}
    profile = {"accelerator_partition": {"type": "mig-1g.5gb"}}
    for wrong, named in (
        ({"name": "-"}, "name: '-' is not allowed"),
        ({"team_name": "Research"}, "team_name: 'Research' is not allowed"),
        ({"team_name": "a" * 52}, "Allowed: 1 to 51 small letters"),
        ({"fair_share_weight": 101}, "fair_share_weight: 101 is not allowed. Allowed: 0 to 100."),
        ({"resource_sharing_config": {"strategy": "LendAndBorrow", "borrow_limit": 10001}}, "Allowed: 0 to 10000."),
        ({"resource_sharing_config": limits}, "resource_sharing_config.borrow_limit: 5 is not allowed: strategy is 'Lend'"),
        (of_gpus(-1), "compute_quota_resources[0].accelerators: -1 is not allowed"),
        (of_gpus(1, vcpu=1e8), "compute_quota_resources[0].vcpu: 100000000.0 is not allowed"),
        ({"compute_quota_resources": of_gpus(1)["compute_quota_resources"] * 2}, "each value once"),
        ({"compute_quota_resources": of_gpus(1)["compute_quota_resources"] * 16}, "compute_quota_resources: 16 is not allowed"),
        ({"compute_quota_resources": [{"instance_type": TYPE}]}, "an instance type with at least one of count"),
        ({"compute_quota_resources": [{"count": 1}]}, "compute_quota_resources[0].instance_type: missing"),
        ({"compute_quota_resources": [{"instance_type": TYPE, **profile}]}, "accelerator_partition.count: missing"),
        ({"compute_quota_resources": [{"instance_type": "p4d", "count": 1}]}, "compute_quota_resources[0].instance_type: 'p4d'"),
        ({"description": "x" * 1025}, "at most 1024 characters"),
        ({"recreate": True, "wait": False}, "wait: False is not allowed"),
        ({"wait_timeout": 0}, "wait_timeout: 0"),
        ({"cluster_arn": "governed"}, "cluster_arn: 'governed'"),
    ):
        governed.simulator.control("reset-calls", {})
        refused = governed.run("compute_quota", **{**wanted, **wrong})
        assert refused["failed"] and named in refused["msg"], refused
        assert not governed.control("calls"), wrong
