# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Tasks pass every option that their modules accept, because a list of names in a task does not grow with the module's table."""

from __future__ import annotations

import importlib
import re
import typing as t
from pathlib import Path

import pytest
import yaml
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._hyperpod.governance.fields import QUOTA, SCHEDULER
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._topology.job.options import SPEC as JOB_SPEC
from ansible_collections.mlfleet.hyperpod.plugins.plugin_utils._definition.document import OPTIONS
from ansible_collections.mlfleet.hyperpod.plugins.plugin_utils._governance import declared
from ansible_collections.mlfleet.hyperpod.plugins.plugin_utils.views.task_governance.declared import Scheduler
from ansible_collections.mlfleet.hyperpod.plugins.plugin_utils.views.task_governance.quotas import quotas

from ..plugin_utils.views.task_governance.governed import P5, variables

ROLES = Path(__file__).resolve().parents[3] / "roles"
SET_ELSEWHERE = {"cluster_arn", "lock", "_progress_file"}
"""Options that module_defaults and action plugins set."""
DEFAULTS = {"poll_interval", "state", "wait"}
TAGS = {"tags", "purge_tags"}
"""Quotas and the scheduler configuration belong to their cluster and have no tags of the role."""
CALLS: dict[tuple[str, str], set[str]] = {
    ("hyperpod_cluster/tasks/converge.yml", "cluster"): DEFAULTS,
    ("task_governance/tasks/cluster/quotas.yml", "compute_quota"): {*DEFAULTS, *TAGS, "allow_oversubscription"},
    ("task_governance/tasks/cluster/foreseen.yml", "compute_quota"): {*DEFAULTS, *TAGS, "wait_timeout"},
    ("task_governance/tasks/cluster/present.yml", "cluster_scheduler_config"): {*DEFAULTS, *TAGS},
    ("topology_job/tasks/cluster/submit.yml", "topology_job"): {"src", "verify", "poll_interval"},
    ("client_vpn/tasks/cluster/endpoint.yml", "client_vpn_endpoint"): {
        *("state", "description", "endpoint_quota", "disconnect_on_session_timeout"),
    },
}
"""Options by file and module for which the role has no variable, so that the module's default applies."""


def calls(file: str, module: str) -> list[dict[str, t.Any]]:
    tasks = yaml.safe_load((ROLES / file).read_text())
    return [task[f"mlfleet.hyperpod.{module}"] for task in tasks if f"mlfleet.hyperpod.{module}" in task]


def spec_of(module: str) -> dict[str, t.Any]:
    if module == "topology_job":
        return JOB_SPEC
    found: dict[str, t.Any] = importlib.import_module(f"ansible_collections.mlfleet.hyperpod.plugins.modules.{module}").SPEC
    return found


@pytest.mark.parametrize(("file", "module"), CALLS, ids=[" ".join(each) for each in CALLS])
def test_a_task_names_every_option_of_its_module(file: str, module: str) -> None:
    left, spec = CALLS[file, module], spec_of(module)
    assert left <= spec.keys(), "an option of CALLS no longer exists"
    for arguments in calls(file, module):
        assert sorted(spec.keys() - arguments.keys() - left - SET_ELSEWHERE) == []


def test_the_module_cluster_receives_every_option_of_a_definition() -> None:
    first, *_others = calls("hyperpod_cluster/tasks/converge.yml", "cluster")
    ours = re.compile(r"\{\{ __hyperpod_cluster\.definition\.(?:options\.)?(?P<name>\w+)( \| default\(omit, true\))? \}\}")
    matches = {name: ours.fullmatch(str(value)) for name, value in first.items()}
    handed = {name: match["name"] for name, match in matches.items() if match}
    assert handed == {name: name for name in OPTIONS}


def test_the_module_compute_quota_receives_every_option_of_a_team() -> None:
    assert set(declared.OPTIONS.values()) == {setting.option for setting in QUOTA.table} | {"team_name"}
    team = {
        "name": "a",
        "resources": [{"instance_type": P5, "count": 1}],
        "sharing": {"strategy": "DontLend"},
        "preempt": "Never",
        "fair_share_weight": 7,
        "activation_state": "Disabled",
        "description": "Team A",
    }
    assert set(team) == set(declared.OPTIONS)
    (row,) = quotas(variables(task_governance_teams=[team])).kept
    for arguments in (*calls("task_governance/tasks/cluster/quotas.yml", "compute_quota"), *foreseen()):
        fields = {option: str(arguments[option]).removeprefix("{{ item.").removesuffix(" }}") for option in declared.OPTIONS.values()}
        assert {name: row[fields[option]] for name, option in declared.OPTIONS.items()} == team


def foreseen() -> list[dict[str, t.Any]]:
    return calls("task_governance/tasks/cluster/foreseen.yml", "compute_quota")


def test_the_module_receives_every_option_of_the_scheduler_configuration() -> None:
    options = {"name", *(setting.option for setting in SCHEDULER.table)}
    assert options <= set(Scheduler.__dataclass_fields__)
    for file in ("present.yml", "foreseen.yml"):
        (arguments,) = calls(f"task_governance/tasks/cluster/{file}", "cluster_scheduler_config")
        assert {name: arguments[name] for name in options} == {name: f"{{{{ __task_governance.scheduler.{name} }}}}" for name in options}
