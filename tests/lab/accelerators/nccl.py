# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Output of an all_reduce of nccl-tests with ``srun --label``, in the layouts that NVIDIA and AWS document."""

from __future__ import annotations

import typing as t
from dataclasses import dataclass, field

GIB = 1024**3
OFI = "AWS Libfabric"


@dataclass
class AllReduce:
    """A healthy run on p5 nodes; tests change single fields."""

    nodes: int = 2
    gpus: int = 8
    bytes: int = 4 * GIB
    bandwidth: float = 466.0
    provider: str = "Selected provider is efa, fabric is efa-direct (found 32 nics)"
    network: str = OFI
    direct: bool = True
    channels: bool = True
    """The log lists its channels between nodes."""
    within: str = "P2P/CUMEM"
    wrong: str = "0"
    root: bool = True
    """The table has column ``root``, as since 2.12."""
    label: bool = True
    before: list[str] = field(default_factory=list)
    after: list[str] = field(default_factory=list)
    silent_hosts: tuple[int, ...] = ()
    """Nodes whose NCCL logs nothing."""
    rows: t.Sequence[int] = ()

    def ranks(self) -> list[str]:
        devices = "#  Rank {rank:2} Group  0 Pid {pid:6} on {host} device {device:2} [0000:{bus:02x}:00] NVIDIA H100 80GB HBM3"
        return [
            devices.format(rank=node * self.gpus + gpu, pid=9000 + gpu, host=host(node), device=gpu, bus=0x53 + gpu)
            for node in range(self.nodes)
            for gpu in range(self.gpus)
        ]

    def log(self) -> list[str]:
        lines = []
        for node in (each for each in range(self.nodes) if each not in self.silent_hosts):
            logged = f"{host(node)}:9000:9101 [0] NCCL INFO ".__add__
            lines += [logged("Bootstrap : Using ens5:10.1.2.3<0>"), logged("NET/Socket : Using [0]ens5:10.1.2.3<0>")]
            if self.nodes > 1 and self.provider:
                lines += [logged("NET/OFI Initializing aws-ofi-nccl 1.16.3"), logged(f"NET/OFI {self.provider}")]
                lines.append(logged("NET/OFI Using transport protocol RDMA (platform set)"))
            lines.append(logged(f"Using network {self.network}"))
            lines.append(logged(f"Channel 00/0 : {node * 8}[0] -> {node * 8 + 1}[1] via {self.within}"))
            if self.nodes > 1 and self.channels:
                direct = "/GDRDMA" if self.direct else ""
                lines.append(logged(f"Channel 00/0 : {node * 8}[0] -> {(node + 1) * 8}[0] [send] via NET/{self.network}/0{direct}"))
        return lines

    def table(self) -> list[str]:
        sizes = self.rows or [self.bytes // 16 << step for step in range(5)]
        root = "    -1" if self.root else ""
        half = f"{self.bandwidth / 1.9:8.2f}  {self.bandwidth:6.2f} {self.wrong:>6}"
        head = (
            "#       size         count      type   redop    root     time   algbw   busbw #wrong     time   algbw   busbw #wrong"
        )
        rows = [
            f"{size:12} {size // 4:13}     float     sum{root}  {size / 1e6:8.1f}{half}  {size / 1e6:8.1f}{half}" for size in sizes
        ]
        return [head, "#        (B)    (elements)                               (us)  (GB/s)  (GB/s)", *rows]

    def lines(self) -> list[str]:
        head = [*self.before, "mlfleet.hyperpod: program /usr/local/cuda/efa/test-cuda-12.8/all_reduce_perf"]
        head.append("# nThread 1 nGpus 1 minBytes 268435456 maxBytes 4294967296 step: 2(factor) warmup iters: 5 iters: 20")
        head += ["# Using devices", *self.ranks(), *self.log(), *self.table()]
        wrong = sum(int(self.wrong) for _row in range(5)) if self.wrong.isdecimal() else 0
        return [
            *head,
            f"# Out of bounds values : {wrong} {'FAILED' if wrong else 'OK'}",
            "# Avg bus bandwidth    : 401.1",
            *self.after,
        ]

    def text(self) -> str:
        lines = [f" 0: {line}" if self.label else line for line in self.lines()]
        return "".join(f"{line}\n" for line in lines)


def host(node: int) -> str:
    return f"ip-10-1-2-{node + 3}"
