# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The whole playbook task_governance, on a simulated AWS and an API server in memory with the lab's simulation of HyperPod."""

from __future__ import annotations

import copy
import json
import time
import typing as t
from pathlib import Path

import pytest
import yaml
from ansible.release import __version__
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._hyperpod.model import Cluster
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._kubernetes import kueue
from ansible_collections.mlfleet.hyperpod.plugins.plugin_utils._inventory.discovery import Found
from ansible_collections.mlfleet.hyperpod.plugins.plugin_utils._inventory.hosts import hosts_of
from lab.aws import permissions
from lab.kubernetes.api import Object
from lab.kueue import operator
from lab.kueue.governance import TaskGovernance
from simulated import Simulated, simulated_aws
from simulated.controller import ansible
from simulated.limits import ACCESS, KEY, inventory
from unit.lab.kueue.test_operator import Memory
from unit.module_utils._karpenter.proof.api_server import Server, kubeconfig

OLDEST = __version__.startswith("2.19.")
pytestmark = [pytest.mark.slow, pytest.mark.skipif(OLDEST, reason="only modules and views are tested on both versions; whole playbooks take long")]
P5 = "ml.p5.48xlarge"
ALICE, BOB = (f"arn:aws:iam::111111111111:user/{name}" for name in ("alice", "bob"))
FAIR = {"priority_classes": [{"name": "training", "weight": 80}]}
RBAC, SPACES = "/apis/rbac.authorization.k8s.io/v1", "/api/v1/namespaces"
SERVED = {
    RBAC: {
        "resources": [
            {"name": f"{scope}{plural}", "kind": f"{scope.capitalize()}{kind}", "namespaced": not scope}
            for scope in ("", "cluster")
            for plural, kind in (("roles", "Role"), ("rolebindings", "RoleBinding"))
        ]
    }
}


class ApiServer(Memory):
    """An API server for modules; it records changes by others than the lab."""

    def __init__(self) -> None:
        super().__init__()
        self.changed: list[tuple[str, str]] = []
        self.violating: dict[str, str] = {}
        """Warnings for a change of a namespace's Pod Security level, by the namespace's path."""
        self.warnings: list[str] = []

    def answer(self, method: str, path: str, body: Object | None) -> tuple[int, t.Any]:
        path, _mark, query = path.partition("?")
        self.warnings = []
        if method == "GET":
            return self._seen(path)
        if method == "PATCH" and path.startswith(f"{SPACES}/") and path.count("/") == SPACES.count("/") + 1:
            return self._labelled(path, body or {}, dry="dryRun=All" in query)
        self.changed.append((method, path))
        if method == "PATCH":
            self.objects[path] = copy.deepcopy(body or {})
            return 200, self.objects[path]
        return (200, {}) if self.objects.pop(path, None) else (404, {})

    def _labelled(self, path: str, body: Object, *, dry: bool) -> tuple[int, t.Any]:
        found = copy.deepcopy(self.objects[path])
        found["metadata"]["labels"] = {**(found["metadata"].get("labels") or {}), **body["metadata"]["labels"]}
        if path in self.violating:
            self.warnings = [f'299 - "{self.violating[path]}"']
        if not dry:
            self.changed.append(("PATCH", path))
            self.objects[path] = found
        return 200, found

    def _seen(self, path: str) -> tuple[int, t.Any]:
        if path == kueue.DEPLOYMENTS:
            return 200, {"items": []}
        if path in SERVED:
            return 200, SERVED[path]
        if path == operator.GROUP and f"{operator.DEPLOYMENTS}/{operator.MANAGER}" in self.objects:
            return 200, {"preferredVersion": {"version": "v1beta2"}}
        if path not in self.objects:
            return 404, {"message": "not found"}
        status = {"conditions": [{"type": "Available", "status": "True"}]} if path.endswith(operator.MANAGER) else {}
        return 200, {**self.objects[path], "status": status}

    def paths(self, part: str) -> list[str]:
        return sorted(path for path in self.objects if part in path)


