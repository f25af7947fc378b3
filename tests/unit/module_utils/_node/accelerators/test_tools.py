# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Tools that answer, that fail, that go on for ever, and that hang."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import threading
import time
from pathlib import Path

import pytest
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._node.accelerators.tools import (
    Hung,
    Missing,
    Tools,
    children_seconds,
    killed_in_vain,
    started,
)


def tools(folder: Path, seconds: float = 20, **scripts: str) -> Tools:
    (folder / "bin").mkdir(exist_ok=True)
    for name, script in scripts.items():
        path = folder / "bin" / name.replace("_", "-")
        path.write_text(f"#!/bin/sh\n{script}\n")
        path.chmod(0o755)
    return Tools(seconds=seconds, remembered=str(folder / "hung"), paths=f"{folder / 'bin'}:/usr/bin:/bin")


def test_what_it_says_and_how_it_ends(tmp_path: Path) -> None:
    found = tools(tmp_path, nvidia_smi='echo "$1 $LC_ALL"; echo no >&2; exit 15', quiet="echo only >&2; exit 2")
    answer = found.ask("nvidia-smi", "-q")
    assert (answer.text, answer.status) == ("-q C\n", 15)
    assert (found.ask("quiet").text, found.ask("quiet").status) == ("only\n", 2)


def test_one_that_is_not_there(tmp_path: Path) -> None:
    with pytest.raises(Missing, match="nvidia-smi is not on this node"):
        tools(tmp_path).ask("nvidia-smi")


def test_bytes_that_are_no_text(tmp_path: Path) -> None:
    assert tools(tmp_path, a="printf 'a\\377b'").ask("a").text == "a\ufffdb"


def test_one_that_does_not_come_back_is_ended_with_its_children(tmp_path: Path) -> None:
    found = tools(tmp_path, seconds=0.3, nvidia_smi=f"sleep 1000 & echo $! > {tmp_path}/child; wait")
    before = time.time()
    with pytest.raises(Hung) as hung:
        found.ask("nvidia-smi")
    assert before - 1 <= hung.value.since <= time.time()
    child = int((tmp_path / "child").read_text())
    deadline = time.monotonic() + 10
    while started(child) is not None and time.monotonic() < deadline:
        time.sleep(0.01)
    assert started(child) is None
    assert not (tmp_path / "hung").exists(), "it did end, so the next one may be started"


@pytest.fixture
def sleeper() -> subprocess.Popen[bytes]:
    process = subprocess.Popen(["sleep", "1000"])
    yield process
    process.send_signal(signal.SIGKILL)
    process.wait()


def remember(folder: Path, pid: int, ticks: int | None) -> None:
    (folder / "hung").mkdir()
    (folder / "hung/nvidia-smi.json").write_text(json.dumps({"pid": pid, "ticks": ticks, "since": 1000.0}))


def test_none_is_started_beside_one_that_hangs(tmp_path: Path, sleeper: subprocess.Popen[bytes]) -> None:
    remember(tmp_path, sleeper.pid, started(sleeper.pid))
    found = tools(tmp_path, nvidia_smi=f"touch {tmp_path}/ran", fi_info="echo fine")
    with pytest.raises(Hung) as hung:
        found.ask("nvidia-smi")
    assert hung.value.since == 1000.0 and not (tmp_path / "ran").exists()
    assert found.ask("fi-info").text == "fine\n"


def test_another_process_with_that_number_is_not_taken_for_it(tmp_path: Path, sleeper: subprocess.Popen[bytes]) -> None:
    remember(tmp_path, sleeper.pid, 1)
    assert tools(tmp_path, nvidia_smi="echo fine").ask("nvidia-smi").text == "fine\n"
    assert not (tmp_path / "hung/nvidia-smi.json").exists()


@pytest.mark.parametrize("text", ["", "{", "[]", '{"pid": 1}'])
def test_a_record_that_is_damaged_is_none(tmp_path: Path, text: str) -> None:
    (tmp_path / "hung").mkdir()
    (tmp_path / "hung/nvidia-smi.json").write_text(text)
    assert tools(tmp_path, nvidia_smi="echo fine").ask("nvidia-smi").text == "fine\n"


def test_the_first_line_of_one_that_goes_on_for_ever(tmp_path: Path) -> None:
    found = tools(tmp_path, monitor=f"echo $$ > {tmp_path}/pid; echo one; echo two; exec sleep 1000", short="exit 3")
    assert found.first_line("monitor") == "one"
    assert started(int((tmp_path / "pid").read_text())) is None
    assert found.first_line("short") == ""
    assert not (tmp_path / "hung").exists()


def test_one_that_never_says_a_line(tmp_path: Path) -> None:
    with pytest.raises(Hung):
        tools(tmp_path, seconds=0.3, monitor="exec sleep 1000").first_line("monitor")


