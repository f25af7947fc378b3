# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""EC2 instances of node groups: an Auto Scaling group keeps the desired number, as far as capacity and addresses suffice.

Settings: ``capacity`` limits the instances of a group; issues in ``eks_nodegroup_issues`` keep a group from launching, or, for
NodeCreationFailure, keep new nodes from joining, as does everything that ``joining`` checks. The number of free addresses of a subnet is that of EC2.
"""

from __future__ import annotations

import threading
import typing as t

from moto.ec2.models import ec2_backends
from moto.ec2.models.instance_types import INSTANCE_TYPES
from moto.eks.exceptions import EKSError
from moto.eks.models import eks_backends

from .. import cloud
from ..ec2 import interfaces
from . import joining, nodegroup_rules as rules
from .operation import Answer

if t.TYPE_CHECKING:
    from .nodegroups import NodeGroup

IMAGE = "ami-0eb5a1b2c3d4e5f60"
"""The AMI of groups whose launch template names none."""
NOT_JOINED = "NodeCreationFailure"
LIFECYCLES = {"SPOT": "spot", "CAPACITY_BLOCK": "capacity-block"}
EFFECTS = {"NO_SCHEDULE": "NoSchedule", "NO_EXECUTE": "NoExecute", "PREFER_NO_SCHEDULE": "PreferNoSchedule"}
MARKETS = {"ON_DEMAND": "On-Demand", "SPOT": "Spot", "CAPACITY_BLOCK": "Capacity Block"}
NO_CAPACITY = (
    "Could not launch {market} Instances. InsufficientInstanceCapacity - We currently do not have sufficient {type} capacity in the "
    "Availability Zone you requested ({zone}). Our system will be working on provisioning additional capacity. Launching EC2 instance failed."
)
NO_ADDRESS = (
    "Amazon AutoScaling was unable to launch instances because there are not enough free addresses in the subnet associated with your "
    "AutoScaling group(s)."
)
NO_TEMPLATE = "The launch template of the node group could not be found."
_scaling = threading.RLock()


def scale(group: NodeGroup) -> None:
    """Launch or terminate instances until the group has the desired number; what EC2 refuses becomes its ``shortage``."""
    with _scaling:
        group.instances = [each for each in group.instances if each.state == "running"]
        wanted = group.fields["scalingConfig"]["desiredSize"]
        terminate(group, wanted)
        group.shortage = []
        while len(group.instances) < wanted and not group.shortage:
            if any(each["code"] != NOT_JOINED for each in group.injected):
                return
            group.shortage = _launch(group)


def terminate(group: NodeGroup, left: int = 0) -> None:
    """Terminate all but the first instances."""
    with _scaling:
        surplus, group.instances = group.instances[left:], group.instances[:left]
        for each in surplus:
            if each.state == "running":
                each.terminate()


def replace(group: NodeGroup) -> None:
    """Terminate all instances and launch others, as an update of the version does."""
    with _scaling:
        terminate(group)
        scale(group)


def every_node() -> list[Answer]:
    """Every instance of every node group, with what its kubelet registers."""
    return [row(group, each) for group in _groups() for each in _kept(group)]


def note_joined(ids: t.Collection[str]) -> None:
    """Record that these instances are nodes of their cluster."""
    for group in _groups():
        group.joined |= {each.id for each in group.instances if each.id in ids}


def row(group: NodeGroup, instance: t.Any) -> Answer:
    template, known = group.fields.get("launchTemplate"), INSTANCE_TYPES.get(instance.instance_type, {})
    subnet = instance.ec2_backend.get_subnet(instance.subnet_id)
    labels = {
        "eks.amazonaws.com/nodegroup": group.name,
        "eks.amazonaws.com/capacityType": group.fields["capacityType"],
        "eks.amazonaws.com/nodegroup-image": instance.image_id,
        **({"eks.amazonaws.com/sourceLaunchTemplateId": template["id"]} if template else {}),
        **({"eks.amazonaws.com/sourceLaunchTemplateVersion": template["version"]} if template else {}),
        "node.kubernetes.io/instance-type": instance.instance_type,
        "topology.kubernetes.io/region": group.region,
        "topology.kubernetes.io/zone": subnet.availability_zone,
        "topology.k8s.aws/zone-id": subnet.availability_zone_id,
        **group.fields["labels"],
    }
    return {
        "account": group.account,
        "cluster": group.cluster.name,
        "group": group.name,
        "instance_id": instance.id,
        "name": instance.private_dns_name,
        "provider_id": f"aws:///{subnet.availability_zone}/{instance.id}",
        "joins": all(each["code"] != NOT_JOINED for each in group.injected) and not joining.obstacle(group),
        "labels": labels,
        "taints": [{**each, "effect": EFFECTS[each["effect"]]} for each in group.fields["taints"]],
        "kubelet": instance.kubelet,
        "capacity": {
            "cpu": str(known.get("VCpuInfo", {}).get("DefaultVCpus", 2)),
            "memory": f"{known.get('MemoryInfo', {}).get('SizeInMiB', 4096)}Mi",
        },
        "gpus": sum(each["Count"] for each in known.get("GpuInfo", {}).get("Gpus", [])),
        "efa": sum(each.interface_type != interfaces.PLAIN for each in instance.nics.values()),
        "supports_efa": bool(known.get("NetworkInfo", {}).get("EfaSupported")),
    }


def _groups() -> list[NodeGroup]:
    backends = [each for regions in list(eks_backends.values()) for each in list(regions.values())]
    return [group for each in backends for cluster in list(each.clusters.values()) for group in list(cluster.nodegroups.values())]


def _kept(group: NodeGroup) -> list[t.Any]:
    """The instances of a group; an active group replaces its terminated instances."""
    if group.status == "ACTIVE":
        scale(group)
    return [each for each in group.instances if each.state == "running"]


def _launch(group: NodeGroup) -> list[Answer]:
    """Launch one instance; return the issue that prevents it."""
    ec2, template = ec2_backends[group.account][group.region], group.fields.get("launchTemplate")
    try:
        data = rules.template_data(group.cluster, template)
    except EKSError:
        return [{"code": "Ec2LaunchTemplateNotFound", "message": NO_TEMPLATE, "resourceIds": [template["id"]]}]
    kind = data.get("InstanceType") or (group.fields.get("instanceTypes") or ["t3.medium"])[0]
    wanted = data.get("NetworkInterfaces") or [{}]
    subnet = _subnet(ec2, group, interfaces.addresses_needed(wanted))
    if subnet is None:
        return [{"code": "InsufficientFreeAddresses", "message": NO_ADDRESS, "resourceIds": list(group.fields["subnets"])}]
    most = cloud.current().settings["capacity"].get(group.name)
    if most is not None and len(group.instances) >= most:
        text = NO_CAPACITY.format(market=MARKETS[group.fields["capacityType"]], type=kind, zone=subnet.availability_zone)
        return [{"code": "AsgInstanceLaunchFailures", "message": text, "resourceIds": [group.scaler]}]
    given = wanted[0].get("Groups") or data.get("SecurityGroupIds")
    groups = list(given or [group.cluster.resources_vpc_config["clusterSecurityGroupId"]])
    address = interfaces.free_address(subnet)
    (made,) = ec2.run_instances(
        image_id=data.get("ImageId") or IMAGE,
        count=1,
        user_data=data.get("UserData"),
        security_group_names=[],
        security_group_ids=groups,
        instance_type=kind,
        is_instance_type_default=False,
        region_name=group.region,
        subnet_id=subnet.id,
        private_ip=address,
        nics=[{"DeviceIndex": 0, "DeleteOnTermination": True}],
        lifecycle=LIFECYCLES.get(group.fields["capacityType"]),
        metadata_options=data.get("MetadataOptions"),
        block_device_mappings=_volumes(group, data),
        tags=_tags(group, data),
    ).instances
    made.nics[0].interface_type = interfaces.kind_of(wanted[0])
    made.placement.group_name = data.get("Placement", {}).get("GroupName", "")
    made.capacity_reservation_id = _reservation(data)
    made.kubelet = f"v{group.kubernetes}"
    interfaces.attach(made, subnet, wanted, groups)
    group.instances.append(made)
    return []


def _subnet(ec2: t.Any, group: NodeGroup, addresses: int) -> t.Any:
    """The subnet with the fewest instances of the group among those with enough free addresses; None if there is none."""
    found = [ec2.get_subnet(each) for each in group.fields["subnets"]]
    fitting = [each for each in found if each.available_ip_address_count >= addresses]
    return min(fitting, key=lambda subnet: sum(each.subnet_id == subnet.id for each in group.instances), default=None)


def _tags(group: NodeGroup, data: Answer) -> dict[str, dict[str, str]]:
    """Tags by kind of resource: those of the launch template, and those that EKS adds to instances. The tags of a group are not copied."""
    given = {each["ResourceType"]: {tag["Key"]: tag["Value"] for tag in each["Tags"]} for each in data.get("TagSpecifications", [])}
    cluster, template = group.cluster.name, group.fields.get("launchTemplate")
    own = {
        "eks:cluster-name": cluster,
        "eks:nodegroup-name": group.name,
        f"kubernetes.io/cluster/{cluster}": "owned",
        "aws:autoscaling:groupName": group.scaler,
        **({"aws:ec2launchtemplate:id": template["id"], "aws:ec2launchtemplate:version": template["version"]} if template else {}),
    }
    return {**given, "instance": {**given.get("instance", {}), **own}}


def _volumes(group: NodeGroup, data: Answer) -> list[Answer]:
    """Volumes as moto expects them; AWS removes them with the instance unless the template differs."""
    root = [{"DeviceName": "/dev/xvda", "Ebs": {"VolumeSize": group.fields.get("diskSize", 20), "VolumeType": "gp3"}}]
    given = [each for each in data.get("BlockDeviceMappings", []) if "Ebs" in each] or root
    return [{**each, "Ebs": {"VolumeSize": 20, "DeleteOnTermination": True, **each["Ebs"]}} for each in given]


def _reservation(data: Answer) -> str | None:
    target = (data.get("CapacityReservationSpecification") or {}).get("CapacityReservationTarget") or {}
    return target.get("CapacityReservationId")