class World:
    def __init__(self, folder: Path, aws: Simulated, api: ApiServer, config: str) -> None:
        self.folder, self.aws, self.api, self.config = folder, aws, api, config
        (folder / "home/.ssh").mkdir(parents=True)
        (folder / "home/.ssh/id_ed25519.pub").write_text(KEY + "\n")
        aws.control("settings", {"policies": permissions.documented(), "transition_seconds": 0.05})
        vpc = self._network()
        self.eks = aws.client("eks")
        self.eks.create_cluster(
            name="pods",
            version="1.34",
            roleArn="arn:aws:iam::111111111111:role/eks",
            resourcesVpcConfig={"subnetIds": vpc["Subnets"]},
            accessConfig={"authenticationMode": "API"},
        )
        self.sagemaker = aws.client("sagemaker")
        group = {
            "InstanceGroupName": "gpus",
            "InstanceType": P5,
            "InstanceCount": 3,
            "ExecutionRole": "arn:aws:iam::111111111111:role/hyperpod-nodes",
            "LifeCycleConfig": {"SourceS3Uri": "s3://sagemaker-x", "OnCreate": "on_create.sh"},
        }
        self.arn = self.sagemaker.create_cluster(
            ClusterName="ml",
            InstanceGroups=[group],
            VpcConfig=vpc,
            Orchestrator={"Eks": {"ClusterArn": self.eks.describe_cluster(name="pods")["cluster"]["arn"]}},
            NodeProvisioningMode="Continuous",
            Tags=[{"Key": "lab/hosts", "Value": "none"}],
        )["ClusterArn"]
        deadline = time.monotonic() + 60
        while self.sagemaker.describe_cluster(ClusterName="ml")["ClusterStatus"] != "InService":
            assert time.monotonic() < deadline
            time.sleep(0.1)
        about = ("us-west-2", "111111111111", "aws", "InService", "eks")
        found = Found(Cluster("ml", self.arn, self.arn.rpartition("/")[2], *about), (), None, "ssm", "ml", None)
        (folder / "inventory.yml").write_text(yaml.safe_dump(inventory(hosts_of(found, ACCESS))))

    def _network(self) -> dict[str, t.Any]:
        ec2 = self.aws.client("ec2")
        vpc = ec2.create_vpc(CidrBlock="10.1.0.0/16")["Vpc"]["VpcId"]
        subnet = ec2.create_subnet(VpcId=vpc, CidrBlock="10.1.0.0/20")["Subnet"]["SubnetId"]
        group = ec2.create_security_group(GroupName="nodes", Description="nodes", VpcId=vpc)["GroupId"]
        return {"Subnets": [subnet], "SecurityGroupIds": [group]}

    def run(self, *arguments: str, **variables: t.Any) -> Run:
        self.aws.control("reset-calls", {})
        self.api.changed.clear()
        given = {
            "task_governance_kubeconfig": self.config,
            "task_governance_scheduler": FAIR,
            "task_governance_ready_timeout": 60,
            **variables,
        }
        done = ansible(
            "playbook",
            *("-i", str(self.folder / "inventory.yml"), "mlfleet.hyperpod.task_governance", "-e", json.dumps(given), *arguments),
            home=self.folder / "home",
            temporary=self.folder / "tmp",
            limit=300,
            AWS_ACCESS_KEY_ID="AKIAEXAMPLE",
            AWS_SECRET_ACCESS_KEY="example",
            AWS_ENDPOINT_URL=self.aws.url,
        )
        output = " ".join((done.stdout + done.stderr).split())
        changes = [short(each) for each in self.aws.changes() if each not in LOCK_CALLS]
        return Run(done.returncode, output, changes, list(self.api.changed))

    def counts(self) -> dict[str, int]:
        listed = self.sagemaker.list_compute_quotas(ClusterArn=self.arn)["ComputeQuotaSummaries"]
        return {
            each["ComputeQuotaTarget"]["TeamName"]: each["ComputeQuotaConfig"]["ComputeQuotaResources"][0]["Count"]
            for each in listed
            if each["Status"] != "Deleted"
        }

    def groups(self) -> dict[str, list[str]]:
        existing = set(self.eks.list_access_entries(clusterName="pods")["accessEntries"]) & {ALICE, BOB}
        entries = [self.eks.describe_access_entry(clusterName="pods", principalArn=each)["accessEntry"] for each in sorted(existing)]
        return {each["principalArn"].rpartition("/")[2]: each["kubernetesGroups"] for each in entries}


LOCK_CALLS = ("PutParameter", "DeleteParameter", "DeleteParameters")


def short(operation: str) -> str:
    """Operations of EKS are a method and a path; only the kind of resource is kept."""
    method, space, path = operation.partition(" ")
    return f"{method} {path.split('/')[3]}" if space else operation


class Run(t.NamedTuple):
    rc: int
    output: str
    changes: list[str]
    """Mutating calls of AWS."""
    in_kubernetes: list[tuple[str, str]]


