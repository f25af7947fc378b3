# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""One playbook builds a training cluster in an empty account, changes it, and removes it, next to resources of another team."""

from __future__ import annotations

import collections
import contextlib
import json
import threading
import typing as t
from pathlib import Path

import pytest
from harness import STATE_DIR, Run
from kubernetes_world import until
from lab.accelerators.story import healthy
from lab.names import ACCOUNT
from steps import step
from training_definition import ACCEPTED, NAME, QUOTAS, REMOVED, VARIABLES, Definition, everything, mutating
from training_logs import STEPS, TYPE, Node, import_logged
from training_world import TrainingWorld

pytestmark = pytest.mark.slow
OPERATOR = "amazon-sagemaker-hyperpod-training-operator"
_GROUP = VARIABLES["training_cluster_groups"][0]
CHANGED = {
    "training_cluster_groups": [{**_GROUP, "nodes": 1, "labels": {"team": "vision"}}, {**_GROUP, "name": "spare", "nodes": 0}],
    "training_cluster_public_access_cidrs": ["203.0.113.0/24", "198.51.100.0/24"],
    "training_cluster_logging": ["api"],
    "training_cluster_addons": [{"name": "coredns", "configuration": {"replicaCount": 3}}, {"name": "aws-ebs-csi-driver"}],
    "training_cluster_file_system": {**VARIABLES["training_cluster_file_system"], "compression": "LZ4"},
}
"""Variables after a change of the declaration."""
QUIET = {"sts": 38, "ec2": 82, "eks": 52, "iam": 33, "pricing": 12, "fsx": 3, "logs": 2, "resourcegroupstaggingapi": 2, "sagemaker": 1, "ssm": 1}
"""The most calls of a run without a change, by service. A module of this collection assumes the role of the profile once."""


@pytest.fixture(scope="module")
def world() -> t.Iterator[TrainingWorld]:
    import_logged()
    with TrainingWorld(NAME) as made:
        made.world.settings(service_quotas=QUOTAS, price_list=True)
        yield made
    made.world.settings(service_quotas={}, price_list=False)


def operators(world: TrainingWorld) -> None:
    """Both operators of Kubeflow, without Pods."""
    schema = {"openAPIV3Schema": {"type": "object", "x-kubernetes-preserve-unknown-fields": True}}
    version = {"name": "v2beta1", "served": True, "storage": True, "schema": schema}
    spec = {"group": "kubeflow.org", "scope": "Namespaced", "names": {"plural": "mpijobs", "kind": "MPIJob"}, "versions": [version]}
    crd = {"metadata": {"name": "mpijobs.kubeflow.org"}, "spec": spec}
    world.api.create("/apis/apiextensions.k8s.io/v1/customresourcedefinitions", crd)
    for name in ("training-operator", "mpi-operator"):
        pod = {"metadata": {"labels": {"app": name}}, "spec": {"containers": [{"name": "a", "image": f"kubeflow/{name}:v1"}]}}
        wanted = {"replicas": 0, "selector": {"matchLabels": {"app": name}}, "template": pod}
        world.api.create("/apis/apps/v1/namespaces/default/deployments", {"metadata": {"name": name}, "spec": wanted})


OURS = {"app.kubernetes.io/managed-by": "mlfleet.hyperpod"}
PYTORCH_JOBS = "/apis/kubeflow.org/v1/namespaces/research/pytorchjobs"
JOBS = "/apis/batch/v1/namespaces/research/jobs"


def jobs(world: TrainingWorld) -> None:
    """A suspended PyTorchJob of a person, and two jobs of this collection. The Pod of the second one fits on no node."""
    template = {"spec": {"restartPolicy": "Never", "nodeSelector": {"a": "b"}, "containers": [{"name": "pytorch", "image": "train"}]}}
    spec = {"runPolicy": {"suspend": True}, "pytorchReplicaSpecs": {"Worker": {"replicas": 1, "template": template}}}
    for name, labels in (("llm", {}), ("verify", OURS)):
        world.api.create(PYTORCH_JOBS, {"apiVersion": "kubeflow.org/v1", "kind": "PyTorchJob", "metadata": {"name": name, "labels": labels}, "spec": spec})
    world.api.create(JOBS, {"metadata": {"name": "check", "labels": OURS}, "spec": {"template": template}})
    until(lambda: pods_of_check(world) != [], seconds=60)


def pods_of_check(world: TrainingWorld) -> list[t.Any]:
    return list(world.api.get("/api/v1/namespaces/research/pods?labelSelector=job-name=check")["items"])


