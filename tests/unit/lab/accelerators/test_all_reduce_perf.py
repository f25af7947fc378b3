# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The all_reduce_perf of nodes with simulated hardware, started as by Slurm, and the collection's verdict on its output."""

from __future__ import annotations

import itertools
import os
import socket
import subprocess
import sys
import typing as t
from pathlib import Path

import pytest
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._accelerators.node.nccl.judge import judge
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._accelerators.node.nccl.model import Desired, Outcome, Ran
from lab.accelerators import present
from lab.accelerators.story import Story, changed, healthy

TYPE, GIB = "ml.p5.48xlarge", 1024**3
OPTIONS = ("-b", str(GIB // 4), "-e", str(4 * GIB), "-f", "2", "-n", "20", "-w", "5")


@pytest.fixture
def outcome(tmp_path: Path) -> t.Callable[..., Outcome]:
    turns = itertools.count()

    def tested(*stories: Story, gpus: int = 2) -> Outcome:
        """:param gpus: GPUs of each node. Several nodes run a task for each GPU, a single node runs one task."""
        tasks = [(node, local) for node in range(len(stories)) for local in range(gpus if len(stories) > 1 else 1)]
        folder = tmp_path / str(next(turns))
        with socket.create_server(("127.0.0.1", 0)) as free:
            port = str(free.getsockname()[1])
        for node, story in enumerate(stories):
            present.present(story, folder / str(node))
        common = {"MASTER_ADDR": "127.0.0.1", "MASTER_PORT": port, "NCCL_DEBUG": "INFO", "SLURM_NTASKS": str(len(tasks))}
        common |= {"SLURM_NNODES": str(len(stories))}
        started = []
        for task, (node, local) in enumerate(tasks):
            command = [sys.executable, str(folder / str(node) / "bin/all_reduce_perf"), *OPTIONS, "-g", str(gpus if len(stories) == 1 else 1)]
            env = {**os.environ, **common, "SLURM_PROCID": str(task), "SLURM_LOCALID": str(local)}
            started.append((node, subprocess.Popen(command, env=env, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)))
        output = [each.communicate(timeout=60)[0].replace(f"{socket.gethostname()}:", f"node-{node}:") for node, each in started]
        status = max(abs(each.returncode) for _node, each in started)
        desired = Desired(tuple(f"10.1.2.{node}" for node in range(len(stories))), TYPE, gpus, 4 * GIB, reference=466.0)
        return judge(desired, Ran("".join(output), status))

    return tested


def test_healthy_nodes_pass(outcome: t.Callable[..., Outcome]) -> None:
    found = outcome(healthy(TYPE), healthy(TYPE))
    assert (found.verdict, found.bandwidth, found.carried_by, found.gpu_direct) == ("passed", 466.0, "EFA", True), found
    assert [row.bytes for row in found.rows] == [GIB // 4, GIB // 2, GIB, 2 * GIB, 4 * GIB]


def test_a_single_node_is_as_fast_as_its_nvlink(outcome: t.Callable[..., Outcome]) -> None:
    found = outcome(healthy(TYPE), gpus=8)
    assert (found.verdict, found.bandwidth, found.carried_by) == ("passed", 475.0, "P2P"), found


def test_all_nodes_are_as_fast_as_the_slowest(outcome: t.Callable[..., Outcome]) -> None:
    found = outcome(healthy(TYPE), healthy(TYPE), healthy(TYPE, all_reduce=(475.0, 90.0)))
    assert (found.verdict, found.bandwidth) == ("slow", 90.0), found


def test_without_efa_the_test_uses_sockets(outcome: t.Callable[..., Outcome]) -> None:
    for other in (changed(healthy(TYPE), efa=[]), healthy(TYPE, ofi=False)):
        found = outcome(healthy(TYPE), other)
        assert (found.verdict, found.failure) == ("failed", "no-efa"), found


def test_a_missing_gpu_fails_the_test(outcome: t.Callable[..., Outcome]) -> None:
    story = healthy(TYPE)
    story.gpus[7].on_bus = False
    assert outcome(story, gpus=8).failure == "devices"


def test_a_type_without_known_bandwidths_has_no_program(tmp_path: Path) -> None:
    present.present(healthy("ml.g5.48xlarge"), tmp_path)
    assert not (tmp_path / "bin/all_reduce_perf").exists() and (tmp_path / "bin/nvidia-smi").exists()
