# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The variables of this collection: options of roles as their argument specs have them, and those that are listed here.

A test holds the lists against what playbooks and roles read.
"""

from __future__ import annotations

import functools
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
"""What people set for clusters, beside the options of roles."""

ASKED = (
    "adopt_from",
    "adopt_host_keys",
    "adopt_load_balancer",
    "adopt_target_group",
    "drain_force",
    "drain_nodes",
    "drain_reason",
    "drain_timeout",
    "drift_json",
    "drift_junit",
    "drift_prometheus",
    "forget_confirm",
    "forget_nodes",
    "forget_reason",
    "karpenter_confirm",
    "login_access_mode",
    "offboard_home",
    "offboard_hook_evidence",
    "offboard_hooks",
    "offboard_jobs",
    "offboard_name",
    "offboard_reason",
    "offboard_shared_keys",
    "offboard_uid",
    "purge_secrets",
    "purge_secrets_confirm",
    "readmit_name",
    "readmit_reason",
    "replace_jobs",
    "replace_nodes",
    "rotation",
    "rotation_confirm",
    "rotation_force",
    "rotation_min_days",
    "task_governance_confirm",
    "teardown_confirm",
    "undrain_nodes",
    "unlock_confirm",
    "unlock_running",
    "update_deployment",
    "update_evicts",
    "update_groups",
    "update_image",
    "update_jobs",
    "update_version",
    "vpn_client",
    "vpn_people",
    "vpn_random_host_prefix",
    "vpn_recreate",
    "vpn_revoke",
    "vpn_urgent",
)
"""What people ask of one run, most often by -e. Other collections may have variables that look like these."""

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
"""What the inventory plugin says of clusters and nodes."""

PASSED = (
    "hyperpod_about_inventory",
    "hyperpod_artifact",
    "hyperpod_begins",
    "hyperpod_drift",
    "hyperpod_left_alone",
    "hyperpod_look",
    "hyperpod_only_plans",
    "hyperpod_reads",
    "hyperpod_report",
    "hyperpod_run",
    "hyperpod_verdict",
    "hyperpod_vpn_required",
    "hyperpod_with_eks",
    "hyperpod_without_slurm",
)
"""What playbooks set before a cluster's variables are judged. Names that begin with hyperpod_internal_ are theirs, too."""

_ROLES = Path(__file__).resolve().parents[2] / "roles"


@functools.cache
def of_roles() -> frozenset[str]:
    names: set[str] = set()
    for path in _ROLES.glob("*/meta/argument_specs.yml"):
        specs = yaml.load(path.read_text(encoding="utf-8"), Loader=getattr(yaml, "CSafeLoader", yaml.SafeLoader))
        for spec in specs["argument_specs"].values():
            names.update(spec.get("options") or ())
    return frozenset(names)


def of_people() -> frozenset[str]:
    """Those that somebody may have meant to set."""
    return of_roles() | {*SETTINGS, *ASKED}
