# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# This module util is private to the collection.
"""A launch template of an EKS node group: the options, the observed template, and the resources of EC2 that it refers to."""

from __future__ import annotations

import datetime
import typing as t
from dataclasses import dataclass, field

from ..._aws.tags import Tags
from ..common import Answer
from .settings import Settings

ALL = "-1"
"""EC2's name for all protocols."""
CAPACITY_BLOCK = "capacity-block"
"""Type of a capacity reservation, and the market type of its instances."""
DEFAULT = "default"
"""Type of a capacity reservation that is not a capacity block, and the tenancy of instances on shared hardware."""
RAID0, NONE = "RAID0", "none"
"""Values of the option ``local_storage``."""


@dataclass(frozen=True)
class Desired:
    """The options. None leaves the current value unchanged, and an empty text removes it."""

    name: str
    cluster: str
    cluster_arn: str | None = None
    """None if the option has only the name of the EKS cluster."""
    present: bool = True
    instance_type: str = ""
    cluster_security_group: str = ""
    security_groups: tuple[str, ...] = ()
    """All groups of an interface, sorted, including the cluster security group."""
    efa: bool | None = None
    """None for all EFA devices of the type, if it has any."""
    reservation: str | None = None
    placement_group: str | None = None
    volume_size: int = 200
    volume_kms_key: str | None = None
    local_storage: str = NONE
    hop_limit: int = 1
    image: str | None = None
    tags: Tags | None = None
    purge_tags: bool = True
    instance_tags: Tags | None = None

    @property
    def resource(self) -> str:
        return f"launch template {self.name}"

    def reservation_of(self, have: Settings) -> str:
        """ID of the capacity reservation, or an empty text. A placement group replaces the current reservation."""
        if self.reservation is not None:
            return self.reservation
        return "" if self.placement_group else have.reservation

    def placement_group_of(self, have: Settings) -> str:
        """Name of the placement group, or an empty text. The group of a reservation belongs to the reservation."""
        if self.placement_group is not None:
            return self.placement_group
        return "" if self.reservation or have.reservation else have.placement_group

    def image_of(self, have: Settings) -> str:
        return have.image if self.image is None else self.image


@dataclass(frozen=True)
class Card:
    """A network card. ``types`` is empty if EC2 did not return the types of interfaces that the card supports."""

    index: int
    most: int
    """Maximum number of interfaces."""
    types: tuple[str, ...] = ()

    @classmethod
    def from_api(cls, answer: Answer) -> Card:
        types = tuple(answer.get("InterfaceTypes") or ())
        return cls(answer["NetworkCardIndex"], answer["MaximumNetworkInterfaces"], types)


@dataclass(frozen=True)
class InstanceType:
    name: str
    cards: tuple[Card, ...] = ()
    """Sorted by index."""
    efa: bool = False
    most_efa: int | None = None
    """Maximum number of EFA devices; None if EC2 did not return it."""
    strategies: tuple[str, ...] = ()
    """Strategies of placement groups that the type supports."""
    architectures: tuple[str, ...] = ()
    disks: bool = False
    """Whether instances have local disks."""

    @classmethod
    def from_api(cls, answer: Answer) -> InstanceType:
        network = answer.get("NetworkInfo") or {}
        return cls(
            name=answer["InstanceType"],
            cards=tuple(sorted(map(Card.from_api, network.get("NetworkCards") or ()), key=lambda card: card.index)),
            efa=bool(network.get("EfaSupported")),
            most_efa=(network.get("EfaInfo") or {}).get("MaximumEfaInterfaces"),
            strategies=tuple((answer.get("PlacementGroupInfo") or {}).get("SupportedStrategies") or ()),
            architectures=tuple((answer.get("ProcessorInfo") or {}).get("SupportedArchitectures") or ()),
            disks=bool(answer.get("InstanceStorageSupported")),
        )


