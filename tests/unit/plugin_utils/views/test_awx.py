# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
from __future__ import annotations

import typing as t

from ansible_collections.mlfleet.hyperpod.plugins.plugin_utils.views import awx

from ..awx.examples import VARIABLES


def refused(**variables: t.Any) -> list[str]:
    return [each["text"] for each in awx.refusals({**VARIABLES, "awx_project_dir": "", **variables})]


def test_a_run_needs_a_folder_or_a_fleet() -> None:
    assert refused() == [] and refused(awx_project_dir="/srv/project", awx_fleet="") == []
    (text,) = refused(awx_fleet="")
    assert text.startswith("awx_fleet: '' is not allowed.")
    (text,) = refused(awx_project_dir="project")
    assert text.startswith("awx_project_dir: 'project' is not allowed. Allowed: the absolute path of a folder")


def test_templates_wait_for_the_project_and_removals_are_last() -> None:
    steps = [
        {"action": action, "kind": kind, "name": "x"}
        for action, kind in (("create", "credential"), ("create", "project"), ("create", "inventory"), ("remove", "credential"))
    ]
    found = awx.objects({"__awx_plan": {"steps": steps, "refused": []}})
    assert [each["kind"] for each in found.first] == ["credential", "project"]
    assert [(each["action"], each["kind"]) for each in found.then] == [("create", "inventory"), ("remove", "credential")]


def test_objects_of_others_are_refused_by_name() -> None:
    found = awx.objects({"__awx_plan": {"steps": [], "refused": [["job_template", "reconcile"]]}})
    assert found.refusals[0]["text"] == (
        "awx_prefix: 'reconcile' is not allowed: the job template reconcile exists and has no mark of this fleet. "
        "Allowed: a prefix that makes the name unique, or awx_adopt with reconcile."
    )
