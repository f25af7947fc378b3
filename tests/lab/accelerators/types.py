# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Instance types with accelerators, as AWS and NVIDIA document their hardware."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Board:
    """A model of GPU."""

    name: str
    architecture: str
    device: str
    memory_mib: int
    generation: int
    width: int = 16
    max_width: int = 16
    links: int = 0
    gigabytes_per_second: float = 0.0
    """Of one NVLink."""
    fabric: bool = False
    """Whether the driver reports the state of the NVLink fabric (Hopper and newer, behind NVSwitches)."""

    @property
    def remaps_rows(self) -> bool:
        return self.architecture not in ("Turing",)


@dataclass(frozen=True)
class InstanceType:
    board: Board | None = None
    gpus: int = 0
    switches: tuple[str, int] = ("", 0)
    efa: tuple[str, int] = ("", 0)
    connectx: int = 0
    """RDMA devices of another vendor."""
    neuron: tuple[str, int, int, int] = ("", 0, 0, 0)
    """PCI ID, number of devices, logical cores and bytes of memory of a device."""
    all_reduce: tuple[float, float] | None = None
    """Bus bandwidth in GB/s of nccl-tests on healthy nodes: within one, and between two; None if unknown."""


T4 = Board("Tesla T4", "Turing", "10de:1eb8", 15360, 3, width=8)
A10G = Board("NVIDIA A10G", "Ampere", "10de:2237", 23028, 4)
L4 = Board("NVIDIA L4", "Ada Lovelace", "10de:27b8", 23034, 4)
L40S = Board("NVIDIA L40S", "Ada Lovelace", "10de:26b9", 46068, 4)
A100 = Board("NVIDIA A100-SXM4-40GB", "Ampere", "10de:20b0", 40960, 4, links=12, gigabytes_per_second=25)
H100 = Board("NVIDIA H100 80GB HBM3", "Hopper", "10de:2330", 81559, 5, links=18, gigabytes_per_second=26.562, fabric=True)
H100_ALONE = Board("NVIDIA H100 80GB HBM3", "Hopper", "10de:2330", 81559, 5)
H200 = Board("NVIDIA H200", "Hopper", "10de:2335", 143771, 5, links=18, gigabytes_per_second=26.562, fabric=True)
B200 = Board("NVIDIA B200", "Blackwell", "10de:2901", 183359, 5, links=18, gigabytes_per_second=53.125, fabric=True)
B300 = Board("NVIDIA B300 SXM6 AC", "Blackwell", "10de:3182", 275040, 6, links=18, gigabytes_per_second=53.125, fabric=True)
GB200 = Board("NVIDIA GB200", "Blackwell", "10de:2941", 189471, 6, links=18, gigabytes_per_second=53.125, fabric=True)
GB300 = Board("NVIDIA GB300", "Blackwell", "10de:31c2", 284208, 6, links=18, gigabytes_per_second=53.125, fabric=True)

TYPES = {
    "ml.g4dn.12xlarge": InstanceType(T4, 4),
    "ml.g5.4xlarge": InstanceType(A10G, 1),
    "ml.g5.8xlarge": InstanceType(A10G, 1),
    "ml.g5.48xlarge": InstanceType(A10G, 8, efa=("1d0f:efa0", 1)),
    "ml.g6.48xlarge": InstanceType(L4, 8, efa=("1d0f:efa1", 1)),
    "ml.g6e.48xlarge": InstanceType(L40S, 8, efa=("1d0f:efa1", 4)),
    "ml.p4d.24xlarge": InstanceType(A100, 8, switches=("10de:1af1", 6), efa=("1d0f:efa0", 4), all_reduce=(230.8, 57.2)),
    "ml.p5.4xlarge": InstanceType(H100_ALONE, 1, efa=("1d0f:efa1", 1)),
    "ml.p5.48xlarge": InstanceType(H100, 8, switches=("10de:22a3", 4), efa=("1d0f:efa1", 32), all_reduce=(475.0, 466.0)),
    "ml.p5en.48xlarge": InstanceType(H200, 8, switches=("10de:22a3", 4), efa=("1d0f:efa2", 16)),
    "ml.p6-b200.48xlarge": InstanceType(B200, 8, efa=("1d0f:efa2", 8), connectx=2),
    "ml.p6-b300.48xlarge": InstanceType(B300, 8, efa=("1d0f:efa3", 16), connectx=2),
    "ml.p6e-gb200.36xlarge": InstanceType(GB200, 4),
    "ml.p6e-gb300.36xlarge": InstanceType(GB300, 4),
    "ml.trn1.32xlarge": InstanceType(efa=("1d0f:efa1", 8), neuron=("1d0f:7164", 16, 2, 34359738368)),
    "ml.trn2.48xlarge": InstanceType(efa=("1d0f:efa2", 16), neuron=("1d0f:7364", 16, 4, 103079215104)),
    "ml.m5.xlarge": InstanceType(),
}
