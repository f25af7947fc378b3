# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# This module util is private to the collection.
"""The causes for which Pods wait, each with a message and a next step."""

from __future__ import annotations

from dataclasses import dataclass

from .._core.text import printable


@dataclass(frozen=True)
class Cause:
    code: str
    text: str
    """A printable sentence."""
    next_step: str


TAINT, REQUIREMENTS, LIMITS, NODE_CLASS, AUTOSCALING = "taint", "requirements", "limits", "node-class", "autoscaling"
QUOTA, CAPACITY, IMAGE, CONTAINER = "quota", "capacity", "image", "container"
ON_ITS_WAY, QUEUED, UNKNOWN = "on-its-way", "queued", "unknown"
CODES = (TAINT, REQUIREMENTS, LIMITS, NODE_CLASS, AUTOSCALING, QUOTA, CAPACITY, IMAGE, CONTAINER, ON_ITS_WAY, QUEUED, UNKNOWN)

WORDS = {
    "taint": (
        TAINT,
        "Pod {pod} does not tolerate taint {taint} of NodePool {pool}.",
        "Add a toleration for the taint to the Pod, or remove the taint from the NodePool.",
    ),
    "no-node-pool": (
        REQUIREMENTS,
        "No NodePool exists, so Karpenter adds no nodes.",
        "Run the playbook karpenter with a NodePool that meets the Pod's requirements.",
    ),
    "no-group": (
        REQUIREMENTS,
        "No instance group meets the requirements of any NodePool ({pools}).",
        "Compare spec.template.spec.requirements with the instance types and Availability Zones of the NodeClass's groups.",
    ),
    "requirements": (
        REQUIREMENTS,
        "Pod {pod} requires {required}, which no node of any NodePool ({pools}) has.",
        "Change nodeSelector, affinity or requests of the Pod, or add a NodePool or an instance group that meets them.",
    ),
    "requirements-together": (
        REQUIREMENTS,
        "Pod {pod} requires {required}, but no node of any NodePool ({pools}) has all of these.",
        "Change nodeSelector, affinity or requests of the Pod, or add a NodePool or an instance group that meets them.",
    ),
    "limits": (
        LIMITS,
        "NodePool {pool} is limited to {limit} and uses {used}; another node would exceed the limit.",
        "Raise spec.limits of the NodePool, or wait until Karpenter removes nodes.",
    ),
    "node-class": (
        NODE_CLASS,
        "HyperpodNodeClass {node_class} is not Ready: {message}.",
        "Fix the reported problem. If the NodeClass names an instance group that no longer exists, remove the name.",
    ),
    "no-node-class": (
        NODE_CLASS,
        "NodePool {pool} refers to HyperpodNodeClass {node_class}, which does not exist.",
        "Create the NodeClass, or name a different one in spec.template.spec.nodeClassRef.",
    ),
    "node-pool": (
        NODE_CLASS,
        "NodePool {pool} is not Ready: {message}.",
        "Fix the reported problem. On HyperPod, requirements may only name instance type, zone and architecture.",
    ),
    "autoscaling": (
        AUTOSCALING,
        "The autoscaler of cluster {cluster} is {status} instead of InService: {message}.",
        "Run the playbook karpenter, which switches the autoscaler on. If its status is Failed, check the autoscaler's IAM role.",
    ),
    "quota": (
        QUOTA,
        "Pod {pod} needs a node that quota {quota} does not allow: {used} of {applied} are in use.",
        "Request a higher quota in Service Quotas, or delete unused nodes.",
    ),
    "capacity": (
        CAPACITY,
        "AWS launched no node of {of}: {message}.",
        "If your account has reserved capacity, check that the group's subnet is in the capacity's zone. Otherwise wait while "
        "Karpenter retries, or add an instance group with a different type or zone to the NodeClass.",
    ),
    "image": (
        IMAGE,
        "Pod {pod} is on node {node}, but its image can't be pulled: {message}.",
        "Check the image's name, the node's access to the registry, and the permission to pull the image.",
    ),
    "container": (
        CONTAINER,
        "Pod {pod} is on node {node}, but one of its containers does not run: {message}.",
        "Check kubectl describe pod -n {namespace} {name}, and the Pod's log.",
    ),
    "on-its-way": (
        ON_ITS_WAY,
        "A node for Pod {pod} is starting: NodeClaim {claim}{of} was created at {since} and is {state}.",
        "Wait. A node with GPUs takes five to twenty minutes.",
    ),
    "queued": (
        QUEUED,
        "Pod {pod} has a scheduling gate. Task governance sets such gates on queued Pods.",
        "Check kubectl get workloads -n {namespace}, and the quota of the Pod's queue.",
    ),
    "unknown": (
        UNKNOWN,
        "Pod {pod} has no node, and no known cause applies. The scheduler reports: {message}.",
        "Karpenter may not have processed the Pod yet. If the Pod still waits after a minute, run kubectl get events -A.",
    ),
}


def cause(kind: str, **values: object) -> Cause:
    """Values may be untrusted, so they are made printable. Their final full stops are removed: no sentence must end with two."""
    code, text, step = WORDS[kind]
    shown = {name: printable(value).rstrip(" .") for name, value in values.items()}
    return Cause(code, text.format(**shown), step.format(**shown))
