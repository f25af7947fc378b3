# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The changes, their order, and refused settings of others."""

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


def test_the_program_is_written_before_slurm_uses_it_and_removed_after() -> None:
    assert operations(WANTED, state()) == [WRITE, CONFIGURE]
    current = installed()
    assert set(current.files) == {PROGRAM, SETTINGS} and operations(WANTED, current) == []
    assert operations(UNWANTED, current) == [CONFIGURE, WRITE]
    gone = plan(UNWANTED, current).after(current)
    assert gone == state() and operations(UNWANTED, gone) == []


def test_slurm_conf_has_a_line_for_each_setting() -> None:
    current = installed()
    assert current.slurm is not None
    assert current.slurm.conf.text == (
        "ClusterName=ml\n"
        "HealthCheckProgram=/var/x/slurm-health-check # mlfleet.hyperpod\n"
        "HealthCheckInterval=240 # mlfleet.hyperpod\n"
        "HealthCheckNodeState=ANY,CYCLE # mlfleet.hyperpod\n"
        "Prolog=mlfleet-hyperpod-prolog # mlfleet.hyperpod\n"
    )
    only = plan(dataclasses.replace(WANTED, prolog=False), current)
    assert [change.action for change in only.changes] == ["update", "delete"]


def test_the_memory_is_removed_only_with_the_program() -> None:
    current = installed()
    with_memory = dataclasses.replace(current, files={**current.files, MEMORY: b""})
    assert operations(WANTED, with_memory) == []
    removed = [change.resource for change in plan(UNWANTED, with_memory).changes if change.action == "delete"]
    assert f"file {MEMORY}" in removed


def test_our_prolog_is_restored_next_to_that_of_hyperpod() -> None:
    current = installed()
    assert current.slurm is not None
    text = current.slurm.conf.text.replace("Prolog=mlfleet-hyperpod-prolog # mlfleet.hyperpod\n", f"{HYPERPOD}\n")
    slurm = dataclasses.replace(current.slurm, conf=dataclasses.replace(current.slurm.conf, text=text))
    after = plan(WANTED, dataclasses.replace(current, slurm=slurm)).after(dataclasses.replace(current, slurm=slurm))
    assert HYPERPOD in after.slurm.conf.text.split("\n") and "Prolog=mlfleet-hyperpod-prolog" in after.slurm.conf.text


def test_a_slurmctld_that_has_not_read_its_file_is_reconfigured() -> None:
    current = installed()
    assert current.slurm is not None
    for stale in (NOTHING, dataclasses.replace(current.slurm.running, health_check=("/var/x/slurm-health-check", "60"))):
        assert operations(WANTED, dataclasses.replace(current, slurm=dataclasses.replace(current.slurm, running=stale))) == [CONFIGURE]
    busy = dataclasses.replace(current.slurm.running, prologs=("mlfleet-hyperpod-prolog", "/a"))
    assert operations(WANTED, dataclasses.replace(current, slurm=dataclasses.replace(current.slurm, running=busy))) == []


def test_nodes_other_than_the_controller_get_only_files() -> None:
    desired = dataclasses.replace(WANTED, controller=False)
    assert operations(desired, State({})) == [WRITE]
    assert operations(dataclasses.replace(UNWANTED, controller=False), State({})) == []


@pytest.mark.parametrize(
    ("text", "runs", "message"),
    [
        ("HealthCheckProgram=/usr/sbin/nhc\n", NOTHING, "health_check: Slurm already has HealthCheckProgram=/usr/sbin/nhc,"),
        ("healthcheckinterval=60\n", NOTHING, "Slurm already has healthcheckinterval=60,"),
        ("", running(health_check=("/usr/sbin/nhc", "60")), "Slurm already has HealthCheckProgram=/usr/sbin/nhc,"),
        ("", running(configless=False), "prolog: slurmctld does not send prologs to nodes"),
        ("", running(version=(23, 2)), "This is Slurm 23.02."),
        (f"{HYPERPOD}\n", running(version=(23, 11)), f"prolog: Slurm already has {HYPERPOD}, and Slurm 23.11 supports only one."),
        ("", running(version=(23, 11), prologs=("/a",)), "prolog: Slurm already has /a, and Slurm 23.11"),
    ],
)
def test_hooks_of_others_are_refused_with_their_option(text: str, runs: Running, message: str) -> None:
    with pytest.raises(Refused) as raised:
        plan(WANTED, state(text, runs))
    assert message in str(raised.value)
    option = str(raised.value).partition(":")[0]
    assert raised.value.option == option
    assert operations(dataclasses.replace(WANTED, **{option: False}), state(text, runs))
    assert plan(UNWANTED, state(text, runs)).steps == ()


def test_an_older_release_may_have_a_single_prolog() -> None:
    assert CONFIGURE in operations(WANTED, state(running=running(version=(23, 11))))
    assert CONFIGURE in operations(WANTED, state(f"{HYPERPOD}\n", running(version=(24, 5), prologs=("/opt/x",))))


def test_another_folder_changes_the_configuration() -> None:
    moved = dataclasses.replace(WANTED, folder="/opt/x")
    assert CONFIGURE in operations(moved, installed())


def test_a_node_without_a_working_program_starts_jobs(tmp_path: t.Any) -> None:
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
