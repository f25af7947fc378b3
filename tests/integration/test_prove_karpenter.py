# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The proof of a NodePool: an idle pod scales it from no node to one and back, on a real API server."""

from __future__ import annotations

import signal
import typing as t

import pytest
from adhoc import AS_JSON, returned
from eks_world import EksWorld, command, until, workers
from lab.karpenter.objects import holds
from lab.kubernetes import definitions
from lab.names import ACCOUNT
from mishaps import Started
from steps import step

pytestmark = pytest.mark.slow
NODE_POOLS, NODE_CLAIMS = "/apis/karpenter.sh/v1/nodepools", "/apis/karpenter.sh/v1/nodeclaims"
NODE_CLASSES = "/apis/karpenter.sagemaker.amazonaws.com/v1/hyperpodnodeclasses"
TYPE = "node.kubernetes.io/instance-type"
POD = "hyperpod-proof-gpus"
NONE = "InvalidInstanceGroupStatus"
"""AWS's code for a group that cannot get a node now."""
QUICK = {"poll_interval": 1, "up_timeout": 180, "down_timeout": 180}
UP = ["pod created", "NodeClaim made", "NodeClaim launched", "node registered", "node ready", "pod running"]
SHORT = "node being ended"  # may begin and end between two polls on a busy machine
DOWN = ["pod deleted", SHORT, "node gone from HyperPod", "node gone from Kubernetes", "NodeClaim gone"]
Prove = t.Callable[..., dict[str, t.Any]]


@pytest.fixture(scope="module")
def pods() -> t.Iterator[EksWorld]:
    with EksWorld() as world:
        yield world


@pytest.fixture(scope="module")
def scaled(pods: EksWorld) -> t.Iterator[str]:
    """The ARN of a cluster with the autoscaler."""
    groups = [workers("system", 1, "ml.m5.large"), workers("gpus", 0), workers("dear", 0, "ml.p5.48xlarge")]
    arn = pods.hyperpod("proved", groups)
    role = f"arn:aws:iam::{ACCOUNT}:role/hyperpod-karpenter"
    done = pods.module("cluster_autoscaling", {"cluster_arn": arn, "cluster_role": role, "poll_interval": 1})
    assert done["autoscaling"]["status"] == "InService", done
    pods.karpenter.start()
    until(lambda: bool(pods.api.get(definitions.PATH)["items"]))
    until(lambda: pods.kubectl("get", "nodepools").returncode == 0)
    yield arn
    pods.aws("sagemaker").delete_cluster(ClusterName=arn)


@pytest.fixture
def prove(pods: EksWorld, scaled: str) -> t.Iterator[Prove]:
    """A function that proves a NodePool with two instance types, which is removed after the test."""
    spec = {"instanceGroups": ["gpus", "dear"]}
    pods.api.create(NODE_CLASSES, {**of("karpenter.sagemaker.amazonaws.com/v1", "HyperpodNodeClass"), "spec": spec})
    pods.api.create(NODE_POOLS, pool())
    until(lambda: holds(pods.seen("nodepool", "gpus"), "Ready"))

    def proved(*, check: bool = False, **options: t.Any) -> dict[str, t.Any]:
        given = {"cluster_arn": scaled, "node_pool": "gpus", **QUICK, **options}
        return pods.module("karpenter_proof", given, check=check)

    yield proved
    pods.world.clear_faults()
    for path in (f"{NODE_POOLS}/gpus", f"{NODE_CLASSES}/gpus"):
        pods.api.delete(path)
    until(lambda: pods.seen("nodeclaims")["items"] == [] == pods.seen("hyperpodnodeclasses")["items"])


def pool(**more: t.Any) -> dict[str, t.Any]:
    reference = {"group": "karpenter.sagemaker.amazonaws.com", "kind": "HyperpodNodeClass", "name": "gpus"}
    taint = {"key": "nvidia.com/gpu", "value": "true", "effect": "NoSchedule"}
    template = {"spec": {"nodeClassRef": reference, "requirements": [{"key": TYPE, "operator": "Exists"}], "taints": [taint]}}
    disruption = {"consolidateAfter": "1s", "consolidationPolicy": "WhenEmpty", "budgets": [{"nodes": "100%"}]}
    return {**of("karpenter.sh/v1", "NodePool"), "spec": {"template": template, "disruption": disruption, **more}}


def of(version: str, kind: str) -> dict[str, t.Any]:
    return {"apiVersion": version, "kind": kind, "metadata": {"name": "gpus"}}


def steps(done: dict[str, t.Any]) -> list[str]:
    assert "timeline" in done, done
    return [each["step"] for each in done["timeline"]]


