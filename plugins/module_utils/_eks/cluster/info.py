# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# This module util is private to the collection.
"""Reads one cluster for the module that changes nothing."""

from __future__ import annotations

import typing as t

from ..._aws.client import Api
from ..._kubernetes.eks import cluster_name, describe
from .model import Cluster
from .result import to_result


def info(eks: Api, params: t.Mapping[str, t.Any], region: str | None) -> dict[str, t.Any]:
    """:raises AwsError: also if the cluster does not exist."""
    name = cluster_name(params["name"], region, option="name")
    return {"eks_cluster": to_result(name, Cluster.from_api(describe(eks, name)))}
