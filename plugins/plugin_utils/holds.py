# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Holds: records of clusters that wait for their wave of a rollout."""

from __future__ import annotations

import typing as t

from ansible_collections.mlfleet.hyperpod.plugins.module_utils._core.times import moment_of
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._hyperpod.records.model import HOLD, ROLLOUT, Record, Records
from ansible_collections.mlfleet.hyperpod.plugins.plugin_utils.rollout_step import step_of


def hold_of(records: Records) -> Record:
    """The hold of a cluster, empty without one."""
    return records.get(ROLLOUT, {}).get(HOLD, {})


def live(records: Records, *, now: float, released: str = "") -> bool:
    """Whether the cluster has a hold that has not ended. ``cluster_record`` refuses a hold without a valid end.

    :param now: seconds since the start of 1970.
    :param released: the rollout that has just removed its hold, which AWS may still list.
    """
    hold = hold_of(records)
    return bool(hold) and hold.get("rollout") != released and moment_of(str(hold["until"])).timestamp() > now


def released(variables: t.Mapping[str, t.Any]) -> str:
    """The rollout that runs a playbook for the current cluster now; empty without one."""
    step = step_of(variables)
    return str(step["name"]) if variables["inventory_hostname"] in step.get("run", ()) else ""


def shown(hold: Record) -> dict[str, t.Any]:
    """The values of the finding ``rollout-not-reached``."""
    return {name: hold.get(name, "unknown") for name in ("rollout", "wave", "since", "until")}
