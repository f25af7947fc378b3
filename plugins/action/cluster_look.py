# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The controller's side of ``cluster_look``: what is declared, which nodes the inventory has, and how the run has ended."""

from __future__ import annotations

import typing as t

from ansible.plugins.action import ActionBase
from ansible_collections.mlfleet.hyperpod.plugins.plugin_utils import declaration, verdict

MODULE = "mlfleet.hyperpod.cluster_look"
WELL = ("unchanged", "changed")
NO_LOOK = "skipped"


class ActionModule(ActionBase):
    """Runs the module with what it can not know."""

    _supports_check_mode = True
    _supports_async = False
    _supports_diff = True

    def run(self, tmp: str | None = None, task_vars: dict[str, t.Any] | None = None) -> dict[str, t.Any]:
        result = super().run(tmp, task_vars)
        variables = task_vars or {}
        arguments = dict(self._task.args)
        if arguments.get("state", "query") == "query":
            arguments = {**_declared(variables), **arguments}
        elif arguments["state"] == "present" and "well" not in arguments:
            status = verdict.status_so_far(str(variables.get("inventory_hostname")))
            if status is None or status == NO_LOOK:
                return {**result, "changed": False, "skipped": True, "skip_reason": "no verdict that counts is known"}
            arguments["well"] = status in WELL
        arguments.setdefault("instance_ids", _instance_ids(variables))
        result.update(self._execute_module(module_name=MODULE, module_args=arguments, task_vars=variables))
        return result


def _declared(variables: t.Mapping[str, t.Any]) -> dict[str, t.Any]:
    """The options about the declaration. That it can't be read is no failure of the look."""
    here, groups, hostvars = variables["inventory_hostname"], variables["groups"], variables["hostvars"]
    own = hostvars[here]
    place = [own.get(name) for name in ("hyperpod_account_id", "hyperpod_region")]
    try:
        nodes = declaration.standing_for_all(_nodes(variables), groups, set(groups.get("node_type_login", ())))
        beside = [
            hostvars[name]
            for name in groups.get("hyperpod_clusters", ())
            if name != here
            and own.get("client_vpn_client_cidr")
            and [hostvars[name].get(each) for each in ("hyperpod_account_id", "hyperpod_region")] == place
        ]
        return {"declaration": declaration.hashes(own, {name: hostvars[name] for name in nodes}, beside)}
    except declaration.NotTold as error:
        return {"declaration_problem": str(error)}


def _nodes(variables: t.Mapping[str, t.Any]) -> list[str]:
    group = variables["groups"].get(variables["hyperpod_cluster_group"], ())
    return [name for name in group if name != variables["inventory_hostname"]]


def _instance_ids(variables: t.Mapping[str, t.Any]) -> list[str]:
    """From the names of hosts, KEY-INSTANCE_ID: the variables of thousands of hosts would take seconds."""
    return [name.removeprefix(f"{variables['hyperpod_cluster_key']}-") for name in _nodes(variables)]
