# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Parts of login access by tags: a run of one part starts, validates, locks and ends like a complete run. tests/campaign has more."""

from __future__ import annotations

import typing as t
from pathlib import Path

import pytest
import yaml
from ansible.release import __version__
from ansible_collections.mlfleet.hyperpod.plugins.plugin_utils._declared.parts import PARTS, asked_parts
from simulated import declared, parts

ROOT = Path(__file__).resolve().parents[3]
PLAYS = [play for play in yaml.safe_load((ROOT / "playbooks/parts/login_access.yml").read_text()) if "tasks" in play]
ALWAYS = {
    ("run", "cluster/validate"),
    ("run", "main"),
    ("login_balancer", "cluster/declared"),
    ("login_nodes", "cluster/declared"),
    ("accounts", "cluster/declared"),
    ("host_keys", "cluster/declared"),
    ("accounts", "cluster/file_system"),
    ("login_balancer", "cluster/judge"),
    ("run", "cluster/judge"),
    ("run", "cluster/end"),
    ("run", "cluster/failed"),
}
"""Entries that every run includes on the cluster's host."""


@pytest.fixture(scope="module")
def here(tmp_path_factory: pytest.TempPathFactory) -> t.Iterator[declared.Controller]:
    with declared.controller(tmp_path_factory.mktemp("parts")) as made:
        made.declare({"ml": made.host("ml")})
        yield made


def included(tasks: t.Iterable[t.Any]) -> t.Iterator[tuple[tuple[str, str], dict[str, t.Any]]]:
    for task in tasks:
        role = task.get("ansible.builtin.include_role")
        if role:
            yield (role["name"].rpartition(".")[2], role.get("tasks_from", "main")), task
        for section in ("block", "rescue", "always"):
            yield from included(task.get(section, ()))


def test_all_plays_have_all_tags() -> None:
    """So no combination of tags skips the start and the end of a run."""
    assert [play["name"] for play in PLAYS if play["tags"] != list(PARTS)] == []
    tagged = [task for play in PLAYS for _name, task in included(play["tasks"]) if "tags" in task]
    assert tagged == []


def test_no_part_skips_the_mandatory_entries() -> None:
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
def test_tags_select_parts(tags: list[str], wanted: list[str]) -> None:
    assert asked_parts(tags) == wanted


@pytest.mark.slow
def test_tag_people_leaves_the_balancer_unchanged(here: declared.Controller) -> None:
    run = here.playbook("mlfleet.hyperpod.login_access", "--check", "--tags", "people")
    assert run.rc == 0 and [name for name in parts.SAFETY if f"TASK [{name}]" not in run.output] == [], run.output
    assert {resource.partition(" ")[0] for resource in run.changed["ml"]} == {"secret", "parameter", "access", "record"}, run.changed
    assert run.changes == []


@pytest.mark.slow
@pytest.mark.skipif(__version__.startswith("2.19."), reason="the needs of a part are the same on every ansible-core")
def test_tag_balancer_needs_no_access_to_nodes(here: declared.Controller) -> None:
    """It needs neither a key nor the programs for sessions of Systems Manager."""
    without = ("-e", "hyperpod_operations_public_key_file=/nowhere/key.pub", "-e", "hyperpod_connection=ssm")
    run = here.playbook("mlfleet.hyperpod.login_access", "--check", "--tags", "balancer", *without)
    assert run.rc == 0 and "load balancer hp-" in " ".join(run.changed["ml"]) and run.changes == [], run.output


@pytest.mark.slow
def test_tag_vpn_skips_login_access(here: declared.Controller) -> None:
    run = here.playbook("mlfleet.hyperpod.reconcile", "--tags", "vpn")
    assert "TASK [Record which parts the tags select]" not in run.output and "PLAY [Ensure the Client VPN is configured]" in run.output
    assert "TASK [Validate that inject_facts_as_vars is off]" in run.output and run.changes == [], run.output
