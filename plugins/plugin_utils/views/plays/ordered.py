# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Validates the nodes or users that an operator names, before the first AWS call. A run reports these errors with all others."""

from __future__ import annotations

import typing as t
from collections import ChainMap
from dataclasses import dataclass

from ansible_collections.mlfleet.hyperpod.plugins.module_utils._core.failure import not_allowed
from ansible_collections.mlfleet.hyperpod.plugins.plugin_utils._declared import topology_job as job_rules, variables as declared
from ansible_collections.mlfleet.hyperpod.plugins.plugin_utils.findings.made import Findings, finding, refused
from ansible_collections.mlfleet.hyperpod.plugins.plugin_utils.given_names import given_names

from .. import Variables, drain, maintenance, view
from ..offboarding import declared as of_offboarding
from ..topology_job import asked, source

LOGIN_ACCESS = (
    *("run", "node_access", "full_look", "login_balancer", "accounts"),
    *("host_keys", "login_nodes", "drain", "accelerator_health"),
)
"""Roles that configure login access."""
DRAIN, OF_DRAIN = ("drain",), ("login_balancer", "host_keys")
SLURM = "orchestrator_slurm"


@view
def login_access_roles(variables: Variables) -> list[str]:
    """Roles whose variables a playbook validates if it configures login access later in the run. None for an EKS cluster."""
    return list(LOGIN_ACCESS) if SLURM in variables["group_names"] else []


@dataclass(frozen=True)
class Ordered:
    """The validation of nodes that the operator named."""

    refusals: Findings
    roles: list[str]
    """Roles whose variables are validated. For a cluster without named nodes, these are only the roles that select nodes."""


@view
def ordered_drain(variables: Variables) -> Ordered:
    chosen = _chosen(variables, "drain_nodes")
    how = [each for each in drain.refusals(_values(variables, "drain")) if each["subject"] in ("drain_reason", "drain_force")]
    here = _is_meant(chosen)
    return Ordered([*chosen.refusals, *(how if here else [])], [*DRAIN, *(OF_DRAIN if here else ())])


@view
def ordered_undrain(variables: Variables) -> Ordered:
    chosen = _chosen(variables, "undrain_nodes")
    return Ordered(chosen.refusals, [*DRAIN, *(login_access_roles(variables) if _is_meant(chosen) else ())])


def _chosen(variables: Variables, option: str) -> drain.Chosen:
    return drain.chosen(_values(variables, "drain", drain_chosen_nodes=variables.get(option, []), drain_chosen_by=option))


@view
def ordered_maintenance(variables: Variables) -> Ordered:
    """The validation of ``replace_nodes`` or ``update_groups``. The playbook sets ``maintenance_jobs`` from ``replace_jobs`` or
    ``update_jobs``.
    """
    jobs, allowed = variables["maintenance_jobs"], declared.choices("maintenance", "maintenance_jobs")
    option = variables["maintenance_chosen_by"].partition("_")[0] + "_jobs"
    wrong = [] if jobs in allowed else [not_allowed(option, jobs, ", ".join(allowed))]
    chosen = maintenance.chosen(variables)
    roles = login_access_roles(variables) if _is_meant(chosen) else ()
    return Ordered([*chosen.refusals, *refused(wrong)], ["maintenance", *DRAIN, *roles])


def _is_meant(chosen: drain.Chosen | maintenance.Chosen) -> bool:
    """Whether the names select nodes of this cluster. Wrong names count, because they may refer to any cluster."""
    return bool(chosen.hosts or chosen.refusals)


@view
def offboard_refusals(variables: Variables) -> Findings:
    return of_offboarding.refusals(_values(variables, "offboarding"))


@view
def forget_refusals(variables: Variables) -> Findings:
    """The refusal if no node is named. The records are not read yet, so the names themselves can't be validated."""
    return [] if given_names(variables.get("forget_nodes", [])) else finding("forget-nothing")


@view
def submit_refusals(variables: Variables) -> Findings:
    """Refusals of the cluster selection. If the job is for this cluster, also refusals of the job's file and variables."""
    chosen = asked.chosen(variables)
    if chosen.refusals or not chosen.here:
        return chosen.refusals
    known, values, slurm = declared.of_people(variables), _values(variables, "topology_job"), SLURM in variables["group_names"]
    if declared.problems(known, ["topology_job"]):
        wrong = [*(job_rules.slurm_sources if slurm else job_rules.sources)(values)]
    else:
        wrong = (job_rules.slurm_problems if slurm else job_rules.problems)(values, known)
    return [*refused(wrong), *(source.script if slurm else source.source)(values).refusals]


def _values(variables: Variables, role: str, **more: t.Any) -> Variables:
    """The variables with the values that the role would see, because the role's own defaults are not set yet."""
    own = {**declared.default_values(role), **declared.right_values(declared.of_people(variables), role), **more}
    return ChainMap(own, t.cast("dict[str, t.Any]", variables))  # a copy would evaluate all of them
