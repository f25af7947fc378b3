# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The topology map of a cluster with EKS, on a real API server: AWS's article, a job, nodes without labels, more layers."""

from __future__ import annotations

import json
import subprocess
import typing as t

import pytest
from eks_world import ADMINISTRATOR, EKS, EksWorld, until, workers
from harness import STATE_DIR
from steps import step

pytestmark = pytest.mark.slow
TYPE = "ml.p5.48xlarge"
LAYER = "topology.k8s.aws/network-node-layer-"
PODS, NODES = "/api/v1/namespaces/default/pods", "/api/v1/nodes"
IMAGE = "ami-12c6146b"
"""Any image works: the simulator has none."""
ARTICLE = (
    ("nn-1", "nn-21", "nn-31"),
    ("nn-1", "nn-21", "nn-31"),
    ("nn-1", "nn-22", "nn-32"),
    ("nn-1", "nn-22", "nn-32"),
    ("nn-1", "nn-22", "nn-32"),
    ("nn-1", "nn-22", "nn-33"),
    ("nn-1", "nn-22", "nn-33"),
)


@pytest.fixture(scope="module")
def pods() -> t.Iterator[EksWorld]:
    with EksWorld() as world:
        world.hyperpod("ml", [workers("gpus", 7, TYPE)])
        until(lambda: len(world.seen("nodes")["items"]) == 7)
        for name, layers in zip(names(world), ARTICLE):
            label(world, name, layers)
        yield world


def names(pods: EksWorld) -> list[str]:
    return sorted(each["metadata"]["name"] for each in pods.seen("nodes")["items"])


def label(pods: EksWorld, name: str, layers: t.Sequence[str]) -> None:
    labels = {f"{LAYER}{number}": layers[number - 1] if number <= len(layers) else None for number in range(1, 5)}
    pods.api.merge(f"/api/v1/nodes/{name}", {"metadata": {"labels": labels}})


def draw(pods: EksWorld, **variables: t.Any) -> tuple[t.Any, dict[str, t.Any]]:
    run = pods.world.playbook("topology", "-e", json.dumps(variables))
    path = STATE_DIR / "topology.json"
    assert path.exists(), run.log
    return run, json.loads(path.read_text())["clusters"]["ml"]


def test_the_map_has_nodes_jobs_and_changes(pods: EksWorld) -> None:
    found = names(pods)
    (STATE_DIR / "topology.json").unlink(missing_ok=True)
    with step("seven nodes as in the article"):
        pods.reset_changes()
        run, cluster = draw(pods, topology_nodes_needed=3)
        assert (run.rc, run.changed) == (0, 0) and pods.changes() == [], run.log
        boxes = [f'    L3_{last.replace("-", "_")} --> N_{name.replace("-", "_")}["{name}"]' for name, (*_above, last) in zip(found, ARTICLE)]
        drawn = (STATE_DIR / "topology-ml.mmd").read_text().splitlines()
        assert [line for line in drawn if "--> N_" in line] == boxes and len(drawn) == 2 + 1 + 2 + 3 + 7
        assert cluster["near"]["nodes"] == found[2:5] and cluster["near"]["spread"] == 0

    with step("a spread job, a node without labels, and a node with four layers"):
        for number, name in enumerate((found[0], found[6])):
            container = {"name": "a", "image": "registry.k8s.io/pause:3.10", "resources": {"limits": {"nvidia.com/gpu": "8"}}}
            meta = {"name": f"train-{number}", "labels": {"job-name": "train"}}
            pods.api.create(PODS, {"metadata": meta, "spec": {"nodeName": name, "containers": [container]}})
        label(pods, found[5], ())
        label(pods, found[1], ("nn-1", "nn-21", "nn-31", "nn-41"))
        run, cluster = draw(pods)
        assert run.rc == 0 and cluster["untold"] == [found[5]] and cluster["layers"] == [3, 4], run.log
        (job,) = cluster["jobs"]
        assert (job["job"], job["nodes"], job["path"], job["last"]) == ("default/train", [found[0], found[6]], ["nn-1"], 2)
        assert {each["node"]: each["what"] for each in cluster["changes"]} == {found[1]: "moved", found[5]: "moved"}

    with step("kubectl shows what the module returns"):
        info = pods.module("topology_info", {"eks_cluster": EKS, "nodes_needed": 9})
        by_kubectl = {each["metadata"]["name"]: each["metadata"]["labels"].get(f"{LAYER}3", "") for each in pods.seen("nodes")["items"]}
        assert {each["name"]: each["layers"][2] if len(each["layers"]) > 2 else "" for each in info["nodes"]} == by_kubectl
        assert info["near"] is None and info["moves"] is None
        assert {each["name"] for each in info["nodes"] if each["state"] == "used"} == {found[0], found[6]}


def test_a_node_outside_hyperpod_has_the_topology_that_ec2_returns(pods: EksWorld) -> None:
    """A node of the cluster that does not belong to HyperPod has no labels; EC2 has its topology."""
    ec2, own = pods.aws("ec2"), "ip-10-1-2-3.us-west-2.compute.internal"
    request = {"ImageId": IMAGE, "InstanceType": TYPE.removeprefix("ml."), "SubnetId": pods.subnets[0], "MinCount": 1, "MaxCount": 1}
    instance = ec2.run_instances(**request)["Instances"][0]["InstanceId"]
    try:
        pods.api.create(NODES, {"metadata": {"name": own}, "spec": {"providerID": f"aws:///us-west-2a/{instance}"}})
        info = pods.module("topology_info", {"eks_cluster": EKS, "ask_ec2": True})
        (found,) = [each for each in info["nodes"] if each["name"] == own]
        argv = ["aws", "--profile", ADMINISTRATOR, "--output", "json", "ec2", "describe-instance-topology", "--instance-ids", instance]
        (seen,) = json.loads(subprocess.run(argv, capture_output=True, check=True).stdout)["Instances"]
        assert (found["instance_id"], found["layers"]) == (seen["InstanceId"], seen["NetworkNodes"]) and found["layers"]
    finally:
        pods.api.delete(f"{NODES}/{own}")
        ec2.terminate_instances(InstanceIds=[instance])


def test_a_person_without_read_access_is_refused(pods: EksWorld) -> None:
    arn = pods.person("passer-by")
    pods.aws("eks").create_access_entry(clusterName=EKS, principalArn=arn)
    refused = pods.module("topology_info", {"eks_cluster": EKS}, "passer-by")
    assert "GET /api/v1/nodes" in refused.get("msg", "") and "403" in refused["msg"], refused
    pods.admit(pods.person("auditor"), "AmazonEKSAdminViewPolicy")
    assert len(pods.module("topology_info", {"eks_cluster": EKS}, "auditor")["nodes"]) == 7
