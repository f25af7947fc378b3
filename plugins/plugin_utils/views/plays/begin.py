# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The checks that every run must pass."""

from __future__ import annotations

import typing as t
from dataclasses import dataclass

from ansible import constants
from ansible.module_utils.parsing.convert_bool import boolean
from ansible.parsing.dataloader import DataLoader
from ansible.utils.display import Display
from ansible.utils.vars import load_extra_vars
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._core.failure import Refused, refusal_text
from ansible_collections.mlfleet.hyperpod.plugins.plugin_utils import run_scope, training_clusters, workflow_variables
from ansible_collections.mlfleet.hyperpod.plugins.plugin_utils.findings.made import Findings, refused
from ansible_collections.mlfleet.hyperpod.plugins.plugin_utils.report_store import of_run
from ansible_collections.mlfleet.hyperpod.plugins.plugin_utils.verbs import verbs

from .. import Variables, view

ALWAYS = "always"
CALLBACK = "mlfleet.hyperpod.report"
NOT_JUDGED = (
    f"The report callback is off, so this run would have no verdict, report.json or artifact. Set callbacks_enabled = {CALLBACK} "
    "under [defaults] in ansible.cfg, in the folder where you start ansible-playbook."
)


@view
def begin_hosts(variables: Variables) -> str:
    """A host pattern that matches at least one host of the run. It is evaluated before the play has hosts.

    :raises BadSelection: if a limit leaves no host, if --skip-tags skips the validation and the verdict of the run, or if the
        options of the report store are not allowed, or if a node may have created an extra variable.
    """
    _validate_report_store()
    _validate_workflow(variables)
    if ALWAYS in variables.get("ansible_skip_tags", ()):
        allowed, why = "only tags of the playbook", "the run would skip its validation and its verdict"
        raise run_scope.BadSelection(refusal_text("--skip-tags", ALWAYS, allowed, why))
    if variables.get(run_scope.ONLY) == run_scope.NONE and run_scope.ONLY not in load_extra_vars(DataLoader()):
        return run_scope.NO_HOSTS
    return run_scope.begin_hosts(variables["ansible_play_hosts_all"], variables["groups"], _asked(variables))


@dataclass(frozen=True)
class LeftOut:
    """Clusters that the playbook skips, because it does not support their orchestrator."""

    hosts: str
    """A host pattern for these clusters."""
    says: str


@view
def left_out(variables: Variables) -> LeftOut:
    """The clusters that the playbook skips. The view is evaluated before the play has hosts."""
    orchestrator = _asked(variables).orchestrator
    hosts = run_scope.left_out(variables.get("hyperpod_only", ""), variables["groups"], orchestrator)
    says = "not-eks" if orchestrator == run_scope.EKS else "not-slurm"
    return LeftOut(hosts, says)


@view
def training_hosts(variables: Variables) -> str:
    """A host pattern for the EKS clusters, with and without HyperPod. The view is evaluated before the play has hosts."""
    groups = variables["groups"]
    eks = {*groups.get(run_scope.EKS, ())}
    clusters = [each for each in groups.get(run_scope.CLUSTERS, ()) if each in eks]
    return run_scope.whole(clusters, _definitions(variables), variables.get("hyperpod_only", ""))


@view
def end_hosts(variables: Variables) -> str:
    """A host pattern for all clusters that the playbook may include. The view is evaluated before the play has hosts."""
    only, groups, definitions = variables.get("hyperpod_only", ""), variables["groups"], _definitions(variables)
    if not definitions:
        return run_scope.pattern(run_scope.CLUSTERS, only, groups)
    return run_scope.whole(groups.get(run_scope.CLUSTERS, ()), definitions, only)


@view
def definitions_hosts(variables: Variables) -> str:
    """A host pattern that matches at least one host of the run. It is evaluated before the play has hosts.

    :raises BadSelection: if the run includes no definition, if the options of the report store are not allowed, or if a node may
        have created an extra variable.
    """
    _validate_report_store()
    _validate_workflow(variables)
    hosts, limit = variables["ansible_play_hosts_all"], variables.get("ansible_limit", "")
    return run_scope.definition_hosts(hosts, variables["groups"], limit)


@view
def callback_needed(variables: Variables) -> bool:
    """Whether a cluster of the run sets ``hyperpod_degraded_fails``, which needs the verdict of the report callback."""
    run = variables["ansible_play_hosts_all"]
    known = [*variables["groups"].get(run_scope.CLUSTERS, ()), *_definitions(variables)]
    clusters = [variables["hostvars"][host] for host in known if host in run]
    return any(boolean(each.get("hyperpod_degraded_fails", False), strict=False) for each in clusters)


@view
def scope_refusals(variables: Variables) -> Findings:
    """Refusals of a run that does not include whole clusters. The view also warns if the report callback is off."""
    if CALLBACK not in constants.CALLBACKS_ENABLED:
        Display().warning(NOT_JUDGED)  # once for each run, even with several playbooks
    asked = _asked(variables)
    run = variables["ansible_play_hosts_all"]
    return refused(run_scope.problems(run, variables["groups"], variables["hostvars"], asked))


def _validate_report_store() -> None:
    try:
        of_run.place_of_run()
    except Refused as error:
        raise run_scope.BadSelection(str(error)) from None


def _validate_workflow(variables: Variables) -> None:
    verb = str((variables.get("rollout_workflow") or {}).get("verb", ""))
    extra = load_extra_vars(DataLoader())
    if verb and workflow_variables.WORKFLOW_JOB not in extra:
        why = "the workflow has an approval before the wave"
        raise run_scope.BadSelection(refusal_text("rollout_workflow", verb, "a job of an AWX workflow", why))
    for name in workflow_variables.foreign(extra, verbs().values(), rollout_verb=verb):
        shown, why = "a variable of an AWX workflow", "a node can create it as an artifact of an earlier job"
        raise run_scope.BadSelection(refusal_text(name, shown, "variables in a playbook of the project", why))


def _asked(variables: Variables) -> run_scope.Asked:
    with_eks: t.Any = variables.get("hyperpod_with_eks", False)
    without_slurm: t.Any = variables.get("hyperpod_without_slurm", False)
    kind = "" if boolean(with_eks, strict=False) else run_scope.SLURM
    return run_scope.Asked(
        only=variables.get("hyperpod_only", ""),
        limit=variables.get("ansible_limit", ""),
        sources=variables.get("ansible_inventory_sources", []),
        read=variables.get("hyperpod_inventory_read", []),
        failures=variables.get("hyperpod_inventory_failures", []),
        orchestrator=run_scope.EKS if boolean(without_slurm, strict=False) else kind,
        definitions=_definitions(variables),
        with_definitions=_with_definitions(variables),
        without_nodes=run_scope.without_nodes(variables),
    )


def _definitions(variables: Variables) -> list[str]:
    """Hosts of EKS clusters without HyperPod. Empty if the playbook does not support such clusters."""
    if not _with_definitions(variables):
        return []
    return training_clusters.hosts(variables["groups"], variables.get("hostvars") or {})


def _with_definitions(variables: Variables) -> bool:
    given: t.Any = variables.get("hyperpod_with_definitions", False)
    return bool(boolean(given, strict=False))
