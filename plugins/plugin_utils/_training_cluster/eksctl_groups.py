# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The managed node groups in an eksctl file: the system group and the GPU groups. No I/O."""

from __future__ import annotations

import contextlib
import typing as t
from dataclasses import dataclass

from ansible_collections.mlfleet.hyperpod.plugins.module_utils._core.checks import check_unique
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._core.failure import Refused, refuse_option
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._core.gathering import Part, made, parts
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._core.text import printable
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._eks.launch_template.model import RAID0
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._kubernetes.yaml_text import NotYaml, document

from . import checks
from .eksctl_addons import DRIVERS
from .eksctl_network import Network, place
from .eksctl_reader import Object, Values, below, inside, read
from .groups import SYSTEM, Paths, check_group, check_system
from .instance_types import check_known

GROUP = "managedNodeGroups"
KEYS = {
    "instance_type": "instanceType",
    "nodes": "desiredCapacity",
    "min": "minSize",
    "max": "maxSize",
    "capacity_reservation_id": "capacityReservation.capacityReservationTarget.capacityReservationID",
    "placement_group": "placement.groupName",
    "volume_size": "volumeSize",
    "node_repair": "nodeRepairConfig.enabled",
}
"""eksctl's key of each field of a group, if the names differ."""
PLAIN = {"spot": "spot", "volume_size": "volumeSize", "labels": "labels"}
"""Fields with the same value in both forms."""
OF_GPU_GROUPS = (
    *("capacityReservation", "instanceMarketOptions", "spot", "placement", "volumeSize", "labels", "taints"),
    "overrideBootstrapCommand",
)
"""Keys that the system group must not have."""
EFFECTS = {"NoSchedule": "NO_SCHEDULE", "NoExecute": "NO_EXECUTE", "PreferNoSchedule": "PREFER_NO_SCHEDULE"}
NODE_POLICIES = (
    *("AmazonEKSWorkerNodePolicy", "AmazonEC2ContainerRegistryReadOnly", "AmazonEC2ContainerRegistryPullOnly"),
    *("AmazonEKS_CNI_Policy", "AmazonSSMManagedInstanceCore"),
)
"""AWS's policies that a file may name for the role of nodes, because nodes or add-ons have their permissions anyway."""
BLOCK = "capacity-block"
DEFAULT_NODES = 2
"""eksctl's number of nodes of a group without sizes."""
RAID: Values = {
    "apiVersion": "node.eks.aws/v1alpha1",
    "kind": "NodeConfig",
    "spec": {"instance": {"localStorage": {"strategy": RAID0}}},
}
"""The only configuration of nodes that the run can reproduce."""


@dataclass(frozen=True)
class Group:
    """A group, in the form of the variables."""

    path: str
    accelerated: bool
    values: Values
    place: str | None
    """The subnet in an existing VPC, or the zone in a new one; None if the file does not determine it."""
    drivers: frozenset[str]
    """Permissions for CSI drivers, as in ``DRIVERS``."""
    tags: Values
    boundary: tuple[str, ...]
    """The path and the ARN of the permissions boundary, if the group has one."""
    hop_limit: int | None


def read_groups(given: Values, option: str, found: Network) -> list[Group]:
    """:raises Refused: for an invalid group, and for groups that contradict each other."""
    part = Part()
    made_groups = made(lambda each: _group(*each, found), below(option, given, GROUP))
    with part:
        check_unique(f"{option}.{GROUP}.name", [each.values["name"] for each in made_groups if "name" in each.values])
    with part:
        _check_one_system(made_groups, option)
    with part:
        _check_one_zone(made_groups, found)
    return made_groups


def variables(made_groups: t.Sequence[Group], found: Network) -> Values:
    """The variables that the groups determine: the groups, and the place of the nodes."""
    system = [each for each in made_groups if not each.accelerated]
    gpus = [each for each in made_groups if each.accelerated]
    home = next((each.place for each in (*gpus, *system) if each.place), None)
    values: Values = {}
    if system:
        values["system"] = {name: system[0].values.get(name) for name in SYSTEM}
    if gpus:
        values["groups"] = [_with_subnet(each, home, found) for each in gpus]
    if home:
        values["node_subnet_id" if found.exists else "zone"] = home
    return values


