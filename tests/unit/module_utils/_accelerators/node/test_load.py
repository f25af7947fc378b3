# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Which level of DCGM is made, what it is started with, and how one ends that hangs."""

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
    """:param of_gpu: What the second GPU has."""
    story: Story = healthy("ml.p4d.24xlarge")
    for name, value in of_gpu.items():
        setattr(story.gpus[1], name, value)
    present.present(story, folder)
    path = folder / "bin/dcgmi"
    says = dcgmi or f"echo '{PASSES}'"
    path.write_text(f'#!/bin/sh\necho "$@" >> {folder}/asked\n{says}\n')
    path.chmod(0o755)
    places = Places(str(folder), str(folder / "sys"), str(folder / "proc"))
    tools = Tools(seconds=20, remembered=str(folder / "hung"), paths=f"{folder / 'bin'}:/usr/bin:/bin")
    return Observer(places, tools, dcgm_asked=asked).observe()


def unseen(state: State) -> dict[str, str]:
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
        (Asked(2), {"told": {"processes": "N/A"}}, 1, "the processes on GPU 1 could not be listed"),
        (Asked(3, SLURM, beside_jobs=True), {"processes": ("python3",)}, 3, ""),
        (Asked(3), {"mig": True}, 3, ""),
        (Asked(4), {"mig": True}, 1, "MIG is on, and this level turns it off"),
        (Asked(4, beside_jobs=True), {"mig": True}, 1, "MIG is on, and this level turns it off"),
    ],
)
def test_which_level_is_made(tmp_path: Path, asked: Asked, of_gpu: dict[str, t.Any], level: int, why: str) -> None:
    state = look(tmp_path, asked, **of_gpu)
    assert (tmp_path / "asked").read_text() == f"diag -r {level} -j\n" and state.dcgm_level == level
    assert unseen(state) == ({asked.name: why} if why else {})


def test_nothing_is_asked_where_nobody_wants_it(tmp_path: Path) -> None:
    state = look(tmp_path, Asked(0))
    assert not (tmp_path / "asked").exists() and state.dcgm_level == 0


def test_at_its_deadline_it_may_end_what_it_has_started(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(load, "SECONDS", {2: 0.5})
    state = look(tmp_path, Asked(2), f"trap 'echo ended >> {tmp_path}/asked; exit' TERM\nwhile :; do sleep 0.05; done")
    assert (tmp_path / "asked").read_text() == "diag -r 2 -j\nended\n"
    assert unseen(state) == {"DCGM level 2": "it did not end within 0 s"} and state.hung == {} and state.dcgm_level == 0


@pytest.mark.parametrize(
    ("said", "why"),
    [
        ("echo Error: unable to establish a connection; exit 1", "it is not a JSON document; its output: Error: unable to establish a connection"),
        ("echo '{\"DCGM Diagnostic\":{\"runtime_error\":\"Diag is already running\"}}'", "it did not run: Diag is already running"),
        ("echo '{\"DCGM Diagnostic\":{\"test_cat'", "it is not a JSON document"),
        ("head -c 3000000 /dev/zero", "it is not a JSON document"),
    ],
)
def test_what_is_no_answer(tmp_path: Path, said: str, why: str) -> None:
    state = look(tmp_path, Asked(2), said)
    assert why in unseen(state)["DCGM level 2"] and state.dcgm_level == 0 and state.dcgm == ()


def test_a_node_without_dcgm_says_so_where_a_level_was_wanted(tmp_path: Path) -> None:
    present.present(healthy("ml.p4d.24xlarge"), tmp_path)
    places = Places(str(tmp_path), str(tmp_path / "sys"), str(tmp_path / "proc"))
    tools = Tools(seconds=20, remembered=str(tmp_path / "hung"), paths=f"{tmp_path / 'bin'}:/usr/bin:/bin")
    assert unseen(Observer(places, tools, dcgm_asked=Asked(2)).observe()) == {"DCGM level 2": "dcgmi is not on this node"}
    assert unseen(Observer(places, tools, dcgm_asked=Asked(1)).observe()) == {}


def test_each_level_that_loads_has_a_deadline() -> None:
    assert set(load.SECONDS) == {2, 3, 4} and list(load.SECONDS.values()) == sorted(load.SECONDS.values())
