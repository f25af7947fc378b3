# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Requests for Lustre that FSx refuses. The rules are those of the API reference and of the FSx for Lustre guide."""

from __future__ import annotations

import typing as t

from lab.net.security import Endpoint, passes

from ..action import Refusal
from ..elbv2.interfaces import group

Answer = dict[str, t.Any]
SCRATCH_1 = "SCRATCH_1"
THROUGHPUT = {"PERSISTENT_1": (50, 100, 200), "PERSISTENT_2": (125, 250, 500, 1000)}
STORAGE_OF_EFA = {125: 38400, 250: 19200, 500: 9600, 1000: 4800}
"""Capacity of a file server. The capacity of a file system with EFA is a multiple of it (guide, "Increasing storage capacity")."""
IOPS = (1500, 3000, 6000, 12000)
PORTS = (988, 1018, 1019, 1020, 1021, 1022, 1023)
SCRATCH_STEP = 3600


def bad(message: str) -> Refusal:
    return Refusal("BadRequest", message)


def persistent(kind: str) -> bool:
    return kind in THROUGHPUT


def automatic_iops(capacity: int) -> int:
    """The rate of mode AUTOMATIC, which is also the lowest rate (guide, "Lustre metadata performance configuration")."""
    for most, rate in ((1200, 1500), (2400, 3000), (9600, 6000)):
        if capacity <= most:
            return rate
    return 12000 * max(1, capacity // 24000)


def check_creation(given: Answer) -> None:
    """:raises Refusal: for a combination that FSx does not create."""
    asked = given.get("LustreConfiguration") or {}
    kind, throughput = asked.get("DeploymentType", SCRATCH_1), asked.get("PerUnitStorageThroughput")
    if len(given["SubnetIds"]) != 1:
        raise bad("Exactly one subnet ID must be specified")
    if persistent(kind) and throughput is None:
        raise bad(f"PerUnitStorageThroughput must be specified for {kind}")
    if not persistent(kind):
        for name in ("PerUnitStorageThroughput", "AutomaticBackupRetentionDays"):
            if name in asked:
                raise bad(f"{name} is not supported for {kind}")
        if "KmsKeyId" in given:
            raise bad(f"KmsKeyId is not supported for {kind}")
    check_throughput(kind, throughput)
    check_metadata(kind, asked)
    check_capacity(kind, given.get("StorageCapacity", 0), efa=bool(asked.get("EfaEnabled")), throughput=throughput)
    version = given.get("FileSystemTypeVersion")
    if version and ((kind == "PERSISTENT_2" and version == "2.10") or ("MetadataConfiguration" in asked and version != "2.15")):
        raise bad(f"FileSystemTypeVersion {version} is not supported for this configuration")


def check_throughput(kind: str, throughput: int | None) -> None:
    if throughput is not None and throughput not in THROUGHPUT.get(kind, ()):
        raise Refusal("InvalidPerUnitStorageThroughput", f"{throughput} is not valid for {kind}")


def check_metadata(kind: str, asked: Answer) -> None:
    metadata = asked.get("MetadataConfiguration")
    if metadata is None:
        if asked.get("EfaEnabled"):
            raise bad("EfaEnabled requires PERSISTENT_2 with a MetadataConfiguration")
        return
    if kind != "PERSISTENT_2":
        raise bad(f"MetadataConfiguration is not supported for {kind}")
    iops = metadata.get("Iops")
    if (metadata["Mode"] == "AUTOMATIC") is (iops is not None):
        raise bad("Iops must be specified for USER_PROVISIONED only")
    if iops is not None and iops not in IOPS and iops % 12000:
        raise bad(f"Iops {iops} is not valid")


def check_capacity(kind: str, capacity: int, *, efa: bool, throughput: int | None) -> None:
    step = STORAGE_OF_EFA[throughput or 125] if efa else SCRATCH_STEP if kind == SCRATCH_1 else 2400
    small = () if efa else (1200, 2400)
    if capacity not in small and (capacity <= 0 or capacity % step):
        raise bad(f"StorageCapacity {capacity} is not valid, it must be {', '.join(map(str, small))} or a multiple of {step}")


def check_network(ec2: t.Any, subnet: t.Any, groups: t.Sequence[str], *, efa: bool) -> None:
    """:raises Refusal: if the groups are not in the VPC of the subnet, or do not let file servers reach each other."""
    found = [ec2.get_security_group_from_id(each) for each in groups]
    for name, each in zip(groups, found):
        if each is None or each.vpc_id != subnet.vpc_id:
            raise Refusal("InvalidNetworkSettings", f"The security group {name} is not part of VPC {subnet.vpc_id}")
    if not found:
        return
    if efa:
        _check_all_traffic(groups, found)
        return
    server = Endpoint((subnet.cidr_block.partition("/")[0],), tuple(group(each) for each in found))
    for port in PORTS:
        if not passes(server, server, port):
            raise Refusal(
                "InvalidNetworkSettings",
                "The file system cannot be created because the provided security groups do not permit Lustre LNET network traffic "
                f"on port {port}",
            )


def _check_all_traffic(groups: t.Sequence[str], found: t.Sequence[t.Any]) -> None:
    for rules in ([rule for each in found for rule in each.ingress_rules], [rule for each in found for rule in each.egress_rules]):
        if not any(str(rule.ip_protocol) == "-1" and rule.source_group.get("GroupId") in groups for rule in rules):
            raise Refusal(
                "InvalidNetworkSettings",
                "Insufficient security group permissions to create an EFA-enabled file system. Update security group to allow all "
                "internal inbound and outbound traffic.",
            )


def check_update(file_system: t.Any, values: Answer) -> None:
    """:raises Refusal: for a change that FSx does not make."""
    if file_system.is_updated or file_system.lifecycle != "AVAILABLE":
        raise bad(f"Cannot update file system {file_system.id} while it is {file_system.lifecycle} or another update is in progress")
    has, asked = file_system.configuration, values.get("LustreConfiguration", {})
    kind, efa = has["DeploymentType"], has["EfaEnabled"]
    if "AutomaticBackupRetentionDays" in asked and not persistent(kind):
        raise bad(f"AutomaticBackupRetentionDays is not supported for {kind}")
    if "PerUnitStorageThroughput" in asked:
        if efa:
            raise bad("PerUnitStorageThroughput cannot be changed for EFA-enabled file systems")
        check_throughput_update(kind, asked["PerUnitStorageThroughput"])
    _check_rate(file_system, values)
    capacity = values.get("StorageCapacity")
    if capacity is not None:
        if capacity <= file_system.capacity:
            raise bad(f"StorageCapacity must be greater than {file_system.capacity}")
        check_capacity(kind, capacity, efa=efa, throughput=has.get("PerUnitStorageThroughput"))
    version = values.get("FileSystemTypeVersion")
    if version is not None and float(version) <= float(file_system.version):
        raise bad(f"FileSystemTypeVersion must be newer than {file_system.version}")


def check_throughput_update(kind: str, throughput: int) -> None:
    """UpdateFileSystem does not declare the code that CreateFileSystem returns."""
    if throughput not in THROUGHPUT.get(kind, ()):
        raise bad(f"PerUnitStorageThroughput {throughput} is not valid for {kind}")


def _check_rate(file_system: t.Any, values: Answer) -> None:
    """The rate of metadata operations can only grow, and is at least the one of mode AUTOMATIC for the capacity."""
    has = file_system.configuration.get("MetadataConfiguration")
    asked = values.get("LustreConfiguration", {}).get("MetadataConfiguration")
    if asked is not None and has is None:
        raise bad("The file system was created without a MetadataConfiguration")
    least = automatic_iops(values.get("StorageCapacity", file_system.capacity))
    if asked is not None:
        check_metadata(file_system.configuration["DeploymentType"], {"MetadataConfiguration": asked})
        rate = asked.get("Iops", least)
        if rate < has["Iops"] or rate < least:
            raise bad(f"Iops must be at least {max(has['Iops'], least)}")
    elif has is not None and has["Mode"] == "USER_PROVISIONED" and has["Iops"] < least:
        raise bad(f"Unable to perform the storage capacity update: Iops must be increased to {least} before")
