# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# This module util is private to the collection.
"""KEDA: whether it is installed, and the identity with which it reads metrics from AWS."""

from __future__ import annotations

import typing as t
from dataclasses import dataclass

from ..._aws.client import Api, AwsError
from ..._core.text import printable
from ..._kubernetes.client import Kubernetes

DEFINITION = "/apis/apiextensions.k8s.io/v1/customresourcedefinitions/scaledobjects.keda.sh"
OPERATORS = "/apis/apps/v1/deployments"
LABEL = "app.kubernetes.io/name=keda-operator"
"""The operator's label in KEDA's own Helm chart and in HyperPod's inference operator."""
BY_TOKEN = "eks.amazonaws.com/role-arn"
"""The annotation of a service account that names its role (IRSA)."""


@dataclass(frozen=True)
class Keda:
    defined: bool
    """Whether KEDA's kind ScaledObject exists."""
    operator: str
    """The operator's namespace and service account; empty if no operator was found."""
    role: str | None
    """The ARN of the operator's role or Pod identity association; empty if it has neither, None if EKS could not be queried."""


def look(kubernetes: Kubernetes, eks: Api, cluster_name: str) -> Keda:
    """Whether KEDA is installed, its operator, and the operator's AWS identity.

    :raises KubernetesError:
    """
    defined = kubernetes.find(DEFINITION) is not None
    operators = kubernetes.items(OPERATORS, labelSelector=LABEL)
    if not operators:
        return Keda(defined, "", "")
    first = operators[0]
    space = str(first["metadata"]["namespace"])
    account = str(first["spec"]["template"]["spec"].get("serviceAccountName") or "default")
    found = kubernetes.find(f"/api/v1/namespaces/{space}/serviceaccounts/{account}") or {"metadata": {}}
    by_token = (found["metadata"].get("annotations") or {}).get(BY_TOKEN)
    role = printable(by_token) if by_token else _associated(eks, cluster_name, space, account)
    return Keda(defined, printable(f"{space}/{account}"), role)


def _associated(eks: Api, cluster_name: str, space: str, account: str) -> str | None:
    wanted: dict[str, t.Any] = {"clusterName": cluster_name, "namespace": space, "serviceAccount": account}
    try:
        listed = eks.call("ListPodIdentityAssociations", about=f"EKS cluster {cluster_name}", **wanted)["associations"]
    except AwsError:
        return None
    return str(listed[0]["associationArn"]) if listed else ""
