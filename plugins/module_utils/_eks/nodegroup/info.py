# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# This module util is private to the collection.
"""Lists the node groups of a cluster."""

from __future__ import annotations

import typing as t

from ..._aws.client import Api
from ..._kubernetes.eks import cluster_name
from .observe import look
from .options import check_name
from .result import to_result


def info(eks: Api, params: t.Mapping[str, t.Any], region: str | None) -> dict[str, t.Any]:
    """The node groups of a cluster. A group that is removed during the calls is omitted.

    :raises Refused: for an invalid option.
    """
    cluster, name = cluster_name(params["eks_cluster"], region), params["name"]
    if name is not None:
        names = [check_name(name)]
    else:
        names = eks.pages("ListNodegroups", "nodegroups", about=f"node groups of EKS cluster {cluster}", clusterName=cluster)
    groups = ((each, look(eks, cluster, each)) for each in sorted(names))
    return {"eks_nodegroups": [to_result(cluster, each, group) for each, group in groups if group is not None]}
