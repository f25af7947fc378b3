# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# This module util is private to the collection.
"""ARNs and their parts."""

from __future__ import annotations

import re
from dataclasses import dataclass

from .failure import refuse_option

_CLUSTER_ARN = re.compile(r"arn:(aws[a-z-]*):sagemaker:([a-z0-9-]+):([0-9]{12}):cluster/([a-z0-9]{12})")


@dataclass(frozen=True)
class ClusterArn:
    """A cluster's ARN, split into parts. The last part is an ID of 12 characters, not the cluster's name."""

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
