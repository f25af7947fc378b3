# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""A cluster of login nodes on a simulated AWS without machines, and runs of the roles login_balancer and login_targets."""

from __future__ import annotations

import contextlib
import json
import re
import time
import typing as t
from dataclasses import dataclass
from pathlib import Path

from simulated import REGION, Simulated, simulated_aws
from simulated.controller import ansible

LIMIT = 110
KEY = "ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIG9wcyBvcHMgb3BzIG9wcyBvcHMgb3BzIG9wcyAg"
PLAYBOOK = """
- hosts: hyperpod_clusters
  gather_facts: false
  module_defaults:
    group/mlfleet.hyperpod.aws: {region: "{{ hyperpod_region }}"}
    group/mlfleet.hyperpod.cluster: {cluster_arn: "{{ hyperpod_cluster_arn }}"}
    group/mlfleet.hyperpod.lock: {lock: true}
  tasks:
    - ansible.builtin.include_role: {name: mlfleet.hyperpod.run}
    - ansible.builtin.set_fact: {hyperpod_run: "{{ lookup('mlfleet.hyperpod.run_state', verified_nodes=verified) }}"}
    - ansible.builtin.include_role: {name: "mlfleet.hyperpod.{{ step.split()[0] }}", tasks_from: "{{ step.split()[1] }}", public: true}
      loop: "{{ steps }}"
      loop_control: {loop_var: step}
    - ansible.builtin.debug: {msg: "in effect: {{ hyperpod_run.balancer_ports | default({}) | to_json }}"}
    - ansible.builtin.include_role: {name: mlfleet.hyperpod.run, tasks_from: cluster/end}
"""


@dataclass(frozen=True)
class Run:
    """One run; ``changes`` are the mutating calls without those for the lock."""

    rc: int
    output: str
    changes: list[str]

    @property
    def in_effect(self) -> dict[str, t.Any]:
        """The ports that nodes must keep open."""
        found: dict[str, t.Any] = json.loads(re.search(r"in effect: (\{[^}]*\})", self.output)[1])  # type: ignore[index]
        return found


