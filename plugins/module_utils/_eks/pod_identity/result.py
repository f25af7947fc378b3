# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# This module util is private to the collection.
"""Return values of a pod identity association."""

from __future__ import annotations

import typing as t

from .model import Association, Desired, State


def result(desired: Desired, state: State) -> dict[str, t.Any]:
    have = state.association
    if have is None:
        named = {"namespace": desired.namespace, "service_account": desired.account, "eks_cluster": desired.cluster}
        return {"eks_pod_identity_association": {"exists": False, **named}}
    return {"eks_pod_identity_association": {"exists": True, **to_result(desired.cluster, have)}}


def to_result(cluster: str, have: Association) -> dict[str, t.Any]:
    return {
        "namespace": have.namespace,
        "service_account": have.account,
        "eks_cluster": cluster,
        "association_id": have.id,
        "association_arn": have.arn,
        "role_arn": have.role,
        "target_role_arn": have.target,
        "external_id": have.external_id,
        "disable_session_tags": have.without_session_tags,
        "policy": have.policy,
        "owner_arn": have.owner,
        "tags": dict(have.tags),
    }
