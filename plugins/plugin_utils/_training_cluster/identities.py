# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""IAM roles of a training cluster: of the EKS cluster, of its nodes, and of the add-ons whose Pods call AWS.

``docs/reference/iam/training-cluster-roles.json`` allows only the policies in these tables; ``boundary.json`` limits the rights.
"""

from __future__ import annotations

import hashlib
import json
import typing as t
from dataclasses import dataclass

PATH = "/hyperpod-eks/"
"""The path of all roles, which the documented IAM policies require."""
LONGEST = 64
"""The maximum length of the name of an IAM role (CreateRole)."""
DIGITS = 8
CLUSTER, NODES = "cluster", "nodes"
"""The parts of a role's name for the EKS cluster and for its nodes. The policies pass only roles ``*-nodes`` to EC2."""
EKS, EC2, PODS = "eks.amazonaws.com", "ec2.amazonaws.com", "pods.eks.amazonaws.com"

Document = dict[str, t.Any]


@dataclass(frozen=True)
class Role:
    """A role: the service that may assume it, and its rights."""

    part: str
    """The last part of the name: ``cluster``, ``nodes``, or the name of the add-on."""
    service: str
    managed: tuple[str, ...] = ()
    """AWS managed policies, with their path below ``arn:PARTITION:iam::aws:policy/``."""
    inline: tuple[t.Mapping[str, t.Any], ...] = ()
    """Statements of a further policy, if no managed policy contains only the required rights. ARNs are those of partition aws."""
    namespace: str = ""
    service_account: str = ""
    """The service account that gets the role through a pod identity association; empty for the cluster and its nodes."""
    inline_association: bool = True
    """Whether CreateAddon accepts the association; otherwise the association must exist before the add-on."""

    def managed_arns(self, partition: str) -> list[str]:
        return [f"arn:{partition}:iam::aws:policy/{name}" for name in self.managed]

    def policy(self, partition: str) -> Document | None:
        """The inline policy; None if the role needs no inline policy."""
        if not self.inline:
            return None
        text = json.dumps({"Version": "2012-10-17", "Statement": list(self.inline)})
        return t.cast("Document", json.loads(text.replace('"arn:aws:', f'"arn:{partition}:')))

    def trust(self, *, account: str, cluster: str) -> Document:
        """The trust policy. Only the service can assume the role, and only for the EKS cluster with this ARN.

        EKS sends ``aws:SourceArn`` and ``aws:SourceAccount`` for the role of a cluster (EKS user guide, page
        cross-service-confused-deputy-prevention), and session tags for the roles of Pods (page pod-id-abac). An association with
        ``disable_session_tags`` therefore can't use these roles. EC2 sends none of them for the role of a node.
        """
        statement: Document = {"Effect": "Allow", "Principal": {"Service": self.service}, "Action": "sts:AssumeRole"}
        if self.service == EKS:
            statement["Condition"] = {"StringEquals": {"aws:SourceAccount": account}, "ArnEquals": {"aws:SourceArn": cluster}}
        if self.service == PODS:
            tags = {
                "eks-cluster-arn": cluster,
                "kubernetes-namespace": self.namespace,
                "kubernetes-service-account": self.service_account,
            }
            statement["Action"] = ["sts:AssumeRole", "sts:TagSession"]
            statement["Condition"] = {"StringEquals": {f"aws:RequestTag/{key}": value for key, value in tags.items()}}
        return {"Version": "2012-10-17", "Statement": [statement]}


CLUSTER_ROLE = Role(CLUSTER, EKS, ("AmazonEKSClusterPolicy",))
"""Source: EKS user guide, page cluster-iam-role. With the boundary, the rights to manage load balancers have no effect."""

NODE_ROLE = Role(NODES, EC2, ("AmazonEC2ContainerRegistryPullOnly", "AmazonEKSWorkerNodePolicy"))
"""Source: EKS user guide, page create-node-role. AmazonEKSWorkerNodePolicy contains the right that eks-pod-identity-agent needs.

AmazonEKS_CNI_Policy is not in this role, because the Pods of vpc-cni have their own role.
"""

