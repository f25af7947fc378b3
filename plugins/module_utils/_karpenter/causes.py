# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# This module util is private to the collection.
"""Causes for waiting Pods, with a text and a next step."""

from __future__ import annotations

from dataclasses import dataclass

from .._core.text import printable


@dataclass(frozen=True)
class Cause:
    code: str
    text: str
    """A sentence that is printable."""
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
        "Run playbook karpenter.yml with a NodePool that fits the Pod.",
    ),
    "no-group": (
        REQUIREMENTS,
        "No instance group meets the requirements of a NodePool ({pools}).",
        "Compare spec.template.spec.requirements with the instance types and Availability Zones of the NodeClass's groups.",
    ),
    "requirements": (
        REQUIREMENTS,
        "Pod {pod} requires {required}, which no node of a NodePool ({pools}) has.",
        "Change nodeSelector, affinity or requests of the Pod, or add a NodePool or an instance group that meets them.",
    ),
    "requirements-together": (
        REQUIREMENTS,
        "Pod {pod} requires {required}, and no node of a NodePool ({pools}) has all of these.",
        "Change nodeSelector, affinity or requests of the Pod, or add a NodePool or an instance group that meets them.",
    ),
    "limits": (
        LIMITS,
        "NodePool {pool} is limited to {limit} and uses {used}; another node would exceed the limit.",
        "Raise spec.limits of the NodePool, or wait until nodes are released.",
    ),
    "node-class": (
        NODE_CLASS,
        "HyperpodNodeClass {node_class} is not Ready: {message}.",
        "Fix the reported problem; remove instance groups from the NodeClass that the cluster no longer has.",
    ),
    "no-node-class": (
        NODE_CLASS,
        "NodePool {pool} refers to HyperpodNodeClass {node_class}, which does not exist.",
        "Create the NodeClass, or name another one in spec.template.spec.nodeClassRef.",
    ),
    "node-pool": (
        NODE_CLASS,
        "NodePool {pool} is not Ready: {message}.",
        "Fix the reported problem; on HyperPod, requirements may only name instance type, zone and architecture.",
    ),
    "autoscaling": (
        AUTOSCALING,
        "The autoscaler of cluster {cluster} is {status} instead of InService: {message}.",
        "Run playbook karpenter.yml, which switches it on and waits for it; after a failure check its role.",
    ),
    "quota": (
        QUOTA,
        "Pod {pod} needs a node that quota {quota} does not allow: {used} are in use of {applied}.",
        "Request a higher quota in Service Quotas, or delete unused nodes.",
    ),
    "capacity": (
        CAPACITY,
        "AWS launched no node of {of}: {message}.",
        "If your account has reserved capacity, check that the group's subnet is in its zone. Otherwise wait, since Karpenter "
        "retries, or add an instance group of another type or zone to the NodeClass.",
    ),
    "image": (
        IMAGE,
        "Pod {pod} is on node {node}, but its image can't be pulled: {message}.",
        "Check the image's name, the node's access to the registry, and the permission to pull it.",
    ),
    "container": (
        CONTAINER,
        "Pod {pod} is on node {node}, but one of its containers does not run: {message}.",
        "Check kubectl describe pod -n {namespace} {name}, and its log.",
    ),
    "on-its-way": (
        ON_ITS_WAY,
        "A node for Pod {pod} is starting: NodeClaim {claim}{of} was created at {since} and is {state}.",
        "Wait; a node with GPUs takes five to twenty minutes.",
    ),
    "queued": (
        QUEUED,
        "Pod {pod} has a scheduling gate, as task governance sets on queued Pods.",
        "Check kubectl get workloads -n {namespace}, and the quota of its queue.",
    ),
    "unknown": (
        UNKNOWN,
        "No known cause keeps Pod {pod} from a node; the scheduler reports: {message}.",
        "Karpenter may not have processed it yet; check again in a minute, and check kubectl get events -A.",
    ),
}


def cause(kind: str, **values: object) -> Cause:
    """Values may be untrusted text. A full stop at their end is removed, so that a sentence does not end with two."""
    code, text, step = WORDS[kind]
    shown = {name: printable(value).rstrip(" .") for name, value in values.items()}
    return Cause(code, text.format(**shown), step.format(**shown))
