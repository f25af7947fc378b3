# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Tools that run before a job: one deadline for all of them, with at most a second for the kernel's log."""

from __future__ import annotations

import time
from pathlib import Path

import pytest
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._accelerators.node.hooks.program.hurry import (
    BEFORE_A_JOB,
    CHECKED,
    Hurried,
)
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._accelerators.node.tools import Missing


def limited_tools(folder: Path, seconds: float, tools: tuple[str, ...] = CHECKED) -> Hurried:
    for name in ("nvidia-smi", "journalctl", "neuron-monitor"):
        (folder / name).write_text("#!/bin/sh\n[ \"$1\" = hang ] && exec /bin/sleep 100\necho output\n")
        (folder / name).chmod(0o755)
    return Hurried(until=time.monotonic() + seconds, tools=tools, remembered=str(folder / "hung"), paths=str(folder))


def test_a_log_that_hangs_leaves_time_for_the_others(tmp_path: Path) -> None:
    tools, begin = limited_tools(tmp_path, 2.5), time.monotonic()
    with pytest.raises(Missing, match="did not answer in time"):
        tools.run("journalctl", "hang")
    assert time.monotonic() - begin < 2.2
    assert tools.run("nvidia-smi", "-q").text == "output\n"


def test_a_tool_that_hangs_takes_no_more_than_the_remaining_time(tmp_path: Path) -> None:
    tools = limited_tools(tmp_path, 0.5)
    with pytest.raises(Missing, match="did not answer in time"):
        tools.run("nvidia-smi", "hang")
    with pytest.raises(Missing, match="no time was left for nvidia-smi"):
        tools.run("nvidia-smi")


def test_a_tool_that_never_ends_has_the_same_deadline(tmp_path: Path) -> None:
    assert limited_tools(tmp_path, 5).first_line("neuron-monitor") == "output"
    with pytest.raises(Missing, match="no time"):
        limited_tools(tmp_path, 0.1).first_line("neuron-monitor")


def test_commands_that_take_too_long_are_not_run(tmp_path: Path) -> None:
    tools = limited_tools(tmp_path, 5, BEFORE_A_JOB)
    assert tools.run("nvidia-smi", "-q", "-x").text == "output\n"
    for command in (("nvidia-smi", "nvlink", "-s"), ("nvidia-smi", "-qx"), ("dcgmi", "diag")):
        with pytest.raises(Missing, match="takes too long"):
            tools.run(*command)