def assert_jobs(world: TrainingWorld, removed: Run) -> None:
    """The jobs of people are listed. Those of this collection are removed with their Pods, although no drain evicts these."""
    lines = ("end: PyTorchJob research/llm", "remove: PyTorchJob verify", "remove: Job check")
    assert [each for each in lines if each not in removed.output] == [], removed.log
    (ends,) = (each["text"] for each in removed.cluster(NAME)["findings"] if each["code"] == "training-cluster-ends")
    assert "PyTorchJob research/llm" in ends and "PyTorchJob research/verify" not in ends and "Job research/check" not in ends, ends
    assert [each["metadata"]["name"] for each in world.api.get(PYTORCH_JOBS)["items"]] == ["llm"]
    assert world.api.get(JOBS)["items"] == []
    until(lambda: pods_of_check(world) == [], seconds=60)


@contextlib.contextmanager
def interrupted_removal(world: TrainingWorld) -> t.Iterator[None]:
    """An earlier removal has ended after its call of DeleteNatGateway. EC2 deletes the gateway only after this run has waited for it."""
    ec2 = world.aws("ec2")
    (gateway,) = [each["NatGatewayId"] for each in ec2.describe_nat_gateways()["NatGateways"] if each["State"] == "available"]
    world.world.settings(nat_gateway_removal_seconds=3600)
    ec2.delete_nat_gateway(NatGatewayId=gateway)
    world.world.reset_calls()

    def waits() -> bool:
        reads = [call for call in world.world.calls() if call["operation"] == "DescribeNatGateways"]
        return any("deleting" in str(call["arguments"]) for call in reads)

    def end() -> None:
        until(waits, seconds=600)
        world.world.settings(nat_gateway_removal_seconds=0)

    thread = threading.Thread(target=end, daemon=True)
    thread.start()
    yield
    thread.join(timeout=10)


def test_a_cluster_is_built_changed_and_removed(world: TrainingWorld, tmp_path: Path) -> None:
    definition, before = Definition(world), everything(world)

    with step("without an accepted cost, the run ends after the plan"):
        world.world.reset_calls()
        planned = definition.playbook()
        assert planned.rc == 0 and mutating(world) == [], planned.log
        assert "create: eks_cluster train" in planned.output and "Total: 111." in planned.output, planned.log
        assert "no cost is accepted" in planned.output

    with step("a cost that is too low is refused"):
        low = definition.playbook("-e", "training_cluster_accept_cost=1")
        assert low.rc != 0 and "and training_cluster_accept_cost is 1" in low.output and mutating(world) == [], low.log

    with step("check mode reports what would be created"):
        checked = definition.playbook("--check", "--diff", *ACCEPTED)
        assert checked.rc == 0 and checked.changed == 1 and mutating(world) == [], checked.log

    with step("a quota that is too low stops the run before the first change"):
        world.world.settings(service_quotas={**QUOTAS, "Running On-Demand P instances": 96})
        stopped = definition.playbook(*ACCEPTED)
        assert stopped.rc != 0 and "is 96, and 384 are needed" in stopped.output and mutating(world) == [], stopped.log
        world.world.settings(service_quotas=QUOTAS)

    with step("the run builds everything"):
        built = definition.playbook(*ACCEPTED)
        assert built.rc == 0, built.log
        cluster = world.aws("eks").describe_cluster(name=NAME)["cluster"]
        assert (cluster["status"], cluster["deletionProtection"], cluster["version"]) == ("ACTIVE", True, "1.34")
        nodes = world.api.get("/api/v1/nodes?labelSelector=eks.amazonaws.com/nodegroup=gpu")["items"]
        assert [each["status"]["allocatable"]["nvidia.com/gpu"] for each in nodes] == ["8", "8"]
        assert {each["metadata"]["labels"]["team"] for each in nodes} == {"research"}
        assert world.api.get("/api/v1/namespaces/research/persistentvolumeclaims/checkpoints")["spec"]["volumeName"]

    with step("the next run changes nothing"):
        world.world.reset_calls()
        world.reset_changes()
        again = definition.playbook(*ACCEPTED)
        assert again.rc == 0 and again.changed == 0, again.log
        assert mutating(world) == [] and world.changes() == []
        calls = collections.Counter(call["service"] for call in world.world.calls())
        assert {service: count for service, count in calls.items() if count > QUIET.get(service, 0)} == {}

    with step("the declared group and the claim are verified, without a change"):
        world.training.start()
        world.logs.programs.update({each["metadata"]["name"]: Node(world, healthy(TYPE), tmp_path) for each in nodes})
        given = {"training_cluster_verify": True, "verify_training_steps": STEPS, "verify_training_health": False, "verify_training_nccl": False}
        verified = definition.playbook(*ACCEPTED, "-e", json.dumps(given))
        assert verified.rc == 0 and verified.changed == 0 and "Training works" in verified.output, verified.log
        found = json.loads((STATE_DIR / "verify_training.json").read_text())["clusters"][NAME]
        assert found["verdict"] == "passed" and found["instance_type"] == "p5.48xlarge", found
        passed = {each["name"] for each in found["checks"] if each["verdict"] == "passed"}
        assert passed == {"nodes", "storage", "train", "resume"}, found["checks"]
        assert {each["code"] for each in verified.cluster(NAME)["findings"]} >= {"training-passed"}, verified.report

    with step("check mode after a change of the declaration"):
        assert_foreseen(world, definition)

    with step("operators of the same jobs are reported, and a version of the VPC CNI that breaks nodes of HyperPod is refused"):
        operators(world)
        world.world.reset_calls()
        addons = [{"name": OPERATOR}, {"name": "vpc-cni", "version": "v1.22.2-eksbuild.1"}]
        bad = definition.playbook(*ACCEPTED, "-e", json.dumps({"training_cluster_addons": addons}))
        assert bad.rc != 0 and "aws/amazon-vpc-cni-k8s #3753" in bad.output and mutating(world) == [], bad.log
        assert {each["code"] for each in bad.cluster(NAME)["findings"]} >= {"training-cluster-mpijobs", "option-refused"}, bad.report

    with step("access that is no longer declared is removed, and the plan lists it first"):
        assert_access(world, definition)

    with step("the removal is confirmed, continues an interrupted one, and leaves only what was there before"):
        refused = definition.playbook("-e", "training_cluster_state=absent")
        assert refused.rc != 0 and "training_cluster_confirm: missing" in refused.output, refused.log
        jobs(world)
        with interrupted_removal(world):
            removed = definition.playbook(*REMOVED)
        assert removed.rc == 0 and "(EC2 is deleting it)" in removed.output, removed.log
        assert everything(world) == before
        assert_jobs(world, removed)
        nothing = definition.playbook(*REMOVED)
        assert nothing.rc == 0 and nothing.changed == 0 and "No resource that this role created exists" in nothing.output, nothing.log


