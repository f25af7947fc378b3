# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The collection's NCCL test with simulated GPUs, and the collection's verdict on its output."""

from __future__ import annotations

import os
import socket
import subprocess
import typing as t
from pathlib import Path

import lab
import pytest
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._accelerators.node.nccl.judge import judge
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._accelerators.node.nccl.model import Desired, Outcome, Ran
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._accelerators.node.nccl.programs import TORCH
from lab.accelerators import all_reduce_perf, present
from lab.accelerators.story import Story, healthy
from torch_of_lab import PYTHON, needs_torch, torch

TYPE, MIB, LARGEST = "ml.p5.4xlarge", 2**20, 2**28
ON_NODE = """
import socket
socket.gethostname = lambda: {host!r}
from lab.accelerators import torch_cuda
torch_cuda.install({data!r})
exec({program!r})
"""


def outcome(folder: Path, *stories: Story) -> Outcome:
    """Of a test with one GPU on each node."""
    with socket.create_server(("127.0.0.1", 0)) as free:
        port = str(free.getsockname()[1])
    common = {"MASTER_ADDR": "127.0.0.1", "MASTER_PORT": port, "NCCL_DEBUG": "INFO", "LOCAL_RANK": "0", "WORLD_SIZE": str(len(stories))}
    common |= {"PYTHONPATH": f"{Path(lab.__file__).parents[1]}:{torch()}", "OMP_NUM_THREADS": "1", "MEETING_SECONDS": "60"}
    pipes: dict[str, t.Any] = {"stdout": subprocess.PIPE, "stderr": subprocess.STDOUT, "text": True}
    started = []
    for rank, story in enumerate(stories):
        present.present(story, folder / str(rank))
        program = ON_NODE.format(host=f"node-{rank}", data=str(folder / str(rank) / all_reduce_perf.DATA), program=TORCH)
        argv = [PYTHON, "-c", program, str(LARGEST // 4), str(LARGEST)]
        started.append(subprocess.Popen(argv, env={**os.environ, **common, "RANK": str(rank)}, **pipes))
    output = "".join(each.communicate(timeout=120)[0] for each in started)
    desired = Desired(tuple(f"10.1.2.{rank}" for rank in range(len(stories))), TYPE, 1, LARGEST, reference=10.0)
    return judge(desired, Ran(output, max(abs(each.returncode) for each in started)))


@pytest.mark.slow
@needs_torch
def test_the_slowest_node_determines_the_bandwidth(tmp_path: Path) -> None:
    found = outcome(tmp_path, healthy(TYPE, all_reduce=(1.0, 9.0)), healthy(TYPE, all_reduce=(1.0, 8.0)))
    assert (found.verdict, found.bandwidth, found.carried_by, found.gpu_direct) == ("passed", 8.0, "EFA", True), found
    assert [row.bytes for row in found.rows] == [64 * MIB, 128 * MIB, 256 * MIB]


@pytest.mark.slow
@needs_torch
def test_a_node_without_its_gpu_fails_the_test(tmp_path: Path) -> None:
    story = healthy(TYPE, all_reduce=(1.0, 9.0))
    story.gpus[0].on_bus = False
    assert outcome(tmp_path, story).failure == "devices"
