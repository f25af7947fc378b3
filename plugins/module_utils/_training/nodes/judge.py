# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# This module util is private to the collection.
"""Whether nodes have what a training job needs. A value that could not be read never counts as good. No I/O."""

from __future__ import annotations

import typing as t
from dataclasses import replace

from ..._kubernetes.device_plugins import known
from ..._kubernetes.nodes.devices import EFA, GPU, HUGE_PAGES_OF_EFA, Node
from ..._kubernetes.nodes.labels import OF_HYPERPOD, TYPE
from ..job.manifest import TOLERATED
from .image import of_images, unknown_images
from .model import (
    BOTH,
    DRA,
    DRA_ONLY,
    HUGE_PAGES,
    NODES,
    NONE,
    NONE_IDLE,
    NOT_READ,
    NOT_READ_CODES,
    PLUGINS,
    TYPE_UNKNOWN,
    Described,
    Desired,
    Problem,
    State,
)

WITH_NODE = ("node.kubernetes.io/", OF_HYPERPOD)
"""The prefixes of the taints that nodes get because they accept no Pods."""
PLUGIN = {each.resource: each.described for each in known.PLUGINS}
DIFFER = {
    GPU: ("gpus-differ", "which hides faulty GPUs and multiplies shared ones"),
    EFA: ("efa-differ", "and compare it with the network interfaces of the instance"),
}


def checked(desired: Desired, state: State) -> Desired:
    """The request without the nodes that are left out. No node is left out if the cluster's Pods could not be read."""
    if not desired.idle or {NODES, PLUGINS} & {*state.unread}:
        return desired
    known = {name: described.node for name, described in state.nodes.items()}
    there = (known[name] for name in desired.nodes if name in known)
    return replace(desired, nodes=tuple(node.known.name for node in there if not node.takes_no_pods and not node.known.pods))


def judge(desired: Desired, state: State) -> tuple[Problem, ...]:
    unread = tuple(
        Problem(NOT_READ_CODES[what], f"{what} could not be read ({why})", "Allow the caller to list them in all namespaces")
        for what, why in state.unread.items()
    )
    if NODES in state.unread:
        return unread
    if not desired.nodes:
        return (*unread, Problem(NONE_IDLE, "Not verified: no node is idle", "Run again when jobs have ended"))
    found = (problem for name in desired.nodes for problem in _of_node(name, desired, state))
    return (*unread, *unknown_images(desired), *found)


def _of_node(name: str, desired: Desired, state: State) -> t.Iterator[Problem]:
    described = state.nodes.get(name)
    if described is None:
        yield Problem("node-missing", "Nodes do not exist in Kubernetes", "Check that they have joined the cluster", node=name)
        return
    node = described.node
    if node.takes_no_pods:
        text, step = "Nodes accept no Pods", "Wait until they are ready, or choose other nodes"
        yield Problem("takes-no-pods", text, step, node=name, detail=node.takes_no_pods)
    yield from _type(desired, described)
    yield from of_images(desired, described)
    yield from _taints(node)
    if not node.known.not_ready:
        for resource, count in ((GPU, desired.gpus), (EFA, desired.efa)):
            yield from _devices(resource, count, described, state)
    if desired.efa and node.huge_pages < HUGE_PAGES_OF_EFA:
        text = f"Nodes offer less than {HUGE_PAGES_OF_EFA >> 20} MiB of huge pages"
        yield Problem(HUGE_PAGES, text, "EFA works without huge pages", name, f"{node.huge_pages >> 20} MiB")


def _type(desired: Desired, described: Described) -> t.Iterator[Problem]:
    """Compare the instance types. HyperPod's labels have the prefix ``ml.``, and labels of EC2's instances do not."""
    name, found = described.node.known.name, described.instance_type
    if not found:
        text, step = f"Nodes lack the label {TYPE}", "Check that their kubelets have registered"
        yield Problem(TYPE_UNKNOWN, text, step, name)
    elif found.removeprefix("ml.") != desired.instance_type.removeprefix("ml."):
        text, step = f"Nodes are not of the type {desired.instance_type}", "Choose nodes of one type"
        yield Problem("instance-type-differs", text, step, node=name, detail=found)


def _taints(node: Node) -> t.Iterator[Problem]:
    found = []
    for taint in node.known.taints:
        rest, _colon, effect = taint.rpartition(":")
        key = rest.partition("=")[0]
        follows = bool(node.takes_no_pods) and key.startswith(WITH_NODE)
        if effect != "PreferNoSchedule" and key not in TOLERATED and not follows:
            found.append(taint)
    if found:
        text, step = "The job does not tolerate taints of nodes", "Remove the taints, or choose other nodes"
        yield Problem("taint-not-tolerated", text, step, node=node.known.name, detail=", ".join(found))


def _devices(resource: str, count: int, described: Described, state: State) -> t.Iterator[Problem]:
    """
    :param count: devices that the node must offer; 0 if none are required.
    """
    name, offered = described.node.known.name, described.offered(resource)
    source, trouble = state.provider(name, resource), state.plugins.get((name, resource), "")
    if source == BOTH:
        text = f"Both a device plugin and DRA offer the devices of {resource}, which AWS does not support"
        yield Problem("two-providers", text, "Remove one of them from these nodes", node=name)
    elif count and source == DRA:
        text = f"Only DRA offers the devices of nodes, but the job requests {resource}"
        yield Problem(DRA_ONLY, text, f"Choose nodes with {PLUGIN[resource]}", name)
    elif count and trouble:
        text = f"No Pod of {PLUGIN[resource]} is ready on nodes"
        yield Problem("plugin-not-ready", text, "Read the Pod's log and events", node=name, detail=trouble)
    elif count and source == NONE:
        yield _missing(resource, name, state)
    elif (offered or source != NOT_READ) and (offered < count or (resource == GPU and offered > count)):
        code, more = DIFFER[resource]
        text = f"Each node must offer {count} {resource}, but the kubelets report different numbers"
        yield Problem(code, text, f"Read the log of {PLUGIN[resource]}, {more}", node=name, detail=str(offered))


def _missing(resource: str, name: str, state: State) -> Problem:
    sets = ", ".join(state.daemon_sets.get(resource, ()))
    if not sets:
        text = f"{PLUGIN[resource]} is not installed, and nodes offer no {resource}"
        return Problem("plugin-missing", text, "Install the plugin with its own or with HyperPod's Helm chart", node=name)
    text = f"{PLUGIN[resource]} ({sets}) has no Pod on nodes that offer no {resource}"
    step = "Compare the node affinity and the tolerations of the DaemonSet with the labels and taints of the nodes"
    return Problem("plugin-missing", text, step, node=name)
