# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""eks_nodegroup against the simulated API."""

from __future__ import annotations

import re
import threading
import typing as t

import pytest
from modules.fixtures.small_cluster import QUICK
from simulated.shape import changes_once, one_shape, reads
from steps import step

ROLE = "arn:aws:iam::111111111111:role/hyperpod-eks/ml-us-west-2-nodes"
GPU = {"key": "nvidia.com/gpu", "effect": "NO_SCHEDULE"}
INSTANCE = re.compile(r"i-[0-9a-f]{17}")
OLD, NEW = "1.34.1-20260901", "1.34.2-20261015"


@pytest.fixture
def wanted(eks_cluster: t.Any) -> dict[str, t.Any]:
    return {"eks_cluster": eks_cluster.name, "name": "gpu", **QUICK}


@pytest.fixture
def new(wanted: dict[str, t.Any], network: dict[str, t.Any]) -> dict[str, t.Any]:
    """Options of a new group."""
    return {**wanted, "node_role_arn": ROLE, "subnet_ids": network["subnets"], "scaling": {"min": 1, "max": 4}}


@pytest.fixture
def template(simulator: t.Any) -> t.Iterator[t.Callable[..., str]]:
    """Creates launch templates with the given data, and returns their IDs. The policies require their tag."""
    ec2 = simulator.client("ec2")
    made: list[str] = []
    ours = {"Key": "mlfleet.hyperpod/cluster", "Value": "arn:aws:eks:us-west-2:111111111111:cluster/ml"}

    def make(*versions: dict[str, t.Any], tags: t.Sequence[dict[str, str]] = (ours,)) -> str:
        first, *others = versions
        tagged = [{"ResourceType": "launch-template", "Tags": list(tags)}] if tags else []
        named = f"training-{len(made)}"
        found = ec2.create_launch_template(LaunchTemplateName=named, LaunchTemplateData=first, TagSpecifications=tagged)["LaunchTemplate"]
        made.append(found["LaunchTemplateId"])
        for data in others:
            ec2.create_launch_template_version(LaunchTemplateId=made[-1], LaunchTemplateData=data)
        return made[-1]

    yield make
    for each in made:
        ec2.delete_launch_template(LaunchTemplateId=each)


def test_created_and_removed(eks_cluster: t.Any, wanted: dict[str, t.Any], new: dict[str, t.Any]) -> None:
    present = {
        **new,
        "instance_types": ["m7i.xlarge"],
        "ami_type": "AL2023_x86_64_STANDARD",
        "disk_size": 100,
        "labels": {"team": "research"},
        "taints": [GPU],
        "tags": {"cost": "one"},
    }
    made, removed = one_shape(eks_cluster, "eks_nodegroup", present=present, absent={**wanted, "state": "absent"})
    group = made["eks_nodegroup"]
    assert (group["status"], group["issues"], group["version"], group["release_version"]) == ("ACTIVE", [], "1.34", NEW)
    assert (group["scaling"], group["disk_size"], group["capacity_type"]) == ({"min": 1, "max": 4, "desired": 1}, 100, "ON_DEMAND")
    assert (group["labels"], group["taints"], group["tags"]) == ({"team": "research"}, [{**GPU, "value": ""}], {"cost": "one"})
    assert removed["eks_nodegroup"] == {"exists": False, "name": "gpu", "eks_cluster": eks_cluster.name}


def test_check_mode_predicts_a_group_with_a_predicted_template(eks_cluster: t.Any, new: dict[str, t.Any]) -> None:
    later = "(known after apply)"
    found = eks_cluster.run("eks_nodegroup", **new, launch_template={"id": later, "version": "1"}, check=True)
    assert found["changed"] and found["eks_nodegroup"]["launch_template"] == {"id": later, "name": later, "version": "1"}