def assert_foreseen(world: TrainingWorld, definition: Definition) -> None:
    """One run in check mode shows changes of all kinds of resources. The run makes exactly these, and then nothing is left to do."""
    arguments = (*ACCEPTED, "-e", json.dumps(CHANGED))
    foreseen = definition.playbook("--check", "--diff", *arguments)
    assert foreseen.rc == 0 and mutating(world) == [], foreseen.log
    assert "scale: eks_nodegroup gpu" in foreseen.output and "create: eks_nodegroup spare" in foreseen.output, foreseen.log
    assert "change: eks_cluster train (turns on the logs api, logs are billed by use" in foreseen.output, foreseen.log
    made = definition.playbook(*arguments)
    assert made.rc == 0, made.log
    assert shown(foreseen) == shown(made) >= {
        ("node group gpu", "scaling.desired"),
        ("node group gpu", "labels"),
        ("node group spare", None),
        ("EKS cluster train", "public_access_cidrs"),
        ("EKS cluster train", "logging"),
        ("add-on coredns", "configuration"),
        ("add-on aws-ebs-csi-driver", None),
    }
    assert "compression" in {field for _resource, field in shown(made)}
    world.world.reset_calls()
    again = definition.playbook("--check", "--diff", *arguments)
    assert again.rc == 0 and again.changed == 0 and mutating(world) == [], again.log


def shown(run: Run) -> set[tuple[str, t.Any]]:
    return {(each["resource"], each["field"]) for each in run.cluster(NAME)["changes"]}


def assert_access(world: TrainingWorld, definition: Definition) -> None:
    """A team gets another policy, and then leaves."""
    team, eks = f"arn:aws:iam::{ACCOUNT}:role/team", world.aws("eks")
    entry = {"clusterName": NAME, "principalArn": team}
    def run(*arguments: str, **given: t.Any) -> Run:
        teams = [{"principal_arn": team, **given}] if given else []
        return definition.playbook(*ACCEPTED, *arguments, "-e", json.dumps({**CHANGED, "training_cluster_teams": teams}))

    editing = run(policy="AmazonEKSEditPolicy", namespaces=["hyperpod-ns-a"])
    assert editing.rc == 0 and editing.changed == 1, editing.log
    foreseen = run("--check", policy="AmazonEKSViewPolicy")
    row = f"change: eks_access_entry {team} (adds AmazonEKSViewPolicy, removes AmazonEKSEditPolicy in hyperpod-ns-a)"
    assert row in foreseen.output, foreseen.log
    viewing = run(policy="AmazonEKSViewPolicy")
    assert viewing.rc == 0 and viewing.changed == 1, viewing.log
    [left] = eks.list_associated_access_policies(**entry)["associatedAccessPolicies"]
    assert left["policyArn"].endswith("/AmazonEKSViewPolicy") and left["accessScope"]["type"] == "cluster"
    gone = run()
    assert gone.rc == 0 and gone.changed == 1 and f"remove: eks_access_entry {team}" in gone.output, gone.log
    assert team not in eks.list_access_entries(clusterName=NAME)["accessEntries"]
