# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The clusters of ``hostile`` with cooperative nodes in ``ml``, two of them login nodes; single nodes may misbehave."""

from __future__ import annotations

import contextlib
import json
import sys
import typing as t
from dataclasses import dataclass
from pathlib import Path

import yaml
from simulated import hostile, simulated_aws
from simulated.people import AWAY

PROGRAM = Path(__file__).parent / "obedient.py"
PORTS = (222, 223)
"""Ports of login nodes for users and for the balancer's health check."""
Behaviour = dict[str, dict[str, t.Any]] | None
CONFLICT = {"failed": True, "msg": "One problem; nothing was changed", "problems": ["users[a].uid: 1 is not allowed"]}
JUNK: dict[str, t.Any] = {"changed": 7, "changes": 7, "accounts": 7, "readiness_gate": [7], "sshd_change": "x", "hyperpod_findings": 7}

BEHAVIOURS: dict[str, Behaviour] = {
    "no plan": {"sshd_config": {"answer": {"failed": True, "msg": "operations_user: no key stands in any file"}}},
    "no room to write": {"accounts": {"applies": True, "answer": {"failed": True, "msg": "No space left on device"}}},
    "a conflict that no other node has": {"accounts": {"answer": CONFLICT}},
    "no JSON": {"*": {"print": "<html>"}},
    "no answer": {"readiness_gate": {"hang": 60}},
    "no answer to anything": {"*": {"hang": 60}},
    "no connection": None,
    "values of other types": {"*": {"answer": {**JUNK, "ping": "pong"}}},
}
"""Faults of a node by module; None means that it cannot be reached."""
LIMIT = ("--limit", "cluster_ml", "-e", "hyperpod_internal_node_timeout=15")


@dataclass(frozen=True)
class Node:
    """A node of ``ml``."""

    instance_id: str
    kind: str
    ip: str
    folder: Path

    @property
    def people(self) -> set[str]:
        """Names of people with an account on the node."""
        file = self.folder / "people.json"
        return {each["name"] for each in json.loads(file.read_text())} if file.exists() else set()

    def modules(self) -> set[str]:
        """Modules that the node ran since the last call."""
        file = self.folder / "modules"
        found = set(file.read_text().split()) if file.exists() else set()
        file.unlink(missing_ok=True)
        return found


class World(hostile.World):
    LOGIN = 2

    def _liar(self, variables: t.Mapping[str, t.Any]) -> dict[str, str]:
        folder = self.folder / "nodes" / variables["hyperpod_instance_id"]
        folder.mkdir(parents=True)
        program = folder / "python3"
        program.write_text(f"#!{sys.executable} -IS\n" + PROGRAM.read_text())
        program.chmod(0o755)
        return {"ansible_python_interpreter": str(program)}

    def nodes(self, kind: str) -> list[Node]:
        """Nodes of a type, in the order of their turns."""
        listed = self.aws.start("cluster_node_info", cluster_arn=self.arns["ml"], addresses="all")["nodes"]
        found = [Node(each["instance_id"], kind, each["ip"], self.folder / "nodes" / each["instance_id"]) for each in listed if each["node_type"] == kind]
        return sorted(found, key=lambda node: node.instance_id)

    def settle(self) -> None:
        """Make targets healthy soon after registration, although no service runs there."""
        self.aws.control("settings", {"elb_unseen_seconds": 0, "health_check_scale": 0.01, "drain_scale": 0.0003})
        for node in self.nodes("login"):
            for port in PORTS:
                self.aws.control("health", {"ip": node.ip, "port": port, "answers": True})

    def targets(self) -> set[str]:
        """Addresses of the targets that are not draining."""
        elbv2 = self.aws.client("elbv2")
        found: set[str] = set()
        for group in elbv2.describe_target_groups()["TargetGroups"]:
            for each in elbv2.describe_target_health(TargetGroupArn=group["TargetGroupArn"])["TargetHealthDescriptions"]:
                if each["TargetHealth"]["State"] != "draining":
                    found.add(each["Target"]["Id"])
        return found

    def remove_listener(self) -> None:
        elbv2 = self.aws.client("elbv2")
        for balancer in elbv2.describe_load_balancers()["LoadBalancers"]:
            for listener in elbv2.describe_listeners(LoadBalancerArn=balancer["LoadBalancerArn"])["Listeners"]:
                elbv2.delete_listener(ListenerArn=listener["ListenerArn"])

    def listeners(self) -> int:
        elbv2 = self.aws.client("elbv2")
        balancers = elbv2.describe_load_balancers()["LoadBalancers"]
        return sum(len(elbv2.describe_listeners(LoadBalancerArn=each["LoadBalancerArn"])["Listeners"]) for each in balancers)

    @contextlib.contextmanager
    def misbehaving(self, behaviour: Behaviour, *nodes: Node) -> t.Iterator[None]:
        before = self.inventory.read_text()
        for node in nodes:
            if behaviour is not None:
                (node.folder / "behaviour.json").write_text(json.dumps(behaviour))
        if behaviour is None:
            found = yaml.safe_load(before)
            for node in nodes:
                hostile._hosts(found)[f"ml-{node.instance_id}"].update(AWAY)
            self.inventory.write_text(yaml.safe_dump(found))
        try:
            yield
        finally:
            self.inventory.write_text(before)
            for node in nodes:
                (node.folder / "behaviour.json").unlink(missing_ok=True)


@contextlib.contextmanager
def world(folder: Path) -> t.Iterator[World]:
    with simulated_aws(folder) as aws:
        made = World(folder, aws)
        made.settle()
        yield made
