# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The level of DCGM that runs, its arguments, and the end of one that hangs."""

from __future__ import annotations

import typing as t
from pathlib import Path

import pytest
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._accelerators.node import load
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._accelerators.node.load import Asked
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._accelerators.node.model import State
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._accelerators.node.observe import Observer
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._accelerators.node.options import Places
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._accelerators.node.tools import Tools
from lab.accelerators import present
from lab.accelerators.story import Story, healthy

PASSES = '{"DCGM Diagnostic":{"test_categories":[{"category":"Deployment","tests":[{"name":"software","results":[{"status":"Pass"}]}]}]}}'
SLURM = "there are jobs on it: 7 of alice"


def look(folder: Path, asked: Asked, dcgmi: str = "", **of_gpu: t.Any) -> State:
    """:param of_gpu: Attributes of the second simulated GPU."""
    story: Story = healthy("ml.p4d.24xlarge")
    for name, value in of_gpu.items():
        setattr(story.gpus[1], name, value)
    present.present(story, folder)
    path = folder / "bin/dcgmi"
    script = dcgmi or f"echo '{PASSES}'"
    path.write_text(f'#!/bin/sh\necho "$@" >> {folder}/calls\n{script}\n')
    path.chmod(0o755)
    places = Places(str(folder), str(folder / "sys"), str(folder / "proc"))
    tools = Tools(seconds=20, remembered=str(folder / "hung"), paths=f"{folder / 'bin'}:/usr/bin:/bin")
    return Observer(places, tools, dcgm_asked=asked).observe()


def unread_levels(state: State) -> dict[str, str]:
    return {each.what: each.why for each in state.unseen if "DCGM" in each.what}


@pytest.mark.parametrize(
    ("asked", "of_gpu", "level", "why"),
    [
        (Asked(1), {"processes": ("python3",)}, 1, ""),
        (Asked(1, SLURM), {}, 1, ""),
        (Asked(2), {}, 2, ""),
        (Asked(4), {}, 4, ""),
        (Asked(2, SLURM), {}, 1, SLURM),
        (Asked(2), {"processes": ("python3",)}, 1, "there are processes on GPU 1"),
        (Asked(2), {"elements": {"processes": "N/A"}}, 1, "the processes on GPU 1 could not be listed"),
        (Asked(3, SLURM, beside_jobs=True), {"processes": ("python3",)}, 3, ""),
        (Asked(3), {"mig": True}, 3, ""),
        (Asked(4), {"mig": True}, 1, "MIG is on, and this level turns it off"),
        (Asked(4, beside_jobs=True), {"mig": True}, 1, "MIG is on, and this level turns it off"),
    ],
)
def test_the_level_depends_on_load_and_mig(tmp_path: Path, asked: Asked, of_gpu: dict[str, t.Any], level: int, why: str) -> None:
    state = look(tmp_path, asked, **of_gpu)
    assert (tmp_path / "calls").read_text() == f"diag -r {level} -j\n" and state.dcgm_level == level
    assert unread_levels(state) == ({asked.name: why} if why else {})


def test_without_dcgm_no_level_runs(tmp_path: Path) -> None:
    state = look(tmp_path, Asked(0))
    assert not (tmp_path / "calls").exists() and state.dcgm_level == 0


def test_at_its_deadline_dcgmi_can_stop_its_tests(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(load, "SECONDS", {2: 0.5})
    state = look(tmp_path, Asked(2), f"trap 'echo ended >> {tmp_path}/calls; exit' TERM\nwhile :; do sleep 0.05; done")
    assert (tmp_path / "calls").read_text() == "diag -r 2 -j\nended\n"
    assert unread_levels(state) == {"DCGM level 2": "the test did not end within 0 s"} and state.hung == {} and state.dcgm_level == 0


@pytest.mark.parametrize(
    ("script", "why"),
    [
        (
            "echo Error: unable to establish a connection; exit 1",
            "the output is not a JSON document; first line of the output: Error: unable to establish a connection",
        ),
        ("echo '{\"DCGM Diagnostic\":{\"runtime_error\":\"Diag is already running\"}}'", "the diagnostic did not run: Diag is already running"),
        ("echo '{\"DCGM Diagnostic\":{\"test_cat'", "the output is not a JSON document"),
        ("head -c 3000000 /dev/zero", "the output is not a JSON document"),
    ],
)
def test_unreadable_output_is_reported(tmp_path: Path, script: str, why: str) -> None:
    state = look(tmp_path, Asked(2), script)
    assert why in unread_levels(state)["DCGM level 2"] and state.dcgm_level == 0 and state.dcgm == ()


def test_a_missing_dcgmi_is_reported_only_for_higher_levels(tmp_path: Path) -> None:
    present.present(healthy("ml.p4d.24xlarge"), tmp_path)
    places = Places(str(tmp_path), str(tmp_path / "sys"), str(tmp_path / "proc"))
    tools = Tools(seconds=20, remembered=str(tmp_path / "hung"), paths=f"{tmp_path / 'bin'}:/usr/bin:/bin")
    assert unread_levels(Observer(places, tools, dcgm_asked=Asked(2)).observe()) == {"DCGM level 2": "dcgmi is not on this node"}
    assert unread_levels(Observer(places, tools, dcgm_asked=Asked(1)).observe()) == {}


def test_each_level_that_loads_has_a_deadline() -> None:
    assert set(load.SECONDS) == {2, 3, 4} and list(load.SECONDS.values()) == sorted(load.SECONDS.values())