@pytest.mark.slow
def test_settings_change_in_one_call(eks_cluster: t.Any, wanted: dict[str, t.Any], new: dict[str, t.Any]) -> None:
    eks_cluster.run("eks_nodegroup", **new, labels={"a": "b", "c": "d"}, taints=[GPU])
    other = {"key": "team", "value": "a", "effect": "NO_EXECUTE"}
    changed = {
        "scaling": {"max": 8},
        "labels": {"c": "e", "f": "g"},
        "taints": [other],
        "update_config": {"max_unavailable_percentage": 50, "strategy": "MINIMAL"},
        "node_repair": {"enabled": True, "max_parallel_nodes_repaired_count": 1},
    }
    done = changes_once(eks_cluster, "eks_nodegroup", **wanted, **changed)
    assert done["mutating"] == [f"POST {eks_cluster.path}/node-groups/gpu/update-config"]
    group = done["eks_nodegroup"]
    assert (group["labels"], group["taints"]) == (changed["labels"], [other])
    assert (group["update_config"], group["node_repair"]) == (changed["update_config"], changed["node_repair"])
    empty: dict[str, t.Any] = {"labels": {}, "taints": [], "node_repair": {"enabled": False}}
    group = changes_once(eks_cluster, "eks_nodegroup", **wanted, **empty)["eks_nodegroup"]
    assert (group["labels"], group["taints"], group["node_repair"]["enabled"]) == ({}, [], False)


@pytest.mark.slow
def test_an_autoscaler_keeps_the_number_of_nodes(eks_cluster: t.Any, wanted: dict[str, t.Any], new: dict[str, t.Any]) -> None:
    eks_cluster.run("eks_nodegroup", **new)
    eks_cluster.eks.update_nodegroup_config(clusterName=eks_cluster.name, nodegroupName="gpu", scalingConfig={"desiredSize": 3})
    reads(eks_cluster, "eks_nodegroup", **new)
    done = changes_once(eks_cluster, "eks_nodegroup", **wanted, scaling={"max": 6})
    assert done["eks_nodegroup"]["scaling"] == {"min": 1, "max": 6, "desired": 3}
    refused = eks_cluster.run("eks_nodegroup", **wanted, scaling={"max": 2})
    assert refused["failed"] and not refused["mutating"]
    assert "scaling.max: 2 is not allowed: node group gpu has 3 desired nodes" in refused["msg"]
    done = changes_once(eks_cluster, "eks_nodegroup", **wanted, scaling={"min": 5})
    assert [each["field"] for each in done["changes"]] == ["scaling.min", "scaling.desired"]
    assert changes_once(eks_cluster, "eks_nodegroup", **wanted, scaling={"min": 0, "desired": 0})["eks_nodegroup"]["status"] == "ACTIVE"


@pytest.mark.slow
def test_a_group_without_nodes_is_active(eks_cluster: t.Any, new: dict[str, t.Any]) -> None:
    eks_cluster.control("settings", {"eks_nodegroup_issues": {"gpu": ["AsgInstanceLaunchFailures: no capacity"]}})
    done = changes_once(eks_cluster, "eks_nodegroup", **{**new, "scaling": {"min": 0, "max": 4}})
    assert (done["eks_nodegroup"]["status"], done["eks_nodegroup"]["scaling"]["desired"]) == ("ACTIVE", 0)


@pytest.mark.slow
def test_versions_change_and_omitted_ones_stay(
    eks_cluster: t.Any, wanted: dict[str, t.Any], new: dict[str, t.Any], template: t.Callable[..., str]
) -> None:
    named = {"id": template({"InstanceType": "p5.48xlarge"}, {"InstanceType": "p5.48xlarge", "EbsOptimized": True}), "version": "1"}
    with step("create"):
        options = {"launch_template": named, "ami_type": "AL2023_x86_64_NVIDIA", "release_version": OLD}
        group = changes_once(eks_cluster, "eks_nodegroup", **new, **options)["eks_nodegroup"]
        assert (group["launch_template"]["version"], group["instance_types"], group["disk_size"]) == ("1", None, None)
    eks_cluster.upgrade("1.35")
    with step("template"):
        done = changes_once(eks_cluster, "eks_nodegroup", **wanted, launch_template={"version": "2"})
        assert [each["field"] for each in done["changes"]] == ["launch_template.version"]
        assert (done["eks_nodegroup"]["version"], done["eks_nodegroup"]["release_version"]) == ("1.34", OLD)
    with step("release"):
        done = changes_once(eks_cluster, "eks_nodegroup", **wanted, release_version=NEW, force_update=True)
        assert (done["eks_nodegroup"]["version"], done["eks_nodegroup"]["launch_template"]["version"]) == ("1.34", "2")
    with step("Kubernetes"):
        done = changes_once(eks_cluster, "eks_nodegroup", **wanted, version="1.35", labels={"a": "b"})
        assert done["eks_nodegroup"]["release_version"] == "1.35.2-20261015"
        assert [each.rpartition("/")[2] for each in done["mutating"]] == ["update-config", "update-version"]
    for options, message in (
        ({"version": "1.36"}, "version: '1.36' is not allowed: EKS cluster"),
        ({"version": "1.34"}, "has version 1.35, and EKS can't downgrade it"),
        ({"release_version": "1.35.1-20260901"}, "has release 1.35.2-20261015, and EKS can't downgrade it"),
    ):
        refused = eks_cluster.run("eks_nodegroup", **wanted, **options)
        assert refused["failed"] and message in refused["msg"] and not refused["mutating"], refused


