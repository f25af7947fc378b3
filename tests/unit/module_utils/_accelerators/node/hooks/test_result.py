# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The return value, the lines and the script of the health hooks."""

from __future__ import annotations

import dataclasses
import typing as t

import pytest
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._accelerators.node.hooks import plan as plans
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._accelerators.node.hooks.model import (
    Conf,
    Desired,
    Running,
    Slurm,
    State,
)
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._accelerators.node.hooks.result import result

PROGRAM, SETTINGS, MEMORY = (f"/var/x/{name}" for name in ("slurm-health-check", "slurm-health.json", "slurm-health-memory.json"))
SCRIPT = "mlfleet-hyperpod-prolog"
WANTED = Desired("/var/x", health_check=True, prolog=True, interval=240, controller=True, settings="{}", archive=b"#!x")
UNWANTED = dataclasses.replace(WANTED, health_check=False, prolog=False)
FULL = Running((24, 11), configless=True, health_check=(PROGRAM, "240"), prologs=("other-prolog", SCRIPT))
EMPTY = Running((24, 11), configless=True, health_check=("", "0"), prologs=("other-prolog",))
CONF = Conf("/etc/slurm/slurm.conf", "ClusterName=ml\n", 0o644, 0, 0, "")


@pytest.mark.parametrize(
    ("state", "expected"),
    [
        (State({}), {"program": "", "slurm_conf": "", "health_check": None, "prolog": None}),
        (State({PROGRAM: b""}), {"program": PROGRAM, "slurm_conf": "", "health_check": None, "prolog": None}),
        (State({}, Slurm(EMPTY, CONF)), {"program": "", "slurm_conf": CONF.path, "health_check": False, "prolog": False}),
        (State({}, Slurm(FULL, CONF)), {"program": "", "slurm_conf": CONF.path, "health_check": True, "prolog": True}),
    ],
)
def test_the_result_has_the_installed_hooks(state: State, expected: dict[str, t.Any]) -> None:
    assert result(WANTED, state) == {"slurm_health_hooks": expected}


@pytest.mark.parametrize(
    ("desired", "running", "fulfilled"),
    [
        (WANTED, FULL, True),
        (WANTED, dataclasses.replace(FULL, health_check=(PROGRAM, "60")), False),
        (WANTED, dataclasses.replace(FULL, health_check=("/other", "240")), False),
        (WANTED, dataclasses.replace(FULL, prologs=("other-prolog",)), False),
        (WANTED, EMPTY, False),
        (UNWANTED, EMPTY, True),
        (UNWANTED, dataclasses.replace(EMPTY, health_check=("/other", "60")), True),
        (UNWANTED, dataclasses.replace(EMPTY, health_check=(PROGRAM, "240")), False),
        (UNWANTED, dataclasses.replace(EMPTY, prologs=(SCRIPT,)), False),
    ],
)
def test_a_running_configuration_fulfills_the_desired_one(desired: Desired, running: Running, fulfilled: bool) -> None:
    assert desired.fulfilled(running) is fulfilled


@pytest.mark.parametrize(
    ("health_check", "prolog", "lines"),
    [
        (False, False, ()),
        (True, False, (f"HealthCheckProgram={PROGRAM}", "HealthCheckInterval=240", "HealthCheckNodeState=ANY,CYCLE")),
        (False, True, (f"Prolog={SCRIPT}",)),
    ],
)
def test_desired_files_lines_and_script_depend_on_the_hooks(health_check: bool, prolog: bool, lines: tuple[str, ...]) -> None:
    desired = dataclasses.replace(WANTED, health_check=health_check, prolog=prolog)
    assert desired.lines == lines and bool(desired.script) == prolog
    assert desired.files == ({PROGRAM: b"#!x", SETTINGS: b"{}"} if lines else {})
    assert desired.paths == (PROGRAM, SETTINGS, MEMORY)
    assert CONF.script_path == f"/etc/slurm/{SCRIPT}"


def change(action: str, resource: str, field: str | None = None, before: t.Any = None, after: t.Any = None) -> dict[str, t.Any]:
    return {"action": action, "resource": resource, "field": field, "before": before, "after": after}


LINES = list(WANTED.lines)
OF_CONF, OF_SCRIPT = f"file {CONF.path}", f"file {CONF.script_path}"
OURS = "".join(f"{line} # mlfleet.hyperpod\n" for line in LINES)
INSTALLED = dataclasses.replace(CONF, text=f"{CONF.text}{OURS}", script=WANTED.script)
FILES = {PROGRAM: b"#!x", SETTINGS: b"{}"}


@pytest.mark.parametrize(
    ("desired", "state", "changes"),
    [
        (WANTED, State({}), [change("create", f"file {PROGRAM}"), change("create", f"file {SETTINGS}", "content", None, "{}")]),
        (
            WANTED,
            State({PROGRAM: b"old", SETTINGS: b"[]", MEMORY: b""}),
            [change("update", f"file {PROGRAM}"), change("update", f"file {SETTINGS}", "content", "[]", "{}")],
        ),
        (
            UNWANTED,
            State({**FILES, MEMORY: b""}),
            [
                change("delete", f"file {PROGRAM}"),
                change("delete", f"file {SETTINGS}", "content", "{}", None),
                change("delete", f"file {MEMORY}"),
            ],
        ),
        (
            WANTED,
            State(FILES, Slurm(EMPTY, CONF)),
            [
                change("update", OF_CONF, "lines of this collection", [], LINES),
                change("create", OF_SCRIPT, "content", None, WANTED.script),
            ],
        ),
        (
            WANTED,
            State(FILES, Slurm(FULL, dataclasses.replace(INSTALLED, script="old"))),
            [change("update", OF_SCRIPT, "content", "old", WANTED.script)],
        ),
        (WANTED, State(FILES, Slurm(EMPTY, INSTALLED)), [change("update", "slurmctld", "reads its configuration", False, True)]),
        (WANTED, State(FILES, Slurm(FULL, INSTALLED)), []),
        (
            UNWANTED,
            State({}, Slurm(FULL, INSTALLED)),
            [
                change("update", OF_CONF, "lines of this collection", LINES, []),
                change("delete", OF_SCRIPT, "content", WANTED.script, None),
            ],
        ),
    ],
)
def test_each_file_and_line_is_a_change(desired: Desired, state: State, changes: list[dict[str, t.Any]]) -> None:
    assert [each.to_result() for each in plans.plan(desired, state).changes] == changes


def test_the_predicted_configuration_of_slurmctld() -> None:
    state = State({}, Slurm(EMPTY, CONF))
    installed = plans.plan(WANTED, state).after(state)
    assert installed == State(FILES, Slurm(FULL, INSTALLED))
    assert plans.plan(UNWANTED, installed).after(installed) == state
    other = State({}, Slurm(dataclasses.replace(EMPTY, health_check=("/other", "60"), prologs=(SCRIPT,)), INSTALLED))
    after = plans.plan(UNWANTED, other).after(other)
    assert after.slurm.running == dataclasses.replace(EMPTY, health_check=("/other", "60"), prologs=())
