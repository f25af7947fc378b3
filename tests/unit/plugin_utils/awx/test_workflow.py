# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
from __future__ import annotations

from .examples import objects


def test_a_fleet_without_the_jobs_of_the_workflow_has_none() -> None:
    kinds = {each.kind for each in objects(awx_verbs=["reconcile", "verify"])}
    assert not kinds & {"workflow_job_template", "workflow_job_template_node"}


def test_a_workflow_node_is_created_after_those_that_follow_it() -> None:
    nodes = [each for each in objects(awx_verbs=[]) if each.kind == "workflow_job_template_node"]
    seen: set[str] = set()
    for each in nodes:
        assert {name for names in each.lists.values() for name in names} <= seen
        seen.add(each.name)