@pytest.mark.slow
def test_a_capacity_block_and_an_own_ami(
    eks_cluster: t.Any, wanted: dict[str, t.Any], new: dict[str, t.Any], template: t.Callable[..., str]
) -> None:
    data = {
        "InstanceType": "p5.48xlarge",
        "InstanceMarketOptions": {"MarketType": "capacity-block"},
        "CapacityReservationSpecification": {"CapacityReservationTarget": {"CapacityReservationId": "cr-0123456789abcdef0"}},
    }
    block = template(data, data)
    options = {"launch_template": {"id": block, "version": "1"}, "capacity_type": "CAPACITY_BLOCK", "ami_type": "AL2023_x86_64_NVIDIA"}
    group = changes_once(eks_cluster, "eks_nodegroup", **new, **options)["eks_nodegroup"]
    assert group["capacity_type"] == "CAPACITY_BLOCK"
    refused = eks_cluster.run("eks_nodegroup", **wanted, launch_template={"version": "2"})
    assert refused["failed"] and "EKS replaces its nodes only if scaling.desired is 0" in refused["msg"] and not refused["mutating"]
    done = changes_once(eks_cluster, "eks_nodegroup", **wanted, launch_template={"version": "2"}, scaling={"min": 0, "desired": 0})
    assert done["eks_nodegroup"]["launch_template"]["version"] == "2"
    own = {"launch_template": {"id": template({"ImageId": "ami-0123456789abcdef0"})}, "ami_type": "CUSTOM", "instance_types": ["m7i.xlarge"]}
    group = changes_once(eks_cluster, "eks_nodegroup", **{**new, "name": "own"}, **own)["eks_nodegroup"]
    assert (group["ami_type"], group["release_version"]) == ("CUSTOM", "ami-0123456789abcdef0")


def test_settings_that_eks_cannot_change_are_refused_by_name(
    eks_cluster: t.Any, wanted: dict[str, t.Any], new: dict[str, t.Any], network: dict[str, t.Any]
) -> None:
    eks_cluster.run("eks_nodegroup", **new, instance_types=["m7i.xlarge"], ami_type="AL2023_x86_64_STANDARD", disk_size=50)
    for option, value in (
        ("ami_type", "AL2023_x86_64_NVIDIA"),
        ("ami_type", "AL2_x86_64"),
        ("instance_types", ["m7i.2xlarge"]),
        ("subnet_ids", network["subnets"][:1]),
        ("node_role_arn", f"{ROLE}2"),
        ("capacity_type", "SPOT"),
        ("disk_size", 60),
        ("launch_template", {"name": "training"}),
    ):
        for check in (True, False):
            refused = eks_cluster.run("eks_nodegroup", check=check, **wanted, **{option: value})
            assert refused["failed"] and refused["msg"].startswith(f"{option}: ") and not refused["mutating"], refused
        assert option == "ami_type" or "a node group with another name (create it first" in refused["msg"], refused


@pytest.mark.parametrize(
    ("issue", "way"),
    [
        ("AsgInstanceLaunchFailures: no capacity", "see the message: EC2 lacks capacity"),
        ("NodeCreationFailure: Instances failed to join", "cause: role ml-us-west-2-nodes does not exist: create the role again"),
        ("Ec2LaunchTemplateInvalidConfiguration: bad", "correct the launch template in a new version"),
        ("InsufficientFreeAddresses: none", "use subnets with more free addresses"),
        ("Ec2SubnetInvalidConfiguration: public", "use private subnets with a NAT gateway"),
        ("AccessDenied: no", "ensure that the node role has an access entry"),
        ("InstanceLimitExceeded: no", "request a higher EC2 quota"),
        ("IamLimitExceeded: no", "remove unused instance profiles, or request a higher IAM quota"),
        ("LimitExceeded: no", "correct the problem that EKS reports"),
    ],
)
def test_a_failed_creation_is_explained_and_the_group_must_be_removed(
    eks_cluster: t.Any, wanted: dict[str, t.Any], new: dict[str, t.Any], issue: str, way: str
) -> None:
    eks_cluster.control("settings", {"eks_nodegroup_issues": {"gpu": [issue]}})
    failed = eks_cluster.run("eks_nodegroup", **new)
    assert failed["failed"] and f"is CREATE_FAILED (desired 1; {issue} [ID]): {way}" in INSTANCE.sub("ID", failed["msg"]), failed
    eks_cluster.control("settings", {"eks_nodegroup_issues": {}})
    refused = eks_cluster.run("eks_nodegroup", check=True, **new)
    assert refused["failed"] and issue in refused["msg"] and "remove the group with eks_nodegroup and state=absent, then run again" in refused["msg"]
    assert eks_cluster.run("eks_nodegroup", **wanted, state="absent")["changed"]


