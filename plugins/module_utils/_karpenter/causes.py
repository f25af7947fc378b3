# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# This module util is private to the collection.
"""Causes for which pods wait, in words."""

from __future__ import annotations

from dataclasses import dataclass

from .._core.text import printable


@dataclass(frozen=True)
class Cause:
    code: str
    text: str
    """A sentence that is safe to show."""
    next_step: str


TAINT, REQUIREMENTS, LIMITS, NODE_CLASS, AUTOSCALING = "taint", "requirements", "limits", "node-class", "autoscaling"
QUOTA, CAPACITY, IMAGE, CONTAINER = "quota", "capacity", "image", "container"
ON_ITS_WAY, QUEUED, UNKNOWN = "on-its-way", "queued", "unknown"
CODES = (TAINT, REQUIREMENTS, LIMITS, NODE_CLASS, AUTOSCALING, QUOTA, CAPACITY, IMAGE, CONTAINER, ON_ITS_WAY, QUEUED, UNKNOWN)

WORDS = {
    "taint": (
        TAINT,
        "Pod {pod} does not tolerate taint {taint} of NodePool {pool}.",
        "Add a toleration for the taint to the Pod, or take the taint off the NodePool.",
    ),
    "no-node-pool": (
        REQUIREMENTS,
        "There is no NodePool, so Karpenter makes no nodes.",
        "Run playbook karpenter.yml with a NodePool that takes the Pod.",
    ),
    "no-group": (
        REQUIREMENTS,
        "No instance group meets the requirements of a NodePool ({pools}).",
        "Compare spec.template.spec.requirements with instance types and Availability Zones of the NodeClass's groups.",
    ),
    "requirements": (
        REQUIREMENTS,
        "Pod {pod} asks for {asked}, which no node of a NodePool ({pools}) has.",
        "Change nodeSelector, affinity or requests of the Pod, or add a NodePool or an instance group that has it.",
    ),
    "requirements-together": (
        REQUIREMENTS,
        "Pod {pod} asks for {asked}, and no node of a NodePool ({pools}) has all of it.",
        "Change nodeSelector, affinity or requests of the Pod, or add a NodePool or an instance group that has it.",
    ),
    "limits": (
        LIMITS,
        "NodePool {pool} may have {limit} and uses {used}; another node would be too many.",
        "Raise spec.limits of the NodePool, or wait until others give nodes back.",
    ),
    "node-class": (
        NODE_CLASS,
        "HyperpodNodeClass {node_class} is not Ready: {said}.",
        "Mend what it says; an instance group that is gone from the cluster has to leave the NodeClass, too.",
    ),
    "no-node-class": (
        NODE_CLASS,
        "NodePool {pool} is about HyperpodNodeClass {node_class}, which does not exist.",
        "Make the NodeClass, or name another one in spec.template.spec.nodeClassRef.",
    ),
    "node-pool": (
        NODE_CLASS,
        "NodePool {pool} is not Ready: {said}.",
        "Mend what it says; on HyperPod requirements may name instance type, zone and architecture only.",
    ),
    "autoscaling": (
        AUTOSCALING,
        "The autoscaler of cluster {cluster} is not InService but {status}: {said}.",
        "Run playbook karpenter.yml, which switches it on and waits for it; after a failure look at its role.",
    ),
    "quota": (
        QUOTA,
        "Pod {pod} needs a node that quota {quota} does not allow: {used} are in use of {applied}.",
        "Ask for a higher quota in Service Quotas, or delete nodes that nobody needs.",
    ),
    "capacity": (
        CAPACITY,
        "AWS gave no node of {of}: {said}.",
        "If capacity is reserved for your account, check that the group's subnet is in its zone. Else wait, as Karpenter retries, "
        "or add an instance group of another type or zone to the NodeClass.",
    ),
    "image": (
        IMAGE,
        "Pod {pod} is on node {node}, and its image can't be had: {said}.",
        "Check the image's name, that the node reaches its registry, and the right to pull it.",
    ),
    "container": (
        CONTAINER,
        "Pod {pod} is on node {node}, and a container of it does not run: {said}.",
        "Look at kubectl describe pod -n {namespace} {name}, and at its log.",
    ),
    "on-its-way": (
        ON_ITS_WAY,
        "A node is on its way for Pod {pod}: NodeClaim {claim}{of} was made at {since} and is {state}.",
        "Wait; a node with GPUs takes five to twenty minutes.",
    ),
    "queued": (
        QUEUED,
        "Pod {pod} is held by a scheduling gate, as task governance does with what is queued.",
        "Look at kubectl get workloads -n {namespace}, and at the quota of its queue.",
    ),
    "unknown": (
        UNKNOWN,
        "Nothing known keeps Pod {pod} from a node; the scheduler says: {said}.",
        "Karpenter has perhaps not looked yet; look again in a minute, and at kubectl get events -A.",
    ),
}


def cause(kind: str, **values: object) -> Cause:
    """Texts of strangers are among the values; where they end with a full stop, the sentence does not end with two."""
    code, text, step = WORDS[kind]
    shown = {name: printable(value).rstrip(" .") for name, value in values.items()}
    return Cause(code, text.format(**shown), step.format(**shown))
