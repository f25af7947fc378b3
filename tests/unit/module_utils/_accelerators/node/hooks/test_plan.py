# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""What changes, in which order, and what is left to others."""

from __future__ import annotations

import dataclasses
import typing as t

import pytest
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._accelerators.node.hooks.model import (
    Conf,
    Desired,
    Running,
    Slurm,
    State,
)
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._accelerators.node.hooks.plan import CONFIGURE, WRITE, plan
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._core.failure import Refused

HYPERPOD = "Prolog=/opt/slurm/etc/scripts/prolog.sh"
PROGRAM, SETTINGS, MEMORY = (f"/var/x/{name}" for name in ("slurm-health-check", "slurm-health.json", "slurm-health-memory.json"))
WANTED = Desired("/var/x", health_check=True, prolog=True, interval=240, controller=True, settings="{}", archive=b"#!x")
UNWANTED = dataclasses.replace(WANTED, health_check=False, prolog=False)
NOTHING = Running((24, 11), configless=True, health_check=("", "0"), prologs=())


def state(text: str = "ClusterName=ml\n", running: Running = NOTHING, **files: bytes) -> State:
    return State(files, Slurm(running, Conf("/etc/slurm/slurm.conf", text, 0o644, 0, 0, "")))


def running(**values: t.Any) -> Running:
    return dataclasses.replace(NOTHING, **values)


def operations(desired: Desired, found: State) -> list[str]:
    return [step.operation for step in plan(desired, found).steps]


def installed() -> State:
    return t.cast(State, plan(WANTED, state()).after(state()))


def test_nodes_have_it_before_slurm_asks_and_lose_it_after() -> None:
    assert operations(WANTED, state()) == [WRITE, CONFIGURE]
    there = installed()
    assert set(there.files) == {PROGRAM, SETTINGS} and operations(WANTED, there) == []
    assert operations(UNWANTED, there) == [CONFIGURE, WRITE]
    gone = plan(UNWANTED, there).after(there)
    assert gone == state() and operations(UNWANTED, gone) == []


def test_lines_of_slurm_conf() -> None:
    there = installed()
    assert there.slurm is not None
    assert there.slurm.conf.text == (
        "ClusterName=ml\n"
        "HealthCheckProgram=/var/x/slurm-health-check # mlfleet.hyperpod\n"
        "HealthCheckInterval=240 # mlfleet.hyperpod\n"
        "HealthCheckNodeState=ANY,CYCLE # mlfleet.hyperpod\n"
        "Prolog=mlfleet-hyperpod-prolog # mlfleet.hyperpod\n"
    )
    only = plan(dataclasses.replace(WANTED, prolog=False), there)
    assert [change.action for change in only.changes] == ["update", "delete"]


def test_what_programs_remember_is_removed_with_them_only() -> None:
    there = installed()
    remembering = dataclasses.replace(there, files={**there.files, MEMORY: b""})
    assert operations(WANTED, remembering) == []
    removed = [change.resource for change in plan(UNWANTED, remembering).changes if change.action == "delete"]
    assert f"file {MEMORY}" in removed


def test_the_line_is_put_back_beside_the_one_that_hyperpod_wrote_instead() -> None:
    there = installed()
    assert there.slurm is not None
    text = there.slurm.conf.text.replace("Prolog=mlfleet-hyperpod-prolog # mlfleet.hyperpod\n", f"{HYPERPOD}\n")
    slurm = dataclasses.replace(there.slurm, conf=dataclasses.replace(there.slurm.conf, text=text))
    after = plan(WANTED, dataclasses.replace(there, slurm=slurm)).after(dataclasses.replace(there, slurm=slurm))
    assert HYPERPOD in after.slurm.conf.text.split("\n") and "Prolog=mlfleet-hyperpod-prolog" in after.slurm.conf.text


def test_a_slurmctld_that_has_not_read_its_file_is_told_again() -> None:
    there = installed()
    assert there.slurm is not None
    for stale in (NOTHING, dataclasses.replace(there.slurm.running, health_check=("/var/x/slurm-health-check", "60"))):
        assert operations(WANTED, dataclasses.replace(there, slurm=dataclasses.replace(there.slurm, running=stale))) == [CONFIGURE]
    busy = dataclasses.replace(there.slurm.running, prologs=("mlfleet-hyperpod-prolog", "/a"))
    assert operations(WANTED, dataclasses.replace(there, slurm=dataclasses.replace(there.slurm, running=busy))) == []


def test_other_nodes_get_files_only() -> None:
    desired = dataclasses.replace(WANTED, controller=False)
    assert operations(desired, State({})) == [WRITE]
    assert operations(dataclasses.replace(UNWANTED, controller=False), State({})) == []


@pytest.mark.parametrize(
    ("text", "runs", "said"),
    [
        ("HealthCheckProgram=/usr/sbin/nhc\n", NOTHING, "health_check: Slurm already has HealthCheckProgram=/usr/sbin/nhc,"),
        ("healthcheckinterval=60\n", NOTHING, "Slurm already has healthcheckinterval=60,"),
        ("", running(health_check=("/usr/sbin/nhc", "60")), "Slurm already has HealthCheckProgram=/usr/sbin/nhc,"),
        ("", running(configless=False), "prolog: this Slurm does not send prologs to nodes"),
        ("", running(version=(23, 2)), "this is 23.02."),
        (f"{HYPERPOD}\n", running(version=(23, 11)), f"prolog: Slurm already has {HYPERPOD}, and 23.11 supports only one."),
        ("", running(version=(23, 11), prologs=("/a",)), "prolog: Slurm already has /a, and 23.11"),
    ],
)
def test_what_is_refused_and_what_is_not(text: str, runs: Running, said: str) -> None:
    with pytest.raises(Refused) as raised:
        plan(WANTED, state(text, runs))
    assert said in str(raised.value)
    option = str(raised.value).partition(":")[0]
    assert raised.value.option == option
    assert operations(dataclasses.replace(WANTED, **{option: False}), state(text, runs))
    assert plan(UNWANTED, state(text, runs)).steps == ()


def test_a_single_prolog_is_fine_for_an_older_release() -> None:
    assert CONFIGURE in operations(WANTED, state(running=running(version=(23, 11))))
    assert CONFIGURE in operations(WANTED, state(f"{HYPERPOD}\n", running(version=(24, 5), prologs=("/opt/x",))))


def test_the_program_may_move() -> None:
    moved = dataclasses.replace(WANTED, folder="/opt/x")
    assert CONFIGURE in operations(moved, installed())


def test_a_node_without_the_program_takes_its_jobs(tmp_path: t.Any) -> None:
    import subprocess

    desired = dataclasses.replace(WANTED, folder=str(tmp_path))

    def status(program: str | None) -> int:
        if program is not None:
            (tmp_path / "slurm-health-check").write_text(f"#!{program}\n")
            (tmp_path / "slurm-health-check").chmod(0o755)
        return subprocess.run(["sh", "-c", desired.script], check=False, stderr=subprocess.DEVNULL).returncode

    assert [status(each) for each in (None, "/no/such/python", "/bin/sh\nexit 1", "/bin/sh\nkill -9 $$", "/bin/sh\nexit 3")] == [0, 0, 0, 0, 1]
    (tmp_path / "slurm-health-check").write_text('#!/bin/sh\n[ "$*" = prolog ] && exit 3\n')
    assert status(None) == 1
