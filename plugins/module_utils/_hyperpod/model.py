# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# This module util is private to the collection.
"""Clusters, instance groups and nodes, built from AWS's answers.

Any field may be missing in an answer: older releases of botocore drop unknown fields, and older clusters lack newer ones.
"""

from __future__ import annotations

import dataclasses
import typing as t
from dataclasses import dataclass

from .._core.arn import ClusterArn
from .._core.failure import refuse_option
from .._core.text import printable
from .._core.times import iso_time
from . import statuses

INSTANCE_ID = r"i-[a-f0-9]{8}(?:[a-f0-9]{9})?"
INSTANCE_ID_ALLOWED = "instance IDs, such as i-0123456789abcdef0"
NODE_TYPES = ("controller", "login", "compute")
MIG_CONFIG = "nvidia.com/mig.config"
"""The label by which NVIDIA's GPU Operator partitions a node's GPUs."""

ApiDict = t.Mapping[str, t.Any]
NodeTypes = t.Mapping[str, str]
"""The node type of each instance group, keyed by name, for clusters whose node types AWS does not return."""


@dataclass(frozen=True)
class Group:
    """An instance group. ``subnets`` and ``security_groups`` are None if the group uses those of the cluster."""

    name: str
    node_type: str | None
    current: int
    target: int
    instance_type: str
    execution_role: str
    status: str
    subnets: tuple[str, ...] | None = None
    security_groups: tuple[str, ...] | None = None
    active_operations: int = 0
    training_plan_arn: str = ""
    instance_types: tuple[str, ...] = ()
    """Possible types of the group's nodes. A flexible group has several types and an empty ``instance_type``."""
    mig_config: str = ""
    """The declared value of the nodes' label ``MIG_CONFIG``; empty without one."""
    image_id: str = ""
    image_release_version: str = ""
    """Release of HyperPod's image."""
    threads_per_core: int | None = None
    """1 if the second thread of each core is disabled; None if AWS does not return the number."""

    @classmethod
    def from_api(cls, answer: ApiDict, node_types: NodeTypes) -> Group:
        name = answer["InstanceGroupName"]
        override = answer.get("OverrideVpcConfig") or {}
        current = answer.get("CurrentCount", 0)
        flexible = (answer.get("InstanceRequirements") or {}).get("DesiredInstanceTypes") or ()
        return cls(
            name=name,
            node_type=node_type_of(name, answer, node_types),
            current=current,
            target=answer.get("TargetCount", current),
            instance_type=answer.get("InstanceType", ""),
            execution_role=answer.get("ExecutionRole", ""),
            status=answer.get("Status", ""),
            subnets=tuple(override["Subnets"]) if override.get("Subnets") else None,
            security_groups=tuple(override["SecurityGroupIds"]) if override.get("SecurityGroupIds") else None,
            active_operations=sum((answer.get("ActiveOperations") or {}).values()),
            training_plan_arn=answer.get("TrainingPlanArn", ""),
            instance_types=(answer["InstanceType"],) if "InstanceType" in answer else tuple(flexible),
            mig_config=printable(_labels(answer).get(MIG_CONFIG, "")),
            threads_per_core=answer.get("ThreadsPerCore"),
            **_image(answer),
        )

    @property
    def at_target_size(self) -> bool:
        return self.current == self.target and not self.active_operations

    def to_result(self) -> dict[str, t.Any]:
        result = _plain(self)
        result["at_target_size"] = self.at_target_size
        return result


@dataclass(frozen=True)
class Cluster:
    """A cluster and its instance groups. ``subnets`` is empty for a cluster without a VPC of the customer."""

    name: str
    arn: str
    id: str
    region: str
    account: str
    partition: str
    status: str
    orchestrator: str
    """``slurm`` or ``eks``."""
    groups: tuple[Group, ...] = ()
    subnets: tuple[str, ...] = ()
    security_groups: tuple[str, ...] = ()
    failure_message: str = ""
    node_provisioning_mode: str = ""
    node_recovery: str = ""
    """Automatic, or None if HyperPod does not repair nodes automatically; empty if AWS does not return it."""
    eks_cluster_arn: str = ""

    @classmethod
    def from_api(cls, answer: ApiDict, node_types: NodeTypes | None = None) -> Cluster:
        eks = (answer.get("Orchestrator") or {}).get("Eks")
        arn = ClusterArn.parse(answer["ClusterArn"])
        vpc = answer.get("VpcConfig") or {}
        groups = [*(answer.get("InstanceGroups") or ()), *(answer.get("RestrictedInstanceGroups") or ())]
        return cls(
            name=answer.get("ClusterName", ""),
            arn=arn.text,
            id=arn.id,
            region=arn.region,
            account=arn.account,
            partition=arn.partition,
            status=answer.get("ClusterStatus", ""),
            orchestrator="slurm" if eks is None else "eks",
            groups=tuple(Group.from_api(group, node_types or {}) for group in groups),
            subnets=tuple(vpc.get("Subnets") or ()),
            security_groups=tuple(vpc.get("SecurityGroupIds") or ()),
            failure_message=answer.get("FailureMessage") or "",
            node_provisioning_mode=answer.get("NodeProvisioningMode") or "",
            node_recovery=answer.get("NodeRecovery") or "",
            eks_cluster_arn=(eks or {}).get("ClusterArn", ""),
        )

    @property
    def in_service(self) -> bool:
        return self.status == statuses.IN_SERVICE

    @property
    def at_target_size(self) -> bool:
        """Whether all groups have their counts. With continuous provisioning, an InService cluster may still add nodes."""
        return self.in_service and all(group.at_target_size for group in self.groups)

    def group(self, name: str) -> Group | None:
        return next((group for group in self.groups if group.name == name), None)

    def groups_of_type(self, node_type: str) -> tuple[Group, ...]:
        return tuple(group for group in self.groups if group.node_type == node_type)

    def subnets_of(self, group: Group) -> tuple[str, ...]:
        return self.subnets if group.subnets is None else group.subnets

    def security_groups_of(self, group: Group) -> tuple[str, ...]:
        return self.security_groups if group.security_groups is None else group.security_groups

    def to_result(self) -> dict[str, t.Any]:
        result = _plain(self)
        result["groups"] = [group.to_result() for group in self.groups]
        result["in_service"] = self.in_service
        result["at_target_size"] = self.at_target_size
        return result


