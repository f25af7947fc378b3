# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# This module util is private to the collection.
"""The settings of a launch template as values, their form in EC2's API, and the comparison of both."""

from __future__ import annotations

import typing as t
from dataclasses import dataclass, field

from ..._aws.tags import Tags, api_tags, plain_tags
from ..._core.plan import Change
from ..common import Answer
from .user_data import decoded, encoded, meaning

INTERFACE, EFA, EFA_ONLY = "interface", "efa", "efa-only"
"""Types of network interfaces: ENA, ENA with EFA, and EFA alone, which needs no IP address."""
TAGGED = ("instance", "volume")
"""Types of resources that get the tags of instances."""
KEYS = {
    "NetworkInterfaces": ("NetworkCardIndex", "DeviceIndex"),
    "BlockDeviceMappings": ("DeviceName",),
    "TagSpecifications": ("ResourceType",),
    "Tags": ("Key",),
}
"""The members that identify an entry of a list whose order has no meaning."""
SAME_AS_OMITTED: tuple[tuple[str, t.Any], ...] = (
    ("AutoRecovery", "default"),
    ("HttpProtocolIpv6", "disabled"),
    ("InstanceMetadataTags", "disabled"),
    ("InterfaceType", INTERFACE),
    ("Tenancy", "default"),
)
"""Members with EC2's default. The result is the same if they are omitted."""


@dataclass(frozen=True, order=True)
class Interface:
    """A network interface at a device index of a network card."""

    card: int
    device: int
    type: str

    @property
    def efa(self) -> bool:
        return self.type in (EFA, EFA_ONLY)

    def __str__(self) -> str:
        return f"card {self.card} device {self.device} {self.type}"


@dataclass(frozen=True)
class Settings:
    """All settings that this collection manages. An empty value is an omitted one."""

    instance_type: str = ""
    image: str = ""
    interfaces: tuple[Interface, ...] = ()
    security_groups: tuple[str, ...] = ()
    reservation: str = ""
    market: str = ""
    placement_group: str = ""
    device: str = ""
    volume_size: int | None = None
    volume_kms_key: str = ""
    hop_limit: int | None = None
    user_data: str = ""
    instance_tags: Tags = field(default_factory=dict)

    @classmethod
    def from_api(cls, data: Answer) -> Settings:
        interfaces = data.get("NetworkInterfaces") or ()
        disk: Answer = next(iter(data.get("BlockDeviceMappings") or ()), {})
        volume = disk.get("Ebs") or {}
        target = (data.get("CapacityReservationSpecification") or {}).get("CapacityReservationTarget") or {}
        tags = {each.get("ResourceType"): plain_tags(each.get("Tags")) for each in data.get("TagSpecifications") or ()}
        return cls(
            instance_type=data.get("InstanceType", ""),
            image=data.get("ImageId", ""),
            interfaces=tuple(sorted(map(_interface, interfaces))),
            security_groups=tuple(sorted({group for each in interfaces for group in each.get("Groups") or ()})),
            reservation=target.get("CapacityReservationId", ""),
            market=(data.get("InstanceMarketOptions") or {}).get("MarketType", ""),
            placement_group=(data.get("Placement") or {}).get("GroupName", ""),
            device=disk.get("DeviceName", ""),
            volume_size=volume.get("VolumeSize"),
            volume_kms_key=volume.get("KmsKeyId", ""),
            hop_limit=(data.get("MetadataOptions") or {}).get("HttpPutResponseHopLimit"),
            user_data=decoded(data["UserData"]) if data.get("UserData") else "",
            instance_tags=tags.get(TAGGED[0], {}),
        )

    def to_api(self) -> dict[str, t.Any]:
        """LaunchTemplateData. EKS refuses a template with a subnet, an instance profile or instances of the spot market."""
        target = {"CapacityReservationTarget": {"CapacityReservationId": self.reservation}}
        kinds = TAGGED if self.instance_tags else ()
        optional = {
            "ImageId": self.image,
            "CapacityReservationSpecification": target if self.reservation else None,
            "InstanceMarketOptions": {"MarketType": self.market} if self.market else None,
            "Placement": {"GroupName": self.placement_group} if self.placement_group else None,
            "UserData": encoded(self.user_data) if self.user_data else None,
            "TagSpecifications": [{"ResourceType": kind, "Tags": api_tags(self.instance_tags)} for kind in kinds],
        }
        return {
            "InstanceType": self.instance_type,
            "BlockDeviceMappings": [{"DeviceName": self.device, "Ebs": self._volume()}],
            "NetworkInterfaces": [self._entry(each) for each in self.interfaces],
            "MetadataOptions": {
                "HttpEndpoint": "enabled",
                "HttpTokens": "required",
                "HttpPutResponseHopLimit": self.hop_limit,
            },
            **{name: value for name, value in optional.items() if value},
        }

    def _volume(self) -> dict[str, t.Any]:
        key = {"KmsKeyId": self.volume_kms_key} if self.volume_kms_key else {}
        return {"VolumeType": "gp3", "VolumeSize": self.volume_size, "Encrypted": True, "DeleteOnTermination": True, **key}

    def _entry(self, interface: Interface) -> dict[str, t.Any]:
        """EKS chooses the subnet. Instances with several interfaces can't get a public address."""
        return {
            "NetworkCardIndex": interface.card,
            "DeviceIndex": interface.device,
            "InterfaceType": interface.type,
            "Groups": list(self.security_groups),
            "DeleteOnTermination": True,
        }


