# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# This module util is private to the collection.
"""Lists the add-ons of a cluster, and describes an add-on that EKS offers."""

from __future__ import annotations

import json
import typing as t

from ..._aws.client import Api
from ..._kubernetes.eks import cluster_name, describe
from .model import Catalogue, Desired
from .observe import look, offered, settings
from .options import check_name, check_version
from .plan import version_of
from .result import to_result


def info(eks: Api, params: t.Mapping[str, t.Any], region: str | None) -> dict[str, t.Any]:
    """:raises Refused: for an invalid option, and for a version that EKS does not offer."""
    cluster, name, version = cluster_name(params["eks_cluster"], region), params["name"], params["version"]
    if version is not None:
        check_version(version)
    if name is not None:
        check_name(name)
        return _one(eks, cluster, name, version, params["kubernetes_version"])
    names = eks.pages("ListAddons", "addons", about=f"add-ons of EKS cluster {cluster}", clusterName=cluster)
    return {"eks_addons": _results(eks, cluster, names), "eks_addon_versions": [], "eks_addon_configuration": None}


def _one(eks: Api, cluster: str, name: str, version: str | None, kubernetes: str | None) -> dict[str, t.Any]:
    catalogue = offered(eks, name, kubernetes or describe(eks, cluster)["version"])
    return {
        "eks_addons": _results(eks, cluster, [name]),
        "eks_addon_versions": [each.to_result() for each in catalogue.versions],
        "eks_addon_configuration": None if version is None else _settings(eks, cluster, name, version, catalogue),
    }


def _results(eks: Api, cluster: str, names: t.Iterable[str]) -> list[dict[str, t.Any]]:
    """The add-ons. An add-on that is removed during the calls is omitted."""
    addons = ((name, look(eks, cluster, name)) for name in sorted(names))
    return [to_result(cluster, name, addon) for name, addon in addons if addon is not None]


def _settings(eks: Api, cluster: str, name: str, version: str, catalogue: Catalogue) -> dict[str, t.Any]:
    chosen = version_of(Desired(cluster, name, version=version), None, catalogue)
    answer = settings(eks, name, chosen)
    return {
        "version": chosen,
        "schema": json.loads(answer.get("configurationSchema") or "{}"),
        "pod_identities": [
            {
                "service_account": each["serviceAccount"],
                "recommended_managed_policies": list(each.get("recommendedManagedPolicies") or ()),
            }
            for each in answer.get("podIdentityConfiguration") or ()
        ],
    }