def _with_subnet(group: Group, home: str | None, found: Network) -> Values:
    moved = found.exists and group.place and group.place != home
    return {**group.values, **({"subnet_id": group.place} if moved else {})}


def _group(path: str, given: Values, found: Network) -> Group:
    values, part = read(given, path, GROUP), Part()
    fields: Values = {"name": values["name"]} if "name" in values else {}
    spot, subnet, accelerated = f"{path}.{KEYS['instance_type']}", None, True
    drivers: frozenset[str] = frozenset()
    boundary: tuple[str, ...] = ()
    tags: Values = {}
    with part:
        if values.lacks("name"):
            raise Refused(f"{path}.name: missing.", option=f"{path}.name")
    with part:
        spot, fields["instance_type"] = _instance_type(values, path)
        accelerated = check_known(spot, fields["instance_type"])
    with part:
        fields.update(_sizes(values))
        fields.update(_settings(values, path))
    with part:
        subnet = _place(values, path, found, accelerated=accelerated)
    with part:
        drivers, boundary = _role(values, path)
    with part:
        tags = checks.check_common_tags(f"{path}.tags", values.get("tags", {}))
    with part:
        inside(values, "ssh", path, GROUP)
    with part:
        (_check_gpus if accelerated else _check_system)(values, fields, lambda name: _at(path, spot, name))
    hop_limit = {None: None, True: 1, False: 2}[values.get("disablePodIMDS")]
    return Group(path, accelerated, fields, subnet, drivers, tags, boundary, hop_limit)


def _at(path: str, spot: str, name: str) -> str:
    """The path of a field. ``spot``: the path of the instance type, which has two keys."""
    return spot if name == "instance_type" else f"{path}.{KEYS.get(name, name)}"


def _instance_type(values: Values, path: str) -> tuple[str, str]:
    """The path of the type, and the type."""
    one, several = values.get("instanceType", ""), values.get("instanceTypes", [])
    option = f"{path}.instanceTypes"
    if one and several:
        refuse_option(option, several, "no value", "instanceType is also given")
    if len(several) > 1:
        why = "all nodes of a group have the same type, as collective operations require"
        refuse_option(option, several, "one instance type", why)
    if not one and not several:
        raise Refused(f"{path}.instanceType: missing; set it to the type of the group's nodes.", option=f"{path}.instanceType")
    return (f"{path}.instanceType", one) if one else (option, several[0])


def _sizes(values: Values) -> Values:
    """The sizes, with eksctl's defaults for those that are missing."""
    nodes, low, high = (values.get(name) for name in ("desiredCapacity", "minSize", "maxSize"))
    low = low if low is not None else nodes if nodes is not None else DEFAULT_NODES
    nodes = nodes if nodes is not None else low
    return {"nodes": nodes, "min": low, "max": high if high is not None else max(nodes, 1)}


def _settings(values: Object, path: str) -> Values:
    """The optional fields of a GPU group that the file sets."""
    found: Values = {}
    part = Part()
    with part:
        reservation = _reservation(values, path)
        found.update({"capacity_reservation_id": reservation} if reservation else {})
    with part:
        group = inside(values, "placement", path, GROUP).get("groupName")
        found.update({"placement_group": group} if group else {})
    with part:
        repair = inside(values, "nodeRepairConfig", path, GROUP).get("enabled")
        found.update({} if repair is None else {"node_repair": repair})
    with part:
        if "overrideBootstrapCommand" in values:
            found["local_storage"] = _local_storage(f"{path}.overrideBootstrapCommand", values["overrideBootstrapCommand"])
    with part:
        if "taints" in values:
            found["taints"] = checks.check_taints(f"{path}.taints", values["taints"], EFFECTS)
    found.update({field: values[name] for field, name in PLAIN.items() if name in values})
    return found


