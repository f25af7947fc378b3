"""Less common uses of role karpenter: foreign objects, another IAM role, groups with nodes, a given kubeconfig, and removed items."""

from __future__ import annotations

import json
import typing as t
from pathlib import Path

import pytest
import yaml
from eks_world import ADMINISTRATOR, EKS_ARN, EksWorld, until, workers
from harness import HOME, Run
from lab.names import ACCOUNT, REGION
from steps import step

pytestmark = pytest.mark.slow
TRUST = {
    "Version": "2012-10-17",
    "Statement": [{"Effect": "Allow", "Principal": {"Service": "hyperpod.sagemaker.amazonaws.com"}, "Action": "sts:AssumeRole"}],
}
DECLARED = {
    "karpenter_node_classes": [{"name": "gpus", "instance_groups": ["auto"]}],
    "karpenter_node_pools": [{"name": "gpus", "node_class": "gpus", "disruption": {"profile": "training", "consolidate_after": "1s"}}],
    "karpenter_role_name": "hyperpod-karpenter-ml",
}


@pytest.fixture(scope="module")
def pods() -> t.Iterator[EksWorld]:
    with EksWorld() as world:
        world.agent("1.0.1892.0_1.0.424.0")
        world.hyperpod("ml", [workers("system", 1, "ml.m5.large"), workers("auto", 0), workers("full", 1, "ml.m5.large")])
        world.karpenter.start()
        yield world


def karpenter(pods: EksWorld, *arguments: str, **variables: t.Any) -> Run:
    return pods.world.playbook("karpenter", "-e", json.dumps({**DECLARED, **variables}), *arguments)


def printed(run: Run) -> str:
    return " ".join(run.output.split())


def refuses(pods: EksWorld, message: str, **variables: t.Any) -> None:
    pods.world.reset_calls()
    pods.reset_changes()
    run = karpenter(pods, **variables)
    assert run.rc == 2 and message in printed(run), run.log
    assert pods.world.calls(mutating=True) == [] and pods.changes() == [], run.log


def applies(pods: EksWorld, *messages: str, status: str = "changed", **variables: t.Any) -> None:
    run = karpenter(pods, **variables)
    assert (run.rc, run.status) == (0, status), run.log
    for message in messages:
        assert message in printed(run), run.log


def role_of(pods: EksWorld) -> str:
    return str(pods.aws("sagemaker").describe_cluster(ClusterName="ml")["ClusterRole"])


def create_foreign_pool(pods: EksWorld) -> None:
    """Create a NodePool without the labels of the collection."""
    reference = {"group": "karpenter.sagemaker.amazonaws.com", "kind": "HyperpodNodeClass", "name": "gpus"}
    requirements = [{"key": "node.kubernetes.io/instance-type", "operator": "Exists"}]
    spec = {"template": {"spec": {"nodeClassRef": reference, "requirements": requirements}}}
    made = {"apiVersion": "karpenter.sh/v1", "kind": "NodePool", "metadata": {"name": "manual"}, "spec": spec}
    pods.api.create("/apis/karpenter.sh/v1/nodepools", made)


def remove_group(pods: EksWorld, name: str, **variables: str) -> Run:
    """Run the playbook cluster with a definition that does not list the group."""
    groups = [workers("system", 1, "ml.m5.large"), *([] if name == "auto" else [workers("auto", 0)])]
    for each in groups:
        del each["InstanceCount"]
    definition = {
        "ClusterName": "ml",
        "InstanceGroups": groups,
        "VpcConfig": {"SecurityGroupIds": [pods.security_group], "Subnets": pods.subnets[:1]},
        "Orchestrator": {"Eks": {"ClusterArn": EKS_ARN}},
        "AutoScaling": {"Mode": "Enable", "AutoScalerType": "Karpenter"},
        "ClusterRole": role_of(pods),
        "NodeProvisioningMode": "Continuous",
        "NodeRecovery": "Automatic",
    }
    folder = HOME / "scaled"
    folder.mkdir(exist_ok=True)
    (folder / "ml.json").write_text(json.dumps(definition))
    known = {"hyperpod_region": REGION, "hyperpod_profile": "lab", "hyperpod_cluster_definition_file": str(folder / "ml.json")}
    (folder / "definitions.yml").write_text(yaml.safe_dump({"hyperpod_definitions": {"hosts": {"ml": known}}}))
    sources = [folder / "definitions.yml", Path(pods.world.paths.repo, "inventories/lab/hyperpod.yml")]
    inventories = [part for source in sources for part in ("-i", str(source))]
    options = json.dumps({"hyperpod_cluster_purge_instance_groups": True, **variables})
    return pods.world.playbook("cluster", *inventories, "-e", options)


