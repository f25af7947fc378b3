# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The command line that starts the test."""

from __future__ import annotations

import typing as t

import pytest
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._accelerators.node.nccl.command import command, environment
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._accelerators.node.nccl.model import Desired
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._node.slurm.nodes.model import SlurmNode

GIB = 1024**3


def node(number: int, *partitions: str, gres: tuple[str, ...] = ()) -> SlurmNode:
    return SlurmNode(f"ip-10-1-2-{number}", f"10.1.2.{number}", "idle", partitions=partitions, gres=gres)


def line(*nodes: SlurmNode, **more: t.Any) -> list[str]:
    options = {"instance_type": "ml.p5.48xlarge", "gpus": 8, "bytes": 4 * GIB, **more}
    return command(Desired(tuple(each.address for each in nodes), **options), nodes, name="mlfleet-nccl-test-1")


def test_two_nodes_are_allocated_exclusively_with_a_time_limit() -> None:
    arguments = line(node(3, "dev", "a"), node(4, "a", "b"), timeout=601)
    assert arguments[0] == "srun" and {"--nodelist=ip-10-1-2-3,ip-10-1-2-4", "--nodes=2", "--ntasks-per-node=8"} <= {*arguments}
    assert {"--exclusive", "--mem=0", "--time=11", "--immediate=60", "--partition=a", "--job-name=mlfleet-nccl-test-1"} <= {*arguments}
    assert arguments[-5:-1] == ["", "1", str(GIB // 4), str(4 * GIB)]


def test_one_node_is_one_task_with_all_gpus() -> None:
    arguments = line(node(3))
    assert "--ntasks-per-node=1" in arguments and arguments[-5:-1] == ["", "8", str(GIB // 4), str(4 * GIB)]
    assert not any(each.startswith("--partition") for each in arguments)


def test_beside_jobs_nothing_is_allocated_exclusively() -> None:
    arguments = line(node(3), beside_jobs=True, program="/opt/x", mpi="none")
    assert "--oversubscribe" in arguments and "--exclusive" not in arguments and "--mem=0" not in arguments and "--mpi=none" in arguments
    assert arguments[-5] == "/opt/x"


@pytest.mark.parametrize(
    ("first", "second", "expected"),
    [
        (("gpu:8",), ("gpu:h100:8(S:0-1)", "nvme:4"), ["--gres=gpu:8"]),
        (("gpu:h100:4(S:0,1)", "gpu:old:2"), ("gpu:16",), ["--gres=gpu:6"]),
        (("gpu:16",), ("gpu:16",), ["--gres=gpu:8"]),
        (("gpu:8",), (), []),
        (("shard:8", "gpus:8", "gpu:tesla"), ("gpu:8",), []),
    ],
)
def test_gpus_that_slurm_manages_are_requested(first: tuple[str, ...], second: tuple[str, ...], expected: list[str]) -> None:
    arguments = line(node(3, gres=first), node(4, gres=second))
    assert [each for each in arguments if each.startswith("--gres")] == expected
    assert not [each for each in line(node(3, gres=("gpu:8",)), beside_jobs=True) if each.startswith("--gres")], "jobs have allocated them"


def test_the_maintenance_partition_of_hyperpod_is_not_used() -> None:
    arguments = line(node(3, "hyperpod-system-maintenance", "dev"), node(4, "dev", "hyperpod-system-maintenance"))
    assert "--partition=dev" in arguments


def test_the_environment_turns_the_log_on() -> None:
    expected = {"NCCL_DEBUG": "INFO", "MASTER_ADDR": "10.1.2.3", "MASTER_PORT": "20001"}
    assert environment([node(3), node(4)], port=20001) == expected