READ_FILE_SYSTEMS = ({"Effect": "Allow", "Action": "fsx:DescribeFileSystems", "Resource": "*"},)
READ_BUCKETS = (
    {
        "Effect": "Allow",
        "Action": ["s3:GetObject", "s3:ListBucket"],
        "Resource": "arn:aws:s3:::sagemaker-*",
        "Condition": {"StringEquals": {"aws:ResourceAccount": "${aws:PrincipalAccount}"}},
    },
)
SYSTEM = "kube-system"
ADDON_ROLES: tuple[Role, ...] = (
    Role("vpc-cni", PODS, ("AmazonEKS_CNI_Policy",), namespace=SYSTEM, service_account="aws-node"),
    Role("aws-ebs-csi-driver", PODS, ("AmazonEBSCSIDriverPolicyV2",), namespace=SYSTEM, service_account="ebs-csi-controller-sa"),
    Role("aws-fsx-csi-driver", PODS, inline=READ_FILE_SYSTEMS, namespace=SYSTEM, service_account="fsx-csi-controller-sa"),
    Role(
        "aws-efs-csi-driver",
        PODS,
        ("service-role/AmazonEFSCSIDriverPolicy",),
        namespace=SYSTEM,
        service_account="efs-csi-controller-sa",
    ),
    Role("aws-mountpoint-s3-csi-driver", PODS, inline=READ_BUCKETS, namespace=SYSTEM, service_account="s3-csi-driver-sa"),
    Role(
        "amazon-cloudwatch-observability",
        PODS,
        ("CloudWatchAgentServerPolicy",),
        namespace="amazon-cloudwatch",
        service_account="cloudwatch-agent",
    ),
    Role(
        "amazon-sagemaker-hyperpod-training-operator",
        PODS,
        ("AmazonSageMakerHyperPodTrainingOperatorAccess",),
        namespace="aws-hyperpod",
        service_account="hp-training-operator-controller-manager",
        inline_association=False,
    ),
)
"""Roles of the add-ons whose Pods call AWS; ``part`` is the name of the add-on. The other add-ons for training need no identity.

Sources: EKS user guide, pages workloads-add-ons-available-eks and create-cluster-addons; CloudWatch user guide, page
install-CloudWatch-Observability-EKS-addon; HyperPod guide, page sagemaker-eks-operator-install.

- **aws-ebs-csi-driver**: the policy V2 is limited to volumes with the driver's tag. The older AmazonEBSCSIDriverPolicy is not.
- **aws-fsx-csi-driver**: the guide recommends AmazonFSxFullAccess, which dynamic volumes need. The volumes of this collection are
  static.
- **aws-mountpoint-s3-csi-driver**: no managed policy has only the required rights. The driver can read the buckets ``sagemaker-*``
  of the account, which the boundary allows. For other buckets, Pods need their own role (``authenticationSource: pod``).
- **amazon-sagemaker-hyperpod-training-operator**: the managed policy allows one action, on HyperPod clusters with the tag
  ``SageMaker: true``. Some versions of the add-on refuse an association in CreateAddon.
"""

ROLES: tuple[Role, ...] = (CLUSTER_ROLE, NODE_ROLE, *ADDON_ROLES)


def role_name(cluster: str, region: str, part: str) -> str:
    """``CLUSTER-REGION-PART``. A longer name than 64 characters loses the end of ``CLUSTER-REGION``, and a hash replaces it.

    The part always ends the name, because the documented policies distinguish the roles of nodes by it.
    """
    whole = f"{cluster}-{region}-{part}"
    if len(whole) <= LONGEST:
        return whole
    digest = hashlib.sha256(whole.encode()).hexdigest()[:DIGITS]
    return f"{whole[: LONGEST - len(part) - DIGITS - 2]}-{digest}-{part}"


def role_arn(partition: str, account: str, name: str) -> str:
    return f"arn:{partition}:iam::{account}:role{PATH}{name}"
