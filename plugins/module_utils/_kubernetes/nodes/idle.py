# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# This module util is private to the collection.
"""Why a test cannot use whole nodes. No I/O."""

from __future__ import annotations

import typing as t
from dataclasses import dataclass

from .devices import EFA, GPU, State

UNAVAILABLE, BUSY, FEWER_DEVICES = "unavailable", "busy", "fewer devices"
MOST_SHOWN = 5


@dataclass(frozen=True)
class Reason:
    kind: str
    """``UNAVAILABLE``, ``BUSY`` or ``FEWER_DEVICES``."""
    text: str


def why_not_idle(names: t.Sequence[str], state: State, *, gpus: int, efa: bool) -> Reason | None:
    """
    :param gpus: the number of GPUs that each node must offer.
    :param efa: whether each node must offer EFA devices.
    """
    unknown = [name for name in names if name not in state.nodes]
    if unknown:
        return Reason(UNAVAILABLE, f"Nodes are missing in Kubernetes: {_shown(unknown)}.")
    if not state.pods_seen:
        return Reason(BUSY, "The caller may not list the Pods of all namespaces, so it is unknown whether the nodes are idle.")
    nodes = [state.nodes[name] for name in names]
    working = [
        f"{pod}{' (of a verification)' if pod in state.of_tests else ''} on {node.known.name}"
        for node in nodes
        for pod in node.known.pods
    ]
    if working:
        return Reason(BUSY, f"Pods use accelerators of the nodes: {_shown(working)}.")
    others = [f"{node.known.name}: {node.takes_no_pods}" for node in nodes if node.takes_no_pods]
    if others:
        return Reason(UNAVAILABLE, f"Nodes accept no Pods: {_shown(others)}.")
    fewer = [f"{node.known.name} ({node.gpus})" for node in nodes if node.gpus < gpus]
    if fewer:
        return Reason(FEWER_DEVICES, f"Each node must offer {gpus} {GPU}. Nodes that offer fewer: {_shown(fewer)}.")
    without = [node.known.name for node in nodes if not node.efa] if efa else []
    if without:
        return Reason(FEWER_DEVICES, f"Each node must offer EFA devices ({EFA}). Nodes without EFA devices: {_shown(without)}.")
    return None


def _shown(names: t.Sequence[str]) -> str:
    return ", ".join(names[:MOST_SHOWN])