class World:
    """Cluster ``ml`` with two login nodes; ``nodes`` are their addresses by instance ID."""

    def __init__(self, folder: Path, aws: Simulated) -> None:
        self.folder, self.aws = folder, aws
        self.ec2, self.elbv2, self.sagemaker = (aws.client(service) for service in ("ec2", "elbv2", "sagemaker"))
        aws.control("settings", {"elb_unseen_seconds": 0, "health_check_scale": 0.01, "drain_scale": 0.0003})
        self.vpc = self.ec2.create_vpc(CidrBlock="10.1.0.0/16")["Vpc"]["VpcId"]
        zone = f"{REGION}a"
        made = self.ec2.create_subnet(VpcId=self.vpc, CidrBlock="10.1.1.0/24", AvailabilityZone=zone)
        self.subnet = made["Subnet"]["SubnetId"]
        self.group = self.ec2.create_security_group(GroupName="nodes", Description="nodes", VpcId=self.vpc)["GroupId"]
        login = {
            "InstanceGroupName": "login-group",
            "InstanceType": "ml.m5.large",
            "InstanceCount": 2,
            "ExecutionRole": "arn:aws:iam::111111111111:role/hyperpod-nodes",
            "LifeCycleConfig": {"SourceS3Uri": "s3://sagemaker-example/code", "OnCreate": "on_create.sh"},
            "SlurmConfig": {"NodeType": "Login"},
        }
        self.sagemaker.create_cluster(
            ClusterName="ml",
            InstanceGroups=[login],
            VpcConfig={"Subnets": [self.subnet], "SecurityGroupIds": [self.group]},
            Orchestrator={"Slurm": {}},
            NodeProvisioningMode="Continuous",
        )
        self.nodes = eventually(self._running)
        self.inventory = folder / "hyperpod.yml"
        self.inventory.write_text(f"plugin: mlfleet.hyperpod.hyperpod\nregions: [{REGION}]\n")
        self.playbook = folder / "balancer.yml"
        self.playbook.write_text(PLAYBOOK)

    def _running(self) -> dict[str, str]:
        found = self.sagemaker.list_cluster_nodes(ClusterName="ml")["ClusterNodeSummaries"]
        ids = [each["InstanceId"] for each in found if each["InstanceStatus"]["Status"] == "Running"]
        assert len(ids) == 2
        details = [self.sagemaker.describe_cluster_node(ClusterName="ml", NodeId=node)["NodeDetails"] for node in ids]
        return {each["InstanceId"]: each["PrivatePrimaryIp"] for each in details}

    def run(self, *steps: str, verified: t.Iterable[str] | None = None, **variables: t.Any) -> Run:
        """Run entries, each as ``ROLE TASKS_FROM``, as in a run that has verified these nodes."""
        self.aws.control("reset-calls", {})
        chosen = list(self.nodes if verified is None else verified)
        extra = {"steps": steps, "verified": chosen, "login_balancer_healthy_timeout": 10, **variables}
        home = self.folder / "home"
        (home / ".ssh").mkdir(parents=True, exist_ok=True)
        (home / ".ssh/id_ed25519.pub").write_text(f"{KEY}\n")
        done = ansible(
            "playbook",
            *(str(self.playbook), "-e", json.dumps(extra)),
            home=home,
            temporary=self.folder / "tmp",
            limit=LIMIT,
            ANSIBLE_INVENTORY=str(self.inventory),
            AWS_ENDPOINT_URL=self.aws.url,
            AWS_ACCESS_KEY_ID="AKIAEXAMPLE",
            AWS_SECRET_ACCESS_KEY="example",
        )
        changes = [call for call in self.aws.control("calls") if call["mutating"]]
        assert unlocked(changes) == []
        names = [call["operation"] for call in changes if call["service"] != "ssm"]
        return Run(done.returncode, done.stdout + done.stderr, names)

    # -- state of the API --------------------------------------------------------------------------------------------------

    def target_group(self) -> dict[str, t.Any]:
        found: dict[str, t.Any] = self.elbv2.describe_target_groups()["TargetGroups"][0]
        return found

    def targets(self) -> set[tuple[str, int]]:
        """Addresses and ports of the targets that are not draining."""
        arn = self.target_group()["TargetGroupArn"]
        found = self.elbv2.describe_target_health(TargetGroupArn=arn)["TargetHealthDescriptions"]
        return {
            (each["Target"]["Id"], each["Target"]["Port"]) for each in found if each["TargetHealth"]["State"] != "draining"
        }

    def login_targets(self, port: int) -> set[tuple[str, int]]:
        return {(address, port) for address in self.nodes.values()}

    def ports_open(self) -> dict[str, set[int]]:
        """Ports of the collection's rules: into the nodes' group, and out of the balancer's group."""
        rules = self.ec2.describe_security_group_rules()["SecurityGroupRules"]
        tagged = [rule for rule in rules if any(tag["Key"] == "mlfleet.hyperpod/cluster" for tag in rule.get("Tags", []))]
        into = {"nodes": {rule["FromPort"] for rule in tagged if rule["GroupId"] == self.group}}
        out = {
            rule["FromPort"]
            for rule in rules
            if rule["IsEgress"] and rule.get("ReferencedGroupInfo", {}).get("GroupId") == self.group
        }
        return {**into, "balancer": out}

    def answers(self, node: str, port: int, answers: bool) -> None:
        """Set whether the node accepts connections to the port."""
        self.aws.control("health", {"ip": self.nodes[node], "port": port, "answers": answers})


def unlocked(changes: t.Iterable[dict[str, t.Any]]) -> list[str]:
    """Mutating calls that were made without the lock of the cluster."""
    held, found = False, []
    for call in changes:
        if "/lock/" not in json.dumps(call["arguments"]):
            found += [] if held else [call["operation"]]
        elif call["operation"] == "PutParameter":
            held = not call["arguments"].get("Overwrite")  # Overwrite releases the lock; runs here are too short to renew it
    return found


def eventually(body: t.Callable[[], t.Any], *, seconds: float = 60) -> t.Any:
    """Retry until ``body`` raises no AssertionError; raises the last one at the deadline."""
    deadline = time.monotonic() + seconds
    while True:
        try:
            return body()
        except AssertionError:
            if time.monotonic() > deadline:
                raise
            time.sleep(0.1)


@contextlib.contextmanager
def world(folder: Path) -> t.Iterator[World]:
    """A cluster, and a controller with its files in ``folder``."""
    with simulated_aws(folder) as aws:
        yield World(folder, aws)
