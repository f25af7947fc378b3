"""AWS throttles, fails and loses replies while karpenter enables autoscaling: one role, one autoscaler, nothing twice."""

from __future__ import annotations

import json
import typing as t

import pytest
from eks_world import EksWorld, workers
from harness import Run
from lab.karpenter.objects import holds
from steps import step

GIVEN = (
    "-e",
    json.dumps(
        {
            "karpenter_node_classes": [{"name": "gpus", "instance_groups": ["auto"]}],
            "karpenter_node_pools": [{"name": "gpus", "node_class": "gpus"}],
        }
    ),
)
GONE = (*GIVEN, "-e", "karpenter_state=absent", "-e", "karpenter_confirm=ml")
MADE = ("CreateRole", "PutRolePolicy", "UpdateCluster")
LOCK = "PutParameter"
LOST = (("CreateRole", "DeleteRole"), ("PutRolePolicy", "DeleteRolePolicy"), ("UpdateCluster", "UpdateCluster"), (LOCK, LOCK))


@pytest.fixture(scope="module")
def cluster() -> t.Iterator[EksWorld]:
    with EksWorld() as world:
        world.agent("1.0.1892.0_1.0.424.0")
        world.hyperpod("ml", [workers("system", 1, "ml.m5.large"), workers("auto", 0)])
        world.karpenter.start()
        yield world


@pytest.fixture
def pods(cluster: EksWorld) -> t.Iterator[EksWorld]:
    """A cluster without Karpenter; the test's objects are removed afterwards."""
    cluster.world.reset_calls()
    yield cluster
    cluster.world.clear_faults()
    if scaled(cluster) or roles(cluster):
        gone = cluster.world.playbook("karpenter", *GONE)
        assert gone.rc == 0, gone.log


def printed(run: Run) -> str:
    return " ".join(run.output.split())


def roles(pods: EksWorld) -> list[str]:
    """ARNs of the roles that the playbook created."""
    return [each["Arn"] for each in pods.aws("iam").list_roles()["Roles"] if each["RoleName"].startswith("hyperpod-karpenter")]


def scaled(pods: EksWorld) -> bool:
    """Whether the autoscaler is enabled."""
    scaler = pods.aws("sagemaker").describe_cluster(ClusterName="ml").get("AutoScaling", {})
    return bool(scaler.get("Mode", "Disable") != "Disable")


def assert_one_of_each(pods: EksWorld) -> None:
    """Assert the state that one undisturbed run leaves."""
    cluster = pods.aws("sagemaker").describe_cluster(ClusterName="ml")
    scaler = cluster["AutoScaling"]
    assert (scaler["Mode"], scaler["Status"]) == ("Enable", "InService")
    assert roles(pods) == [cluster["ClusterRole"]]
    name = cluster["ClusterRole"].rpartition("/")[2]
    assert pods.aws("iam").list_role_policies(RoleName=name)["PolicyNames"] == ["hyperpod-karpenter"]
    for kind in ("hyperpodnodeclasses", "nodepools"):
        assert [(each["metadata"]["name"], holds(each, "Ready")) for each in pods.seen(kind)["items"]] == [("gpus", True)]


def finish(pods: EksWorld) -> None:
    """One more run completes the work; the run after it changes nothing."""
    pods.world.clear_faults()
    run = pods.world.playbook("karpenter", *GIVEN)
    assert run.rc == 0, run.log
    assert_one_of_each(pods)
    pods.world.reset_calls()
    pods.reset_changes()
    again = pods.world.playbook("karpenter", *GIVEN)
    assert (again.rc, again.changed) == (0, 0), again.log
    assert pods.world.calls(mutating=True) == [] and pods.changes() == []


@pytest.mark.slow
def test_throttled_and_failing_calls_are_retried(pods: EksWorld) -> None:
    with step("three calls in ten are throttled, and each mutating operation fails once"):
        for operation in (*MADE, LOCK):
            pods.world.fault(kind="error500", operation=operation, times=1)
        pods.world.fault(kind="throttle", probability=0.3, seed=7)
        run = pods.world.playbook("karpenter", *GIVEN)
    pods.world.clear_faults()
    assert run.rc == 0, run.log
    assert_one_of_each(pods)
    finish(pods)


@pytest.mark.parametrize(("creating", "removing"), LOST)
def test_calls_without_a_reply_take_effect_once(pods: EksWorld, creating: str, removing: str) -> None:
    with step("Karpenter is enabled"):
        loses(pods, creating, *GIVEN)
        assert_one_of_each(pods)
    with step("Karpenter is removed"):
        loses(pods, removing, *GONE)
        assert not scaled(pods) and roles(pods) == []


def loses(pods: EksWorld, operation: str, *arguments: str) -> None:
    pods.world.reset_calls()
    pods.world.fault(kind="cut_after", operation=operation, times=1)
    run = pods.world.playbook("karpenter", *arguments)
    pods.world.clear_faults()
    assert (run.rc, run.status) == (0, "changed"), run.log
    assert operation in [each["operation"] for each in pods.world.calls(mutating=True)], "the call must be made"


@pytest.mark.slow
def test_the_next_run_completes_one_whose_call_never_got_a_reply(pods: EksWorld) -> None:
    """The failed run names the task; the next one finds the role policy that was created without a reply."""
    pods.world.fault(kind="cut_after", operation="PutRolePolicy")
    run = pods.world.playbook("karpenter", *GIVEN)
    assert run.rc == 2 and "Ensure the role of Karpenter may add and delete nodes: " in printed(run) and "onnection" in printed(run), run.log
    assert not scaled(pods)
    finish(pods)
