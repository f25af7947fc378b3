# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""What is returned about a pod identity association."""

from __future__ import annotations

from ansible_collections.mlfleet.hyperpod.plugins.module_utils._eks.pod_identity.model import Association, Desired, State
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._eks.pod_identity.result import result

DESIRED = Desired("pods", "research", "train")
ASSOCIATION = Association("a-1", "arn", "research", "train", "role", "other", "external", True, {"a": 1}, "owner", {"a": "b"})


def test_an_association_is_returned() -> None:
    assert result(DESIRED, State(ASSOCIATION)) == {
        "eks_pod_identity_association": {
            "exists": True,
            "namespace": "research",
            "service_account": "train",
            "eks_cluster": "pods",
            "association_id": "a-1",
            "association_arn": "arn",
            "role_arn": "role",
            "target_role_arn": "other",
            "external_id": "external",
            "disable_session_tags": True,
            "policy": {"a": 1},
            "owner_arn": "owner",
            "tags": {"a": "b"},
        }
    }


def test_an_absent_association_is_returned() -> None:
    named = {"namespace": "research", "service_account": "train", "eks_cluster": "pods"}
    assert result(DESIRED, State()) == {"eks_pod_identity_association": {"exists": False, **named}}
