# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""A cluster with its groups and nodes, and their descriptions in the API."""

from __future__ import annotations

import copy
import dataclasses
import datetime
import secrets
import threading
import typing as t
import uuid

from .. import cloud
from ..delays import Delay
from ..modelcheck import problems, service_model
from .addresses import Address

ID_LETTERS = "abcdefghijklmnopqrstuvwxyz0123456789"
CLUSTER_SETTINGS = (
    "VpcConfig",
    "Orchestrator",
    "NodeRecovery",
    "NodeProvisioningMode",
    "ClusterRole",
    "TieredStorageConfig",
)
NODE_SETTINGS = ("LifeCycleConfig", "OverrideVpcConfig", "ThreadsPerCore", "InstanceStorageConfigs")
GROUP_DEFAULTS = {"ThreadsPerCore": 1}


def now() -> datetime.datetime:
    """The time in milliseconds, as the API returns it."""
    moment = datetime.datetime.now(datetime.timezone.utc)
    return moment.replace(microsecond=moment.microsecond // 1000 * 1000)


def new_instance_id() -> str:
    return "i-" + secrets.token_hex(9)[:17]


@dataclasses.dataclass
class Node:
    """An instance. ``turn`` is its index in the group, which a replacement keeps. ``leaving``: the group does not count it any more."""

    group: str
    turn: int
    instance_type: str
    address: Address | None
    instance_id: str = dataclasses.field(default_factory=new_instance_id)
    status: str = "Pending"
    message: str = ""
    release: str = ""
    image: str = ""
    launch_time: datetime.datetime = dataclasses.field(default_factory=now)
    updated: datetime.datetime | None = None
    booted: bool = False
    leaving: bool = False
    linger: tuple[str, int] = ("", 0)

    @property
    def hostname(self) -> str:
        """Host name of an instance in EC2, from its address."""
        return "ip-" + self.address.ip.replace(".", "-") if self.address else self.instance_id

    @property
    def logical_id(self) -> str:
        """ID of the node before it has an instance."""
        return f"{self.group}-{self.turn}"

    def poll(self) -> str:
        """The status for a listing; an injected old status is returned for its number of listings."""
        old, left = self.linger
        if left > 0 and self.status != old:
            self.linger = (old, left - 1)
            return old
        return self.status


@dataclasses.dataclass
class Group:
    """An instance group: its specification and its target count."""

    name: str
    spec: dict[str, t.Any]
    target: int
    restricted: bool = False
    status: str = "Creating"
    software_update: str = ""
    release: str = ""

    @property
    def types(self) -> list[str]:
        """Types of its instances: one, except for a flexible group."""
        flexible = self.spec.get("InstanceRequirements", {}).get("InstanceTypes", [])
        return [self.spec["InstanceType"]] if "InstanceType" in self.spec else list(flexible)

    @property
    def own_image(self) -> str:
        """The ID of a custom image; for images of HyperPod the simulator returns only the release."""
        image: str = self.spec.get("ImageId", "")
        return image if image.startswith("ami-") else ""


class Cluster:
    """The state of a cluster. ``work`` serialises background operations."""

    def __init__(self, *, partition: str, region: str, account: str, request: dict[str, t.Any]) -> None:
        self.request = copy.deepcopy(request)
        self.name: str = self.request["ClusterName"]
        self.account, self.region = account, region
        self.id = "".join(secrets.choice(ID_LETTERS) for _turn in range(12))
        self.arn = f"arn:{partition}:sagemaker:{region}:{account}:cluster/{self.id}"
        self.tags: dict[str, str] = {tag["Key"]: tag["Value"] for tag in self.request.pop("Tags", [])}
        self.groups: dict[str, Group] = {}
        self.nodes: dict[str, Node] = {}
        self.status = "Creating"
        self.failure = ""
        self.created = now()
        self.events: list[dict[str, t.Any]] = []
        self.operations: list[dict[str, t.Any]] = []
        self.extensions: dict[str, dict[str, t.Any]] = {}
        self.counted: list[tuple[str, Delay]] = []
        """Groups of unlisted nodes, and how long the count of the group includes them."""
        self.linger: tuple[str, int] = ("", 0)
        self.scaler_status = self.scaler_failure = ""
        self.gone = False
        self.before: tuple[Delay, dict[str, t.Any] | None] | None = None
        """How long descriptions return the state before a change, and that state; None before the creation."""
        self.work = threading.Lock()
        self.noticing = threading.Lock()
        self.noticed: t.Any = None
        """The last state that was sent to EventBridge."""

    @property
    def hosts_wanted(self) -> bool:
        """False for a cluster with EKS or tag ``lab/hosts=none``, whose nodes are only records."""
        return not self.eks_arn and self.tags.get("lab/hosts") != "none"

    @property
    def eks_arn(self) -> str:
        """ARN of its EKS cluster, or empty."""
        return self.request.get("Orchestrator", {}).get("Eks", {}).get("ClusterArn", "")

    @property
    def continuous(self) -> bool:
        return self.request.get("NodeProvisioningMode") == "Continuous"

    @property
    def shown_status(self) -> str:
        """The status in the API: an injected old one while it lasts."""
        old, left = self.linger
        return old if left > 0 else self.status

    def poll(self) -> str:
        """The status for one description."""
        shown = self.shown_status
        if self.linger[1] > 0 and (self.gone or self.status != self.linger[0]):
            self.linger = (self.linger[0], self.linger[1] - 1)
        return shown

    def drop(self, node: Node) -> None:
        """Remove a node from the listing. The count of the group includes it a while longer, as in AWS's field notes."""
        if self.nodes.pop(node.instance_id, None) is not None:
            self.counted.append((node.group, Delay("count_lag_seconds")))

    def vpc_config(self, group: str) -> dict[str, t.Any] | None:
        """Subnets and security groups of a group's nodes."""
        return self.groups[group].spec.get("OverrideVpcConfig") or self.request.get("VpcConfig")

    def node_type(self, group: str) -> str:
        """controller, login, compute or none; for a host of a legacy group, tag ``lab/node-type/<group>``."""
        known = self.groups.get(group)
        declared = known.spec.get("SlurmConfig", {}).get("NodeType", "") if known else ""
        return declared.lower() or self.tags.get(f"lab/node-type/{group}", "none")

    def of_group(self, group: str) -> list[Node]:
        """The nodes of a group by index."""
        return sorted((node for node in list(self.nodes.values()) if node.group == group), key=lambda node: node.turn)

    def remember(self, *, new: bool = False) -> None:
        """Store the current state, which descriptions return while reads lag."""
        self.before = (Delay("cluster_lag_seconds"), None if new else self._described(self.status))

    def describe(self) -> dict[str, t.Any] | None:
        """The reply of DescribeCluster; counts as one poll. None if the cluster is not visible yet."""
        if self.before is None or self.before[0].is_over:
            return self._described(self.poll())
        return copy.deepcopy(self.before[1])

    def described(self) -> dict[str, t.Any]:
        """The current state, without injected delays."""
        return self._described(self.status)

    def _described(self, status: str) -> dict[str, t.Any]:
        answer = {
            "ClusterArn": self.arn,
            "ClusterName": self.name,
            "ClusterStatus": status,
            "CreationTime": self.created,
            "InstanceGroups": [self._describe_group(group) for group in list(self.groups.values()) if not group.restricted],
        }
        restricted = [self._describe_group(group) for group in list(self.groups.values()) if group.restricted]
        if restricted:
            answer["RestrictedInstanceGroups"] = restricted
        answer |= {key: self.request[key] for key in CLUSTER_SETTINGS if key in self.request}
        if "RestrictedInstanceGroupsConfig" in self.request:
            shared = self.request["RestrictedInstanceGroupsConfig"]["SharedEnvironmentConfig"]
            answer["RestrictedInstanceGroupsConfig"] = {"SharedEnvironmentConfig": _twice(shared)}
        if self.scaler_status:
            failure = {"FailureMessage": self.scaler_failure} if self.scaler_failure else {}
            answer["AutoScaling"] = {**self.request["AutoScaling"], "Status": self.scaler_status, **failure}
        if self.failure:
            answer["FailureMessage"] = self.failure
        return copy.deepcopy(answer)

    def begin(self, kind: str, **details: t.Any) -> dict[str, t.Any]:
        """Record an operation in progress."""
        about = {"OperationId": str(uuid.uuid4()), "ClusterArn": self.arn, "Type": kind, "Status": "InProgress", "CreationTime": now()}
        self.operations.append({**about, **details})
        return self.operations[-1]

    def summary(self) -> dict[str, t.Any]:
        """The cluster's entry in ListClusters."""
        return {
            "ClusterArn": self.arn,
            "ClusterName": self.name,
            "CreationTime": self.created,
            "ClusterStatus": self.shown_status,
        }

    def _describe_group(self, group: Group) -> dict[str, t.Any]:
        kind = "Restricted" if group.restricted else ""
        shape = service_model("sagemaker").shape_for(f"Cluster{kind}InstanceGroupDetails")
        kept = {key: value for key, value in group.spec.items() if key in shape.members}
        answer = {key: value for key, value in kept.items() if not any(problems(shape.members[key], value))}
        if "KubernetesConfig" in group.spec:
            answer["KubernetesConfig"] = _twice(group.spec["KubernetesConfig"])
        image = {"ImageReleaseVersion": group.release, **({"ImageId": group.spec["ImageId"]} if "ImageId" in group.spec else {})}
        if not group.restricted:
            newest = group.release == cloud.current().settings["image_release_version"]
            answer |= {**_twice(image), "ImageVersionStatus": "UpToDate" if newest else "UpdateAvailable"}
        if "AutoPatchConfig" in group.spec:
            patching = dict(group.spec["AutoPatchConfig"])
            schedule = patching.pop("PatchSchedule", None)
            answer["AutoPatchConfig"] = {**patching, **({"DesiredPatchSchedule": schedule} if schedule else {})}
        if "InstanceRequirements" in group.spec:
            types = group.spec["InstanceRequirements"]["InstanceTypes"]
            answer["InstanceRequirements"] = {"CurrentInstanceTypes": types, "DesiredInstanceTypes": types}
        if group.software_update:
            answer["SoftwareUpdateStatus"] = group.software_update
        if "MinInstanceCount" in group.spec:
            answer["MinCount"] = group.spec["MinInstanceCount"]
        present = [node for node in self.of_group(group.name) if node.status not in ("Pending", "ShuttingDown")]
        gone = [name for name, delay in self.counted if name == group.name and not delay.is_over]
        counts = {"CurrentCount": len(present) + len(gone), "TargetCount": group.target}
        return {**GROUP_DEFAULTS, **answer, **counts, "InstanceGroupName": group.name, "Status": group.status}

    def node_summary(self, node: Node) -> dict[str, t.Any]:
        """The node's entry in ListClusterNodes, which has no address; counts as one poll."""
        answer = {
            "InstanceGroupName": node.group,
            "InstanceId": node.instance_id,
            "InstanceType": node.instance_type,
            "LaunchTime": node.launch_time,
            "InstanceStatus": {"Status": node.poll(), **({"Message": node.message} if node.message else {})},
        }
        if node.release:
            newest = node.release == cloud.current().settings["image_release_version"]
            answer |= {"CurrentImageReleaseVersion": node.release, "ImageVersionStatus": "UpToDate" if newest else "UpdateAvailable"}
        if node.updated:
            answer["LastSoftwareUpdateTime"] = node.updated
        if node.address:
            answer["PrivateDnsHostname"] = self._dns(node)
        return answer

    def node_details(self, node: Node, *, show_address: bool) -> dict[str, t.Any]:
        """The reply of DescribeClusterNode."""
        spec = self.groups[node.group].spec if node.group in self.groups else {}
        answer = self.node_summary(node)
        answer.pop("PrivateDnsHostname", None)
        answer |= {key: spec[key] for key in NODE_SETTINGS if key in spec}
        if node.address:
            zone = {"AvailabilityZone": node.address.zone, "AvailabilityZoneId": node.address.zone_id}
            answer["Placement"] = zone
        if node.image:
            answer |= {"CurrentImageId": node.image, "DesiredImageId": node.image}
        if node.address and show_address:
            answer |= {"PrivatePrimaryIp": node.address.ip, "PrivateDnsHostname": self._dns(node)}
        return copy.deepcopy(answer)

    def _dns(self, node: Node) -> str:
        return f"{node.hostname}.{self.region}.compute.internal"


def _twice(settings: t.Mapping[str, t.Any]) -> dict[str, t.Any]:
    """Settings that AWS returns as current and as desired values."""
    return {f"{when}{name}": value for when in ("Current", "Desired") for name, value in settings.items()}
