# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The training cluster as its variables declare it."""

from __future__ import annotations

import typing as t
from dataclasses import dataclass, field

from ansible.module_utils.parsing.convert_bool import boolean
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._eks.addon.model import DEFAULT, LATEST

from .identities import ADDON_ROLES

Values = t.Mapping[str, t.Any]
"""Values of the variables, keyed by name without ``training_cluster_``."""

SYSTEM = "system"
"""Name of the node group for Pods that need no accelerator."""
AGENT = "eks-pod-identity-agent"
FIRST_ADDONS = (AGENT, "vpc-cni", "kube-proxy")
"""Add-ons that nodes need to become ready, so they are installed before the first node group."""
OTHER_ADDONS = ("coredns", "eks-node-monitoring-agent")
FSX_ADDON = "aws-fsx-csi-driver"


@dataclass(frozen=True)
class Group:
    """A managed node group."""

    name: str
    instance_type: str
    nodes: int
    smallest: int
    largest: int
    spot: bool = False
    reservation: str = ""
    """ID of the capacity reservation or capacity block; empty without one."""
    placement_group: str = ""
    subnet: str = ""
    """Subnet of this group; empty for the subnet of all nodes."""
    volume_size: int = 200
    local_storage: str = "none"
    metadata_hop_limit: int = 1
    node_repair: bool = True
    labels: t.Mapping[str, str] = field(default_factory=dict)
    taints: t.Sequence[t.Mapping[str, str]] = ()
    autoscaled: bool = False
    """Whether an autoscaler sets the number of nodes, because ``min`` and ``max`` are declared and differ."""

    def count(self, now: int | None) -> int:
        """The number of nodes after the run.

        :param now: the current number; None if the group does not exist.
        """
        return self.nodes if now is None or not self.autoscaled else max(self.smallest, min(now, self.largest))


@dataclass(frozen=True)
class Network:
    """An existing network, or the address range and zone of the network that the role creates."""

    vpc_id: str
    """Empty if the role creates the VPC."""
    subnet_ids: tuple[str, ...]
    node_subnet_id: str
    vpc_cidr: str
    zone: str

    @property
    def created(self) -> bool:
        return not self.vpc_id


@dataclass(frozen=True)
class Addon:
    """An add-on of EKS."""

    name: str
    version: str = DEFAULT
    configuration: t.Any = None

    @property
    def first(self) -> bool:
        return self.name in FIRST_ADDONS

    @property
    def follows(self) -> bool:
        """Whether its version follows the version of Kubernetes."""
        return self.version in (DEFAULT, LATEST)


@dataclass(frozen=True)
class Declared:
    """The cluster with everything that belongs to it."""

    name: str
    network: Network
    groups: tuple[Group, ...]
    """The system group, if it is declared, and then the groups with accelerators."""
    addons: tuple[Addon, ...]
    """The add-ons that the user declares."""
    file_system: Values
    """Options of ``fsx_lustre_file_system``; empty without a file system."""
    admins: tuple[str, ...]
    teams: tuple[Values, ...]
    logging: tuple[str, ...] = ()
    """The types of control plane logs to turn on."""
    extended_support: bool = False
    removed_groups: tuple[str, ...] = ()
    """Names of node groups that are no longer declared, to remove."""

    def wanted_addons(self, *, ours: bool) -> tuple[Addon, ...]:
        """The add-ons to ensure.

        :param ours: whether the role creates the cluster. In a cluster of someone else, it ensures only the declared add-ons, and
            the FSx driver if there is a file system.
        """
        given = {each.name: each for each in self.addons}
        asked = [*([FSX_ADDON] if self.file_system else []), *given]
        agent = [AGENT] if not {*asked}.isdisjoint(each.part for each in ADDON_ROLES) else []
        required = [*FIRST_ADDONS, *OTHER_ADDONS] if ours else agent
        return tuple(given.get(name, Addon(name)) for name in dict.fromkeys([*required, *asked]))


def declared(values: Values) -> Declared:
    """The cluster, from variables that were validated before."""
    hops = int(values["metadata_hop_limit"])
    return Declared(
        name=str(values["name"]),
        network=Network(
            vpc_id=str(values["vpc_id"]),
            subnet_ids=tuple(values["subnet_ids"]),
            node_subnet_id=str(values["node_subnet_id"]),
            vpc_cidr=str(values["vpc_cidr"]),
            zone=str(values["zone"]),
        ),
        groups=tuple(_group(each, hops) for each in _groups(values)),
        addons=tuple(_addon(each) for each in values["addons"]),
        file_system=dict(values["file_system"]),
        admins=tuple(values["admins"]),
        teams=tuple(values["teams"]),
        logging=tuple(values["logging"]),
        extended_support=boolean(values["extended_support"], strict=False),
        removed_groups=tuple(values["remove_groups"]),
    )


def _addon(given: Values) -> Addon:
    return Addon(str(given["name"]), str(given.get("version") or Addon.version), given.get("configuration"))


def _groups(values: Values) -> list[Values]:
    system = values["system"]
    return [*([{"name": SYSTEM, **system}] if system else []), *values["groups"]]


def _group(given: Values, hops: int) -> Group:
    nodes, low, high = int(given["nodes"]), given.get("min"), given.get("max")
    return Group(
        name=str(given["name"]),
        instance_type=str(given["instance_type"]),
        nodes=nodes,
        smallest=nodes if low is None else int(low),
        largest=int(high or max(nodes, 1)),
        spot=boolean(given.get("spot") or False, strict=False),
        reservation=str(given.get("capacity_reservation_id") or ""),
        placement_group=str(given.get("placement_group") or ""),
        subnet=str(given.get("subnet_id") or ""),
        volume_size=int(given.get("volume_size") or Group.volume_size),
        local_storage=str(given.get("local_storage") or Group.local_storage),
        metadata_hop_limit=hops,
        node_repair=boolean(given.get("node_repair", True), strict=False),
        labels=given.get("labels") or {},
        taints=given.get("taints") or (),
        autoscaled=None not in (low, high) and low != high,
    )
