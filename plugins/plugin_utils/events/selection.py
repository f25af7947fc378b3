# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Which clusters a run of the playbook events must include, because clusters of an account and Region share a queue. No I/O."""

from __future__ import annotations

import typing as t

from ansible_collections.mlfleet.hyperpod.plugins.module_utils._core.failure import not_allowed, refusal_text
from ansible_collections.mlfleet.hyperpod.plugins.plugin_utils.run_scope import CLUSTERS, ONLY, SLURM

from .places import Place, hosts_by_place
from .rulebook import Queue

Variables = t.Mapping[str, t.Any]
STATE, RULEBOOK, NAME = "events_state", "events_rulebook", "events_queue_name"


def problems(variables: Variables) -> list[str]:
    """Why the selection of clusters is refused. One host of each account and Region is sufficient to set it up."""
    run = set(variables["ansible_play_hosts_all"])
    places = _places(variables)
    path = str(variables.get(RULEBOOK) or "")
    if variables.get(STATE) == "absent":
        if path:
            return [not_allowed(RULEBOOK, path, "no path", f"{STATE} is absent, so ansible-rulebook has no queue to receive from")]
        return _cut({place: hosts for place, hosts in places.items() if run & set(hosts)}, run)
    return _left_out({place: hosts for place, hosts in places.items() if not run & set(hosts)}) if path else []


def not_set_up(variables: Variables) -> list[str]:
    """Why the run does not know all queues: the host of an account and Region failed, or the inventory is incomplete."""
    left = set(variables["ansible_play_hosts"])
    representing = {place: _representing(hosts, variables) for place, hosts in _places(variables).items()}
    failed = [f"the setup failed for {place}" for place, host in representing.items() if host not in left]
    return [*failed, *(f"the inventory could not be read: {each}" for each in variables.get("hyperpod_inventory_failures") or ())]


def queues(variables: Variables, *, default: str) -> dict[Place, Queue]:
    """The queue in each account and Region of the inventory, whether or not its clusters are in the run."""
    hostvars, slurm = variables["hostvars"], set(variables["groups"].get(SLURM, ()))
    found = {}
    for place, hosts in _places(variables).items():
        name = str(hostvars[_representing(hosts, variables)].get(NAME, default))
        found[place] = Queue(name, {str(hostvars[host]["hyperpod_cluster_arn"]): host for host in hosts if host in slurm})
    return found


def _representing(hosts: t.Sequence[str], variables: Variables) -> str:
    """The host in the run that represents these hosts, as ``places.first_host`` returns it."""
    members = set(hosts)
    return next((str(host) for host in variables["ansible_play_hosts_all"] if host in members), hosts[0])


def _places(variables: Variables) -> dict[Place, list[str]]:
    return hosts_by_place(variables["groups"].get(CLUSTERS, ()), variables["hostvars"])


def _cut(places: t.Mapping[Place, list[str]], run: set[str]) -> list[str]:
    return [
        refusal_text(
            ONLY,
            ", ".join(host for host in hosts if host in run),
            f"all clusters of {place}: {', '.join(hosts)}",
            "clusters of an account and Region share one queue, which this run would remove",
        )
        for place, hosts in places.items()
        if not set(hosts) <= run
    ]


def _left_out(places: t.Mapping[Place, list[str]]) -> list[str]:
    if not places:
        return []
    shown = "; ".join(f"{place} ({', '.join(hosts)})" for place, hosts in places.items())
    why = f"the rulebook has the queues of all accounts and Regions, and this run leaves out {shown}"
    return [refusal_text(ONLY, "this selection", f"no value, or no {RULEBOOK}", why)]
