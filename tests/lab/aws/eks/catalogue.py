# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Add-ons of the simulated EKS: their versions, requirements and settings."""

from __future__ import annotations

import dataclasses
import typing as t

KUBERNETES = tuple(f"1.{minor}" for minor in range(28, 38))


@dataclasses.dataclass(frozen=True)
class Version:
    name: str
    kubernetes: tuple[str, ...] = KUBERNETES
    default_of: tuple[str, ...] = ()
    """Versions of Kubernetes whose default it is."""
    identities: bool = False
    """Whether it accepts pod identity associations, ``requiresIamPermissions``."""


@dataclasses.dataclass(frozen=True)
class Known:
    name: str
    namespace: str
    versions: tuple[Version, ...]
    """The newest first, as EKS lists them."""
    on_each_node: bool = False
    """True for a DaemonSet, which is complete without nodes; other pods wait for a node."""
    settings: t.Mapping[str, t.Any] = dataclasses.field(default_factory=dict)
    service_accounts: t.Mapping[str, str] = dataclasses.field(default_factory=dict)
    """Service accounts with their recommended policy."""


def schema(settings: t.Mapping[str, t.Any]) -> dict[str, t.Any]:
    return {
        "$schema": "http://json-schema.org/draft-06/schema#",
        "$ref": "#/definitions/Settings",
        "definitions": {"Settings": {"type": "object", "additionalProperties": False, "properties": dict(settings)}},
    }


_COUNT = {"type": "integer", "minimum": 1, "maximum": 10}
_RESOURCES = {"type": "object", "properties": {"requests": {"type": "object"}, "limits": {"type": "object"}}}
_PROXIES = tuple(
    Version(f"v{kubernetes}.1-eksbuild.2", KUBERNETES[place : place + 4], (kubernetes,)) for place, kubernetes in reversed([*enumerate(KUBERNETES)])
)
"""kube-proxy may be up to three minor versions older than the API server."""
ADDONS = {
    each.name: each
    for each in (
        Known(
            "amazon-sagemaker-hyperpod-taskgovernance",
            "kueue-system",
            (
                Version("v1.6.1-eksbuild.1", KUBERNETES[3:9], ("1.36",)),
                Version("v1.6.0-eksbuild.1", KUBERNETES[3:8], KUBERNETES[3:8]),
                Version("v1.5.0-eksbuild.1", KUBERNETES[2:7], ("1.30",)),
            ),
            settings={
                "replicas": _COUNT,
                "resources": _RESOURCES,
                "logLevel": {"type": "string", "enum": ["debug", "info", "error"]},
                "tolerations": {"type": "array", "items": {"type": "object", "required": ["key"]}},
            },
        ),
        Known(
            "amazon-sagemaker-hyperpod-training-operator",
            "aws-hyperpod",
            (
                Version("v1.3.0-eksbuild.1", KUBERNETES[3:9], KUBERNETES[3:9]),
                Version("v1.2.1-eksbuild.1", KUBERNETES[2:8], ("1.30",)),
                Version("v1.2.0-eksbuild.1", KUBERNETES[:7], identities=True),
            ),
            settings={"replicas": _COUNT},
            service_accounts={
                "hp-training-operator-controller-manager": "arn:aws:iam::aws:policy/AmazonSageMakerHyperPodTrainingOperatorAccess"
            },
        ),
        Known(
            "eks-pod-identity-agent",
            "kube-system",
            (Version("v1.4.0-eksbuild.1", default_of=KUBERNETES), Version("v1.3.9-eksbuild.3")),
            on_each_node=True,
        ),
        Known(
            "vpc-cni",
            "kube-system",
            (
                Version("v1.19.2-eksbuild.1", default_of=KUBERNETES, identities=True),
                Version("v1.18.2-eksbuild.3", identities=True),
            ),
            on_each_node=True,
            settings={"env": {"type": "object", "additionalProperties": {"type": "string"}}},
            service_accounts={"aws-node": "arn:aws:iam::aws:policy/AmazonEKS_CNI_Policy"},
        ),
        Known("kube-proxy", "kube-system", _PROXIES, on_each_node=True),
        Known(
            "coredns",
            "kube-system",
            (
                Version("v1.13.1-eksbuild.1", KUBERNETES[6:], KUBERNETES[7:]),
                Version("v1.12.4-eksbuild.1", default_of=KUBERNETES[:7]),
            ),
            settings={"replicaCount": _COUNT},
        ),
        Known("eks-node-monitoring-agent", "kube-system", (Version("v1.4.2-eksbuild.1", default_of=KUBERNETES),), on_each_node=True),
        Known("metrics-server", "kube-system", (Version("v0.8.0-eksbuild.3", default_of=KUBERNETES),)),
        Known(
            "aws-fsx-csi-driver",
            "kube-system",
            (Version("v1.7.0-eksbuild.1", default_of=KUBERNETES, identities=True),),
            service_accounts={"fsx-csi-controller-sa": "arn:aws:iam::aws:policy/AmazonFSxFullAccess"},
        ),
        Known(
            "aws-ebs-csi-driver",
            "kube-system",
            (Version("v1.52.0-eksbuild.1", default_of=KUBERNETES, identities=True),),
            service_accounts={"ebs-csi-controller-sa": "arn:aws:iam::aws:policy/service-role/AmazonEBSCSIDriverPolicy"},
        ),
        Known(
            "aws-efs-csi-driver",
            "kube-system",
            (Version("v2.1.15-eksbuild.1", default_of=KUBERNETES, identities=True),),
            service_accounts={"efs-csi-controller-sa": "arn:aws:iam::aws:policy/service-role/AmazonEFSCSIDriverPolicy"},
        ),
        Known(
            "aws-mountpoint-s3-csi-driver",
            "kube-system",
            (Version("v2.1.0-eksbuild.1", default_of=KUBERNETES, identities=True),),
            on_each_node=True,
            service_accounts={"s3-csi-driver-sa": "arn:aws:iam::aws:policy/AmazonS3FullAccess"},
        ),
        Known("cert-manager", "cert-manager", (Version("v1.19.1-eksbuild.1", default_of=KUBERNETES),)),
        Known(
            "amazon-cloudwatch-observability",
            "amazon-cloudwatch",
            (Version("v4.7.0-eksbuild.1", default_of=KUBERNETES, identities=True),),
            settings={"containerLogs": {"type": "object"}, "agent": {"type": "object"}},
            service_accounts={"cloudwatch-agent": "arn:aws:iam::aws:policy/CloudWatchAgentServerPolicy"},
        ),
    )
}


def described(known: Known, kubernetes: str | None) -> dict[str, t.Any]:
    """The add-on in DescribeAddonVersions, for one version of Kubernetes or for all."""
    return {
        "addonName": known.name,
        "type": "infra-management",
        "publisher": "eks",
        "owner": "aws",
        "defaultNamespace": known.namespace,
        "addonVersions": [_version(each, kubernetes) for each in known.versions if kubernetes in (None, *each.kubernetes)],
    }


def _version(version: Version, kubernetes: str | None) -> dict[str, t.Any]:
    clusters = version.kubernetes if kubernetes is None else (kubernetes,)
    return {
        "addonVersion": version.name,
        "architecture": ["amd64", "arm64"],
        "computeTypes": ["ec2"],
        "compatibilities": [
            {"clusterVersion": each, "platformVersions": ["*"], "defaultVersion": each in version.default_of} for each in clusters
        ],
        "requiresConfiguration": False,
        "requiresIamPermissions": version.identities,
    }
