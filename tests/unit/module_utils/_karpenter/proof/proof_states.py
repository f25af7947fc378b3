# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Clusters that a proof could use, for tests of proofs."""

from __future__ import annotations

import dataclasses
import typing as t

from ansible_collections.mlfleet.hyperpod.plugins.module_utils._hyperpod.cluster_autoscaling.model import State as Scaler
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._karpenter.model import Inside, Node, NodeClaim, NodeClass, NodePool
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._karpenter.outside import Group, Outside
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._karpenter.pods import Pod
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._karpenter.proof.model import Candidate, Cost, Desired, State

ARN = "arn:aws:sagemaker:us-west-2:111111111111:cluster/abc123def456"
G5, P5 = "ml.g5.8xlarge", "ml.p5.48xlarge"
DESIRED = Desired(ARN, "gpus")
READY = {"conditions": [{"type": "Ready", "status": "True"}]}
OURS = {"app.kubernetes.io/managed-by": "mlfleet.hyperpod", "mlfleet.hyperpod/proof": "gpus"}
CHEAP, DEAR = Candidate(G5, ("g5-a",), Cost(3.06, "USD", "price list")), Candidate(P5, ("p5-a", "p5-b"))


def not_ready(message: str) -> dict[str, t.Any]:
    return {"conditions": [{"type": "Ready", "status": "False", "message": message}]}


def group(name: str, *types: str, zones: tuple[str, ...] = ("us-west-2a",)) -> Group:
    return Group(name, 0, 0, types, len(types) > 1, zones, spot=False)


GROUPS = (group("g5-a", G5), group("p5-a", P5), group("p5-b", P5), group("system", "ml.m5.large"))


def outside(status: str = "InService", mode: str = "Enable", *groups: Group, eks: bool = True, failure: str = "") -> Outside:
    answer = {
        "ClusterName": "ml",
        "ClusterArn": ARN,
        "ClusterStatus": "InService",
        "AutoScaling": {"Mode": mode, "Status": status, "FailureMessage": failure},
    }
    on = {"Orchestrator": {"Eks": {"ClusterArn": "arn:aws:eks:us-west-2:1:cluster/one"}}} if eks else {}
    return Outside(Scaler.from_api({**answer, **on}), {each.name: each for each in groups or GROUPS})


def node_class(*groups: str, status: t.Any = None, name: str = "gpus") -> NodeClass:
    return NodeClass.of({"metadata": {"name": name}, "spec": {"instanceGroups": list(groups)}, "status": status or READY})


def pool(*, status: t.Any = None, meta: t.Any = None, template: t.Any = None, **spec: t.Any) -> NodePool:
    of_template = {"spec": {"nodeClassRef": {"name": "gpus"}, "requirements": [], **(template or {})}}
    whole = {"disruption": {"consolidateAfter": "30s"}, **spec, "template": of_template}
    return NodePool.of({"metadata": {"name": "gpus", **(meta or {})}, "spec": whole, "status": status or READY})


def claim(name: str = "gpus-1", *holding: str, node: str = "", instance_type: str = G5, meta: t.Any = None) -> NodeClaim:
    labels = {"karpenter.sh/nodepool": "gpus", "node.kubernetes.io/instance-type": instance_type}
    labels["sagemaker.amazonaws.com/instance-group-name"] = "g5-a"
    conditions = [{"type": each, "status": "True"} for each in holding]
    status = {"nodeName": node, "conditions": conditions}
    return NodeClaim.of({"metadata": {"name": name, "labels": labels, **(meta or {})}, "status": status})


def pod(name: str = "hyperpod-proof-gpus", *, node: str = "", phase: str = "Running", labels: t.Any = None, **status: t.Any) -> Pod:
    meta = {"name": name, "namespace": "default", "labels": OURS if labels is None else labels}
    return Pod.of({"metadata": meta, "spec": {"containers": [], "nodeName": node}, "status": {"phase": phase, **status}})


def node(name: str, *, ready: bool = True) -> Node:
    return Node.of({"metadata": {"name": name}, "status": {"conditions": [{"type": "Ready", "status": str(ready)}]}})


def inside(**more: t.Any) -> Inside:
    return Inside(**{"pools": (pool(),), "classes": (node_class("g5-a", "p5-a", "p5-b"),), **more})


def state(**more: t.Any) -> State:
    return dataclasses.replace(State(outside(), inside(), (CHEAP, DEAR)), **more)