OPTIONS: tuple[tuple[str, t.Callable[[Settings], t.Any]], ...] = (
    ("instance_type", lambda each: each.instance_type),
    ("image_id", lambda each: each.image),
    ("network_interfaces", lambda each: [str(interface) for interface in each.interfaces]),
    ("security_group_ids", lambda each: list(each.security_groups)),
    ("capacity_reservation_id", lambda each: each.reservation),
    ("market_type", lambda each: each.market),
    ("placement_group", lambda each: each.placement_group),
    ("device_name", lambda each: each.device),
    ("volume_size", lambda each: each.volume_size),
    ("volume_kms_key_id", lambda each: each.volume_kms_key),
    ("metadata_hop_limit", lambda each: each.hop_limit),
    ("user_data", lambda each: each.user_data),
    ("instance_tags", lambda each: dict(each.instance_tags)),
)
"""The settings by the names that changes show."""


def differences(resource: str, data: Answer, want: Settings) -> tuple[Change, ...]:
    """The changes from ``data``, a LaunchTemplateData, to ``want``.

    A setting that this collection does not manage is removed, because EKS accepts few settings in a launch template.
    """
    have = Settings.from_api(data)
    pairs = [(name, read(have), read(want)) for name, read in OPTIONS]
    pairs = [(name, before, after) for name, before, after in pairs if not _same(name, before, after)]
    present, expected = dict(_leaves(data)), dict(_leaves(have.to_api()))
    paths = sorted(path for path in present.keys() | expected.keys() if present.get(path) != expected.get(path))
    pairs += [(path, present.get(path), expected.get(path)) for path in paths]
    return tuple(Change("update", resource, name, before or None, after or None) for name, before, after in pairs)


def _same(name: str, before: t.Any, after: t.Any) -> bool:
    return meaning(before) == meaning(after) if name == "user_data" else bool(before == after)


def _interface(answer: Answer) -> Interface:
    return Interface(answer.get("NetworkCardIndex", 0), answer.get("DeviceIndex", 0), answer.get("InterfaceType", INTERFACE))


def _leaves(value: t.Any, path: str = "", name: str = "") -> t.Iterator[tuple[str, t.Any]]:
    """The values inside ``value`` with their paths, without those that mean the same as an omitted value."""
    if isinstance(value, t.Mapping):
        for key, each in value.items():
            yield from _leaves(each, f"{path}.{key}" if path else key, key)
    elif isinstance(value, (list, tuple)) and value and isinstance(value[0], t.Mapping):
        keys = KEYS.get(name, ())
        for place, each in enumerate(sorted(value, key=lambda entry: [str(entry.get(key, 0)).zfill(4) for key in keys])):
            yield from _leaves(each, f"{path}[{place}]")
    elif value and (name, value) not in SAME_AS_OMITTED:
        yield path, sorted(value) if isinstance(value, (list, tuple)) else value