@pytest.mark.slow
def test_a_degraded_group_is_reported_and_refuses_changes(eks_cluster: t.Any, wanted: dict[str, t.Any], new: dict[str, t.Any]) -> None:
    eks_cluster.run("eks_nodegroup", **new)
    eks_cluster.control("settings", {"eks_nodegroup_issues": {"gpu": ["AsgInstanceLaunchFailures: no capacity"]}})
    found = reads(eks_cluster, "eks_nodegroup", **new)
    (issue,) = found["eks_nodegroup"]["issues"]
    assert (issue["code"], issue["resources"]) == ("AsgInstanceLaunchFailures", ["i-0123456789abcdef0"]) and "capacity" in issue["next_step"]
    assert "is DEGRADED (desired 1; AsgInstanceLaunchFailures: no capacity" in str(found["warnings"])
    failed = eks_cluster.run("eks_nodegroup", **wanted, labels={"a": "b"})
    assert failed["failed"] and "EKS refuses UpdateNodegroupConfig" in failed["msg"] and "Next step: see the message: EC2 lacks" in failed["msg"]
    assert eks_cluster.run("eks_nodegroup", **wanted, state="absent")["changed"]


@pytest.mark.slow
def test_failed_updates_and_removals_are_explained(eks_cluster: t.Any, wanted: dict[str, t.Any], new: dict[str, t.Any], faults: t.Any) -> None:
    eks_cluster.run("eks_nodegroup", **new, release_version=OLD)
    path = f"{eks_cluster.path}/node-groups/gpu"
    faults(kind="fail_later", operation=f"POST {path}/update-version", code="PodEvictionFailure: blocked", times=1)
    failed = eks_cluster.run("eks_nodegroup", **wanted, release_version=NEW)
    assert failed["failed"] and "the update is Failed (PodEvictionFailure: blocked" in failed["msg"] and "force_update=true" in failed["msg"]
    assert changes_once(eks_cluster, "eks_nodegroup", **wanted, release_version=NEW)["changed"]
    faults(kind="fail_later", operation=f"DELETE {path}", code="Ec2SecurityGroupDeletionFailure: in use", times=1)
    failed = eks_cluster.run("eks_nodegroup", **wanted, state="absent")
    assert failed["failed"] and "is DELETE_FAILED" in failed["msg"] and "remove what uses the security group" in failed["msg"]
    assert eks_cluster.run("eks_nodegroup", **wanted, state="absent")["changed"]


@pytest.mark.slow
def test_lost_replies_and_throttling_cause_no_second_change(
    eks_cluster: t.Any, wanted: dict[str, t.Any], new: dict[str, t.Any], faults: t.Any
) -> None:
    groups = f"{eks_cluster.path}/node-groups"
    calls = (f"POST {groups}", f"POST {groups}/gpu/update-config", f"POST {groups}/gpu/update-version", f"DELETE {groups}/gpu")
    for operation in calls:
        faults(kind="cut_after", operation=operation, times=1)
        faults(kind="throttle", operation=operation, times=1)
    for options in ({**new, "release_version": OLD}, {"labels": {"a": "b"}}, {"release_version": NEW}, {"state": "absent"}):
        done = eks_cluster.run("eks_nodegroup", **{**wanted, **options})
        assert not done.get("failed") and done["changed"], done
        assert not eks_cluster.run("eks_nodegroup", **{**wanted, **options})["changed"]
    assert [rule["fired"] for rule in eks_cluster.control("faults")] == [1] * 8