@dataclass(frozen=True)
class Node:
    """One instance. ``ip``, ``az`` and ``image_id`` come from DescribeClusterNode only; the listing lacks them."""

    instance_id: str
    group: str
    node_type: str | None
    instance_type: str
    status: str
    message: str
    launch_time: str
    last_software_update_time: str
    ip: str | None = None
    az: str | None = None
    image_id: str = ""
    image_release_version: str = ""

    @classmethod
    def from_api(cls, answer: ApiDict, node_types: NodeTypes | None = None) -> Node:
        """``answer``: a summary of ListClusterNodes or the details of DescribeClusterNode.

        ``node_types`` names the type of every group that has one (:func:`node_types_of`).
        """
        group = answer["InstanceGroupName"]
        status = answer.get("InstanceStatus") or {}
        return cls(
            instance_id=answer["InstanceId"],
            group=group,
            node_type=(node_types or {}).get(group),
            instance_type=answer.get("InstanceType", ""),
            status=status.get("Status", ""),
            message=printable(status.get("Message") or ""),
            launch_time=iso_time(answer.get("LaunchTime")),
            last_software_update_time=iso_time(answer.get("LastSoftwareUpdateTime")),
            ip=answer.get("PrivatePrimaryIp"),
            az=(answer.get("Placement") or {}).get("AvailabilityZone"),
            **_image(answer),
        )

    @property
    def triple(self) -> tuple[str, str, str]:
        """Identifies the disk: a replacement changes the ID, and a software update usually changes the last part."""
        return (self.instance_id, self.launch_time, self.last_software_update_time)

    def ssm_target(self, cluster: Cluster) -> str:
        """The target of SSM sessions. It is built, but never parsed, because group names may contain ``_`` and ``-``."""
        return f"sagemaker-cluster:{cluster.id}_{self.group}-{self.instance_id}"

    def host_key_alias(self, cluster: Cluster) -> str:
        return f"{self.instance_id}.{cluster.id}"

    def to_result(self, cluster: Cluster) -> dict[str, t.Any]:
        result = _plain(self)
        result["triple"] = list(self.triple)
        result["ssm_target"] = self.ssm_target(cluster)
        result["host_key_alias"] = self.host_key_alias(cluster)
        return result


def node_type_of(group: str, answer: ApiDict, node_types: NodeTypes) -> str | None:
    """The type from the API, or else from ``node_types``; never guessed from a name."""
    stated = (answer.get("SlurmConfig") or {}).get("NodeType")
    return stated.lower() if stated else node_types.get(group)


def node_types_of(cluster: Cluster) -> dict[str, str]:
    return {group.name: group.node_type for group in cluster.groups if group.node_type is not None}


def check_node_types(node_types: NodeTypes, *, option: str = "node_types") -> dict[str, str]:
    """The value of the option, unchanged.

    :raises Refused: for a type that does not exist.
    """
    for group, node_type in node_types.items():
        if node_type not in NODE_TYPES:
            refuse_option(f"{option}.{group}", node_type, ", ".join(NODE_TYPES))
    return dict(node_types)


def require_group(cluster: Cluster, name: str, *, option: str) -> Group:
    """The group named exactly ``name``.

    :raises Refused: with the names of the existing groups.
    """
    group = cluster.group(name)
    if group is None:
        names = ", ".join(sorted(each.name for each in cluster.groups)) or "none"
        refuse_option(option, name, names, f"cluster {cluster.name} has no such instance group")
    return group


def _image(answer: ApiDict) -> dict[str, str]:
    """The current image; empty if AWS does not return it."""
    names = {"image_id": "CurrentImageId", "image_release_version": "CurrentImageReleaseVersion"}
    return {name: printable(answer.get(field) or "") for name, field in names.items()}


def _labels(group: ApiDict) -> t.Mapping[str, str]:
    """The declared Kubernetes labels of a group's nodes."""
    config = group.get("KubernetesConfig") or {}
    return config.get("DesiredLabels", config.get("CurrentLabels")) or {}


def _plain(record: t.Any) -> dict[str, t.Any]:
    fields = {field.name: getattr(record, field.name) for field in dataclasses.fields(record)}
    return {name: list(value) if isinstance(value, tuple) else value for name, value in fields.items()}
