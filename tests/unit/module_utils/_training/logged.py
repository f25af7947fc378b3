# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Logs of training jobs, as roles/verify_training/files/train.py prints them; tests/unit/roles/test_training_program.py compares the two."""

from __future__ import annotations

import json
import typing as t

from ansible_collections.mlfleet.hyperpod.plugins.module_utils._training.events import PodLog, pod_log
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._training.model import Place

ATTEMPT = 1_800_000_000_000
HASH = "a" * 64
START = {
    "host": "train-0", "pid": 7, "device": "NVIDIA H200", "memory": 2**37, "capability": "9.0", "dtype": "bfloat16",
    "torch": "2.9.1", "cuda": "13.0", "nccl": "2.27.7",
}  # fmt: skip
EFA = (
    "train:1:2 [0] NCCL INFO NET/OFI Selected provider is efa, fabric is efa-direct (found 4 nics)",
    "train:1:2 [0] NCCL INFO Using network AWS Libfabric",
    "train:1:2 [0] NCCL INFO Channel 00/0 : 0[0] -> 1[0] [send] via NET/AWS Libfabric/0/GDRDMA",
)
SOCKETS = (
    "train:1:2 [0] NCCL INFO Using network Socket",
    "train:1:2 [0] NCCL INFO Channel 00/0 : 0[0] -> 1[0] [send] via NET/Socket/0",
)


def line(event: str, rank: int = 0, /, attempt: int = ATTEMPT, time: float = 100.0, **fields: t.Any) -> str:
    return json.dumps({"mlfleet_training": event, "rank": rank, "attempt": attempt, "time": time, **fields})


class Job:
    """Lines per Pod of a job that two nodes with one process each trained well, unless a test changes them."""

    def __init__(
        self,
        *,
        nodes: int = 2,
        processes: int = 1,
        network: t.Sequence[str] = EFA,
        efa: tuple[int | None, int | None] = (4, 2**33),
    ) -> None:
        """:param efa: the number of EFA devices of each node, and the bytes that they sent."""
        self.nodes, self.processes, self.efa = nodes, processes, efa
        self.pods: list[list[str]] = [list(network) for _node in range(nodes)]
        self.now = 100.0

    def add(self, event: str, rank: int, /, **fields: t.Any) -> None:
        self.now += 0.001
        self.pods[rank // self.processes].append(line(event, rank, **{"time": round(self.now, 3), **fields}))

    def ranks(self) -> range:
        return range(self.nodes * self.processes)

    def begin(self, step: int = 0, attempt: int = ATTEMPT, **fields: t.Any) -> None:
        for rank in self.ranks():
            node, local = divmod(rank, self.processes)
            place = {"world": len(self.ranks()), "node": node, "local_rank": local, "local_world": self.processes}
            self.add("start", rank, attempt=0, **{**place, **START, **fields})
        for rank in self.ranks():
            ready = {"parameters": 1000, "size": "large", "vocabulary": 8192, "validation": 2.0 if step else None}
            load = {"load_seconds": 2.0 if step else None, "load_bytes": 2**30 if step and rank == 0 else None}
            self.add("ready", rank, attempt=attempt, step=step, **ready, **load)

    def train(self, first: int, last: int, attempt: int = ATTEMPT, loss: t.Callable[[int], float] = lambda step: 9.0 / step) -> None:
        for step in range(first, last + 1):
            self.add("step", 0, attempt=attempt, step=step, loss=loss(step), tokens=100, seconds=0.5)

    def save(self, step: int, attempt: int = ATTEMPT, hashes: t.Mapping[int, str] | None = None) -> None:
        for rank in self.ranks():
            replica, shard = divmod(rank, self.processes)
            sha256 = (hashes or {}).get(rank, f"{shard:064x}")
            self.add("weights", rank, attempt=attempt, step=step, shard=shard, replica=replica, sha256=sha256)
        self.add("saved", 0, attempt=attempt, step=step, folder=f"step-{step:08d}", validation=2.0, seconds=0.5, bytes=2**30)

    def end(self, step: int = 20, attempt: int = ATTEMPT, **fields: t.Any) -> None:
        for rank in self.ranks():
            devices, sent = self.efa if rank % self.processes == 0 else (None, None)
            traffic = {"efa_devices": devices, "efa_sent": sent}
            figures = {"tokens_per_second": 200.0, "flops_per_second": 2e12, **traffic, **fields}
            self.add("end", rank, attempt=attempt, **{"step": step, "updates": step, **figures})

    def without(self, text: str, *pods: int) -> Job:
        for pod in pods or range(self.nodes):
            self.pods[pod] = [each for each in self.pods[pod] if text not in each]
        return self

    def logs(self, *, unread: t.Collection[int] = ()) -> list[PodLog]:
        places = [Place(f"train-{node}", self.nodes, self.processes) for node in range(self.nodes)]
        texts = [None if node in unread else "\n".join(each) + "\n" for node, each in enumerate(self.pods)]
        return [pod_log(place, text) for place, text in zip(places, texts)]


def trained(*, steps: int = 20, first: int = 0, rate: float = 200.0, **options: t.Any) -> Job:
    """:param rate: tokens per second."""
    job = Job(**options)
    job.begin(first)
    job.train(first + 1, steps)
    job.save(steps)
    job.end(steps, tokens_per_second=rate)
    return job
