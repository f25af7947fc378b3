# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Objects as the API server returns them: a cluster in which one pod could get a node."""

from __future__ import annotations

import typing as t

from ansible_collections.mlfleet.hyperpod.plugins.module_utils._hyperpod.cluster_autoscaling.model import State
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._karpenter.model import (
    Inside,
    Node,
    NodeClaim,
    NodeClass,
    NodePool,
)
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._karpenter.outside import Group, Outside
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._karpenter.pods import Pod
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._kubernetes.nodes.labels import GROUP, NODE_POOL, TYPE, ZONE

ARN = "arn:aws:sagemaker:us-west-2:111111111111:cluster/abc123def456"
G5, P5, CPU = "ml.g5.8xlarge", "ml.p5.48xlarge", "ml.m5.large"
A, B = "us-west-2a", "us-west-2b"
GPU = "nvidia.com/gpu"
EARLY, LATE = "2026-10-04T08:00:00Z", "2026-10-04T09:00:00Z"
Object = dict[str, t.Any]


def conditions(observed: int | None = None, **statuses: str | bool) -> Object:
    """A status is True, or the message of a condition that is not met. ``observed``: the observed generation."""
    generation = {} if observed is None else {"observedGeneration": observed}
    return {
        "conditions": [
            {
                "type": kind,
                "status": str(value is True),
                "reason": "Some" if value is not True else kind,
                "message": value if isinstance(value, str) else "",
                "lastTransitionTime": LATE,
                **generation,
            }
            for kind, value in statuses.items()
        ]
    }


def pod(name: str = "a", *, message: str = "0/1 nodes are available", meta: Object | None = None, **spec: t.Any) -> Pod:
    """A waiting pod; with ``nodeName``, a pod with a node."""
    waits = {"type": "PodScheduled", "status": "False", "reason": "Unschedulable", "message": message, "lastTransitionTime": LATE}
    made = {"metadata": {"name": name, "namespace": "ns", "creationTimestamp": EARLY, **(meta or {})}}
    return Pod.of({**made, "spec": {"containers": [gpus(1)], **spec}, "status": {"phase": "Pending", "conditions": [waits]}})


def stuck(reason: str, message: str = "") -> Pod:
    """A pod that has a node and does not run."""
    status = {"phase": "Pending", "containerStatuses": [{"state": {"waiting": {"reason": reason, "message": message}}}]}
    return Pod.of({"metadata": {"name": "a", "namespace": "ns"}, "spec": {"containers": [], "nodeName": "n"}, "status": status})


def gpus(count: int) -> Object:
    return {"resources": {"limits": {GPU: str(count)}}}


def node_class(*groups: str, name: str = "gpus", ready: str | bool | None = True, meta: Object | None = None) -> NodeClass:
    """``ready``: True, or the message of a class that is not ready; None if it was not checked yet."""
    status = {} if ready is None else conditions(Ready=ready)
    made = {"metadata": {"name": name, **(meta or {})}, "spec": {"instanceGroups": list(groups or ("g5",))}}
    return NodeClass.of({**made, "status": status})


def pool(
    name: str = "gpus", *, ready: str | bool = True, meta: Object | None = None, labels: Object | None = None, observed: int | None = None,
    **spec: t.Any,
) -> NodePool:  # fmt: skip
    outer = {key: spec.pop(key) for key in ("limits", "weight", "disruption") if key in spec}
    template = {"metadata": {"labels": labels or {}}, "spec": {"nodeClassRef": {"name": spec.pop("node_class", "gpus")}, **spec}}
    made = {"metadata": {"name": name, **(meta or {})}, "spec": {"template": template, **outer}}
    return NodePool.of({**made, "status": conditions(observed, Ready=ready)})


def claim(
    name: str = "gpus-1", *, of: str = "gpus", group: str = "g5", kind: str = G5, node: str = "", gpu: int | None = None,
    meta: Object | None = None, **statuses: t.Any,
) -> NodeClaim:  # fmt: skip
    """A NodeClaim with conditions, such as ``Launched=True``."""
    labels = {NODE_POOL: of, GROUP: group, TYPE: kind, ZONE: A}
    status = {**conditions(**statuses), "nodeName": node, "capacity": {} if gpu is None else {"cpu": "32", "pods": "110", GPU: str(gpu)}}
    return NodeClaim.of({"metadata": {"name": name, "labels": labels, "creationTimestamp": EARLY, **(meta or {})}, "status": status})


def node(name: str, kind: str = G5, **amounts: str) -> Node:
    """A ready node."""
    status = {"allocatable": {"cpu": "32", "pods": "110", **amounts}, **conditions(Ready=True)}
    return Node.of({"metadata": {"name": name, "labels": {TYPE: kind}}, "status": status})


def inside(*pods: Pod, pools: t.Sequence[NodePool] | None = None, **more: t.Any) -> Inside:
    made = {"classes": (node_class(),), "pools": (pool(),) if pools is None else tuple(pools), "pods": pods or (pod(),)}
    return Inside(**{**made, **more})


def group(name: str = "g5", *types: str, zones: t.Sequence[str] = (A,), spot: bool = False) -> Group:
    return Group(name, 0, 0, types or (G5,), flexible=len(types) > 1, zones=tuple(zones), spot=spot)


def outside(*groups: Group, mode: str = "Enable", status: str = "InService", failure: str = "", **more: t.Any) -> Outside:
    scaler = {"Mode": mode, "Status": status, "FailureMessage": failure}
    answer = {"ClusterArn": ARN, "ClusterName": "ml", "Orchestrator": {"Eks": {"ClusterArn": "x"}}, "AutoScaling": scaler}
    return Outside(State.from_api(answer), {each.name: each for each in groups or (group(),)}, **more)
