# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""A run reports all errors in its variables at once, before it calls AWS: those of its own options and of all later roles."""

from __future__ import annotations

import re
import typing as t
from pathlib import Path

import pytest
import yaml
from ansible_collections.mlfleet.hyperpod.plugins.plugin_utils._declared.offline import ROLES
from ansible_collections.mlfleet.hyperpod.plugins.plugin_utils.views.plays.asked import OF_VPN
from ansible_collections.mlfleet.hyperpod.plugins.plugin_utils.views.plays.ordered import DRAIN, LOGIN_ACCESS, OF_DRAIN
from simulated.limits import cluster, inventory, playbook

FOLDER = Path(__file__).resolve().parents[3] / "playbooks"
LISTS = {
    **dict.fromkeys(("login_access_roles", "ordered_undrain.roles"), LOGIN_ACCESS),
    **dict.fromkeys(("client_vpn.roles", "client_vpn.validated"), OF_VPN),
    "ordered_drain.roles": (*DRAIN, *OF_DRAIN),
    "ordered_maintenance.roles": ("maintenance", *LOGIN_ACCESS),
}
Variables = dict[str, t.Any]
LOGIN_NODES, PEOPLE = {"login_nodes_confirm_timeout": 5}, {"hyperpod_users": [{"name": "bob", "uid": "x"}]}
ACCESS = {"login_balancer_name": "-", "client_vpn_client_cidr": "172.20.0.0/8", **LOGIN_NODES}
TIMEOUT, USER = "login_nodes_confirm_timeout: 5 ", "hyperpod_users[bob].uid: 'x' "
CASES: dict[str, tuple[Variables, tuple[str, ...], tuple[str, ...]]] = {
    "drain": ({}, ("drain_nodes=bogus", "drain_timeout=-1"), ("drain_nodes: bogus ", "drain_timeout: -1 ", "drain_reason: ")),
    "undrain": (LOGIN_NODES, (), ("undrain_nodes: missing", TIMEOUT)),
    "replace_nodes": (
        LOGIN_NODES,
        ("replace_nodes=bogus", "drain_timeout=abc", "replace_jobs=kill"),
        ("replace_nodes: bogus ", "drain_timeout: 'abc' ", "replace_jobs: 'kill' ", TIMEOUT),
    ),
    "update_software": (PEOPLE, ("update_groups=", "update_jobs=kill"), ("update_groups: missing", "update_jobs: 'kill' ", USER)),
    "remediate": ({**LOGIN_NODES, **PEOPLE}, ("remediation_at_once=0",), ("remediation_at_once: 0 ", TIMEOUT, USER)),
    "teardown": (
        ACCESS,
        ("teardown_confirm=other", "purge_secrets=true"),
        ("teardown_confirm: other ", "purge_secrets_confirm: missing", "login_balancer_name: - ", "client_vpn_client_cidr: ", TIMEOUT),
    ),
    "rotate_host_keys": (LOGIN_NODES, ("rotation=turn", "rotation_min_days=9999"), ("rotation: 'turn' ", "rotation_min_days: 9999 ", TIMEOUT)),
    "adopt": (LOGIN_NODES, ("login_access_mode=force", "adopt_host_keys=maybe"), ("login_access_mode: 'force' ", "adopt_host_keys: 'maybe' ", TIMEOUT)),
    "offboard": ({}, ("offboard_uid=5", "offboard_jobs=kill"), ("offboard_name: ", "offboard_uid: 5 ", "offboard_jobs: 'kill' ")),
    "submit": ({}, ("topology_job_nodes=0", "topology_job_wait=long"), ("topology_job_nodes: 0 ", "topology_job_wait: 'long' ", "topology_job_src: ")),
    "karpenter": (
        {"karpenter_node_classes": [{"nam": "x"}], "karpenter_wait_timeout": "long"},
        ("karpenter_state=absent",),
        ("karpenter_confirm: missing", "karpenter_node_classes", "karpenter_wait_timeout: 'long' "),
    ),
    "events": (
        {"events_queue_name": "a.b", "events_alert_minutes": "long"},
        ("events_state=absent", "events_run=both"),
        ("events_confirm: missing", "events_queue_name: a.b ", "events_alert_minutes: 'long' ", "events_run: 'both' "),
    ),
    "task_governance": (
        {"hyperpod_teams": [{"nam": "x"}]},
        ("task_governance_state=absent",),
        ("task_governance_confirm: missing", "hyperpod_teams"),
    ),
}
ON_EKS = ("karpenter", "task_governance")
VALIDATE_THEMSELVES = (
    *("awx", "cluster", "drift", "forget_node", "login_access", "readmit"),
    *("reconcile", "status", "training_cluster", "unlock", "verify"),
)
"""``login_access``, ``verify`` and playbooks that start with their parts have their own validation; playbooks for records run no such
roles, and ``status`` reports what it can read.
"""


@pytest.mark.slow
@pytest.mark.parametrize("name", CASES)
def test_all_errors_are_reported_at_once(tmp_path: Path, name: str) -> None:
    variables, extra, reported = CASES[name]
    hosts = cluster("ml", orchestrator="eks" if name in ON_EKS else "slurm")
    hosts["ml"] = {**hosts["ml"], "vars": {**hosts["ml"]["vars"], **variables}}
    done = playbook(tmp_path, name, *(word for each in extra for word in ("-e", each)), source=inventory(hosts))
    assert done.rc == 2 and not done.called_aws, done.output
    report = done.output.partition("HYPERPOD REPORT")[2]
    assert [each for each in reported if each not in report] == [], report


def included(entries: t.Iterable[Variables]) -> t.Iterator[tuple[str, Variables]]:
    """Roles with their variables, in order, also those in blocks and in imported playbooks, except the one that a rollout chooses."""
    for entry in entries:
        for part in ("tasks", "block"):
            yield from included(entry.get(part, ()))
        if "ansible.builtin.include_role" in entry:
            role = entry["ansible.builtin.include_role"]
            yield f"{role['name'].rpartition('.')[2]}:{role.get('tasks_from', 'main')}", entry.get("vars", {})
        imported = entry.get("ansible.builtin.import_playbook", "{{")
        if "{{" not in imported:
            yield from included(yaml.safe_load((FOLDER / imported).read_text()))


def validated(roles_or_expression: t.Any) -> set[str]:
    """Names of the roles in a list or in an expression."""
    if isinstance(roles_or_expression, list):
        return set(roles_or_expression)
    lists = [roles for name, roles in LISTS.items() if name in roles_or_expression]
    return {*re.findall(r"'(\w+)'", roles_or_expression), *(role for roles in lists for role in roles)}


@pytest.mark.parametrize("name", sorted(path.stem for path in FOLDER.glob("*.yml") if path.stem not in ("begin", "end", *VALIDATE_THEMSELVES)))
def test_the_first_validation_covers_all_roles(name: str) -> None:
    """A role that validates its variables later could fail after nodes were replaced."""
    roles = list(included(yaml.safe_load((FOLDER / f"{name}.yml").read_text())))
    first = next(validated(variables.get("run_validated_roles", [])) for entry, variables in roles if entry == "run:cluster/validate")
    assert {entry.partition(":")[0] for entry, _variables in roles} & ROLES - first == set()
