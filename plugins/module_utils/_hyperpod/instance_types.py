# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# This module util is private to the collection.
"""The resources of instance types, from EC2. Names of types may be those of HyperPod or of EC2."""

from __future__ import annotations

import dataclasses
import re
import typing as t

from .._aws.client import Api
from .._aws.network import filters
from .._core.failure import refuse_option
from .cluster.parts import INSTANCE_TYPE

PREFIX = "ml."
"""The prefix of HyperPod's names, which EC2's names lack."""
MOST = 100
"""The maximum number of types per call, and per reply of EC2."""

ARCHITECTURES = ("x86_64", "arm64")

Answer = t.Mapping[str, t.Any]


@dataclasses.dataclass(frozen=True)
class InstanceType:
    """The resources of one instance. None means unknown, which is not zero."""

    gpus: int | None = None
    gpu_name: str = ""
    gpu_memory_mib: int | None = None
    """Memory of one GPU."""
    efa_devices: int | None = None
    neuron_devices: int | None = None
    vcpus: int | None = None
    memory_mib: int | None = None
    threads_per_core: int | None = None
    """The threads per core that EC2 uses by default."""
    gpu_manufacturer: str = ""
    architecture: str = ""
    """EC2's name of the architecture, ``x86_64`` or ``arm64``."""

    @classmethod
    def from_api(cls, answer: Answer) -> InstanceType:
        """The resources from an entry of DescribeInstanceTypes. The first GPU describes all, because they are the same model."""
        gpus = (answer.get("GpuInfo") or {}).get("Gpus") or []
        neuron = (answer.get("NeuronInfo") or {}).get("NeuronDevices") or []
        first = gpus[0] if gpus else {}
        return cls(
            gpus=sum(_gpus(each) for each in gpus),
            gpu_name=first.get("Name", ""),
            gpu_memory_mib=(first.get("MemoryInfo") or {}).get("SizeInMiB"),
            efa_devices=_efa(answer.get("NetworkInfo") or {}),
            neuron_devices=sum(each["Count"] for each in neuron),
            vcpus=(answer.get("VCpuInfo") or {}).get("DefaultVCpus"),
            memory_mib=(answer.get("MemoryInfo") or {}).get("SizeInMiB"),
            threads_per_core=(answer.get("VCpuInfo") or {}).get("DefaultThreadsPerCore"),
            gpu_manufacturer=first.get("Manufacturer", ""),
            architecture=_architecture((answer.get("ProcessorInfo") or {}).get("SupportedArchitectures") or []),
        )


class InstanceTypes(Api):
    """The ``ec2`` client for instance types."""

    def look_up(self, names: t.Sequence[str]) -> dict[str, InstanceType]:
        """The types that the Region has, keyed by name. The call uses a filter, because one unknown name would fail the whole call.

        :param names: names of EC2.
        """
        found: dict[str, InstanceType] = {}
        for start in range(0, len(names), MOST):
            part = list(names[start : start + MOST])
            about = f"instance types {', '.join(part)}"
            listed = self.pages("DescribeInstanceTypes", "InstanceTypes", about=about, **filters(instance_type=part))
            found |= {each["InstanceType"]: InstanceType.from_api(each) for each in listed}
        return found

    def zones(self, names: t.Sequence[str]) -> dict[str, list[str]]:
        """The Availability Zones that offer each type, keyed by name. A type that the Region does not offer has no zones."""
        found: dict[str, list[str]] = {name: [] for name in names}
        for start in range(0, len(names), MOST):
            part = list(names[start : start + MOST])
            wanted_types = {"LocationType": "availability-zone", **filters(instance_type=part)}
            about = f"offerings of instance types {', '.join(part)}"
            for each in self.pages("DescribeInstanceTypeOfferings", "InstanceTypeOfferings", about=about, **wanted_types):
                found[each["InstanceType"]].append(each["Location"])
        return {name: sorted(zones) for name, zones in found.items()}


def wanted(names: t.Sequence[str]) -> list[str]:
    """The names without duplicates.

    :raises Refused: for an invalid name of an instance type.
    """
    for name in names:
        if not re.fullmatch(INSTANCE_TYPE, PREFIX + _of_ec2(name)):
            refuse_option("instance_types", name, "an instance type of HyperPod or EC2, such as ml.p5.48xlarge or p5.48xlarge")
    return list(dict.fromkeys(names))


def read(ec2: InstanceTypes, names: t.Sequence[str], *, zones: bool) -> dict[str, t.Any]:
    """The module's result, in the order of the names.

    :param zones: whether to read the Availability Zones that offer the types.
    """
    of_ec2 = list(dict.fromkeys(_of_ec2(name) for name in names))
    found, offered = ec2.look_up(of_ec2), ec2.zones(of_ec2) if zones else {}
    return {"instance_types": [_result(name, found.get(_of_ec2(name)), offered.get(_of_ec2(name))) for name in names]}


def _result(name: str, found: InstanceType | None, zones: list[str] | None) -> dict[str, t.Any]:
    return {"name": name, **dataclasses.asdict(found or InstanceType()), "known": found is not None, "zones": zones}


def _of_ec2(name: str) -> str:
    return name.removeprefix(PREFIX)


def _architecture(supported: t.Sequence[str]) -> str:
    """The 64-bit architecture. Old types also support 32-bit programs."""
    return next((name for name in supported if name in ARCHITECTURES), "")


def _gpus(gpu: Answer) -> int:
    """The number of devices. For a part of a GPU, EC2's ``Count`` is 0, although the node has the part as a device."""
    return int(gpu.get("Count") or gpu.get("LogicalGpuCount") or 0)


def _efa(network: Answer) -> int | None:
    """The maximum number of EFA interfaces of the type."""
    if not network.get("EfaSupported"):
        return 0
    return (network.get("EfaInfo") or {}).get("MaximumEfaInterfaces")
