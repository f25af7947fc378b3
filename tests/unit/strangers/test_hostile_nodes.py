# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Every playbook, run against nodes that lie: no file, no secret and no cluster is theirs to choose."""

from __future__ import annotations

import json
import typing as t
from pathlib import Path

import pytest
import yaml

PLAYBOOKS = Path(__file__).resolve().parents[3] / "playbooks"
RUNS = [
    ("login_access", ()),
    ("drift", ("--check",)),
    ("access_report", ()),
    ("adopt", ("-e", "adopt_load_balancer=")),
    ("reconcile", ("--tags", "sweep")),
    ("rotate_host_keys", ("-e", "rotation=start")),
    ("drain", ("-e", "drain_reason=kernel", "-e", "drain_timeout=0")),
    ("undrain", ()),
    ("offboard", ("-e", "offboard_name=mallory", "-e", "offboard_uid=20009")),
    ("client_vpn", ()),
    ("vpn_profiles", ()),
    ("vpn_report", ()),
    ("teardown", ()),
]


def _chosen(world: t.Any, name: str) -> list[str]:
    return ["-e", f"{name}_nodes={world.login}"] if name in ("drain", "undrain") else []


def _first(playbook: str) -> str:
    """The first play of all."""
    first = yaml.safe_load((PLAYBOOKS / playbook).read_text())[0]
    imported = first.get("ansible.builtin.import_playbook")
    return _first(imported) if imported else f"{playbook}: {first['name']}"


@pytest.mark.parametrize("name", [name for name, _arguments in RUNS])
def test_every_playbook_begins_with_what_refuses_it(name: str) -> None:
    assert _first(f"{name}.yml") == "begin.yml: Know that the run is safe"


REFUSED = [
    ("login_access", ()),
    ("login_access", ("--limit", "hyperpod_nodes")),
    ("reconcile", ("--tags", "sweep")),
    ("offboard", ("--skip-tags", "reconcile", "-e", "offboard_name=mallory")),
    ("drift", ("--check",)),
]


@pytest.mark.parametrize(("name", "arguments"), REFUSED)
def test_no_run_begins_where_facts_are_variables(world: t.Any, name: str, arguments: tuple[str, ...]) -> None:
    run = world.playbook(name, *arguments, injected=True)
    assert run.rc == (1 if name == "drift" else 2), run.output
    assert "inject_facts_as_vars: true is not allowed" in run.output
    assert (run.received, run.calls, world.strays()) == ({}, [], [])


def test_every_playbook_is_run() -> None:
    assert {name for name, _arguments in RUNS} == {path.stem for path in PLAYBOOKS.glob("*.yml")} - {"begin"}


@pytest.mark.parametrize(("name", "arguments"), RUNS, ids=[name for name, _arguments in RUNS])
def test_nothing_is_theirs_to_choose(world: t.Any, name: str, arguments: tuple[str, ...]) -> None:
    run = world.playbook(name, "--limit", "cluster_ml", *arguments, *_chosen(world, name))
    cluster = world.arns["other"].rpartition("/")[2]
    given = {file for file, text in run.received.items() if world.keys["ml"] in text}
    theirs = {
        "another cluster was called": {call["operation"] for call in run.calls if cluster in json.dumps(call)},
        "another cluster's key was sent": {file for file, text in run.received.items() if world.keys["other"] in text},
        "the cluster's key was sent to no login node": {file for file in given if not file.startswith("login-")},
        "written outside the state folder": set(world.strays()),
    }
    assert not any(theirs.values()), f"{theirs}\n{run.output}"
    if name in ("login_access", "reconcile"):
        assert given  # so that what is looked for above can be found
    report = run.output.partition("HYPERPOD REPORT")[2]
    failures = [line for line in report.split("\n") if " - failure: " in line]
    assert not [line for line in failures if "may still have access" not in line], run.output
    assert "\x1b" not in report and "\u2028" not in report, report
