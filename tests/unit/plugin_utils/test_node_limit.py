# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The time limit of a waiting task is the limit of its play plus the time of the wait."""

from __future__ import annotations

import typing as t
from pathlib import Path

import pytest
import yaml
from ansible_collections.mlfleet.hyperpod.plugins.plugin_utils import node_limit
from ansible_collections.mlfleet.hyperpod.plugins.plugin_utils.views import drain, maintenance
from ansible_collections.mlfleet.hyperpod.plugins.plugin_utils.views.offboarding import node as offboarding
from ansible_collections.mlfleet.hyperpod.plugins.plugin_utils.views.remediation import acts as remediation
from ansible_collections.mlfleet.hyperpod.plugins.plugin_utils.views.topology_job import slurm as topology_job

PLAYBOOKS = Path(__file__).resolve().parents[3] / "playbooks"
WAITING = {
    "drain_timeout": drain.longest,
    "maintenance_timeout": maintenance.longest,
    "maintenance_wait_timeout": maintenance.longest_replacement,
    "offboarding_jobs_timeout": offboarding.longest,
    "remediation_jobs_timeout": remediation.longest,
    "topology_job_timeout": topology_job.longest,
}


@pytest.mark.parametrize(("variable", "view"), WAITING.items(), ids=WAITING)
@pytest.mark.parametrize("given", [86400, "86400"])
def test_a_waiting_task_has_enough_time(variable: str, view: t.Callable[[dict[str, t.Any]], int], given: t.Any) -> None:
    assert view({variable: given}) == 88200


def test_all_plays_have_the_same_limit() -> None:
    plays = [play for path in PLAYBOOKS.rglob("*.yml") for play in yaml.safe_load(path.read_text())]
    found = {play["vars"]["hyperpod_internal_node_timeout"] for play in plays if "hyperpod_internal_node_timeout" in play.get("vars", {})}
    assert found == {node_limit.SECONDS}
