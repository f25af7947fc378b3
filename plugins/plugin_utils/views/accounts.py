# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Values for the tasks of the role accounts."""

from __future__ import annotations

import time
import typing as t
from dataclasses import dataclass

from ansible_collections.mlfleet.hyperpod.plugins.plugin_utils import declared_people, people_digests
from ansible_collections.mlfleet.hyperpod.plugins.plugin_utils._declared import people
from ansible_collections.mlfleet.hyperpod.plugins.plugin_utils._declared.variables import set_by
from ansible_collections.mlfleet.hyperpod.plugins.plugin_utils.declared_people import plain
from ansible_collections.mlfleet.hyperpod.plugins.plugin_utils.findings.made import Findings, finding, of_texts, refused
from ansible_collections.mlfleet.hyperpod.plugins.plugin_utils.run import fleet
from ansible_collections.mlfleet.hyperpod.plugins.plugin_utils.shared_people import uid_conflicts

from . import Variables, view


@view
def source_refusals(variables: Variables) -> Findings:
    """Refusals of conflicts between declared users, user files and offboarded users."""
    if not _local(variables):
        return []
    users, files = variables["accounts_users"], variables["accounts_users_files"]
    return refused(declared_people.problems(users, files, _offboarded(variables)))


@view
def offboarded(variables: Variables) -> Findings:
    """Findings about declared users who were offboarded."""
    if not _local(variables):
        return []
    users, files = variables["accounts_users"], variables["accounts_users_files"]
    return _noted("offboarded-still-declared", declared_people.notes(users, files, _offboarded(variables)))


@view
def refusals(variables: Variables) -> Findings:
    """Refusals of individual users and groups."""
    if not _local(variables):
        return []
    options = {
        "groups": variables["accounts_groups"],
        "users": users(variables),
        "shared_home_roots": variables["accounts_shared_home_roots"],
        "operations_user": variables["accounts_operations_user"],
    }
    return refused(people.account_problems(options, _names(variables)))


@view
def ended(variables: Variables) -> Findings:
    """Findings about declared users who can't log in."""
    if not _local(variables):
        return []
    found = people.notes(users(variables), names=_names(variables), now=int(time.time()))
    return _noted("users-cannot-log-in", found)


@view
def groups(variables: Variables) -> list[t.Any]:
    """The declared groups; empty if an external source provides the accounts."""
    return plain(variables["accounts_groups"]) if _local(variables) else []


@view
def users(variables: Variables) -> list[t.Any]:
    """The declared users, with offboarded users as absent; empty if an external source provides the accounts."""
    if not _local(variables):
        return []
    found = declared_people.declared(variables["accounts_users"], variables["accounts_users_files"])
    return plain(declared_people.honoured(found, _offboarded(variables)))


@view
def operations_key(variables: Variables) -> str:
    """The public key of the operations account, on a node; empty if the run does not manage this account."""
    return fleet.operations_key(_of_cluster(variables), variables["accounts_operations_user"])


@view
def remaining(variables: Variables) -> list[str]:
    """The names of declared users who are not removed."""
    return sorted({user["name"] for user in users(variables) if user.get("state") != "absent"})


@view
def digests(variables: Variables) -> dict[str, dict[str, str]]:
    cluster = variables["hyperpod_cluster_group"]
    hosts = people_digests.group_representatives(variables["groups"], cluster) if _local(variables) else []
    nodes = [variables["hostvars"][host] for host in hosts]
    return people_digests.people_digests(users(variables), nodes, _offboarded(variables))


@dataclass(frozen=True)
class Made:
    """The result of ``__accounts_made`` on a node."""

    planning: bool
    """Whether the task ran in check mode."""
    changed: bool
    held: bool
    """Whether an account stays locked until its jobs and processes have ended. The account is removed only after that."""


@view
def made(variables: Variables) -> Made:
    result = variables.get("__accounts_made") or {}
    seen = (result.get("accounts") or {}).get("users") or []
    return Made(
        planning=bool(variables.get("accounts_planning", False)),
        changed=bool(result.get("changes")),
        held=any(user.get("state") == "locked" for user in seen),
    )


@view
def file_system_refusals(variables: Variables) -> Findings:
    """Refusals of users whose UIDs conflict with clusters that share the file system."""
    name = variables["accounts_file_system"]
    clusters = [variables["hostvars"][host] for host in variables["groups"][fleet.CLUSTERS]] if name else []
    sharing = [cluster for cluster in clusters if cluster.get("hyperpod_file_system") == name]
    kinds = ("hyperpod_users", "hyperpod_users_files")
    of_users, of_files = ({each["hyperpod_cluster_key"]: each.get(kind, []) for each in sharing} for kind in kinds)
    conflicts = uid_conflicts(of_users, of_files)
    return finding("uids-of-other-clusters", conflicts="; ".join(conflicts)) if conflicts else []


def _local(variables: Variables) -> bool:
    return bool(variables["accounts_source"] == "local")


def _offboarded(variables: Variables) -> declared_people.Offboarded:
    """The records of the node's cluster. The cluster follows from the node's groups, never from its variables."""
    found: declared_people.Offboarded = (_of_cluster(variables).get("records") or {}).get("offboarded") or {}
    return found


def _of_cluster(variables: Variables) -> t.Mapping[str, t.Any]:
    """The run state of the cluster."""
    host = fleet.cluster_host(variables["group_names"], variables["groups"])
    found: t.Mapping[str, t.Any] = variables["hostvars"][host].get("hyperpod_run") or {}
    return found


def _names(variables: Variables) -> dict[str, str]:
    return {kind: _name(variables, kind) for kind in people.FORMS}


def _name(variables: Variables, kind: str) -> str:
    """The name of the variable that the operator set: a public variable, or the role's own option."""
    name = f"accounts_{kind}"
    if variables[name] != variables.get(f"hyperpod_{kind}", []):
        return name
    return set_by(name, variables["hostvars"][variables["inventory_hostname"]])


def _noted(code: str, texts: t.Sequence[str]) -> Findings:
    return [each.to_result() for each in of_texts(code, None, texts)]
