# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""cluster_software against the simulated API."""

from __future__ import annotations

import typing as t

import pytest
from simulated.shape import changes_once, reads

QUICK = {"poll_interval": 1, "wait_timeout": 60}
ABOUT = {"InstanceType": "ml.m5.large", "ExecutionRole": "arn:aws:iam::111111111111:role/hyperpod-nodes"}
BATCHES = {"rolling_update_policy": {"maximum_batch_size": {"type": "INSTANCE_COUNT", "value": 1}}}
NUMBER = ["groups.image_release_version", "groups.image_id"]
"""Release of the newest image, which only AWS knows."""
STATUS = "groups.image_version_status"
"""Fields that are also unknown for a custom image."""


class World(t.NamedTuple):
    simulator: t.Any
    arn: str

    def run(self, *names: str, **options: t.Any) -> dict[str, t.Any]:
        return self.simulator.run("cluster_software", **self.options(*names, **options))

    def options(self, *names: str, **options: t.Any) -> dict[str, t.Any]:
        return {"cluster_arn": self.arn, "instance_groups": [{"name": name} for name in names], **QUICK, **options}

    def settings(self, **settings: t.Any) -> None:
        self.simulator.control("settings", settings)


@pytest.fixture(params=["Slurm"])
def cluster(simulator, network, request):
    """A cluster whose groups a and b run the image that was the newest at its creation."""
    sagemaker = simulator.client("sagemaker")
    vpc = {"Subnets": network["subnets"][:1], "SecurityGroupIds": network["groups"][:1]}
    eks = {"ClusterArn": "arn:aws:eks:us-west-2:111111111111:cluster/one"}
    arn = sagemaker.create_cluster(
        ClusterName="patched",
        VpcConfig=vpc,
        Orchestrator={request.param: eks if request.param == "Eks" else {}},
        NodeProvisioningMode="Continuous",
        InstanceGroups=[{"InstanceGroupName": name, "InstanceCount": 2, **ABOUT} for name in "ab"],
        Tags=[{"Key": "lab/hosts", "Value": "none"}],
    )["ClusterArn"]
    simulator.run("cluster", name="patched", **QUICK)  # waits for it
    world = World(simulator, arn)
    world.settings(image_release_version="1.0.1", cluster_lag_seconds=0.3)
    yield world
    simulator.clear_faults()
    world.settings(image_release_version="1.0.0", cluster_lag_seconds=0, software_update="succeeds", software_update_retries=0)
    world.settings(transition_seconds=0.2, protected_nodes=[])
    removed = simulator.run("cluster", name="patched", state="absent", cluster_arn=arn, **QUICK)
    assert not removed.get("failed"), removed["msg"]


def test_the_newest_image_is_installed_once(cluster):
    done = changes_once(cluster.simulator, "cluster_software", unforeseen=NUMBER, **cluster.options("a"))
    (group,) = done["groups"]
    assert (group["image_release_version"], group["software_update_status"]) == ("1.0.1", "Succeeded")
    found = cluster.simulator.client("sagemaker").describe_cluster(ClusterName="patched")["InstanceGroups"]
    assert {each["InstanceGroupName"]: each["CurrentImageReleaseVersion"] for each in found} == {"a": "1.0.1", "b": "1.0.0"}


def test_a_version_is_installed_once(cluster):
    wanted = [{"name": "a", "image_release_version": "1.0.0"}, {"name": "b", "image_release_version": "0.9.0"}]
    done = changes_once(cluster.simulator, "cluster_software", unforeseen=["groups.image_id"], **cluster.options(instance_groups=wanted))
    assert [(each["resource"], each["before"], each["after"]) for each in done["changes"]] == [("software of group b", "1.0.0", "0.9.0")]


def test_a_custom_image_is_installed_once(cluster):
    ec2 = cluster.simulator.client("ec2")
    image = ec2.register_image(Name="nodes", RootDeviceName="/dev/xvda", Architecture="x86_64")["ImageId"]
    refused = cluster.simulator.run("cluster_software", **cluster.options("a", image_id=image))
    assert f"is not authorized to perform: ec2:ModifyImageAttribute on resource: arn:aws:ec2:us-west-2::image/{image}" in refused["msg"]
    snapshot = ec2.describe_images(ImageIds=[image])["Images"][0]["BlockDeviceMappings"][0]["Ebs"]["SnapshotId"]
    ec2.create_tags(Resources=[image, snapshot], Tags=[{"Key": "mlfleet.hyperpod/component", "Value": "node-image"}])
    done = changes_once(cluster.simulator, "cluster_software", unforeseen=[NUMBER[0], STATUS], **cluster.options("a", "b", image_id=image))
    assert {each["image_id"] for each in done["groups"]} == {image}
    nodes = cluster.simulator.run("cluster_node_info", cluster_arn=cluster.arn, addresses="all")["nodes"]
    assert {each["image_id"] for each in nodes} == {image} and {each["image_release_version"] for each in nodes} == {"1.0.1"}