@pytest.mark.slow
def test_reads_that_lag_do_not_end_a_wait(eks_cluster: t.Any, wanted: dict[str, t.Any], new: dict[str, t.Any]) -> None:
    eks_cluster.control("settings", {"eks_nodegroup_lag_seconds": 1.5})
    for options in (new, {"labels": {"a": "b"}}, {"state": "absent"}):
        done = eks_cluster.run("eks_nodegroup", **{**wanted, **options})
        assert not done.get("failed") and done["changed"] and len(done["mutating"]) == 1, done
        assert done["eks_nodegroup"]["exists"] is (options.get("state") != "absent")
    assert not eks_cluster.run("eks_nodegroup", **wanted, state="absent")["changed"]


@pytest.mark.slow
def test_a_concurrent_update_is_waited_for(eks_cluster: t.Any, wanted: dict[str, t.Any], new: dict[str, t.Any]) -> None:
    eks_cluster.run("eks_nodegroup", **new)
    eks_cluster.control("settings", {"transition_seconds": 3600})
    eks_cluster.eks.update_nodegroup_config(clusterName=eks_cluster.name, nodegroupName="gpu", scalingConfig={"maxSize": 9})
    refused = eks_cluster.run("eks_nodegroup", **{**wanted, "wait": False}, labels={"a": "b"})
    assert refused["failed"] and "wait until the running operation has ended" in refused["msg"], refused
    threading.Timer(1, eks_cluster.control, ("settings", {"transition_seconds": 0.05})).start()
    done = eks_cluster.run("eks_nodegroup", **wanted, labels={"a": "b"})
    assert done["eks_nodegroup"]["scaling"]["max"] == 9 and len(done["mutating"]) == 1, done


@pytest.mark.slow
def test_a_wait_that_ends_too_early_names_the_state(eks_cluster: t.Any, new: dict[str, t.Any], tmp_path: t.Any) -> None:
    eks_cluster.control("settings", {"transition_seconds": 3600, "eks_nodegroup_issues": {"gpu": ["NodeCreationFailure: not joined"]}})
    progress = tmp_path / "progress"
    late = eks_cluster.run("eks_nodegroup", **{**new, "wait_timeout": 6}, _progress_file=str(progress))
    expected = "is still CREATING (desired 1; NodeCreationFailure: not joined [ID]) after 6 s. Next step: cause: role ml-us-west-2-nodes does not exist"
    assert late["failed"] and expected in INSTANCE.sub("ID", late["msg"]), late
    assert "is CREATING (desired 1; NodeCreationFailure: not joined" in progress.read_text()


@pytest.mark.slow
def test_tags_change_without_an_update(eks_cluster: t.Any, wanted: dict[str, t.Any], new: dict[str, t.Any]) -> None:
    eks_cluster.run("eks_nodegroup", **new, tags={"a": "b", "c": "d"})
    done = changes_once(eks_cluster, "eks_nodegroup", **wanted, tags={"a": "e", "f": "g"})
    assert done["eks_nodegroup"]["tags"] == {"a": "e", "f": "g"} and all("/tags/" in each for each in done["mutating"])
    assert changes_once(eks_cluster, "eks_nodegroup", **wanted, tags={"h": "i"}, purge_tags=False)["eks_nodegroup"]["tags"]["a"] == "e"


def test_a_new_group_needs_its_settings(eks_cluster: t.Any, wanted: dict[str, t.Any], new: dict[str, t.Any]) -> None:
    for options, message in (
        (wanted, "node_role_arn: missing; a new node group requires it."),
        ({**new, "scaling": {"min": 1}}, "scaling.max: missing; scaling requires it."),
        ({**new, "launch_template": {"version": "1"}}, "launch_template: missing id or name"),
        ({**new, "ami_type": "AL2_x86_64"}, "the module keeps node groups of this type, but creates no new ones"),
        ({**new, "ami_type": "CUSTOM"}, "Allowed: CUSTOM together with a launch template that contains the AMI."),
        ({**new, "capacity_type": "CAPACITY_BLOCK"}, "EKS requires a launch template for a Capacity Block"),
        ({**new, "update_config": {"strategy": "MINIMAL"}}, "update_config.strategy: 'MINIMAL' is not allowed"),
        ({**new, "version": "1.33"}, "EKS creates node groups only with the version of the cluster, which is 1.34"),
        ({**new, "release_version": "1.33.1-20260901"}, "the Kubernetes version of the cluster is 1.34"),
        ({**new, "eks_cluster": "none"}, "DescribeCluster for EKS cluster none failed; check the name and the Region"),
    ):
        refused = eks_cluster.run("eks_nodegroup", check=True, **options)
        assert refused["failed"] and message in refused["msg"], refused
    assert not eks_cluster.run("eks_nodegroup", **{**wanted, "eks_cluster": "none", "state": "absent"})["changed"]


