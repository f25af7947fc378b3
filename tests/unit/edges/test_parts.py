# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Parts of login access by tags: a run of one begins, judges, locks and ends as a whole run does. tests/campaign has more."""

from __future__ import annotations

import json
import typing as t
from pathlib import Path

import pytest
import yaml
from ansible.release import __version__
from ansible_collections.mlfleet.hyperpod.plugins.plugin_utils._declared.parts import PARTS, asked_parts
from simulated import hostile, parts

ROOT = Path(__file__).resolve().parents[3]
PLAYS = yaml.safe_load((ROOT / "playbooks/login_access.yml").read_text())[1:]
ALWAYS = {
    ("cluster", "declared"),
    ("cluster", "begin"),
    ("login_balancer", "declared"),
    ("login_nodes", "declared"),
    ("login_nodes", "declaration"),
    ("login_balancer", "judge"),
    ("cluster", "judge"),
    ("cluster", "end"),
    ("cluster", "failed"),
}
"""What every run does on the cluster's host."""


@pytest.fixture(scope="module")
def world(tmp_path_factory: pytest.TempPathFactory) -> t.Iterator[hostile.World]:
    with hostile.world(tmp_path_factory.mktemp("parts")) as here:
        yield here


def included(tasks: t.Iterable[t.Any]) -> t.Iterator[tuple[tuple[str, str], dict[str, t.Any]]]:
    for task in tasks:
        role = task.get("ansible.builtin.include_role")
        if role:
            yield (role["name"].rpartition(".")[2], role.get("tasks_from", "main")), task
        for section in ("block", "rescue", "always"):
            yield from included(task.get(section, ()))


def test_tags_take_all_plays_or_none() -> None:
    """So that no combination of tags leaves out how a run begins and ends."""
    assert [play["tags"] for play in PLAYS] == [list(PARTS)] * 6
    tagged = [task for play in PLAYS for _name, task in included(play["tasks"]) if "tags" in task]
    assert tagged == []


def test_no_part_leaves_out_what_makes_a_run_safe() -> None:
    found = [(name, task) for play in PLAYS for name, task in included(play["tasks"]) if name in ALWAYS]
    assert {name for name, _task in found} == ALWAYS
    assert [name for name, task in found if "when" in task] == []


@pytest.mark.parametrize(
    ("tags", "wanted"),
    [
        (["all"], ["people", "balancer", "verify"]),
        (["sweep"], ["people", "balancer", "verify"]),
        (["team"], ["people", "balancer", "verify"]),
        (["sweep", "people"], ["people"]),
        (["verify", "balancer"], ["balancer", "verify"]),
    ],
)
def test_tags_name_parts(tags: list[str], wanted: list[str]) -> None:
    assert asked_parts(tags) == wanted


@pytest.mark.skipif(__version__.startswith("2.19."), reason="the newest ansible-core is enough: parts are conditions of ours")
def test_people_alone_leave_the_balancer_as_it_is(world: hostile.World) -> None:
    part = parts.run_part(world, "login_access", "people", "--check")
    assert part.unsafe == [], part.run.output
    assert {"login-accounts", "compute-accounts", "controller-accounts", "login-readiness_gate"} <= part.sent
    report = max((world.home / ".mlfleet/hyperpod").glob("report*.json"), key=lambda path: path.stat().st_mtime)
    changes = json.loads(report.read_text())["clusters"]["ml"]["changes"]
    assert [each for each in changes if each["host"] == "ml"] == [], changes


def test_the_vpn_alone_leaves_login_access_alone(world: hostile.World) -> None:
    part = parts.run_part(world, "reconcile", "vpn")
    assert "TASK [Note which parts are asked for]" not in part.run.output and "PLAY [Give people a way in]" in part.run.output
    assert "TASK [Refuse variables that a node can set]" in part.run.output
    assert (part.changed, part.sent) == ({}, set()), part.run.output
