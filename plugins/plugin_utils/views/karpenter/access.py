# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Access to the API server, and the role of Karpenter."""

from __future__ import annotations

import json
import typing as t
from dataclasses import dataclass

from ansible.module_utils.parsing.convert_bool import boolean
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._core.arn import ClusterArn
from ansible_collections.mlfleet.hyperpod.plugins.plugin_utils import eks_kubeconfig, iam_roles
from ansible_collections.mlfleet.hyperpod.plugins.plugin_utils._karpenter.role import policy_of
from ansible_collections.mlfleet.hyperpod.plugins.plugin_utils.api_server import api_server
from ansible_collections.mlfleet.hyperpod.plugins.plugin_utils.declared_people import plain
from ansible_collections.mlfleet.hyperpod.plugins.plugin_utils.findings.made import Findings, finding, refused

from .. import Variables, view

TAG = "mlfleet.hyperpod/"
SERVICE = "hyperpod.sagemaker.amazonaws.com"
ATTEMPTS = 3


@dataclass(frozen=True)
class Login:
    """Access to the API server. The module determines each value that is None. ``eks_arn`` is for calls to AWS."""

    eks_arn: str
    eks_cluster: str | None
    kubeconfig: str | None
    context: str | None


@view
def login(variables: Variables) -> Login:
    server = api_server(variables, kubeconfig=variables["karpenter_kubeconfig"], context=variables["karpenter_context"])
    arn = str(variables["hyperpod_run"]["cluster"]["eks_cluster_arn"])
    return Login(arn, server.eks_cluster, server.kubeconfig, server.context)


@dataclass(frozen=True)
class Kubeconfig:
    """The kubeconfig for modules of other collections: a file or its content, or None for the default kubeconfig."""

    upstream: str | dict[str, t.Any] | None
    context: str | None


@view
def kubeconfig(variables: Variables) -> Kubeconfig:
    """The kubeconfig from ``__karpenter_eks``, if no file or context is set."""
    own = login(variables)
    if own.eks_cluster is None:
        return Kubeconfig(own.kubeconfig, own.context)
    made = eks_kubeconfig.kubeconfig(
        cluster=plain(variables["__karpenter_eks"]["eks_cluster"]),
        region=str(variables["hyperpod_region"]),
        profile=str(variables.get("hyperpod_profile") or ""),
        state_dir=str(variables["hyperpod_state_dir"]),
        python=str(variables["ansible_playbook_python"]),
    )
    return Kubeconfig(made, None)


@dataclass(frozen=True)
class Role:
    """The IAM role of Karpenter."""

    name: str
    arn: str
    policy: str
    trust: str
    """The trust policy. For an existing role, its current one, because the documented IAM policies do not let a run replace it."""
    boundary: str | None
    tags: dict[str, str]
    attempts: int
    """How often the run retries to turn Karpenter on with a new role."""
    ours: bool
    """Whether the existing role in ``__karpenter_role_found`` was created for this cluster."""
    refusals: Findings
    """Refusals of an existing role that was not created for this cluster, and of the permissions boundary."""
    notes: Findings
    """Findings about a trust policy that allows too much."""
    left: Findings
    """Findings from ``__karpenter_autoscaling`` about Karpenter's previous role, which is not removed."""


@view
def role(variables: Variables) -> Role:
    cluster = ClusterArn.parse(variables["hyperpod_cluster_arn"])
    name = str(variables["karpenter_role_name"]) or f"hyperpod-karpenter-{cluster.id}"
    tags = {f"{TAG}cluster": cluster.text, f"{TAG}component": "karpenter"}
    there = plain((variables.get("__karpenter_role_found") or {}).get("iam_roles") or [])
    ours = any(tags.items() <= (each.get("tags") or {}).items() for each in there)
    made, boundary = variables.get("__karpenter_role") or {}, str(variables["karpenter_role_boundary"])
    trust = iam_roles.trust(SERVICE, cluster.account)
    wrong = iam_roles.boundary_problem("karpenter_role_boundary", boundary, partition=cluster.partition, account=cluster.account)
    wide = [each for each in there if not iam_roles.trusts_alone(each.get("assume_role_policy_document"), SERVICE, cluster.account)]
    values = {"role": name, "service": SERVICE, "account": cluster.account, "policy": json.dumps(trust)}
    return Role(
        name=name,
        arn=str(variables["karpenter_cluster_role"]) or f"arn:{cluster.partition}:iam::{cluster.account}:role/{name}",
        policy=json.dumps(policy_of(cluster, kms=boolean(variables["karpenter_role_kms"], strict=False))),
        trust=json.dumps(there[0].get("assume_role_policy_document") if there else trust),
        boundary=boundary or None,
        tags=tags,
        attempts=ATTEMPTS if made.get("changed") or made.get("attempts", 1) > 1 else 0,
        ours=ours,
        refusals=[
            *(finding("karpenter-role-taken", role=name, cluster=cluster.text) if there and not ours else []),
            *(refused([wrong]) if wrong else []),
        ],
        notes=finding("karpenter-role-trust", **values) if ours and wide else [],
        left=[one for role in _replaced(variables) for one in finding("karpenter-role-left", role=role)],
    )


def _replaced(variables: Variables) -> list[str]:
    changes = plain((variables.get("__karpenter_autoscaling") or {}).get("changes") or [])
    return [each["before"] for each in changes if each["field"] == "cluster_role" and each["before"]]