@pytest.fixture(scope="module")
def world(tmp_path_factory: pytest.TempPathFactory) -> t.Iterator[World]:
    folder, api = tmp_path_factory.mktemp("governed"), ApiServer()
    with pytest.MonkeyPatch.context() as patch, simulated_aws(folder) as aws, Server(api) as kubernetes:
        patch.setattr(operator.Kueue, "_define", lambda self, version: setattr(self, "version", version))
        made = World(folder, aws, api, kubeconfig(kubernetes, folder))
        hyperpod = TaskGovernance(t.cast(t.Any, api), made.sagemaker, made.eks, "pods")
        hyperpod.start()
        yield made
        hyperpod.stop()


def team(name: str, count: int, *who: str, **more: t.Any) -> dict[str, t.Any]:
    return {"name": name, "resources": [{"instance_type": P5, "count": count}], "submitters": list(who), **more}


TWO = [team("research", 2, ALICE), team("vision", 1, BOB)]


def test_quotas_above_the_capacity_are_refused(world: World) -> None:
    refused = world.run(hyperpod_teams=[team("a", 2), team("b", 2)])
    assert refused.rc == 2 and "the cluster has 3, and quotas of other teams guarantee 2 (b 2)" in refused.output, refused.output
    assert (refused.changes, refused.in_kubernetes) == ([], [])


def test_check_mode_predicts_all_changes(world: World) -> None:
    would = world.run("--check", "--diff", hyperpod_teams=TWO, task_governance_pod_security="baseline")
    assert (would.rc, would.changes, would.in_kubernetes) == (0, [], []), would.output
    for message in (
        f"Team research: gets a quota; gains 2 instances of {P5} (0 before, 2 after); {ALICE} may submit.",
        "+add-on amazon-sagemaker-hyperpod-taskgovernance",
        "+compute quota vision of team vision",
        "+Role hyperpod-ns-research/mlfleet-hyperpod-submitters",
        f"+access entry {BOB}",
    ):
        assert message in would.output, (message, would.output)


def test_two_teams_are_created(world: World) -> None:
    done = world.run(hyperpod_teams=TWO)
    assert done.rc == 0 and world.counts() == {"research": 2, "vision": 1}, done.output
    made = ["POST addons", "CreateClusterSchedulerConfig", *["CreateComputeQuota"] * 2, *["POST access-entries"] * 2]
    assert done.changes == made, done.changes
    assert {path.split("/")[-2] for _method, path in done.in_kubernetes} == {"roles", "rolebindings", "clusterroles", "clusterrolebindings"}
    assert world.groups() == {"alice": ["mlfleet-hyperpod:research"], "bob": ["mlfleet-hyperpod:vision"]}


def test_a_second_run_changes_nothing(world: World) -> None:
    done = world.run(hyperpod_teams=TWO)
    assert (done.rc, done.changes, done.in_kubernetes) == (0, [], []), done.output
    assert "changed=0" in done.output, done.output


MOVED = [team("research", 1), team("vision", 2, ALICE, BOB)]


def test_quotas_are_reduced_before_others_grow(world: World) -> None:
    spaces = [f"{SPACES}/hyperpod-ns-{name}" for name in ("research", "vision")]
    world.api.violating = {spaces[0]: "train-0: privileged, hostPath volumes"}
    turned = world.run(hyperpod_teams=MOVED, task_governance_pod_security="baseline")
    assert turned.rc == 0 and world.counts() == {"research": 1, "vision": 2}, turned.output
    assert turned.changes == ["POST access-entries", *["UpdateComputeQuota"] * 2, "POST access-entries"], turned.changes
    assert world.groups() == {"alice": ["mlfleet-hyperpod:vision"], "bob": ["mlfleet-hyperpod:vision"]}
    assert "Pods in hyperpod-ns-research violate the level baseline" in turned.output and "train-0: privileged" in turned.output
    labelled = [each for each in turned.in_kubernetes if each[1] in spaces]
    assert labelled == [("PATCH", path) for path in spaces]
    for path in spaces:
        labels = world.api.objects[path]["metadata"]["labels"]
        assert labels["pod-security.kubernetes.io/enforce"] == "baseline" and "app.kubernetes.io/managed-by" not in labels


ABSENT = {"task_governance_state": "absent", "task_governance_confirm": "ml", "task_governance_remove_addon": True}


def test_everything_is_removed(world: World) -> None:
    ended = world.run(hyperpod_teams=TWO, **ABSENT)
    assert ended.rc == 0 and world.counts() == {} and world.groups() == {}, ended.output
    quotas = ["DeleteComputeQuota"] * 2
    assert ended.changes == [*["DELETE access-entries"] * 2, *quotas, "DeleteClusterSchedulerConfig", "DELETE addons"], ended.changes
    assert world.api.paths("mlfleet-hyperpod") == []
