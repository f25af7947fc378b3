# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Findings and changes on one node."""

from __future__ import annotations

import typing as t

import pytest
from ansible_collections.mlfleet.hyperpod.plugins.plugin_utils.views.offboarding import node

LOCKED = {"accounts": {"users": [{"name": "mallory", "state": "locked"}]}}


@pytest.mark.parametrize(
    ("reached", "slurm", "home"),
    [((1, 2, 3), "ml-i-3", "ml-i-1"), ((1, 2), "ml-i-1", "ml-i-1"), ((3,), "ml-i-3", "ml-i-3"), ((), "", "")],
)
def test_each_step_runs_on_one_node(variables: dict[str, t.Any], reached: tuple[int, ...], slurm: str, home: str) -> None:
    hostvars = dict(variables["hostvars"])
    for number in (1, 2, 3):
        hostvars[f"ml-i-{number}"] = {**hostvars[f"ml-i-{number}"], "hyperpod_run": {"reached": number in reached}}
    found = node.places({**variables, "hostvars": hostvars})
    assert (found.slurm, found.home) == (slurm, home)


@pytest.mark.parametrize(
    ("given", "clears"),
    [
        ({"offboarding_jobs": "cancel", "__offboarding_account": LOCKED}, True),
        ({"offboarding_jobs": "report", "__offboarding_account": LOCKED}, False),
        ({"offboarding_jobs": "cancel", "__offboarding_account": {"skipped": True}}, False),
        ({"offboarding_jobs": "cancel", "__offboarding_account": LOCKED, "offboarding_planning": True}, False),
        ({"offboarding_jobs": "cancel", "__offboarding_account": LOCKED, "ansible_check_mode": True}, False),
    ],
)
def test_the_removal_of_an_account_is_repeated_after_its_jobs_are_cancelled(variables: dict[str, t.Any], given: dict[str, t.Any], clears: bool) -> None:
    assert node.work({**variables, **given}).clears is clears


@pytest.mark.parametrize(
    ("home", "slurm", "archives"),
    [
        ("archive", {"slurm_user": {"jobs": []}}, True),
        ("archive", {"slurm_user": {"jobs": [{"id": 1}]}}, False),
        ("archive", {"failed": True}, False),
        ("archive", {}, False),
        ("keep", {"slurm_user": {"jobs": []}}, False),
    ],
)
def test_a_home_is_archived_when_no_job_is_left(variables: dict[str, t.Any], home: str, slurm: dict[str, t.Any], archives: bool) -> None:
    hostvars = {**variables["hostvars"], "ml-i-3": {**variables["hostvars"]["ml-i-3"], "__offboarding_slurm": slurm}}
    assert node.work({**variables, "offboarding_home": home, "hostvars": hostvars}).archives is archives


def test_without_changes_the_node_is_complete(variables: dict[str, t.Any]) -> None:
    found = node.outcome(variables)
    assert (found.dirty, found.answered, found.left["left"]) == (False, True, [])
    empty = {"changes": [], "held": False, "jobs": [], "authorized_keys": [], "findings": []}
    assert {name: value for name, value in found.result.items() if name != "at"} == empty


RESULTS = {
    "__offboarding_account": {**LOCKED, "changes": [{"resource": "account mallory"}, {}], "hyperpod_findings": [{"text": "a"}]},
    "__offboarding_slurm": {"slurm_user": {"jobs": [{"id": 1}]}, "changes": []},
    "__offboarding_cleared": {"skipped": True},
    "__offboarding_left": {"offboarded_home": {"authorized_keys": ["k"]}, "hyperpod_findings": [{"text": "b"}], "unreachable": True},
}


def test_results_of_all_tasks_are_merged(variables: dict[str, t.Any]) -> None:
    found = node.outcome({**variables, **RESULTS})
    assert (found.dirty, found.answered, found.result["held"]) == (True, False, True)
    assert (found.result["jobs"], found.result["authorized_keys"]) == ([{"id": 1}], ["k"])
    assert found.result["findings"] == [{"text": "a"}, {"text": "b"}] and len(found.result["changes"]) == 2
    assert found.planned["changes"] == [] and found.left["left"] == ["account mallory", "something without a name"]


def test_check_mode_reports_its_changes(variables: dict[str, t.Any]) -> None:
    assert len(node.outcome({**variables, **RESULTS, "ansible_check_mode": True}).planned["changes"]) == 2


def test_a_held_account_is_kept(variables: dict[str, t.Any]) -> None:
    earlier = {"at": "then", "changes": ["done"]}
    given = {"offboarding_jobs": "cancel", "__offboarding_account": LOCKED, "__offboarding_outcome": earlier}
    found = node.outcome({**variables, **given})
    assert found.dirty is True and found.left["left"] == ["mallory"]
    assert (found.left["at"], found.left["changes"]) == ("then", ["done"])
