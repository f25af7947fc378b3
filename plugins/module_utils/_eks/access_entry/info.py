# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# This module util is private to the collection.
"""Lists the access entries of a cluster."""

from __future__ import annotations

import typing as t

from ..._aws.client import Api
from ..._kubernetes.eks import cluster_name
from .observe import look
from .options import check_principal
from .result import to_result


def info(eks: Api, params: t.Mapping[str, t.Any], region: str | None) -> dict[str, t.Any]:
    """The entries of a cluster. An entry that is removed during the calls is omitted.

    :raises Refused: for an invalid option.
    """
    cluster, principal = cluster_name(params["eks_cluster"], region), params["principal_arn"]
    if principal is not None:
        check_principal(principal)
        principals = [principal]
    else:
        about = f"access entries of EKS cluster {cluster}"
        principals = eks.pages("ListAccessEntries", "accessEntries", about=about, clusterName=cluster)
    entries = (look(eks, cluster, each) for each in sorted(principals))
    return {"eks_access_entries": [to_result(cluster, entry) for entry in entries if entry is not None]}
