# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The control node's part of ``cluster_look``: adds the declaration, the inventory's nodes and the run's result to the options."""

from __future__ import annotations

import typing as t

from ansible.plugins.action import ActionBase
from ansible_collections.mlfleet.hyperpod.plugins.modules import cluster_look
from ansible_collections.mlfleet.hyperpod.plugins.plugin_utils import aws_here, declaration
from ansible_collections.mlfleet.hyperpod.plugins.plugin_utils.findings import verdict

MODULE = "mlfleet.hyperpod.cluster_look"
WELL = "unchanged"
COMPLETE = (WELL, "changed")
NO_LOOK = "skipped"
CIDR = "client_vpn_client_cidr"
PLACE = ("hyperpod_account_id", "hyperpod_region")


class Effective(t.Mapping[str, t.Any]):
    """The evaluated variables that tasks of this play see. They include variables of the play, which hostvars lack."""

    def __init__(self, raw: t.Mapping[str, t.Any], evaluate: t.Callable[[t.Any], t.Any], without: t.Container[str]) -> None:
        self._raw, self._evaluate, self._without = raw, evaluate, without

    def __getitem__(self, name: str) -> t.Any:
        return self._evaluate(self._raw[name])

    def __contains__(self, name: object) -> bool:
        return name in self._raw and name not in self._without

    def __iter__(self) -> t.Iterator[str]:
        return (name for name in self._raw if name not in self._without)

    def __len__(self) -> int:
        return sum(1 for _name in self)


class ActionModule(ActionBase):
    """Runs the module with options that only the control node can compute."""

    _supports_check_mode = True
    _supports_async = False
    _supports_diff = True

    def run(self, tmp: str | None = None, task_vars: dict[str, t.Any] | None = None) -> dict[str, t.Any]:
        result = super().run(tmp, task_vars)
        variables = task_vars or {}
        arguments = dict(self._task.args)
        if arguments.get("state", "query") == "query":
            arguments = {**arguments, **_declared(self._effective(variables), variables)}
        elif arguments["state"] == "present" and "well" not in arguments:
            ended = how_ended(verdict.status_so_far(str(variables.get("inventory_hostname"))))
            if ended is None:
                return {**result, "changed": False, "skipped": True, "skip_reason": "the run has no verdict"}
            arguments |= ended
        arguments.setdefault("instance_ids", _instance_ids(variables))
        reads = arguments.get("state", "query") == "query" and aws_here.same_place(self, variables)
        found = aws_here.answer(cluster_look, arguments) if reads else None
        result.update(found or self._execute_module(module_name=MODULE, module_args=arguments, task_vars=variables))
        return result

    def _effective(self, variables: t.Mapping[str, t.Any]) -> Effective:
        """The variables without the defaults of the task's role, which are not declarations."""
        defaults = self._task._role.get_default_vars() if self._task._role else {}
        return Effective(variables, self._templar.template, {name for name in defaults if variables.get(name) == defaults[name]})


def how_ended(status: str | None) -> dict[str, bool] | None:
    """The options ``well`` and ``complete``. None without a verdict or a check.

    Only an unchanged cluster is well, because a change may leave work for the next run.
    """
    return None if status is None or status == NO_LOOK else {"well": status == WELL, "complete": status in COMPLETE}


def _declared(own: t.Mapping[str, t.Any], variables: t.Mapping[str, t.Any]) -> dict[str, t.Any]:
    """The options that describe the declaration. If the declaration cannot be read, an option gives the reason."""
    here, groups, hostvars = variables["inventory_hostname"], variables["groups"], variables["hostvars"]
    place = [hostvars[here].get(name) for name in PLACE]
    try:
        vpn = CIDR in own and declaration.evaluated(own, CIDR)
        nodes = declaration.representatives(here, variables["hyperpod_cluster_group"], groups)
        neighbours = [
            hostvars[name]
            for name in groups.get("hyperpod_clusters", ())
            if vpn and name != here and [hostvars[name].get(each) for each in PLACE] == place
        ]
        hashes = declaration.hashes(own, {name: hostvars[name] for name in nodes}, neighbours, host=hostvars[here])
        return {"declaration": hashes, **({"full": True} if declaration.asks_for_more(own) else {})}
    except declaration.Unreadable as error:
        return {"_declaration_problem": str(error)}


def _nodes(variables: t.Mapping[str, t.Any]) -> list[str]:
    group = variables["groups"].get(variables["hyperpod_cluster_group"], ())
    return [name for name in group if name != variables["inventory_hostname"]]


def _instance_ids(variables: t.Mapping[str, t.Any]) -> list[str]:
    """The instance IDs in the host names KEY-INSTANCE_ID. Reading the variables of thousands of hosts would take seconds."""
    return [name.removeprefix(f"{variables['hyperpod_cluster_key']}-") for name in _nodes(variables)]