BOTH = [*DECLARED["karpenter_node_classes"], {"name": "full", "instance_groups": ["full"]}]
TWO = [*DECLARED["karpenter_node_pools"], {"name": "manual", "node_class": "gpus"}]


def test_existing_objects_are_changed_only_if_the_variables_allow_it(pods: EksWorld) -> None:
    refuse_wrong_input(pods)
    adopt_foreign_objects(pods)
    other = replace_the_role(pods)
    remove_a_group(pods, other)
    remove_items(pods, other)


def refuse_wrong_input(pods: EksWorld) -> None:
    iam = pods.aws("iam")
    with step("an IAM role of that name exists for another purpose"):
        iam.create_role(RoleName="hyperpod-karpenter-ml", AssumeRolePolicyDocument=json.dumps(TRUST))
        refuses(pods, "IAM role hyperpod-karpenter-ml exists and was not created for this cluster")
        assert iam.get_role(RoleName="hyperpod-karpenter-ml")["Role"].get("Tags", []) == []
        iam.delete_role(RoleName="hyperpod-karpenter-ml")

    with step("variables have wrong values, or NodePools without NodeClasses"):
        refuses(pods, "karpenter_wait_timeout: 0 is not allowed", karpenter_wait_timeout=0)
        refuses(pods, "karpenter_proof_image: Pause is not allowed", karpenter_proof_image="Pause")
        refuses(pods, "karpenter_node_classes: missing", karpenter_node_classes=[])
        refuses(pods, "a list with only state: absent is not allowed", karpenter_node_classes=[{"name": "gpus", "state": "absent"}])

    with step("check mode with karpenter_prove"):
        would = karpenter(pods, "--check", karpenter_prove=["gpus"])
        assert would.rc == 0 and "NodePool gpus does not exist yet or is not ready" in printed(would), would.log


def adopt_foreign_objects(pods: EksWorld) -> None:
    with step("groups with nodes are allowed by name, and the role has a given name"):
        applies(pods, "Karpenter terminates the current nodes", karpenter_node_classes=BOTH, karpenter_ended_groups=["full"])
        assert role_of(pods) == f"arn:aws:iam::{ACCOUNT}:role/hyperpod-karpenter-ml"

    with step("a foreign NodePool is changed only if it is adopted"):
        create_foreign_pool(pods)
        refuses(pods, "NodePool manual: exists and was not created by mlfleet.hyperpod", karpenter_node_pools=TWO)
        changed = {**DECLARED["karpenter_node_pools"][0], "weight": 5}
        unwanted = [changed, {"name": "manual", "state": "absent"}]
        refuses(pods, "NodePool manual: exists and was not created by mlfleet.hyperpod", karpenter_node_pools=unwanted)
        applies(pods, karpenter_node_pools=TWO, karpenter_adopt=True)

    with step("a given kubeconfig"):
        own = {"karpenter_kubeconfig": str(pods.kubeconfig()), "karpenter_node_classes": BOTH, "karpenter_node_pools": TWO}
        pods.world.reset_calls()
        pods.reset_changes()
        again = karpenter(pods, **own)
        assert (again.rc, again.changed) == (0, 0), again.log
        assert pods.world.calls(mutating=True) == [] and pods.changes() == []
        wrong = karpenter(pods, **{**own, "karpenter_context": f"no-{ADMINISTRATOR}"})
        assert wrong.rc == 2 and f"no-{ADMINISTRATOR}" in printed(wrong), wrong.log


