# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The variables of this collection: options of roles from their argument specs, options of playbooks from meta/verbs, and the
lists in this file.

A test compares the lists with the variables that playbooks and roles read.
"""

from __future__ import annotations

import functools
import typing as t
from pathlib import Path

import yaml

SETTINGS = (
    "hyperpod_accounts_source",
    "hyperpod_degraded_fails",
    "hyperpod_file_system",
    "hyperpod_full_look_minutes",
    "hyperpod_gate_port",
    "hyperpod_groups",
    "hyperpod_only",
    "hyperpod_operations_public_key",
    "hyperpod_operations_public_key_file",
    "hyperpod_operations_user",
    "hyperpod_people_port",
    "hyperpod_scope",
    "hyperpod_skip_locked",
    "hyperpod_teams",
    "hyperpod_users",
    "hyperpod_users_files",
)
"""Variables of clusters that are no options of a role."""

OF_RUN = ("hyperpod_report_store", "hyperpod_report_store_profile")
"""Variables that only -e can set. The report callback reads them for all clusters of the run."""

OF_INVENTORY = (
    "hyperpod_account_id",
    "hyperpod_cluster_arn",
    "hyperpod_cluster_group",
    "hyperpod_cluster_host",
    "hyperpod_cluster_id",
    "hyperpod_cluster_key",
    "hyperpod_cluster_name",
    "hyperpod_connection",
    "hyperpod_host_key_alias",
    "hyperpod_instance_group",
    "hyperpod_instance_groups",
    "hyperpod_instance_id",
    "hyperpod_instance_type",
    "hyperpod_inventory_failures",
    "hyperpod_inventory_read",
    "hyperpod_last_software_update_time",
    "hyperpod_launch_time",
    "hyperpod_node_count",
    "hyperpod_node_type",
    "hyperpod_node_types",
    "hyperpod_orchestrator",
    "hyperpod_private_ip",
    "hyperpod_profile",
    "hyperpod_region",
    "hyperpod_security_groups",
    "hyperpod_ssm_target",
    "hyperpod_state_dir",
    "hyperpod_status",
    "hyperpod_tags",
    "hyperpod_vpc_subnets",
)
"""Variables that the inventory plugin sets for clusters and nodes."""

PASSED = (
    "hyperpod_about_inventory",
    "hyperpod_artifact",
    "hyperpod_begins",
    "hyperpod_brief",
    "hyperpod_drift",
    "hyperpod_event",
    "hyperpod_left_alone",
    "hyperpod_look",
    "hyperpod_only_plans",
    "hyperpod_reads",
    "hyperpod_report",
    "hyperpod_rollout",
    "hyperpod_run",
    "hyperpod_verdict",
    "hyperpod_vpn_required",
    "hyperpod_with_definitions",
    "hyperpod_with_eks",
    "hyperpod_without_slurm",
)
"""Variables that playbooks set before a cluster's variables are validated. Playbooks also set variables with the prefix
hyperpod_internal_."""

_COLLECTION = Path(__file__).resolve().parents[2]
Asked = t.Mapping[str, t.Mapping[str, t.Mapping[str, t.Any]]]
"""The extra variables of a playbook, keyed by section, then by name. Variables in ``orders`` select the action of one run, and
variables in ``options`` configure it. Each has documentation if no role's argument spec has it. An order also has ``given``,
``needs`` and ``pending``, as in ``orders.Order``."""


def _read(path: Path) -> t.Any:
    return yaml.load(path.read_text(encoding="utf-8"), Loader=getattr(yaml, "CSafeLoader", yaml.SafeLoader))


@functools.cache
def of_roles() -> frozenset[str]:
    names: set[str] = set()
    for path in _COLLECTION.glob("roles/*/meta/argument_specs.yml"):
        for spec in _read(path)["argument_specs"].values():
            names.update(spec.get("options") or ())
    return frozenset(names)


@functools.cache
def of_playbooks() -> t.Mapping[str, Asked]:
    """The variables for one run, which are usually given with -e, keyed by playbook. Other collections may have similar names."""
    found = {verb: entry for path in sorted(_COLLECTION.glob("meta/verbs/*.yml")) for verb, entry in _read(path).items()}
    asked = {verb: {name: entry[name] for name in ("orders", "options") if name in entry} for verb, entry in sorted(found.items())}
    return {verb: sections for verb, sections in asked.items() if sections}


@functools.cache
def of_one_run() -> frozenset[str]:
    return frozenset(name for asked in of_playbooks().values() for section in asked.values() for name in section)


def of_people() -> frozenset[str]:
    """Variables that an operator can set."""
    return of_roles() | of_one_run() | {*SETTINGS, *OF_RUN}
