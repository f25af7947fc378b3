# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""What an association asks of botocore, and what EKS tells of one."""

from __future__ import annotations

from ansible_collections.mlfleet.hyperpod.plugins.module_utils._eks.pod_identity.model import Association, Desired


def test_an_old_botocore_does_for_what_it_knows():
    assert Desired("pods", "a", "b", role="role").newer_parameters == []
    asked = Desired("pods", "a", "b", target="role", without_session_tags=False, policy={})
    assert asked.newer_parameters == ["targetRoleArn", "disableSessionTags", "policy"]


def test_a_policy_is_told_by_its_values():
    answer = {"associationId": "a-1", "associationArn": "arn", "namespace": "a", "serviceAccount": "b"}
    for given, policy in ((None, {}), ("", {}), ('{"a": 1}', {"a": 1}), ("no JSON", "no JSON")):
        assert Association.from_api({**answer, "policy": given}).policy == policy


def test_what_is_not_given_is_empty() -> None:
    have = Association("a-1", "arn", "a", "b", "role")
    assert (have.target, have.external_id, have.without_session_tags) == ("", "", False)
    assert (have.policy, have.owner, have.tags) == ({}, "", {})


def test_what_an_option_is_by_default() -> None:
    desired = Desired("pods", "a", "b")
    assert (desired.present, desired.role, desired.target, desired.without_session_tags) == (True, None, None, None)
    assert (desired.policy, desired.tags, desired.purge_tags) == (None, None, True)
    assert desired.about == "pod identity association a/b of EKS cluster pods"
