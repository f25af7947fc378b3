# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Health checks of nodes through Kubernetes."""

from __future__ import annotations

import typing as t
from dataclasses import dataclass

from ansible_collections.mlfleet.hyperpod.plugins.plugin_utils._declared import limits
from ansible_collections.mlfleet.hyperpod.plugins.plugin_utils._declared.accelerator_health import RANGES, TEXTS
from ansible_collections.mlfleet.hyperpod.plugins.plugin_utils.api_server import api_server
from ansible_collections.mlfleet.hyperpod.plugins.plugin_utils.declared_people import plain
from ansible_collections.mlfleet.hyperpod.plugins.plugin_utils.findings.made import Findings, finding, refused

from .. import Variables, view
from . import seen


@dataclass(frozen=True)
class Jobs:
    """Health checks of an EKS cluster."""

    refusals: Findings
    notes: Findings
    """The note about an image without a digest."""
    nodes: list[dict[str, t.Any]]
    """The nodes to check, in the format of the module."""
    eks_cluster: str | None
    kubeconfig: str | None
    context: str | None
    look: str
    returned: dict[str, t.Any]
    """The result of the module, completed by earlier results for nodes that are not checked now."""


@view
def jobs(variables: Variables) -> Jobs:
    known = variables["hostvars"][variables["inventory_hostname"]]
    wrong = [*limits.range_problems(variables, RANGES, known), *limits.text_problems(variables, TEXTS, known)]
    kubeconfig, context = variables["accelerator_health_kubeconfig"], variables["accelerator_health_context"]
    image = str(variables["accelerator_health_image"])
    server = api_server(variables, kubeconfig=kubeconfig, context=context)
    found = [(each, seen.expected(variables, str(each["hyperpod_instance_type"]))) for each in _nodes(variables)]
    nodes = [_as_option(each, expected) for each, expected in found if seen.has_accelerators(expected)]
    return Jobs(
        refusals=refused(wrong),
        notes=[] if wrong or not nodes or "@" in image else finding("image-not-pinned", image=image),
        nodes=nodes,
        eks_cluster=server.eks_cluster,
        kubeconfig=server.kubeconfig,
        context=server.context,
        look=str(variables.get(seen.LOOK) or ""),
        returned=_returned(variables, [each["instance_id"] for each in nodes]),
    )


def _nodes(variables: Variables) -> list[Variables]:
    again = str(variables["accelerator_health_again"])
    members = variables["groups"].get(again, ())
    return [each for each in seen.nodes(variables) if not again or each["inventory_hostname"] in members]


def _returned(variables: Variables, checked: t.Container[str]) -> dict[str, t.Any]:
    now = plain(variables.get("__accelerator_health_jobs") or {})
    if not variables["accelerator_health_again"]:
        return dict(now)
    before = seen.now(variables, seen.JOBS, variables) or {}
    kept = [each for each in before.get("nodes") or () if each["instance_id"] not in checked]
    return {**now, "nodes": [*kept, *(now.get("nodes") or ())]}


def _as_option(node: Variables, expected: t.Mapping[str, int | None]) -> dict[str, t.Any]:
    about = {"instance_id": str(node["hyperpod_instance_id"]), "instance_type": str(node["hyperpod_instance_type"])}
    return {**about, **{f"expected_{name}": count for name, count in expected.items() if count is not None}}
