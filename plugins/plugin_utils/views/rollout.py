# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Values for the tasks of the role rollout."""

from __future__ import annotations

import time
import typing as t
from dataclasses import dataclass

from ansible.parsing.dataloader import DataLoader
from ansible.utils.vars import load_extra_vars
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._core.failure import not_allowed
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._core.text import printable
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._hyperpod.full_look.model import digest
from ansible_collections.mlfleet.hyperpod.plugins.plugin_utils import declaration, holds, known_variables, selected_nodes
from ansible_collections.mlfleet.hyperpod.plugins.plugin_utils.declared_people import plain
from ansible_collections.mlfleet.hyperpod.plugins.plugin_utils.findings.made import Findings, finding, refused
from ansible_collections.mlfleet.hyperpod.plugins.plugin_utils.rollout_step import step_of

from . import Variables, view

LENGTH = 12
"""The characters of a hash in the record of a rollout. Parameters are small."""


@view
def settings(variables: Variables) -> str:
    """A hash of the settings of the current cluster."""
    hostvars, here = variables["hostvars"], variables["inventory_hostname"]
    nodes = declaration.representatives(here, variables["hyperpod_cluster_group"], variables["groups"])
    return declaration.settings(hostvars[here], [hostvars[node] for node in nodes])[:LENGTH]


@view
def fleet(variables: Variables) -> dict[str, str]:
    """The hashes of the settings of all clusters in the play."""
    hosts, hostvars = variables["ansible_play_hosts_all"], variables["hostvars"]
    return {host: hostvars[host]["hyperpod_run"]["settings"] for host in hosts}


@view
def not_read(variables: Variables) -> list[str]:
    """The accounts and Regions that the inventory could not read."""
    return list(variables.get("hyperpod_inventory_failures", ()))


@view
def records(variables: Variables) -> dict[str, t.Any]:
    """The records of the current cluster; empty if they could not be read."""
    return dict(variables["__rollout_records"].get("records", {}))


@view
def unread(variables: Variables) -> dict[str, str]:
    """The reasons why the records of clusters could not be read, by cluster."""
    hosts, hostvars = variables["ansible_play_hosts_all"], variables["hostvars"]
    found = {host: hostvars[host]["__rollout_records"] for host in hosts}
    return {host: printable(str(each.get("msg", "unknown reason"))) for host, each in found.items() if "records" not in each}


@view
def missing_nodes(variables: Variables) -> list[str]:
    """The nodes that ``replace_nodes`` names, and that no Slurm cluster of the inventory has."""
    return selected_nodes.for_rollout(variables).unknown if variables["rollout_verb"] == selected_nodes.REPLACE else []


@view
def variables(variables: Variables) -> str:
    """A hash of the variables for one run of the playbook: extra variables, and those that a playbook of a project sets."""
    known = known_variables.of_playbooks().get(variables["rollout_verb"], {})
    names = {name for section in known.values() for name in section}
    given = {*load_extra_vars(DataLoader()), *variables["rollout_workflow"].get("variables", ())}
    return digest({name: plain(variables[name]) for name in names & given})[:LENGTH]


@view
def refusals(variables: Variables) -> Findings:
    """The refusal of a cluster that waits for another rollout."""
    records, name = variables["hyperpod_run"]["records"], variables["rollout"]
    other = holds.hold_of(records).get("rollout", name)
    if other == name or not holds.live(records, now=time.time()):
        return []
    why = f"cluster {variables['hyperpod_cluster_key']} waits for rollout {other}. Finish or abort that one first"
    return refused([not_allowed("rollout", name, str(other), why)])


@dataclass(frozen=True)
class Step:
    """The step of the rollout, for the current cluster."""

    notes: Findings
    waits: bool
    """Whether the cluster waits for its wave."""
    released: bool
    """Whether the cluster waits for this rollout, and must not do so any more."""
    hold: dict[str, t.Any]
    """The record of the hold."""


@view
def step(variables: Variables) -> Step:
    found, key = step_of(variables), variables["inventory_hostname"]
    unlocked = found["state"] != "locked" and "records" in variables["__rollout_records"]
    waits = key in found["hold"]
    held = holds.hold_of(variables["hyperpod_run"]["records"]).get("rollout") == found["name"]
    wave = (found["clusters"].get(key) or {}).get("wave", 0)
    hold = {"rollout": found["name"], "wave": wave, "until": found["hold_until"], "plan": found["plan"]}
    text = f"Rollout {found['name']}: {' '.join([found['text'], *found['remarks']])}"
    return Step(finding("rollout-step", text=text), unlocked and waits, unlocked and held and not waits, hold)
