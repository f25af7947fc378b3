# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Repairs of the nodes of an EKS cluster, on the cluster's inventory host."""

from __future__ import annotations

from dataclasses import dataclass

from ansible_collections.mlfleet.hyperpod.plugins.plugin_utils import slurm_states
from ansible_collections.mlfleet.hyperpod.plugins.plugin_utils._accelerators import kubernetes_states
from ansible_collections.mlfleet.hyperpod.plugins.plugin_utils._accelerators.disagreements import RUNNING
from ansible_collections.mlfleet.hyperpod.plugins.plugin_utils._accelerators.remediation import route
from ansible_collections.mlfleet.hyperpod.plugins.plugin_utils._accelerators.service import acting
from ansible_collections.mlfleet.hyperpod.plugins.plugin_utils.api_server import api_server
from ansible_collections.mlfleet.hyperpod.plugins.plugin_utils.declared_people import plain

from .. import Variables, view
from ..accelerator_health import seen
from .repairs import REASON, fit, is_repaired, nodes_of, repairs_of, unseen_of

READY_SECONDS = 1800
"""Seconds that the kubelet may take to become ready after HyperPod reports the node as Running."""


@dataclass(frozen=True)
class Nodes:
    """Requests to Kubernetes."""

    ids: list[str]
    """Instance IDs of the nodes to repair."""
    unseen: list[str]
    """Instance IDs of repaired nodes and their successors that no check has found fit."""
    fit: list[str]
    """Instance IDs of fit nodes. If a repair cordoned such a node, the run uncordons it. Empty while another run is active."""
    reason: str
    purpose: str
    """The prefix of the reason on nodes that the run may uncordon."""
    ready_seconds: int
    eks_cluster: str | None
    kubeconfig: str | None
    context: str | None


@view
def nodes(variables: Variables) -> Nodes:
    run = variables["hyperpod_run"]
    unseen = {each["node"] for each in unseen_of(variables)}
    well = [iid for iid in fit(nodes_of(variables)) if iid not in unseen] if "repairs" in run else []
    repaired = [str(each["hyperpod_instance_id"]) for each in seen.nodes(variables) if is_repaired(variables, each)]
    kubeconfig, context = variables["remediation_kubeconfig"], variables["remediation_context"]
    server = api_server(variables, kubeconfig=kubeconfig, context=context)
    return Nodes(
        ids=[each["node"] for each in repairs_of(variables)],
        unseen=[iid for iid in repaired if iid not in well],
        fit=well,
        reason=REASON,
        purpose=route.PURPOSE,
        ready_seconds=READY_SECONDS,
        eks_cluster=server.eks_cluster,
        kubeconfig=server.kubeconfig,
        context=server.context,
    )


@view
def emptied_of_pods(variables: Variables) -> dict[str, str]:
    """Why a node can't be repaired, keyed by instance ID, from the state in Kubernetes after the run waited for its pods."""
    states = kubernetes_states.states(plain(variables.get("__remediation_pods") or {}))
    why = {each["node"]: occupied_by_pods(states.get(each["node"], kubernetes_states.NOTHING)) for each in repairs_of(variables)}
    return {iid: text for iid, text in why.items() if text}


def occupied_by_pods(state: kubernetes_states.State) -> str:
    """Why a node can't be repaired, from its state in Kubernetes; empty if it can."""
    if not state.known:
        return "Kubernetes has no such node, so it is unknown whether the node is in use."
    if state.pods:
        return f"there are pods on it: {', '.join(state.pods)}."
    work = acting(RUNNING, slurm_states.NOTHING, state.known)
    return f"{work}." if work else ""
