# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""What Slurm asks by itself."""

from __future__ import annotations

from dataclasses import dataclass

from ansible.module_utils.parsing.convert_bool import boolean
from ansible_collections.mlfleet.hyperpod.plugins.plugin_utils.run import fleet

from .. import Variables

HOOKS = ("accelerator_health_slurm_check", "accelerator_health_prolog")
"""What switches them on; off by default."""


@dataclass(frozen=True)
class Hooks:
    """Slurm's, on the current host."""

    wanted: bool
    """It is to ask, and this run may change the node."""
    controller: bool


def hooks(variables: Variables) -> Hooks:
    groups = variables["groups"]
    cluster_run = variables["hostvars"][fleet.cluster_host(variables["group_names"], groups)].get("hyperpod_run") or {}
    asks = any(boolean(variables.get(name, False), strict=False) for name in HOOKS)
    changes = bool(variables["ansible_check_mode"] or cluster_run.get("writing", False))
    return Hooks(
        wanted=asks and changes and bool((variables.get("hyperpod_run") or {}).get("reached", False)),
        controller=variables["inventory_hostname"] in groups.get(fleet.CONTROLLERS, ()),
    )
