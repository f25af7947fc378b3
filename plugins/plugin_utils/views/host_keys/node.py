# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The current host, a login node. The node's cluster follows from its groups, never from its variables."""

from __future__ import annotations

import typing as t
from dataclasses import dataclass

from ansible_collections.mlfleet.hyperpod.plugins.plugin_utils.declared_people import plain
from ansible_collections.mlfleet.hyperpod.plugins.plugin_utils.run import fleet

from .. import Variables, view
from .declared import ROTATION, certified

OWN = "__host_keys_identity"
"""The name of the fact with a node's host keys and certificates."""


@dataclass(frozen=True)
class Node:
    cluster_host: str
    planning: bool
    """Whether the tasks only predict changes, because a later play carries them out."""
    predicts: bool
    """Whether the tasks only predict changes, also because of check mode."""
    asks_logins: bool
    """Whether the run must read which users have logged in, before it finishes a rotation."""


@view
def node(variables: Variables) -> Node:
    planning = bool(variables.get("host_keys_planning", False))
    predicts = bool(planning or variables["ansible_check_mode"])
    return Node(
        cluster_host=fleet.cluster_host(variables["group_names"], variables["groups"]),
        planning=planning,
        predicts=predicts,
        asks_logins=variables[ROTATION] == "finish" and predicts,
    )


@dataclass(frozen=True)
class Identity:
    """The host keys that the node presents, for the run state."""

    changed: bool
    foreseen: bool
    """Whether host keys are only predicted by check mode, so they are not on the disk yet."""
    host_keys: list[str]
    certificates: dict[str, str]
    valid_certificates: list[dict[str, str]]


@view
def identity(variables: Variables) -> Identity:
    installed, signed = (_result(variables, each).get("changes") or [] for each in ("installed", "signed"))
    own = variables[OWN] if certified(variables) else {"host_keys": of_cluster(variables)["host_keys"], "certificates": {}}
    return Identity(
        changed=bool(installed or signed),
        foreseen=bool(installed) and not node(variables).planning,
        host_keys=plain(own["host_keys"]),
        certificates=plain(own["certificates"]),
        valid_certificates=_valid(variables) if certified(variables) else [],
    )


def of_cluster(variables: Variables) -> t.Mapping[str, t.Any]:
    """The run state of the node's cluster."""
    run: t.Mapping[str, t.Any] = variables["hostvars"][node(variables).cluster_host]["hyperpod_run"]
    return run


def login_nodes(variables: Variables) -> list[Variables]:
    """The variables of each login node of the cluster, for the cluster's inventory host."""
    groups = variables["groups"]
    here = set(groups[variables["hyperpod_cluster_group"]])
    return [variables["hostvars"][host] for host in groups.get(fleet.LOGIN_NODES, ()) if host in here]


def certificates_of(signed: t.Mapping[str, t.Any] | None) -> list[dict[str, t.Any]]:
    """The certificates that ``host_certificate`` returned; none if the task was skipped."""
    found: list[dict[str, t.Any]] = plain((signed or {}).get("host_certificates") or [])
    return found


def _result(variables: Variables, task: str) -> t.Mapping[str, t.Any]:
    result: t.Mapping[str, t.Any] = variables.get(f"__host_keys_{task}") or {}
    return result


def _valid(variables: Variables) -> list[dict[str, str]]:
    """Certificates with their expiry, without certificates that check mode only predicts."""
    made = certificates_of(_result(variables, "signed"))
    ends = {each["certificate"]: each["valid_until"] for each in made if each["valid_until"]}
    return [{"certificate": certificate, "valid_until": until} for certificate, until in ends.items()]