@pytest.mark.skipif(os.geteuid() != 0, reason="only root may change the root of a process")
def test_tools_of_another_root_run_with_it(tmp_path: Path) -> None:
    (tmp_path / "usr/bin").mkdir(parents=True)
    (tmp_path / "usr/bin/nvidia-smi").write_text("#!/nowhere\n")
    (tmp_path / "usr/bin/nvidia-smi").chmod(0o755)
    answer = Tools(seconds=20, root=str(tmp_path), remembered=str(tmp_path / "hung")).ask("nvidia-smi", "-q")
    assert answer.status == 127 and "/usr/bin/nvidia-smi" in answer.text and str(tmp_path) not in answer.text


@pytest.mark.skipif(os.geteuid() != 0, reason="only root may change the root of a process")
def test_links_of_another_root_are_followed_there(tmp_path: Path) -> None:
    (tmp_path / "usr/bin").mkdir(parents=True)
    (tmp_path / "opt").mkdir()
    (tmp_path / "opt/nvidia-smi").write_text("#!/nowhere\n")
    (tmp_path / "opt/nvidia-smi").chmod(0o755)
    (tmp_path / "usr/bin/nvidia-smi").symlink_to("/opt/nvidia-smi")
    answer = Tools(seconds=20, root=str(tmp_path), remembered=str(tmp_path / "hung")).ask("nvidia-smi")
    assert answer.status == 127 and "/usr/bin/nvidia-smi" in answer.text, answer


def test_systemctl_asks_the_first_process_also_from_a_root_of_its_own(tmp_path: Path) -> None:
    assert tools(tmp_path, systemctl="echo $SYSTEMD_IGNORE_CHROOT").ask("systemctl").text == "1\n"


def test_who_is_gone_was_never_started() -> None:
    assert started(os.getpid()) and started(2**22 + 1) is None


KILLED = {"Name": "nvidia-smi", "State": "D (disk sleep)", "SigPnd": "0" * 16, "ShdPnd": "0000000000000100"}
OTHERS = {
    "another tool": ({"Name": "dcgmi"}, 7),
    "not killed": ({"ShdPnd": "0" * 16}, 7),
    "ended by another signal": ({"ShdPnd": "0000000000004000"}, 7),
    "it runs": ({"State": "R (running)"}, 7),
    "of a shell": ({}, 3),
}


def process(folder: Path, change: dict[str, str], session: int) -> Path:
    """Number 7, which was started 1000 ticks after the boot, of a node that has been up for a day."""
    (folder / "proc/7").mkdir(parents=True)
    (folder / "proc/7/status").write_text("".join(f"{name}:\t{words}\n" for name, words in {**KILLED, **change}.items()))
    (folder / "proc/7/stat").write_text(f"7 (nvidia-smi) D 1 7 {session} 0 {'0 ' * 14}1000 0\n")
    (folder / "proc/uptime").write_text("86400.00 1.00\n")
    return folder / "proc"


@pytest.mark.parametrize(("change", "session"), OTHERS.values(), ids=OTHERS)
def test_a_process_that_is_not_killed_in_vain(change: dict[str, str], session: int, tmp_path: Path) -> None:
    assert killed_in_vain("nvidia-smi", str(process(tmp_path, change, session))) == set()


def test_one_that_a_caller_before_left_hanging_is_not_started_beside(tmp_path: Path) -> None:
    tools(tmp_path, nvidia_smi=f"touch {tmp_path}/ran", fi_info="echo fine")
    proc = process(tmp_path, {"SigPnd": "0000000000000100", "ShdPnd": "0" * 16}, 7)
    assert killed_in_vain("nvidia-smi", str(proc)) == {(7, 1000)}
    found = Tools(seconds=0.1, remembered=str(tmp_path / "hung"), paths=f"{tmp_path / 'bin'}:/usr/bin:/bin", proc=str(proc))
    with pytest.raises(Hung) as hung:
        found.ask("nvidia-smi")
    begin = time.time() - 86400 + 1000 / os.sysconf("SC_CLK_TCK")
    assert abs(hung.value.since - begin) < 60 and not (tmp_path / "ran").exists()
    assert Tools(seconds=20, remembered=str(tmp_path / "no"), paths=f"{tmp_path / 'bin'}:/usr/bin:/bin", proc=str(proc)).ask("fi-info").text == "fine\n"


def test_one_that_ends_after_all_is_started_again(tmp_path: Path) -> None:
    tools(tmp_path, nvidia_smi="echo fine")
    proc = process(tmp_path, {}, 7)
    threading.Timer(0.2, (proc / "7/status").unlink).start()
    found = Tools(seconds=20, remembered=str(tmp_path / "hung"), paths=f"{tmp_path / 'bin'}:/usr/bin:/bin", proc=str(proc))
    assert found.ask("nvidia-smi").text == "fine\n"


def test_time_of_children_counts(tmp_path: Path) -> None:
    before = children_seconds()
    tools(tmp_path, busy="i=0; while [ $i -lt 20000 ]; do i=$((i+1)); done").ask("busy")
    assert children_seconds() > before
