# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The playbook and the clusters of a rollout."""

from __future__ import annotations

import typing as t
from dataclasses import dataclass

from ansible.parsing.dataloader import DataLoader
from ansible.utils.vars import load_extra_vars
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._core.failure import not_allowed
from ansible_collections.mlfleet.hyperpod.plugins.plugin_utils import run_scope, selected_nodes
from ansible_collections.mlfleet.hyperpod.plugins.plugin_utils.findings.made import Findings, finding, refused
from ansible_collections.mlfleet.hyperpod.plugins.plugin_utils.rollout_step import step_of
from ansible_collections.mlfleet.hyperpod.plugins.plugin_utils.verbs import verbs

from .. import Variables, view

END = "end.yml"


@dataclass(frozen=True)
class Rollout:
    """The playbook of a rollout. It is read before the run has hosts, and without a playbook that supports waves, nothing runs."""

    playbook: str
    hosts: str
    """The host pattern of the clusters that the playbook supports."""
    with_eks: bool
    without_slurm: bool


@view
def rollout(variables: Variables) -> Rollout:
    verb = verbs().get(str(variables.get("rollout_verb", "")))
    if verb is None or not verb.waves:
        return Rollout(END, run_scope.CLUSTERS, with_eks=True, without_slurm=False)
    group = {"Slurm": f":&{run_scope.SLURM}", "EKS": f":&{run_scope.EKS}"}.get(verb.clusters, "")
    hosts, kind = run_scope.CLUSTERS + group, verb.clusters
    return Rollout(f"mlfleet.hyperpod.{verb.name}", hosts, with_eks=kind != "Slurm", without_slurm=kind == "EKS")


@view
def rollout_only(variables: Variables) -> str:
    """The value of ``hyperpod_only`` for the playbook of the rollout: the clusters that it runs for now."""
    hostvars = variables["hostvars"]
    steps = (step_of(hostvars[host]) for host in variables["groups"].get(run_scope.CLUSTERS, ()) if host in hostvars)
    step: t.Any = next(filter(None, steps), {})
    return ",".join(step.get("run", ())) or run_scope.NONE


@view
def rollout_refusals(variables: Variables) -> Findings:
    """The refusals of tags and variables that no rollout can have."""
    extra = load_extra_vars(DataLoader())
    tags, skipped = list(variables["ansible_run_tags"]), list(variables["ansible_skip_tags"])
    if tags != ["all"] or skipped:
        return finding("no-tags", tags=",".join([*tags, *skipped]))
    why = "a rollout has all clusters of the inventory, and rollout_waves selects those of each wave"
    if extra.get("rollout_verb") != variables.get("rollout_verb"):
        early = "the run chooses the playbook before it reads the inventory"
        return refused([not_allowed("rollout_verb", variables.get("rollout_verb"), "an extra variable (-e)", early)])
    found = [not_allowed(run_scope.ONLY, extra[run_scope.ONLY], "no value", why)] if extra.get(run_scope.ONLY) else []
    if variables.get("ansible_limit"):
        found += [not_allowed("--limit", variables["ansible_limit"], "no value", why)]
    if extra.get("rollout_verb") == "rotate_host_keys" and variables.get("rotation") == "emergency":
        again = "a wave that was interrupted runs again, and would replace the keys again"
        found.append(not_allowed("rotation", "emergency", "start, finish or rollback", again))
    replaces = extra.get("rollout_verb") == selected_nodes.REPLACE
    return [*refused(found), *(selected_nodes.for_rollout(variables).refusals if replaces else [])]
