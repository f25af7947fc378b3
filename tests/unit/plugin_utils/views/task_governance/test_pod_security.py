# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Namespaces that get a Pod Security level, and findings before the change."""

from __future__ import annotations

from ansible_collections.mlfleet.hyperpod.plugins.plugin_utils.views.task_governance.pod_security import pod_security
from unit.plugin_utils.views.task_governance.governed import RESEARCH, VISION, variables


def test_without_a_level_nothing_changes() -> None:
    assert pod_security(variables()).namespaces == []


def test_only_namespaces_of_teams_with_a_quota_change() -> None:
    teams = [RESEARCH, VISION | {"state": "absent"}]
    found = pod_security(variables(task_governance_teams=teams, task_governance_pod_security="baseline"))
    assert (found.level, found.namespaces, found.findings) == ("baseline", ["hyperpod-ns-research"], [])
    gone = variables(task_governance_state="absent", task_governance_pod_security="baseline")
    assert pod_security(gone).namespaces == []


def test_pods_that_violate_the_level_are_reported() -> None:
    rows = [
        {"name": "hyperpod-ns-research", "warnings": ["existing pods violate it", "train-0: privileged"]},
        {"name": "hyperpod-ns-vision", "warnings": []},
    ]
    given = variables(task_governance_pod_security="baseline", __task_governance_pod_security={"namespaces": rows})
    (note,) = pod_security(given).findings
    assert note["kind"] == "note" and note["text"].startswith("Pods in hyperpod-ns-research violate the level baseline")
    assert "existing pods violate it; train-0: privileged. These Pods keep running" in note["text"]
    assert pod_security({**given, "__task_governance_pod_security": {"skipped": True}}).findings == []
