# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""What a call of SageMaker asks IAM for, with what HyperPod does elsewhere with the caller's rights."""

from __future__ import annotations

import typing as t

from . import found
from .forms import Asked, Context, Triple, arn

if t.TYPE_CHECKING:
    from ..request import Call

HYPERPOD = "hyperpod.sagemaker.amazonaws.com"
OF_NODES = "222222222222"
"""The account of SageMaker's that has the instances of nodes."""
SYSTEM_POLICY = "arn:aws:eks::aws:cluster-access-policy/AmazonSagemakerHyperpodSystemNamespacePolicy"
POLICIES = (("ComputeQuota", "compute-quota"), ("ClusterSchedulerConfig", "cluster-scheduler-config"))
"""Of task governance: the kind in names of operations, and in ARNs."""


def _governance(call: Call) -> list[Triple]:
    """One that is made is asked for on its cluster, too."""
    params, action = call.params, f"sagemaker:{call.operation}"
    arns = [arn(call, "sagemaker", f"{word}/{params.get(f'{kind}Id', 'new')}") for kind, word in POLICIES if kind in call.operation]
    tagged = ["sagemaker:AddTags"] if params.get("Tags") else []
    cluster = [(action, params["ClusterArn"], {})] if "ClusterArn" in params else []
    return [*cluster, *((each, resource, {}) for each in (action, *tagged) for resource in arns)]


def asked(call: Call) -> Asked:
    params, action = call.params, f"sagemaker:{call.operation}"
    if call.operation == "DescribeTrainingPlan":
        return [(action, arn(call, "sagemaker", f"training-plan/{params['TrainingPlanName'].rpartition('/')[2]}"), {})]
    if any(kind in call.operation for kind, _word in POLICIES):
        return None if call.operation.startswith("List") else _governance(call)
    name = next((params[key] for key in ("ClusterName", "ClusterArn", "ResourceArn", "ClusterExtensionArn") if params.get(key)), "")
    if not name:
        return None
    cluster = name if name.startswith("arn:") else arn(call, "sagemaker", f"cluster/{name}")
    made: list[Triple] = [(action, cluster, {})]
    if params.get("Tags") and call.operation == "CreateCluster":
        made.append(("sagemaker:AddTags", cluster, {}))
    if call.operation == "CreateCluster":
        made += _for_service_role(call, HYPERPOD)
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
    """Whoever uses a plan needs the same action on it and on what it reserves (Developer Guide, training-plan-iam-permissions)."""
    plans = sorted({group["TrainingPlanArn"] for group in groups if group.get("TrainingPlanArn")})
    return [*plans, *([arn(call, "sagemaker", "reserved-capacity/any")] if plans else [])]


def _shared_image(call: Call, image: str) -> list[Triple]:
    """HyperPod shares an image with itself as the caller (Developer Guide, hyperpod-custom-ami-cluster-management)."""
    snapshots = found.snapshots_of(call, image)
    on_image = ("ec2:ModifyImageAttribute", f"arn:aws:ec2:{call.region}::image/{image}", found.tags_of(call, image))
    on_snapshots = [
        ("ec2:ModifySnapshotAttribute", f"arn:aws:ec2:{call.region}::snapshot/{each}", found.tags_of(call, each)) for each in snapshots
    ]
    return [("ec2:DescribeImages", "*", {}), ("ec2:DescribeSnapshots", "*", {}), on_image, *on_snapshots]


def _at_node(call: Call, eks: str) -> list[Triple]:
    """What the caller needs for a volume (Developer Guide, sagemaker-hyperpod-eks-ebs) or an interface at a node.

    That page names the volume alone; EC2 asks for the instance too, which is in an account of SageMaker's. Of interfaces no page says
    anything, so that is as it is with volumes.
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


def _for_service_role(call: Call, service: str) -> list[Triple]:
    """As for the first resource of its kind in an account, for which the service makes its role."""
    role = f"arn:aws:iam::{call.account}:role/aws-service-role/{service}/AWSServiceRole"
    return [("iam:CreateServiceLinkedRole", role, {"iam:AWSServiceName": service})]


def _admission_to_eks(call: Call, cluster: str, groups: t.Iterable[dict[str, t.Any]]) -> list[Triple]:
    """What HyperPod does with the caller's rights, that it and its nodes may join an EKS cluster.

    The actions are those of the Developer Guide (prerequisites-iam). That the entries are of the nodes' roles and of HyperPod's
    service-linked role is from ClusterMetadata of DescribeClusterEvent, and the type of the former from EKS's user guide.
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