def test_force_updates_current_groups(cluster):
    assert cluster.run("a")["changed"] and not cluster.run("a")["changed"]
    assert cluster.run("a", force=True)["changed"]


def test_a_roll_back_is_a_failure_with_its_events(cluster):
    cluster.settings(software_update="rolls_back")
    failed = cluster.run("a", "b")
    assert failed["failed"] and "group a is Failed; group b is Failed; The software of b did not come up (b)" in failed["msg"], failed
    cluster.settings(software_update="succeeds")
    done = cluster.run("a", "b")
    assert not done.get("failed") and done["changed"], done


def test_failed_attempts_are_waited_for_and_reported(cluster, tmp_path):
    """AWS retries while the status stays InProgress, here long enough for a line of progress."""
    cluster.settings(software_update_retries=3, transition_seconds=1)
    progress = tmp_path / "progress"
    done = cluster.run("a", _progress_file=str(progress))
    assert not done.get("failed") and done["changed"], done
    (group,) = done["groups"]
    assert (group["image_release_version"], group["software_update_status"]) == ("1.0.1", "Succeeded")
    assert f"cluster {cluster.arn} is SystemUpdating, a InProgress after" in progress.read_text()
    assert cluster.simulator.calls().count("UpdateClusterSoftware") == 1


@pytest.mark.parametrize("cluster", ["Eks"], indirect=True)
def test_batches_on_eks(cluster):
    done = cluster.run("a", deployment_config=BATCHES)
    assert not done.get("failed") and done["changed"], done
    (sent,) = [call for call in cluster.simulator.control("calls") if call["operation"] == "UpdateClusterSoftware"]
    assert sent["arguments"]["DeploymentConfig"] == {"RollingUpdatePolicy": {"MaximumBatchSize": {"Type": "INSTANCE_COUNT", "Value": 1}}}


@pytest.mark.parametrize("cluster", ["Eks"], indirect=True)
def test_nodes_protected_by_a_budget_are_named_and_updated_by_the_next_run(cluster):
    nodes = cluster.simulator.client("sagemaker").list_cluster_nodes(ClusterName="patched")["ClusterNodeSummaries"]
    protected = [each["InstanceId"] for each in nodes if each["InstanceGroupName"] == "a"][:1]
    cluster.settings(protected_nodes=protected)
    assert cluster.run("a")["groups"][0]["nodes_behind"] == protected
    assert cluster.run("a")["changed"]
    cluster.settings(protected_nodes=[])
    done = changes_once(cluster.simulator, "cluster_software", unforeseen=NUMBER, **cluster.options("a"))
    assert done["groups"][0]["nodes_behind"] == []


def test_a_lost_reply_causes_one_update(cluster, faults):
    faults(kind="cut_after", operation="UpdateClusterSoftware", times=1)
    done = cluster.run("a")
    assert not done.get("failed") and done["changed"], done
    assert cluster.simulator.calls().count("UpdateClusterSoftware") == 2  # the second one is refused
    assert not cluster.run("a")["changed"]


def test_throttling_does_not_change_the_result(cluster, faults):
    faults(kind="throttle", probability=0.3, seed=7)
    done = cluster.run("a", "b")
    assert {each["software_update_status"] for each in done["groups"]} == {"Succeeded"}
    reads(cluster.simulator, "cluster_software", **cluster.options("a", "b"))
    assert [rule["fired"] > 1 for rule in cluster.simulator.control("faults")] == [True]


def test_a_running_operation_is_waited_for(cluster):
    cluster.settings(transition_seconds=1, cluster_lag_seconds=0)
    assert cluster.run("a", wait=False)["changed"]
    later = reads(cluster.simulator, "cluster_software", **cluster.options("a"))
    assert later["groups"][0]["software_update_status"] == "Succeeded"


def test_bad_input_is_refused_before_any_call(cluster):
    for wrong, named in (
        ({"instance_groups": []}, "instance_groups: missing"),
        ({"instance_groups": [{"name": "c"}]}, "instance_groups: 'c' is not allowed: cluster patched has no such instance group"),
        ({"instance_groups": [{"name": "a"}, {"name": "a"}]}, "instance_groups"),
        ({"instance_groups": [{"name": "a", "image_release_version": "new"}]}, "instance_groups.a.image_release_version: 'new'"),
        ({"instance_groups": [{"name": "a", "image_release_version": "1.0.0"}], "image_id": "default"}, "with image_id"),
        ({"image_id": "ubuntu"}, "image_id: 'ubuntu'"),
        ({"deployment_config": BATCHES}, "deployment_config: {"),
        ({"deployment_config": {"wait_interval_in_seconds": 3601}}, "deployment_config.wait_interval_in_seconds: 3601"),
        ({"poll_interval": 0}, "poll_interval: 0"),
    ):
        refused = cluster.run("a", **wrong)
        assert refused["failed"] and named in refused["msg"] and not refused["mutating"], refused
