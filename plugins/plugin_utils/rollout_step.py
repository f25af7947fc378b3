# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The step of the rollout that runs the playbook, if there is one."""

from __future__ import annotations

import typing as t

REGISTERED = "hyperpod_rollout"
"""The variable with the result of the module ``rollout_step``."""

Variables = t.Mapping[str, t.Any]


def step_of(variables: Variables) -> Variables:
    """The step that the module returned; empty if the run is not part of a rollout."""
    found = variables.get(REGISTERED)
    return (found.get("rollout") or {}) if isinstance(found, t.Mapping) else {}


def clusters(variables: Variables) -> list[str]:
    """The clusters that extra variables may name: in a rollout, those of all waves; otherwise, the hosts of the play."""
    found = step_of(variables).get("clusters")
    return [key for key in found if key in variables["hostvars"]] if found else list(variables["ansible_play_hosts_all"])
