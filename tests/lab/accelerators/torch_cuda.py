# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""PyTorch's CUDA and NCCL in a container on a node with simulated accelerators, as far as the collection's NCCL test uses them.

The processes really meet, and gloo reduces the first values of each tensor. NCCL's log, the name of the GPU and the duration of a
reduction are simulated. The slowest node determines the duration.
"""

from __future__ import annotations

import functools
import json
import os
import socket
import time
import typing as t
from pathlib import Path

from . import all_reduce_perf

CUDA, NCCL, GLOO = "cuda", "nccl", "gloo"
MOST_VALUES = 4096
"""Values of a tensor that are kept and reduced."""


@functools.cache
def install(data: str) -> None:
    """Simulate the GPUs in this process, once.

    :param data: the file of the node's story. If it does not exist, PyTorch finds no GPU.
    """
    if Path(data).exists():
        import torch

        Gpus(json.loads(Path(data).read_text()), torch).install()


class Gpus:
    def __init__(self, hardware: dict[str, t.Any], torch: t.Any) -> None:
        self.hardware = hardware
        self.torch = torch
        self.dist = torch.distributed
        self.seconds = 0.0
        """The simulated time of all reductions so far."""
        self.speed = 0.0
        self._ones, self._tensor = torch.ones, torch.tensor
        self._init, self._all_reduce = self.dist.init_process_group, self.dist.all_reduce

    def install(self) -> None:
        cuda = self.torch.cuda
        cuda.set_device, cuda.synchronize = self.set_device, lambda: None
        cuda.get_device_name = lambda _device: self.hardware["name"]
        self.torch.ones, self.torch.tensor = self.ones, self.tensor
        self.dist.init_process_group, self.dist.all_reduce = self.init_process_group, self.all_reduce
        time.perf_counter = lambda: self.seconds

    def set_device(self, device: int) -> None:
        if device >= len(self.hardware["buses"]):
            raise RuntimeError("CUDA error: invalid device ordinal")

    def ones(self, count: int, *, device: str | None = None, **options: t.Any) -> t.Any:
        made = self._ones(min(count, MOST_VALUES), device=_memory(device), **options)
        made.simulated_bytes = count * made.element_size()
        return made

    def tensor(self, values: t.Sequence[float], *, device: str | None = None, **options: t.Any) -> t.Any:
        return self._tensor(values, device=_memory(device), **options)

    def init_process_group(self, backend: str, **options: t.Any) -> None:
        self._init(GLOO if backend == NCCL else backend, **options)
        here, ranks = socket.gethostname(), self.dist.get_world_size()
        everywhere: list[t.Any] = [None] * ranks
        self.dist.all_gather_object(everywhere, (here, self.hardware["within"], self.hardware["between"]))
        nodes = len({host for host, _within, _between in everywhere})
        self.speed = min(between if nodes > 1 else within for _host, within, between in everywhere)
        rank = {"rank": self.dist.get_rank(), "device": int(os.environ["LOCAL_RANK"]), "host": here, "pid": os.getpid()}
        all_reduce_perf.print_log([rank], self.hardware, ranks, nodes)

    def all_reduce(self, tensor: t.Any, **options: t.Any) -> None:
        self._all_reduce(tensor, **options)
        ranks = self.dist.get_world_size()
        size = getattr(tensor, "simulated_bytes", tensor.numel() * tensor.element_size())
        self.seconds += size / self.speed / 1e9 * 2 * (ranks - 1) / ranks


def _memory(device: str | None) -> str | None:
    return None if device == CUDA else device
