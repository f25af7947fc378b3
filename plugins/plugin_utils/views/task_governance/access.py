# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Access to the API server and to the EKS cluster, and the submitters of teams."""

from __future__ import annotations

import typing as t
from dataclasses import dataclass

from ansible_collections.mlfleet.hyperpod.plugins.module_utils._core.arn import ClusterArn
from ansible_collections.mlfleet.hyperpod.plugins.plugin_utils._governance import submitters
from ansible_collections.mlfleet.hyperpod.plugins.plugin_utils.api_server import api_server
from ansible_collections.mlfleet.hyperpod.plugins.plugin_utils.declared_people import plain

from .. import Variables, view
from .declared import teams_of

Rows = list[dict[str, t.Any]]


@dataclass(frozen=True)
class Login:
    """Access to the API server. A kubeconfig replaces ``eks_cluster``, which is then None. ``eks_arn`` is for calls to AWS."""

    eks_arn: str
    eks_cluster: str | None
    kubeconfig: str | None
    context: str | None


@view
def login(variables: Variables) -> Login:
    kubeconfig, context = variables["task_governance_kubeconfig"], variables["task_governance_context"]
    server = api_server(variables, kubeconfig=kubeconfig, context=context)
    arn = str(variables["hyperpod_run"]["cluster"]["eks_cluster_arn"])
    return Login(arn, server.eks_cluster, server.kubeconfig, server.context)


@dataclass(frozen=True)
class WhoMay:
    """Submitters, from ``__task_governance_entries``."""

    entries: Rows
    """Access entries to create or change, with ``principal``, ``groups``, ``state`` and ``tags``."""
    lost: Rows
    """Access entries that lose groups, with their remaining groups. Empty in check mode, where ``entries`` include the loss."""
    rights: Rows
    """Kubernetes objects that grant rights to submitters of teams."""
    removed: Rows
    """Kubernetes objects of removed teams."""


@view
def who(variables: Variables) -> WhoMay:
    teams = teams_of(variables)
    changed = changed_entries(variables)
    secrets = bool(variables["task_governance_secrets"])
    kept = [each for each in teams if each.present and each.submitters is not None]
    gone = [each for each in teams if not each.present]
    losing = [] if variables["ansible_check_mode"] else [each for each in changed if set(each.less) < set(each.before)]
    return WhoMay(
        entries=[_row(each, each.groups) for each in changed],
        lost=[_row(each, each.less) for each in losing],
        rights=[item for each in kept for item in submitters.rights(each.name, secrets=secrets)],
        removed=submitters.named(item for each in gone for item in submitters.rights(each.name, secrets=False)),
    )


def changed_entries(variables: Variables) -> list[submitters.Entry]:
    seen = plain((variables.get("__task_governance_entries") or {}).get("eks_access_entries") or [])
    return submitters.entries(teams_of(variables), seen, ClusterArn.parse(variables["hyperpod_cluster_arn"]))


def _row(entry: submitters.Entry, groups: list[str]) -> dict[str, t.Any]:
    state = entry.state if groups == entry.groups else "present"
    return {"principal": entry.principal, "groups": groups, "state": state, "tags": entry.tags}
