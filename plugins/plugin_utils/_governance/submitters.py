# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Submitters of teams: the groups in access entries, and the rights of a team's group in the team's namespace."""

from __future__ import annotations

import typing as t
from dataclasses import dataclass, field

from ansible_collections.mlfleet.hyperpod.plugins.module_utils._aws.tags import collection_tags
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._core.arn import ClusterArn
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._kubernetes.job_kinds import KINDS
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._kubernetes.team_space import cluster_queue_of, namespace_of

from .declared import Team

GROUP = "mlfleet-hyperpod:"
COMPONENT = "task_governance"
ROLE = "mlfleet-hyperpod-submitters"
RBAC = "rbac.authorization.k8s.io"
READS = ["get", "list", "watch"]
WRITES = [*READS, "create", "update", "patch", "delete"]
SECRETS = ["get", "list", "create", "delete"]
"""The rights to secrets that AWS's chart grants to a team."""
Object = dict[str, t.Any]


@dataclass(frozen=True)
class Entry:
    """The planned access entry of a principal."""

    principal: str
    groups: list[str]
    less: list[str]
    """The groups of the current entry that stay. New groups are not included."""
    before: list[str]
    state: str = "present"
    tags: dict[str, str] | None = None
    """Tags of a new entry."""


def group_of(team: str) -> str:
    return f"{GROUP}{team}"


def entries(teams: t.Sequence[Team], seen: t.Sequence[t.Mapping[str, t.Any]], cluster: ClusterArn) -> list[Entry]:
    """The access entries to change: entries that gain a group, and entries that lose one. Their other groups and policies stay.

    An entry that this collection created is removed when it no longer grants anything.
    """
    managed = {group_of(each.name) for each in teams if each.submitters is not None or not each.present}
    wanted: dict[str, list[str]] = {}
    for team in teams:
        for principal in (team.submitters or ()) if team.present else ():
            wanted.setdefault(principal, []).append(group_of(team.name))
    tags = collection_tags(cluster, COMPONENT)
    there = {str(each["principal_arn"]): each for each in seen}
    found = []
    for principal in dict.fromkeys([*there, *wanted]):
        entry = there.get(principal)
        before = list(entry["kubernetes_groups"]) if entry else []
        kept = [each for each in before if each not in managed or each in wanted.get(principal, ())]
        groups = sorted({*kept, *wanted.get(principal, ())})
        if entry is not None and sorted(before) == groups:
            continue
        ours = entry is not None and tags.items() <= (entry.get("tags") or {}).items()
        empty = ours and not groups and not (entry or {}).get("access_policies")
        found.append(Entry(principal, groups, kept, before, "absent" if empty else "present", None if entry else tags))
    return found


@dataclass(frozen=True)
class Who:
    """The changes of one team's submitters."""

    may: list[str] = field(default_factory=list)
    may_not: list[str] = field(default_factory=list)


def who(team: str, changed: t.Sequence[Entry]) -> Who:
    """Principals that gain or lose the right to submit for a team."""
    group = group_of(team)
    return Who(
        [each.principal for each in changed if group in each.groups and group not in each.before],
        [each.principal for each in changed if group not in each.groups and group in each.before],
    )


def rights(team: str, *, secrets: bool) -> list[Object]:
    """The rights of a group of submitters: a Role in the team's namespace, and a ClusterRole to read its queue."""
    space, name = namespace_of(team), f"{ROLE}-{team}"
    group = {"kind": "Group", "name": group_of(team), "apiGroup": RBAC}
    return [
        _role("Role", {"name": ROLE, "namespace": space}, _rules(secrets=secrets)),
        _binding("RoleBinding", {"name": ROLE, "namespace": space}, "Role", group),
        _role("ClusterRole", {"name": name}, _cluster_rules(team)),
        _binding("ClusterRoleBinding", {"name": name}, "ClusterRole", group),
    ]


def named(objects: t.Iterable[Object]) -> list[Object]:
    """The objects with only the fields that identify them, for their removal."""
    return [{name: each[name] for name in ("apiVersion", "kind", "metadata")} for each in objects]


def _rules(*, secrets: bool) -> list[Object]:
    groups: dict[str, list[str]] = {}
    for kind in KINDS:
        groups.setdefault(kind.group, []).append(kind.plural)
    jobs = [_rule(group, sorted(plurals), WRITES) for group, plurals in sorted(groups.items())]
    return [
        *jobs,
        _rule("", ["configmaps", "services"], WRITES),
        _rule("", ["pods"], [*READS, "create", "delete"]),
        _rule("", ["events", "pods/log", "pods/status"], READS),
        _rule("kueue.x-k8s.io", ["localqueues", "workloads"], READS),
        *([_rule("", ["secrets"], SECRETS)] if secrets else []),
    ]


def _cluster_rules(team: str) -> list[Object]:
    """The rights to read the team's own queue and shared objects. Labels of nodes are needed to check the placement of a job."""
    own = {**_rule("kueue.x-k8s.io", ["clusterqueues"], ["get"]), "resourceNames": [cluster_queue_of(team)]}
    kueue = _rule("kueue.x-k8s.io", ["resourceflavors", "topologies", "workloadpriorityclasses"], READS)
    return [own, kueue, _rule("", ["nodes"], READS)]


def _rule(group: str, resources: t.Sequence[str], verbs: t.Sequence[str]) -> Object:
    return {"apiGroups": [group], "resources": list(resources), "verbs": list(verbs)}


def _role(kind: str, meta: Object, rules: t.Sequence[Object]) -> Object:
    return {"apiVersion": f"{RBAC}/v1", "kind": kind, "metadata": meta, "rules": list(rules)}


def _binding(kind: str, meta: Object, role: str, group: Object) -> Object:
    reference = {"apiGroup": RBAC, "kind": role, "name": meta["name"]}
    return {"apiVersion": f"{RBAC}/v1", "kind": kind, "metadata": meta, "roleRef": reference, "subjects": [group]}
