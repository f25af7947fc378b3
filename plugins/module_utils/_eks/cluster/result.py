# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# This module util is private to the collection.
"""Return values of a cluster."""

from __future__ import annotations

import typing as t

from .model import Cluster, Desired, State
from .versions import find


def result(desired: Desired, state: State) -> dict[str, t.Any]:
    cluster = state.cluster
    if cluster is None:
        return {"eks_cluster": {"exists": False, "name": desired.name}}
    support = find(state.versions, cluster.version).to_result()
    return {"eks_cluster": {"exists": True, **to_result(desired.name, cluster), "support": support}}


def to_result(name: str, cluster: Cluster) -> dict[str, t.Any]:
    """The cluster as the modules return it. Values that a new cluster does not have yet are None."""
    settings = {option: list(value) if isinstance(value, tuple) else value for option, value in cluster.settings.items()}
    return {
        "name": name,
        "arn": cluster.arn,
        "status": cluster.status or None,
        "issues": [str(issue) for issue in cluster.issues],
        "version": cluster.version or None,
        "endpoint": cluster.endpoint or None,
        "certificate_authority": cluster.authority,
        "vpc": {
            "vpc_id": cluster.vpc_id or None,
            "subnets": settings["subnet_ids"],
            "security_groups": settings["security_group_ids"],
            "cluster_security_group": cluster.security_group or None,
            "endpoint_public_access": settings["endpoint_public_access"],
            "endpoint_private_access": settings["endpoint_private_access"],
            "public_access_cidrs": settings["public_access_cidrs"],
            "open_to_internet": cluster.is_open,
        },
        "encryption_key_arn": settings["encryption_key_arn"] or None,
        "tags": dict(cluster.tags),
        **{name: settings[name] for name in ("role_arn", "authentication_mode", "service_ipv4_cidr", "support_type", "logging")},
        "deletion_protection": settings["deletion_protection"],
    }
