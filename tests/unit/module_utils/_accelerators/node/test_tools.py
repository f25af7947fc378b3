# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Tools that answer, fail, run forever, or hang."""

from __future__ import annotations

import json
import os
import signal
import threading
import time
from pathlib import Path

import pytest
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._accelerators.node import tools as module
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._accelerators.node.hung_tools import started
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._accelerators.node.tools import (
    Hung,
    Missing,
    Tools,
    children_seconds,
)


def tools(folder: Path, seconds: float = 20, **scripts: str) -> Tools:
    (folder / "bin").mkdir(exist_ok=True)
    for name, script in scripts.items():
        path = folder / "bin" / name.replace("_", "-")
        path.write_text(f"#!/bin/sh\n{script}\n")
        path.chmod(0o755)
    return Tools(seconds=seconds, remembered=str(folder / "hung"), paths=f"{folder / 'bin'}:/usr/bin:/bin")


def test_output_and_status_are_returned(tmp_path: Path) -> None:
    found = tools(tmp_path, nvidia_smi='echo "$1 $LC_ALL"; echo no >&2; exit 15', quiet="echo only >&2; exit 2")
    answer = found.run("nvidia-smi", "-q")
    assert (answer.text, answer.status) == ("-q C\n", 15)
    assert (found.run("quiet").text, found.run("quiet").status) == ("only\n", 2)


def test_a_tool_that_is_not_installed_is_missing(tmp_path: Path) -> None:
    with pytest.raises(Missing, match="nvidia-smi is not on this node"):
        tools(tmp_path).run("nvidia-smi")


def test_invalid_utf_8_is_replaced(tmp_path: Path) -> None:
    assert tools(tmp_path, a="printf 'a\\377b'").run("a").text == "a\ufffdb"


def test_a_tool_that_hangs_is_killed_with_its_children(tmp_path: Path) -> None:
    found = tools(tmp_path, seconds=0.3, nvidia_smi=f"sleep 1000 & echo $! > {tmp_path}/child; wait")
    before = time.time()
    with pytest.raises(Hung) as hung:
        found.run("nvidia-smi")
    assert before - 1 <= hung.value.since <= time.time() and not hung.value.survived
    child = int((tmp_path / "child").read_text())
    deadline = time.monotonic() + 10
    while started(child) is not None and time.monotonic() < deadline:
        time.sleep(0.01)
    assert started(child) is None
    assert not list((tmp_path / "hung").iterdir()), "it has ended, so the tool may be started again"


def test_the_first_line_of_a_tool_that_runs_forever_is_returned(tmp_path: Path) -> None:
    found = tools(tmp_path, monitor=f"echo $$ > {tmp_path}/pid; echo one; echo two; exec sleep 1000", short="exit 3")
    assert found.first_line("monitor") == "one"
    assert started(int((tmp_path / "pid").read_text())) is None
    assert found.first_line("short") == ""
    assert not list((tmp_path / "hung").iterdir())


def test_a_running_tool_is_recorded_in_case_its_caller_is_killed(tmp_path: Path) -> None:
    own = f"{tmp_path}/hung/nvidia-smi.$$.json"
    found = tools(tmp_path, nvidia_smi=f"until [ -e {own} ]; do :; done; cat {own}; echo; stat -c %a {tmp_path}/hung {own}")
    record, *modes = found.run("nvidia-smi").text.splitlines()
    assert set(json.loads(record)) == {"pid", "ticks", "since"} and modes == ["700", "600"]