def _reservation(values: Values, path: str) -> str:
    part, within, found, market = Part(), f"{path}.capacityReservation", "", None
    with part:
        outer = inside(values, "capacityReservation", path, GROUP)
        target = inside(outer, "capacityReservationTarget", within, f"{GROUP}.capacityReservation")
        found = str(target.get("capacityReservationID", ""))
    with part:
        market = inside(values, "instanceMarketOptions", path, GROUP).get("marketType")
        if market not in (None, BLOCK):
            refuse_option(f"{path}.instanceMarketOptions.marketType", market, BLOCK, "for Spot Instances, set spot: true")
    if market and not found and not part.refused:
        option = f"{path}.{KEYS['capacity_reservation_id']}"
        raise Refused(f"{option}: missing; market type {BLOCK} requires the ID of the Capacity Block.", option=option)
    return found


def _local_storage(option: str, given: str) -> str:
    """RAID0 if the command is a NodeConfig that only combines the local disks."""
    with contextlib.suppress(NotYaml):
        if document(given, unique=True) == RAID:
            return RAID0
    allowed = f"a NodeConfig of {RAID['apiVersion']} with only spec.instance.localStorage.strategy: {RAID0}"
    refuse_option(option, given, allowed, "the run executes no commands on nodes, and configures only their local disks")


def _place(values: Values, path: str, found: Network, *, accelerated: bool) -> str | None:
    """The subnet or zone of a group. If the system group lists several zones, it uses the zone of the GPU nodes instead."""
    if accelerated:
        return place(values, path, found)
    zones = values.get("availabilityZones", [])
    if len(zones) > 1:
        checks.check_texts(f"{path}.availabilityZones", zones, "zone")
        return None
    return place(values, path, found)


def _role(values: Values, path: str) -> tuple[frozenset[str], tuple[str, ...]]:
    """The permissions for CSI drivers, and the permissions boundary."""
    part, inner = Part(), f"{path}.iam"
    boundary: tuple[str, ...] = ()
    role = inside(values, "iam", path, GROUP)
    policies = inside(role, "withAddonPolicies", inner, f"{GROUP}.iam")
    for arn in role.get("attachPolicyARNs", []):
        with part:
            if arn.rpartition("::aws:policy/")[2] not in NODE_POLICIES:
                refuse_option(f"{inner}.attachPolicyARNs", arn, f"AWS's policies {', '.join(NODE_POLICIES)}")
    with part:
        option = f"{inner}.instanceRolePermissionsBoundary"
        if "instanceRolePermissionsBoundary" in role:
            boundary = (option, checks.check_text(option, role["instanceRolePermissionsBoundary"], "boundary"))
    return frozenset(name for name, on in policies.items() if on and name in DRIVERS), boundary


def _check_gpus(_values: Values, fields: Values, at: Paths) -> None:
    check_group(fields, at, required=())


def _check_system(values: Values, fields: Values, at: Paths) -> None:
    with parts() as part:
        for name in OF_GPU_GROUPS:
            with part:
                if name in values:
                    why = "the system group has only an instance type and a number of nodes"
                    refuse_option(at(name), values[name], "no value for a group without accelerators", why)
        with part:
            check_system(fields, at)


def _check_one_system(made_groups: t.Sequence[Group], option: str) -> None:
    names = [printable(each.values.get("name", "")) for each in made_groups if not each.accelerated]
    if len(names) > 1:
        refuse_option(f"{option}.{GROUP}", ", ".join(names), "one group without accelerators", "the cluster has one system group")


def _check_one_zone(made_groups: t.Sequence[Group], found: Network) -> None:
    """In an existing VPC, GPU groups may have different subnets, because the file may not contain the zones of these subnets."""
    places = [each for each in made_groups if each.place]
    home = next((each.place for each in sorted(places, key=lambda each: not each.accelerated)), None)
    for each in places:
        with Part():
            if each.place != home and not (found.exists and each.accelerated):
                name = "subnets" if found.exists else "availabilityZones"
                refuse_option(f"{each.path}.{name}", each.place, str(home), "all nodes of the cluster must be in one zone")