def replace_the_role(pods: EksWorld) -> str:
    with step("the role is replaced while Karpenter is on"):
        other = pods.aws("iam").create_role(RoleName="hyperpod-karpenter-other", AssumeRolePolicyDocument=json.dumps(TRUST))["Role"]["Arn"]
        refuses(pods, "AWS cannot change the role while the autoscaler is enabled", karpenter_cluster_role=other)
        applies(pods, "Karpenter no longer uses IAM role arn:", karpenter_cluster_role=other, karpenter_replace_role=True)
        assert role_of(pods) == other
    return str(other)


def remove_a_group(pods: EksWorld, other: str) -> None:
    with step("a group is deleted from the cluster only if no NodeClass has it"):
        refused = remove_group(pods, "auto")
        assert refused.rc == 2 and "Instance group auto belongs to NodeClass gpus" in printed(refused), refused.log
        left = {"karpenter_cluster_role": other}
        gone = [*DECLARED["karpenter_node_classes"], {"name": "full", "state": "absent"}]
        applies(pods, "NodePools none and NodeClasses full", karpenter_node_classes=gone, **left)
        own = {"hyperpod_cluster_kubeconfig": str(pods.kubeconfig())}
        pods.world.reset_calls()
        blind = remove_group(pods, "full", **own, hyperpod_cluster_context="nowhere")
        assert blind.rc == 2 and "whether the instance groups to delete (full) belong to a NodeClass of Karpenter" in printed(blind), blind.log
        assert pods.world.calls(mutating=True) == [], blind.log
        done = remove_group(pods, "full", **own)
        assert done.rc == 0, done.log
        groups = pods.aws("sagemaker").describe_cluster(ClusterName="ml")["InstanceGroups"]
        assert sorted(group["InstanceGroupName"] for group in groups) == ["auto", "system"]


def remove_items(pods: EksWorld, other: str) -> None:
    left = {"karpenter_cluster_role": other}
    with step("items are removed with a list of their pods; a NodeClass in use is kept"):
        container = {"name": "a", "image": "x", "resources": {"limits": {"nvidia.com/gpu": "1"}}}
        spec = {"restartPolicy": "Never", "containers": [container]}
        notes = {"annotations": {"lab/run-seconds": "600"}}
        pods.api.create("/api/v1/namespaces/default/pods", {"metadata": {"name": "at-work", **notes}, "spec": spec})
        until(lambda: [each["status"]["phase"] for each in pods.seen("pods")["items"]] == ["Running"])
        (claim,) = pods.seen("nodeclaims")["items"]
        name = claim["metadata"]["labels"]["karpenter.sh/nodepool"]
        items = [{"name": each, "node_class": "gpus", "state": "absent" if each == name else "present"} for each in ("gpus", "manual")]
        classes = [{"name": "gpus", "state": "absent"}]
        would = karpenter(pods, "--check", karpenter_node_pools=items, **left)
        assert would.rc == 0 and f"The removal deletes NodePools {name} and NodeClasses none" in printed(would), would.log
        assert "default/at-work" in printed(would)
        absent = [{"name": name, "state": "absent"}]
        kept = karpenter(pods, karpenter_node_classes=[*classes, {"name": "more", "instance_groups": ["auto"]}], karpenter_node_pools=absent, **left)
        assert kept.rc == 2 and "already belongs to NodeClass gpus" in printed(kept), kept.log
        pods.api.delete("/api/v1/namespaces/default/pods/at-work")
        applies(pods, f"The removal deletes NodePools {name}", karpenter_node_pools=items, **left)
        until(lambda: pods.seen("nodeclaims")["items"] == [])