def test_a_tool_that_survives_sigkill_stays_recorded(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    found = tools(tmp_path, seconds=0.05, nvidia_smi="exec sleep 1000")
    monkeypatch.setattr(os, "killpg", lambda _group, _signal: None)
    monkeypatch.setattr(module, "_TO_DIE", 0.05)
    before = time.time()
    with pytest.raises(Hung) as hung:
        found.run("nvidia-smi")
    (record,) = (tmp_path / "hung").iterdir()
    recorded = json.loads(record.read_text())
    try:
        assert hung.value.survived and before <= hung.value.since <= time.time()
        assert recorded["since"] == hung.value.since and recorded["ticks"] == started(recorded["pid"])
        with pytest.raises(Hung) as again:
            found.run("nvidia-smi")
        assert again.value.survived and again.value.since == hung.value.since
    finally:
        os.kill(recorded["pid"], signal.SIGKILL)


def test_a_tool_runs_even_if_the_folder_cannot_be_created(tmp_path: Path) -> None:
    (tmp_path / "hung").write_text("")
    assert tools(tmp_path, nvidia_smi="echo fine").run("nvidia-smi").text == "fine\n"


def test_a_tool_that_prints_no_line_hangs(tmp_path: Path) -> None:
    with pytest.raises(Hung):
        tools(tmp_path, seconds=0.3, monitor="exec sleep 1000").first_line("monitor")


@pytest.mark.skipif(os.geteuid() != 0, reason="only root may change the root of a process")
def test_tools_of_another_root_run_in_that_root(tmp_path: Path) -> None:
    (tmp_path / "usr/bin").mkdir(parents=True)
    (tmp_path / "usr/bin/nvidia-smi").write_text("#!/nowhere\n")
    (tmp_path / "usr/bin/nvidia-smi").chmod(0o755)
    answer = Tools(seconds=20, root=str(tmp_path), remembered=str(tmp_path / "hung")).run("nvidia-smi", "-q")
    assert answer.status == 127 and "/usr/bin/nvidia-smi" in answer.text and str(tmp_path) not in answer.text


@pytest.mark.skipif(os.geteuid() != 0, reason="only root may change the root of a process")
def test_links_in_another_root_are_followed_in_that_root(tmp_path: Path) -> None:
    (tmp_path / "usr/bin").mkdir(parents=True)
    (tmp_path / "opt").mkdir()
    (tmp_path / "opt/nvidia-smi").write_text("#!/nowhere\n")
    (tmp_path / "opt/nvidia-smi").chmod(0o755)
    (tmp_path / "usr/bin/nvidia-smi").symlink_to("/opt/nvidia-smi")
    answer = Tools(seconds=20, root=str(tmp_path), remembered=str(tmp_path / "hung")).run("nvidia-smi")
    assert answer.status == 127 and "/usr/bin/nvidia-smi" in answer.text, answer


def test_systemctl_ignores_the_change_of_the_root(tmp_path: Path) -> None:
    assert tools(tmp_path, systemctl="echo $SYSTEMD_IGNORE_CHROOT").run("systemctl").text == "1\n"


def hanging_process(folder: Path) -> Path:
    """Record process 7 of an earlier check, which survived SIGKILL. Returns the folder /proc."""
    (folder / "proc/7").mkdir(parents=True)
    (folder / "proc/7/status").write_text(f"Name:\tnvidia-smi\nUid:\t{os.getuid()}\t0\t0\t0\nShdPnd:\t0000000000000100\n")
    (folder / "proc/7/stat").write_text(f"7 (nvidia-smi) D 1 7 7 0 {'0 ' * 14}1000 0\n")
    (folder / "hung").mkdir(mode=0o700)
    record = folder / "hung/nvidia-smi.7.json"
    record.write_text(json.dumps({"pid": 7, "ticks": 1000, "since": 1000.0}))
    record.chmod(0o600)
    return folder / "proc"


def with_processes(folder: Path, proc: Path) -> Tools:
    return Tools(seconds=20, remembered=str(folder / "hung"), paths=f"{folder / 'bin'}:/usr/bin:/bin", proc=str(proc))


def test_a_tool_is_not_started_while_an_earlier_process_hangs(tmp_path: Path) -> None:
    tools(tmp_path, nvidia_smi=f"touch {tmp_path}/ran", fi_info="echo fine")
    found = with_processes(tmp_path, hanging_process(tmp_path))
    for _time in range(2):
        with pytest.raises(Hung) as hung:
            found.run("nvidia-smi")
        assert hung.value.since == 1000.0 and hung.value.survived and not (tmp_path / "ran").exists()
    assert found.run("fi-info").text == "fine\n"


def test_a_tool_is_started_after_the_earlier_process_has_ended(tmp_path: Path) -> None:
    tools(tmp_path, nvidia_smi="echo fine")
    proc = hanging_process(tmp_path)
    threading.Timer(0.2, (proc / "7/stat").unlink).start()
    assert with_processes(tmp_path, proc).run("nvidia-smi").text == "fine\n"


def test_children_seconds_counts_ended_tools(tmp_path: Path) -> None:
    before = children_seconds()
    tools(tmp_path, busy="i=0; while [ $i -lt 20000 ]; do i=$((i+1)); done").run("busy")
    assert children_seconds() > before
