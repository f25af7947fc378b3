# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# This module util is private to the collection.
"""ARNs and their parts."""

from __future__ import annotations

import re
from dataclasses import dataclass

from .failure import refuse_option

_EKS_ARN = re.compile(r"arn:(aws[a-z-]*):eks:([a-z0-9-]+):([0-9]{12}):cluster/([0-9A-Za-z][0-9A-Za-z_-]{0,99})")
_CLUSTER_ARN = re.compile(r"arn:(aws[a-z-]*):sagemaker:([a-z0-9-]+):([0-9]{12}):cluster/([a-z0-9]{12})")


@dataclass(frozen=True)
class ClusterArn:
    """The ARN of a HyperPod cluster, split into parts. The last part is an ID of 12 characters, not the cluster's name.

    :func:`lockable` also returns ARNs of EKS clusters. Their ``id`` is ``eks/`` and the cluster's name, because an EKS cluster has
    no ID.
    """

    text: str
    partition: str
    region: str
    account: str
    id: str

    @classmethod
    def parse(cls, text: str, *, option: str = "cluster_arn") -> ClusterArn:
        match = _CLUSTER_ARN.fullmatch(text)
        if match is None:
            refuse_option(option, text, "arn:aws:sagemaker:REGION:ACCOUNT:cluster/ID, with an ID of 12 characters")
        partition, region, account, cluster_id = match.groups()
        return cls(text=text, partition=partition, region=region, account=account, id=cluster_id)


def lockable(text: str, *, option: str = "cluster_arn") -> ClusterArn:
    """The ARN of a HyperPod cluster or an EKS cluster.

    :raises Refused: for any other text.
    """
    match = _EKS_ARN.fullmatch(text)
    if match is None and not _CLUSTER_ARN.fullmatch(text):
        hyperpod = "arn:aws:sagemaker:REGION:ACCOUNT:cluster/ID, with an ID of 12 characters"
        allowed = f"{hyperpod}, or arn:aws:eks:REGION:ACCOUNT:cluster/NAME"
        refuse_option(option, text, allowed)
    if match is None:
        return ClusterArn.parse(text, option=option)
    partition, region, account, name = match.groups()
    return ClusterArn(text=text, partition=partition, region=region, account=account, id=f"eks/{name}")
