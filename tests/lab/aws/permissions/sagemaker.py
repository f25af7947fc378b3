# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Permissions for calls of SageMaker, including those for calls that HyperPod makes for the caller."""

from __future__ import annotations

import typing as t

from . import found
from .forms import Context, Required, Triple, arn

if t.TYPE_CHECKING:
    from ..request import Call

HYPERPOD = "hyperpod.sagemaker.amazonaws.com"
OF_NODES = "222222222222"
"""The account of SageMaker that owns the instances of nodes."""
SYSTEM_POLICY = "arn:aws:eks::aws:cluster-access-policy/AmazonSagemakerHyperpodSystemNamespacePolicy"
POLICIES = (("ComputeQuota", "compute-quota"), ("ClusterSchedulerConfig", "cluster-scheduler-config"))
"""Kinds of task governance in names of operations and in ARNs."""


def _governance(call: Call) -> list[Triple]:
    """Permissions for task governance; a creation also requires its cluster."""
    params, action = call.params, f"sagemaker:{call.operation}"
    arns = [arn(call, "sagemaker", f"{part}/{params.get(f'{kind}Id', 'new')}") for kind, part in POLICIES if kind in call.operation]
    tagged = ["sagemaker:AddTags"] if params.get("Tags") else []
    cluster = [(action, params["ClusterArn"], {})] if "ClusterArn" in params else []
    return [*cluster, *((each, resource, {}) for each in (action, *tagged) for resource in arns)]


def required(call: Call) -> Required:
    params, action = call.params, f"sagemaker:{call.operation}"
    if call.operation == "DescribeTrainingPlan":
        return [(action, arn(call, "sagemaker", f"training-plan/{params['TrainingPlanName'].rpartition('/')[2]}"), {})]
    if any(kind in call.operation for kind, _part in POLICIES):
        return None if call.operation.startswith("List") else _governance(call)
    name = next((params[key] for key in ("ClusterName", "ClusterArn", "ResourceArn", "ClusterExtensionArn") if params.get(key)), "")
    if not name:
        return None
    cluster = name if name.startswith("arn:") else arn(call, "sagemaker", f"cluster/{name}")
    made: list[Triple] = [(action, cluster, {})]
    if params.get("Tags") and call.operation == "CreateCluster":
        made.append(("sagemaker:AddTags", cluster, {}))
    if call.operation == "CreateCluster":
        made += for_service_role(call, HYPERPOD)
    eks = params.get("Orchestrator", {}).get("Eks", {}).get("ClusterArn") or found.eks_of(call, name)
    groups = (*params.get("InstanceGroups", ()), *params.get("RestrictedInstanceGroups", ()))
    made += [(action, plan, {}) for plan in _training_plans(call, groups)]
    if eks and (groups or "Orchestrator" in params):
        made += _admission_to_eks(call, eks, groups)
    roles = {group["ExecutionRole"] for group in groups if "ExecutionRole" in group}
    made += [("iam:PassRole", role, {"iam:PassedToService": "sagemaker.amazonaws.com"}) for role in sorted(roles)]
    if params.get("ClusterRole"):
        made.append(("iam:PassRole", params["ClusterRole"], {"iam:PassedToService": HYPERPOD}))
    images = sorted({each["ImageId"] for each in (params, *groups) if str(each.get("ImageId", "")).startswith("ami-")})
    return [*made, *(each for image in images for each in _shared_image(call, image)), *_at_node(call, eks)]


def _training_plans(call: Call, groups: t.Iterable[dict[str, t.Any]]) -> list[str]:
    """Training plans require the same action on them and on their reserved capacity (Developer Guide, training-plan-iam-permissions)."""
    plans = sorted({group["TrainingPlanArn"] for group in groups if group.get("TrainingPlanArn")})
    return [*plans, *([arn(call, "sagemaker", "reserved-capacity/any")] if plans else [])]


