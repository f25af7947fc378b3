# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
from __future__ import annotations

import dataclasses
import socket

import pytest
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._core.failure import Refused
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._lock.process import RunProcess


@pytest.fixture
def proc(tmp_path):
    """A /proc with the processes 1 init, 50 a shell, 60 ansible-playbook, 70 its worker, 80 a shell, 90 the module."""

    def process(pid, parent, started, *words, state="S"):
        (tmp_path / str(pid)).mkdir()
        (tmp_path / str(pid) / "cmdline").write_text("\0".join(words) + "\0")
        middle = " ".join("0" for _turn in range(17))
        (tmp_path / str(pid) / "stat").write_text(f"{pid} (a ) b) {state} {parent} {middle} {started} 0 0\n")

    (tmp_path / "sys/kernel/random").mkdir(parents=True)
    (tmp_path / "sys/kernel/random/boot_id").write_text("boot\n")
    process(1, 0, 5, "/sbin/init")
    process(50, 1, 100, "bash")
    process(60, 50, 200, "/venv/bin/python", "/venv/bin/ansible-playbook", "site.yml")
    process(70, 60, 300, "/venv/bin/python", "/venv/bin/ansible-playbook", "site.yml")
    process(80, 70, 310, "/bin/sh", "-c", "ansible-playbook is only mentioned here")
    process(90, 80, 320, "/venv/bin/python", "AnsiballZ_cluster_lock.py")
    process(99, 1, 400, "/venv/bin/python", state="Z")
    (tmp_path / "self").symlink_to("90")
    return tmp_path


def test_the_command_is_found_above_its_workers(proc):
    assert RunProcess.current(proc=proc) == RunProcess(
        host=socket.gethostname(), place="boot/5", pid=60, started=200
    )


@pytest.mark.parametrize(
    "words", [["/usr/bin/ansible", "all"], ["python", "-m", "ansible", "playbook"], ["/venv/bin/ansible-pull"]]
)
def test_all_commands_of_ansible_are_found(proc, words):
    for pid in ("60", "70"):
        (proc / pid / "cmdline").write_text("\0".join(words) + "\0")
    assert RunProcess.current(proc=proc).pid == 60


def test_a_run_inside_another_run_is_its_own_process(proc):
    (proc / "50" / "cmdline").write_text("python\0ansible-playbook\0outer.yml\0")
    assert RunProcess.current(proc=proc).pid == 60


def test_a_controller_without_proc_is_refused(tmp_path):
    with pytest.raises(Refused, match=r"has no .* processes\. macOS is not supported\. Use Linux, WSL or a container"):
        RunProcess.current(proc=tmp_path / "none")


def test_without_a_command_of_ansible_there_is_no_process(proc):
    for pid in ("60", "70"):
        (proc / pid / "cmdline").write_text("something\0")
    assert RunProcess.current(proc=proc) is None


@pytest.mark.parametrize(
    ("differs", "gone"),
    [
        ({}, False),
        ({"started": 201}, True),
        ({"pid": 61}, True),
        ({"pid": 99, "started": 400}, True),
        ({"pid": 61, "host": "elsewhere"}, False),
        ({"pid": 61, "place": "boot/6"}, False),
    ],
)
def test_a_process_is_gone_only_if_that_is_certain(proc, differs, gone):
    process = dataclasses.replace(RunProcess.current(proc=proc), **differs)
    assert process.is_gone(proc=proc) is gone


def test_a_claim_without_a_process_is_none():
    assert RunProcess.from_json({"host": "h", "place": "", "pid": 0, "started": 0}) is None


def test_a_process_without_a_readable_command_is_no_run(proc):
    (proc / "80" / "cmdline").unlink()
    assert RunProcess.current(proc=proc).pid == 60