def test_templates_that_eks_refuses_are_explained(
    eks_cluster: t.Any, new: dict[str, t.Any], template: t.Callable[..., str], policies: t.Callable[..., None]
) -> None:
    policies([])
    for data, reason in (
        ({"IamInstanceProfile": {"Name": "nodes"}}, "should not specify IamInstanceProfile"),
        ({"InstanceType": "m7i.xlarge"}, "Cannot specify instance types in launch template and API Request"),
        ({"InstanceMarketOptions": {"MarketType": "spot"}}, "should not specify spot market options"),
    ):
        options = {"launch_template": {"id": template(data)}, "instance_types": ["m7i.xlarge"]}
        refused = eks_cluster.run("eks_nodegroup", **new, **options)
        assert refused["failed"] and "CreateNodegroup for node group gpu of EKS cluster" in refused["msg"] and reason in refused["msg"], refused


def test_a_launch_template_of_others_is_refused(eks_cluster: t.Any, new: dict[str, t.Any], template: t.Callable[..., str]) -> None:
    """EKS checks whether the caller may start instances from the template; the policies require its tag."""
    refused = eks_cluster.run("eks_nodegroup", **new, launch_template={"id": template({"InstanceType": "m7i.xlarge"}, tags=())})
    assert refused["failed"] and "not authorized to perform: ec2:RunInstances on resource" in refused["msg"], refused


def test_bad_input_is_refused_before_any_call(eks_cluster: t.Any, new: dict[str, t.Any]) -> None:
    for wrong, named in (
        ({"eks_cluster": "a b"}, "eks_cluster: 'a b'"),
        ({"name": "-a"}, "name: '-a'"),
        ({"ami_type": "AL2024"}, "ami_type: 'AL2024' is not allowed. Allowed: AL2023_x86_64_STANDARD"),
        ({"instance_types": ["p5"]}, "instance_types: 'p5'"),
        ({"subnet_ids": ["subnet-1"]}, "subnet_ids: 'subnet-1'"),
        ({"node_role_arn": "nodes"}, "node_role_arn: 'nodes'"),
        ({"launch_template": {"id": "lt-01234567", "name": "abc"}}, "launch_template.id: 'lt-01234567' is not allowed: name is also given"),
        ({"launch_template": {"name": "abc", "version": "$Latest"}}, "launch_template.version: '$Latest'"),
        ({"launch_template": {"name": "abc"}, "disk_size": 50}, "disk_size: 50 is not allowed: the launch template sets"),
        ({"scaling": {"min": -1, "max": 1}}, "scaling.min: -1"),
        ({"scaling": {"min": 2, "max": 1}}, "scaling.min: 2"),
        ({"scaling": {"min": 1, "max": 2, "desired": 3}}, "scaling.desired: 3"),
        ({"labels": {"a b": "c"}}, "labels: 'a b'"),
        ({"labels": {"a": ""}}, "labels.a: ''"),
        ({"taints": [{"key": "a"}]}, "taints[0].effect: missing"),
        ({"update_config": {"max_unavailable": 101}}, "update_config.max_unavailable: 101"),
        ({"node_repair": {"overrides": [{"condition": "a"}]}}, "node_repair.overrides[0].reason: missing"),
        ({"version": "1.34.1"}, "version: '1.34.1'"),
        ({"wait_timeout": 0}, "wait_timeout: 0"),
    ):
        refused = eks_cluster.run("eks_nodegroup", **{**new, **wrong})
        assert refused["failed"] and named in refused["msg"] and eks_cluster.calls() == [], refused


@pytest.mark.slow
def test_without_waits_a_later_run_changes_the_version(eks_cluster: t.Any, wanted: dict[str, t.Any], new: dict[str, t.Any]) -> None:
    eks_cluster.run("eks_nodegroup", **new, release_version=OLD)
    eks_cluster.control("settings", {"transition_seconds": 3600})
    options = {**wanted, "labels": {"a": "b"}, "release_version": NEW}
    first = eks_cluster.run("eks_nodegroup", **{**options, "wait": False})
    assert [each["field"] for each in first["changes"]] == ["labels"] and first["eks_nodegroup"]["status"] == "UPDATING", first
    threading.Timer(0.5, eks_cluster.control, ("settings", {"transition_seconds": 0.05})).start()
    done = eks_cluster.run("eks_nodegroup", **options)
    assert [each["field"] for each in done["changes"]] == ["release_version"], done
