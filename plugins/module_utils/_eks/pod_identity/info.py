# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# This module util is private to the collection.
"""Lists the pod identity associations of a cluster."""

from __future__ import annotations

import typing as t

from ..._aws.client import Api
from ..._kubernetes.eks import cluster_name
from ..addon.options import check_account, check_namespace
from .observe import listing
from .result import to_result


def info(eks: Api, params: t.Mapping[str, t.Any], region: str | None) -> dict[str, t.Any]:
    """:raises Refused: for an invalid option."""
    cluster, wanted = cluster_name(params["eks_cluster"], region), {}
    if params["namespace"] is not None:
        wanted["namespace"] = check_namespace("namespace", params["namespace"])
    if params["service_account"] is not None:
        wanted["serviceAccount"] = check_account("service_account", params["service_account"])
    listed = sorted(listing(eks, cluster, **wanted), key=lambda each: (each.namespace, each.account))
    return {"eks_pod_identity_associations": [to_result(cluster, each) for each in listed]}