def no_pod(pods: EksWorld) -> bool:
    return pods.kubectl("get", "pod", POD).returncode != 0


def running(pods: EksWorld, arn: str) -> list[str]:
    """Instance groups that have nodes."""
    return [each["InstanceGroupName"] for each in pods.aws("sagemaker").list_cluster_nodes(ClusterName=arn)["ClusterNodeSummaries"]]


def test_a_proof_adds_a_node_and_removes_it(pods: EksWorld, scaled: str, prove: Prove) -> None:
    planned = prove(check=True)
    assert planned["changed"] and not planned["proven"] and planned["timeline"] == [], planned
    assert (planned["instance_type"], planned["instance_group"], planned["price"]["per_hour"]) == ("ml.g5.8xlarge", "gpus", 3.06)
    assert [each["instance_type"] for each in planned["candidates"]] == ["ml.g5.8xlarge", "ml.p5.48xlarge"]
    assert no_pod(pods) and pods.seen("nodeclaims")["items"] == []

    for _turn in ("once", "again"):
        done = prove()
        assert done.get("proven"), done.get("msg", done)
        assert (steps(done)[:3], steps(done)[5:7]) == (UP[:3], ["pod running", "pod deleted"]), steps(done)
        assert sorted(steps(done)[:6]) == sorted(UP), steps(done)
        down = steps(done)[6:]
        assert sorted(down if SHORT in down else [*down, SHORT]) == sorted(DOWN), steps(done)
        assert done["changes"] == planned["changes"] and done["instance_group"] == "gpus"
        assert done["seconds_up"] > 0 and done["seconds_down"] > 0
        assert no_pod(pods) and pods.seen("nodeclaims")["items"] == [] and running(pods, scaled) == ["system"]


def test_late_capacity_counts_as_proven(pods: EksWorld, prove: Prove) -> None:
    pods.world.fault(kind="partial", operation="BatchAddClusterNodes", code=NONE, times=2)
    done = prove()
    assert done.get("proven"), done.get("msg", done)
    made, gone = (steps(done).count(each) for each in ("NodeClaim made", "NodeClaim gone"))  # one may come and go between two polls
    assert 2 <= made == gone <= 3, done
    assert steps(done).index("NodeClaim gone") < steps(done).index("pod running")


def test_a_failed_proof_reports_why_no_node_was_added(pods: EksWorld, scaled: str, prove: Prove) -> None:
    with step("no capacity"):
        pods.world.fault(kind="partial", operation="BatchAddClusterNodes", code=NONE, times=1000)
        failed = prove(up_timeout=20)
        assert "within 20 s" in failed["msg"] and NONE in failed["msg"], failed
        assert "Pod default/hyperpod-proof-gpus was removed." in failed["msg"] and "NodeClaim made" in steps(failed)
        assert [each["action"] for each in failed["changes"]] == ["create", "delete"] and no_pod(pods)
        pods.world.clear_faults()
        until(lambda: pods.seen("nodeclaims")["items"] == [])
    with step("limits"):
        pods.api.merge(f"{NODE_POOLS}/gpus", {"spec": {"limits": {"cpu": "0"}}})
        failed = prove(up_timeout=10)
        assert "NodePool gpus is limited to 0 cpu" in failed["msg"] and "Raise spec.limits" in failed["msg"], failed
        assert no_pod(pods) and steps(failed) == ["pod created", "pod deleted"] and running(pods, scaled) == ["system"]
        pods.api.merge(f"{NODE_POOLS}/gpus", {"spec": {"limits": None}})
    with step("an image that cannot be pulled"):
        failed = prove(image="unpullable/pause:3")
        assert "ImagePullBackOff" in failed["msg"] and "option image" in failed["msg"] and no_pod(pods), failed
        assert "Karpenter must still remove NodeClaim gpus-" in failed["msg"] and "Until then, each node costs about 3.06 USD an hour." in failed["msg"]