@dataclass(frozen=True)
class Group:
    """A security group."""

    id: str
    vpc_id: str
    efa: bool = False
    """Whether the rules of the group allow all traffic to and from the group itself, by its ID. EFA ignores rules for networks."""

    @classmethod
    def from_api(cls, answer: Answer) -> Group:
        found = answer["GroupId"]
        both = (answer.get("IpPermissions") or (), answer.get("IpPermissionsEgress") or ())
        return cls(found, answer.get("VpcId", ""), all(_names(found, permissions) for permissions in both))


def _names(group: str, permissions: t.Iterable[Answer]) -> bool:
    """Whether one of the permissions allows all traffic with the group."""
    pairs = (pair for each in permissions if each["IpProtocol"] == ALL for pair in each.get("UserIdGroupPairs") or ())
    return any(pair.get("GroupId") == group for pair in pairs)


@dataclass(frozen=True)
class Reservation:
    """A capacity reservation."""

    id: str
    instance_type: str
    state: str
    type: str = DEFAULT
    zone: str = ""
    zone_id: str = ""
    start: datetime.datetime | None = None
    end: datetime.datetime | None = None
    """None if it ends only when it is canceled."""
    platform: str = "Linux/UNIX"
    tenancy: str = DEFAULT
    placement_group: str = ""
    """Name of the placement group in which the capacity is reserved."""
    total: int | None = None
    available: int | None = None

    @classmethod
    def from_api(cls, answer: Answer) -> Reservation:
        return cls(
            id=answer["CapacityReservationId"],
            instance_type=answer["InstanceType"],
            state=answer["State"],
            type=answer.get("ReservationType") or DEFAULT,
            zone=answer.get("AvailabilityZone", ""),
            zone_id=answer.get("AvailabilityZoneId", ""),
            start=answer.get("StartDate"),
            end=answer.get("EndDate"),
            platform=answer.get("InstancePlatform", ""),
            tenancy=answer.get("Tenancy", DEFAULT),
            placement_group=answer.get("PlacementGroupArn", "").rpartition("/")[2],
            total=answer.get("TotalInstanceCount"),
            available=answer.get("AvailableInstanceCount"),
        )


@dataclass(frozen=True)
class PlacementGroup:
    name: str
    strategy: str
    state: str


@dataclass(frozen=True)
class Image:
    id: str
    state: str
    architecture: str
    device: str
    """Name of the root device."""


@dataclass(frozen=True)
class Cluster:
    """The values of an EKS cluster that its nodes need if they use a custom image."""

    name: str
    status: str
    endpoint: str = ""
    authority: str = ""
    """The certificate of the API server's certificate authority, in base64."""
    cidr: str = ""
    """The network of the Kubernetes services."""
    security_group: str = ""

    @classmethod
    def from_api(cls, answer: Answer) -> Cluster:
        network = answer.get("kubernetesNetworkConfig") or {}
        return cls(
            name=answer["name"],
            status=str(answer.get("status") or "unknown"),
            endpoint=answer.get("endpoint") or "",
            authority=(answer.get("certificateAuthority") or {}).get("data") or "",
            cidr=network.get("serviceIpv4Cidr") or network.get("serviceIpv6Cidr") or "",
            security_group=(answer.get("resourcesVpcConfig") or {}).get("clusterSecurityGroupId") or "",
        )


@dataclass(frozen=True)
class Version:
    number: t.Any
    """A number, or the placeholder for a number that is known after apply."""
    data: Answer
    """LaunchTemplateData, in the form of EC2's API."""


@dataclass(frozen=True)
class Template:
    id: str
    tags: Tags
    default: Version
    latest: Version

    @property
    def settings(self) -> Settings:
        return Settings.from_api(self.default.data)


@dataclass(frozen=True)
class State:
    """A field is empty if its resource does not exist. A missing group is not in ``groups``."""

    owner: str
    """ARN of the EKS cluster, the value of the tag on our templates."""
    now: datetime.datetime
    template: Template | None = None
    type: InstanceType | None = None
    groups: t.Mapping[str, Group] = field(default_factory=dict)
    reservation: Reservation | None = None
    placement_group: PlacementGroup | None = None
    image: Image | None = None
    cluster: Cluster | None = None

    @property
    def have(self) -> Settings:
        """The settings of the default version, or empty settings."""
        return self.template.settings if self.template else Settings()
