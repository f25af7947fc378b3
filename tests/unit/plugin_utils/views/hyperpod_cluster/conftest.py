# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Variables of a definition for views of hyperpod_cluster."""

from __future__ import annotations

import typing as t

DEFINITION = {"name": "ml", "instance_groups": [{"name": "head"}, {"name": "own", "execution_role": "arn:own"}]}
VARIABLES: dict[str, t.Any] = {
    "hyperpod_cluster_definition": DEFINITION,
    "hyperpod_cluster_definition_file": "",
    "hyperpod_cluster_provisioning_parameters_file": "",
    "hyperpod_cluster_life_cycle_dir": "",
    "hyperpod_cluster_execution_role": "",
    "hyperpod_cluster_execution_role_boundary": "",
    "hyperpod_cluster_remove": "",
    "hyperpod_cluster_kubeconfig": "",
    "hyperpod_cluster_context": "",
    "hyperpod_cluster_require_quota": True,
    "ansible_play_hosts_all": ["ml"],
    "ansible_check_mode": False,
}


def texts(findings: t.Sequence[t.Mapping[str, str]]) -> list[str]:
    return [each["text"] for each in findings]
