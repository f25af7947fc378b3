# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# This module util is private to the collection.
"""Finds the HyperPod clusters that run on an EKS cluster. SageMaker cannot search for them, so all clusters are read."""

from __future__ import annotations

import typing as t

from ..._aws.client import Api
from ..._hyperpod.api import NOT_FOUND, PAGE_SIZE
from .model import Answer, Owner, unless_gone


def read(sagemaker: Api, owner: Owner) -> list[str]:
    """The ARNs of the HyperPod clusters, sorted."""
    listed = sagemaker.pages("ListClusters", "ClusterSummaries", about="all clusters", PaginationConfig={"PageSize": PAGE_SIZE})
    return sorted(each["ClusterArn"] for each in listed if _runs_on(_described(sagemaker, each["ClusterArn"]), owner))


def _described(sagemaker: Api, arn: str) -> Answer:
    """The cluster; empty if it was deleted meanwhile."""
    found = unless_gone(lambda: sagemaker.call("DescribeCluster", about=f"cluster {arn}", ClusterName=arn), *NOT_FOUND)
    return found or {}


def _runs_on(cluster: Answer, owner: Owner) -> bool:
    on: t.Mapping[str, t.Any] = (cluster.get("Orchestrator") or {}).get("Eks") or {}
    return on.get("ClusterArn") == owner.arn
