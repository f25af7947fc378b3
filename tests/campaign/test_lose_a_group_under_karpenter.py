"""A NodeClass's instance group is deleted by hand: reports name it, nothing changes until the declaration changes, then it heals."""

from __future__ import annotations

import json
import typing as t

import pytest
from eks_world import EksWorld, until, workers
from harness import Run
from lab.karpenter.objects import holds
from lab.kubernetes.hyperpod_nodes import GROUP
from steps import step

pytestmark = pytest.mark.slow
JOBS = "/apis/batch/v1/namespaces/default/jobs"
POOL = {"name": "gpus", "node_class": "gpus", "disruption": {"profile": "training", "consolidate_after": "1s"}}


@pytest.fixture(scope="module")
def pods() -> t.Iterator[EksWorld]:
    with EksWorld() as world:
        world.agent("1.0.1892.0_1.0.424.0")
        world.hyperpod("ml", [workers("system", 1, "ml.m5.large"), workers("auto", 0), workers("spare", 0)])
        world.karpenter.start()
        yield world


def karpenter(pods: EksWorld, groups: t.Sequence[str], *arguments: str, verb: str = "karpenter", **variables: t.Any) -> Run:
    declared = {"karpenter_node_classes": [{"name": "gpus", "instance_groups": list(groups)}], "karpenter_node_pools": [POOL]}
    pods.world.reset_calls()
    pods.reset_changes()
    return pods.world.playbook(verb, "-e", json.dumps({**declared, **variables}), *arguments)


def printed(run: Run) -> str:
    return " ".join(run.output.split())


def assert_nothing_changed(pods: EksWorld) -> None:
    assert pods.world.calls(mutating=True) == [] and pods.changes() == [], (pods.world.calls(mutating=True), pods.changes())


def job() -> dict[str, t.Any]:
    container = {"name": "a", "image": "x", "resources": {"limits": {"nvidia.com/gpu": "1"}}}
    template = {"metadata": {"annotations": {"lab/run-seconds": "3600"}}, "spec": {"restartPolicy": "Never", "containers": [container]}}
    return {"metadata": {"name": "train"}, "spec": {"template": template}}


def runs_in(pods: EksWorld) -> list[str]:
    """Instance groups of the nodes that pods of the job run on."""
    running = [each["spec"]["nodeName"] for each in pods.seen("pods", "--selector=job-name=train")["items"] if each["status"]["phase"] == "Running"]
    nodes = {each["metadata"]["name"]: each["metadata"]["labels"] for each in pods.seen("nodes")["items"]}
    return [nodes[name][GROUP] for name in running if name in nodes]


def delete_group(pods: EksWorld, name: str) -> None:
    """Delete the group by an API call, as the console does."""
    sagemaker = pods.aws("sagemaker")
    sagemaker.update_cluster(ClusterName="ml", InstanceGroupsToDelete=[name])
    until(lambda: name not in [each["InstanceGroupName"] for each in sagemaker.describe_cluster(ClusterName="ml")["InstanceGroups"]])
    until(lambda: not holds(pods.seen("hyperpodnodeclass", "gpus"), "Ready") and pods.seen("nodeclaims")["items"] == [])
    until(lambda: "Unschedulable" in str(pods.seen("pods", "--selector=job-name=train")), seconds=180)


def test_a_deleted_group_is_reported_and_can_be_replaced(pods: EksWorld) -> None:
    both = ("auto", "spare")
    made = karpenter(pods, both)
    assert made.rc == 0, made.log
    pods.api.create(JOBS, job())
    until(lambda: runs_in(pods) == ["auto"])
    delete_group(pods, "auto")

    with step("the status names the group and the next step"):
        status = karpenter(pods, both, verb="karpenter_status")
        assert status.rc == 0, status.log
        assert "NodeClass gpus names instance group auto, which the cluster lacks" in printed(status), status.log
        assert "Remove the group from the NodeClass (karpenter_node_classes) and run karpenter" in printed(status)
        assert "gpus not Ready (Instance groups not found: auto) instance groups auto, spare (not in the cluster: auto)" in printed(status)
        assert "HyperpodNodeClass gpus is not Ready: Instance groups not found: auto." in printed(status)
        assert_nothing_changed(pods)

    with step("a declaration that still names the group is refused before any change"):
        for arguments in ((), ("--check",)):
            refused = karpenter(pods, both, *arguments)
            assert refused.rc == 2, refused.log
            assert "instance groups: auto of NodeClass gpus no longer exists." in printed(refused), refused.log
            assert "Add the groups to the cluster's definition, or remove them from NodeClass gpus." in printed(refused)
            assert_nothing_changed(pods)

    with step("a declaration without the group works"):
        healed = karpenter(pods, ["spare"], "--diff")
        assert (healed.rc, healed.status) == (0, "changed"), healed.log
        assert pods.changes() == [("patch", "hyperpodnodeclasses", "gpus")] and "UpdateCluster" not in str(pods.world.calls(mutating=True))
        until(lambda: runs_in(pods) == ["spare"])
        again = karpenter(pods, ["spare"])
        assert (again.rc, again.changed) == (0, 0), again.log
        assert_nothing_changed(pods)
        status = karpenter(pods, ["spare"], verb="karpenter_status")
        assert status.rc == 0 and "not in the cluster" not in printed(status) and "the cluster lacks" not in printed(status), status.log

    with step("a NodeClass without groups can be removed"):
        delete_group(pods, "spare")
        gone = karpenter(pods, ["spare"], karpenter_state="absent", karpenter_confirm="ml")
        assert gone.rc == 0 and gone.status == "changed", gone.log
        assert [pods.seen(kind)["items"] for kind in ("nodepools", "hyperpodnodeclasses", "nodeclaims")] == [[], [], []]
        assert pods.aws("sagemaker").describe_cluster(ClusterName="ml").get("AutoScaling", {}).get("Mode", "Disable") == "Disable"
        pods.api.delete(f"{JOBS}/train", {"propagationPolicy": "Background"})