def _shared_image(call: Call, image: str) -> list[Triple]:
    """HyperPod shares an image with its own account as the caller (Developer Guide, hyperpod-custom-ami-cluster-management)."""
    snapshots = found.snapshots_of(call, image)
    on_image = ("ec2:ModifyImageAttribute", f"arn:aws:ec2:{call.region}::image/{image}", found.tags_of(call, image))
    on_snapshots = [
        ("ec2:ModifySnapshotAttribute", f"arn:aws:ec2:{call.region}::snapshot/{each}", found.tags_of(call, each)) for each in snapshots
    ]
    return [("ec2:DescribeImages", "*", {}), ("ec2:DescribeSnapshots", "*", {}), on_image, *on_snapshots]


def _at_node(call: Call, eks: str) -> list[Triple]:
    """Permissions for a volume (Developer Guide, sagemaker-hyperpod-eks-ebs) or a network interface of a node.

    That page names only the volume; EC2 also requires the instance, which is in an account of SageMaker. Interfaces are undocumented
    and are handled like volumes.
    """
    node = f"arn:aws:ec2:{call.region}:{OF_NODES}:instance/{call.params.get('NodeId')}"
    if call.operation == "AttachClusterNodeNetworkInterface":
        interface = call.params["NetworkInterfaceId"]
        attach = "ec2:AttachNetworkInterface"
        return [(attach, node, {}), (attach, arn(call, "ec2", f"network-interface/{interface}"), found.tags_of(call, interface))]
    if call.operation not in ("AttachClusterNodeVolume", "DetachClusterNodeVolume"):
        return []
    action = f"ec2:{call.operation.replace('ClusterNode', '')}"
    volume = call.params["VolumeId"]
    made: list[Triple] = [(action, node, {}), (action, arn(call, "ec2", f"volume/{volume}"), found.tags_of(call, volume))]
    return [*made, ("ec2:DescribeVolumes", "*", {}), *([("eks:DescribeCluster", eks, {})] if eks else ())]


def for_service_role(call: Call, service: str) -> list[Triple]:
    """Permission to create the service-linked role, as for the first resource of its kind in an account."""
    role = f"arn:aws:iam::{call.account}:role/aws-service-role/{service}/AWSServiceRole"
    return [("iam:CreateServiceLinkedRole", role, {"iam:AWSServiceName": service})]


def _admission_to_eks(call: Call, cluster: str, groups: t.Iterable[dict[str, t.Any]]) -> list[Triple]:
    """Calls that HyperPod makes for the caller so that it and its nodes may join an EKS cluster.

    The actions are those of the Developer Guide (prerequisites-iam). The principals of the entries, the nodes' roles and HyperPod's
    service-linked role, are from ClusterMetadata of DescribeClusterEvent, the type of the former from EKS's user guide.
    """
    service = f"arn:aws:iam::{call.account}:role/aws-service-role/{HYPERPOD}/AWSServiceRoleForSageMakerHyperPod"
    of_service = {"eks:principalArn": service, "eks:accessEntryType": "STANDARD"}
    roles = sorted({group["ExecutionRole"] for group in groups if "ExecutionRole" in group})
    entries: list[tuple[str, Context]] = [(role, {"eks:principalArn": role, "eks:accessEntryType": "HYPERPOD_LINUX"}) for role in roles]
    made: list[Triple] = [("eks:DescribeCluster", cluster, {})]
    for principal, context in (*entries, (service, of_service)):
        entry = f"{cluster.replace(':cluster/', ':access-entry/')}/role/{call.account}/{principal.rpartition('/')[2]}/0a1b2c3d"
        made.append(("eks:CreateAccessEntry", cluster, context))
        made += [(f"eks:{each}AccessEntry", entry, context) for each in ("Describe", "Delete")]
    return [*made, ("eks:AssociateAccessPolicy", entry, {**of_service, "eks:policyArn": SYSTEM_POLICY})]
