# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The test as a process: its output, its end, and the end of one that does not stop."""

from __future__ import annotations

import os
import resource
import typing as t
from pathlib import Path

import pytest
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._accelerators.node.nccl import account, run as runs
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._accelerators.node.nccl.model import Ran
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._node import system
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._node.child import Identity

SCANCEL = '#!/bin/sh\necho "$@" >> {folder}/cancelled\n[ -e {folder}/stubborn ] || kill $(cat {folder}/pid)\n'


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setattr(system, "SEARCH_PATH", f"{tmp_path}:/usr/bin:/bin")
    monkeypatch.setattr(runs, "ENDS_SECONDS", 1.0)
    program(tmp_path, "scancel", SCANCEL.format(folder=tmp_path))
    return tmp_path


def program(folder: Path, name: str, text: str) -> None:
    (folder / name).write_text(text)
    (folder / name).chmod(0o755)


def ran(*argv: str, seconds: float = 20, identity: Identity | None = None, **environment: str) -> Ran:
    return runs.run(["srun", *argv], environment, name="mlfleet-nccl-test-1", seconds=seconds, identity=identity)


def test_output_and_status_are_returned(folder: Path) -> None:
    program(folder, "srun", '#!/bin/sh\necho "$1 $NCCL_DEBUG $LC_ALL"\nprintf "\\377\\n" >&2\nexit 4\n')
    result = ran("--x", NCCL_DEBUG="INFO")
    assert (result.text, result.status, result.too_much) == ("--x INFO C\n\ufffd\n", 4, False) and not (folder / "cancelled").exists()


@pytest.mark.skipif(os.geteuid() != 0, reason="only root can become another account")
def test_it_runs_as_the_account_without_groups_and_environment_of_root(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SECRET", "of-root")
    monkeypatch.chdir(folder)
    for each in (folder, *folder.parents[:-2]):
        each.chmod(0o755)
    program(folder, "srun", '#!/bin/sh\necho "$(id -u) $(id -G) $(pwd) ${SECRET-none}"\n')
    identity = account.unprivileged()
    assert identity is not None
    assert ran(identity=identity).text == f"{identity.uid} {identity.gid} / none\n"
    assert ran().text.startswith("0 ")


def test_tasks_may_lock_all_memory(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    limits: list[t.Any] = []
    monkeypatch.setattr(resource, "setrlimit", lambda *given: limits.append(given))
    program(folder, "srun", "#!/bin/sh\n")
    ran()
    assert limits == [(resource.RLIMIT_MEMLOCK, (resource.RLIM_INFINITY, resource.RLIM_INFINITY))]


def test_the_job_is_cancelled_at_its_deadline(folder: Path) -> None:
    program(folder, "srun", f"#!/bin/sh\necho $$ > {folder}/pid\necho first\nexec sleep 60\n")
    result = ran(seconds=0.5)
    assert (result.text, result.status, result.too_much) == ("first\n", None, False)
    assert (folder / "cancelled").read_text() == "--name=mlfleet-nccl-test-1\n"


def test_a_process_that_slurm_does_not_end_is_killed(folder: Path) -> None:
    (folder / "stubborn").touch()
    program(folder, "srun", f"#!/bin/sh\ntrap '' TERM\necho $$ > {folder}/pid\nwhile :; do sleep 0.1; done\n")
    assert ran(seconds=0.5).status is None
    assert not Path(f"/proc/{(folder / 'pid').read_text().strip()}").exists()


def test_a_process_that_writes_without_end_is_ended(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(runs, "LARGEST", 100_000)
    program(folder, "srun", f"#!/bin/sh\necho $$ > {folder}/pid\nexec yes\n")
    result = ran()
    assert result.status is None and result.too_much and len(result.text) == 100_000


def test_a_node_without_slurm_is_an_error(folder: Path) -> None:
    with pytest.raises(system.CommandFailed, match="srun is not installed on this node"):
        ran()
