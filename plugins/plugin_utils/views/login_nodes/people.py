# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Users, and the SSH files for users."""

from __future__ import annotations

import os
import typing as t
from dataclasses import dataclass

from ansible_collections.mlfleet.hyperpod.plugins.plugin_utils import declared_people
from ansible_collections.mlfleet.hyperpod.plugins.plugin_utils.declared_people import plain
from ansible_collections.mlfleet.hyperpod.plugins.plugin_utils.given_names import given_names

from .. import Variables, view
from .node import of_cluster


@view
def gate_users(variables: Variables) -> list[dict[str, t.Any]]:
    """Users who must be able to log in before the readiness gate opens."""
    if variables["login_nodes_accounts_source"] != "local":
        return []
    users = declared_people.declared(variables["login_nodes_users"], variables["login_nodes_users_files"])
    offboarded = (of_cluster(variables).get("records") or {}).get("offboarded") or {}
    staying = [user for user in declared_people.honoured(users, offboarded) if user.get("state") != "absent"]
    return [{"name": user["name"], "uid": user["uid"]} for user in staying]


@dataclass(frozen=True)
class Files:
    """The SSH files for users (known_hosts and ssh_config), on a cluster's inventory host."""

    written: bool
    """Whether the files are written. Check mode does not write them, because the load balancer and keys may not exist yet."""
    folder: str
    names: list[str]
    """The login name and its aliases."""


@view
def files(variables: Variables) -> Files:
    login_name = variables["hyperpod_run"].get("login_name")
    every = [login_name, *given_names(plain(variables["login_nodes_aliases"]))]
    return Files(
        written=bool(login_name) and not variables["ansible_check_mode"],
        folder=f"{os.path.expanduser(variables['hyperpod_state_dir'])}/people/{variables['hyperpod_cluster_key']}",
        names=list(dict.fromkeys(filter(None, every))),
    )
