# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# This module util is private to the collection.
"""Why no test is started, and what its pods ask for where one is: pure, no I/O."""

from __future__ import annotations

from ...._kubernetes.nodes.labels import SCHEDULABLE
from ...node.nccl.model import ALLOCATION, DEVICES, JOBS, NOT_RUN, Outcome
from .model import Desired, Node, Share, State

MOST_SHOWN = 5
HUGE_PAGES = 5120 * 2**20
"""Bytes that libfabric takes for 32 EFA devices, as AWS's manifests ask for them."""


def refusal(desired: Desired, state: State) -> Outcome | None:
    """None where it may be started."""
    unknown = [name for name in desired.nodes if name not in state.nodes]
    if unknown:
        return _not_run(desired, ALLOCATION, f"Kubernetes has no node {', '.join(unknown[:MOST_SHOWN])}.")
    if not state.pods_seen:
        return _not_run(desired, JOBS, "The caller may not list the pods of all namespaces, so who works there is not known.")
    nodes = [state.nodes[name] for name in desired.nodes]
    working = [f"{pod} on {node.known.name}" for node in nodes for pod in node.known.pods]
    if working:
        return _not_run(desired, JOBS, f"There are pods with accelerators on the nodes: {', '.join(working[:MOST_SHOWN])}.")
    others = [f"{node.known.name}: {why}" for node in nodes for why in (_takes_no_pods(node),) if why]
    if others:
        return _not_run(desired, ALLOCATION, f"Nodes take no pods: {', '.join(others[:MOST_SHOWN])}.")
    fewer = [f"{node.known.name} {node.gpus}" for node in nodes if node.gpus < desired.test.gpus]
    if fewer:
        shown = ", ".join(fewer[:MOST_SHOWN])
        text = f"Each node is to have {desired.test.gpus} nvidia.com/gpu; the kubelet offers fewer: {shown}."
        return _not_run(desired, DEVICES, text)
    without = [node.known.name for node in nodes if not node.efa] if desired.test.efa else []
    if without:
        text = f"Each node is to have EFA devices; the kubelet offers no vpc.amazonaws.com/efa: {', '.join(without[:MOST_SHOWN])}."
        return _not_run(desired, DEVICES, text)
    return None


def _not_run(desired: Desired, failure: str, text: str) -> Outcome:
    return Outcome(NOT_RUN, text, failure, desired.nodes)


def _takes_no_pods(node: Node) -> str:
    if node.known.not_ready:
        return node.known.not_ready
    if node.known.health_status not in ("", SCHEDULABLE):
        return f"HyperPod labels it {node.known.health_status}"
    return "it is cordoned" if node.known.unschedulable else ""


def share(desired: Desired, state: State) -> Share:
    """What all of the nodes offer. Without huge pages libfabric takes others."""
    nodes = [state.nodes[name] for name in desired.nodes]
    efa = min(node.efa for node in nodes)
    return Share(efa, huge_pages=bool(efa) and min(node.huge_pages for node in nodes) >= HUGE_PAGES)