def test_a_node_that_is_not_removed_is_named(pods: EksWorld, scaled: str, prove: Prove) -> None:
    closed = [{"nodes": "0", "reasons": ["Empty"], "schedule": "0 9 * * *", "duration": "8h"}]
    pods.api.merge(f"{NODE_POOLS}/gpus", {"spec": {"disruption": {"budgets": closed}}})
    failed = prove(down_timeout=3)
    assert "did not remove its nodes of ml.g5.8xlarge within 4 s. Remaining: NodeClaim gpus-" in failed["msg"], failed
    assert "costs about 3.06 USD an hour" in failed["msg"] and "a disruption budget of 0 nodes with schedule 0 9 * * *" in failed["msg"]
    assert no_pod(pods) and sorted(running(pods, scaled)) == ["gpus", "system"]

    with step("another pod runs on the node"):
        container = {"name": "a", "image": "pause"}
        taint = {"key": "nvidia.com/gpu", "operator": "Exists"}
        spec = {"nodeSelector": {"karpenter.sh/nodepool": "gpus"}, "tolerations": [taint], "containers": [container]}
        pods.api.create("/api/v1/namespaces/default/pods", {"apiVersion": "v1", "kind": "Pod", "metadata": {"name": "work"}, "spec": spec})
        until(lambda: pods.seen("pod", "work")["status"].get("phase") == "Running", seconds=180)
        refused = prove()
        assert "NodePool gpus already has nodes of ml.g5.8xlarge in use: hyperpod-i-" in refused["msg"], refused
        assert "(pod default/work)" in refused["msg"] and refused["changes"] == [] and no_pod(pods)
        pods.api.delete("/api/v1/namespaces/default/pods/work")
    with step("the node may be removed"):
        pods.api.merge(f"{NODE_POOLS}/gpus", {"spec": {"disruption": {"budgets": [{"nodes": "100%"}]}}})
        done = prove()
        assert done.get("proven"), done.get("msg", done)
        assert no_pod(pods) and running(pods, scaled) == ["system"]


def test_an_interrupted_or_killed_proof_is_cleaned_up(pods: EksWorld, scaled: str, prove: Prove) -> None:
    def started(**more: t.Any) -> Started:
        options = {"cluster_arn": scaled, "node_pool": "gpus", **QUICK, **more}
        return Started(pods.world, "", argv=command("karpenter_proof", options))

    with step("interrupted"):
        pods.world.fault(kind="partial", operation="BatchAddClusterNodes", code=NONE, times=1000)
        run = started()
        until(lambda: not no_pod(pods), seconds=180)
        run.signal(signal.SIGTERM)
        until(lambda: no_pod(pods))
        run.kill()
        pods.world.clear_faults()
        until(lambda: pods.seen("nodeclaims")["items"] == [])
    with step("killed"):
        run = started()
        until(lambda: bool(pods.api.get(NODE_CLAIMS)["items"]), seconds=180)  # not the pod, which is removed soon after it runs
        run.kill()
        assert not no_pod(pods)
    with step("the next run removes leftovers, and proves"):
        done = prove()
        assert done.get("proven"), done.get("msg", done)
        assert steps(done)[0] == "pod of an earlier run deleted" and steps(done).index("NodeClaim gone") < steps(done).index("pod created")
        assert [each["action"] for each in done["changes"]] == ["delete", "create", "delete"]
        assert no_pod(pods) and running(pods, scaled) == ["system"]


def test_the_lock_prevents_two_proofs_at_once(pods: EksWorld, scaled: str, prove: Prove) -> None:
    """The second proof finds the pod of the first, and must not treat it as left by a killed run."""
    pods.world.fault(kind="partial", operation="BatchAddClusterNodes", code=NONE, times=1000)
    options = {"cluster_arn": scaled, "node_pool": "gpus", **QUICK, "lock": True}
    environment = ("env", *(f"{name}={value}" for name, value in AS_JSON.items()))
    first = Started(pods.world, "", argv=[*environment, *command("karpenter_proof", options)])
    until(lambda: not no_pod(pods), seconds=180)
    uid = pods.seen("pod", POD)["metadata"]["uid"]
    second = prove(lock=True)
    assert "is locked by" in second.get("msg", "") and "Nothing was changed" in second["msg"], second
    assert second["locked_by"] and second["changes"] == [] and pods.seen("pod", POD)["metadata"]["uid"] == uid, second
    pods.world.clear_faults()
    done = returned(first.end(300).output)
    assert done.get("proven"), done.get("msg", done)
    assert {"pod created again", "pod of an earlier run deleted"}.isdisjoint(steps(done)) and no_pod(pods)


@pytest.mark.parametrize(
    ("wrong", "message"),
    [
        ({"node_pool": "other"}, "node_pool: 'other' is not allowed: the NodePool does not exist. Allowed: gpus."),
        ({"instance_type": "ml.m5.large"}, "Allowed: ml.g5.8xlarge, ml.p5.48xlarge."),
        ({"namespace": "nowhere"}, "namespace: 'nowhere' is not allowed: it does not exist."),
    ],
)
def test_invalid_options_are_refused_before_any_change(pods: EksWorld, prove: Prove, wrong: dict[str, str], message: str) -> None:
    refused = prove(**wrong)
    assert message in refused["msg"] and refused["changes"] == [] and no_pod(pods), refused
