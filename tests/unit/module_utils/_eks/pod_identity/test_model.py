# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Parameters that need a newer botocore, and the fields of an EKS association."""

from __future__ import annotations

from ansible_collections.mlfleet.hyperpod.plugins.module_utils._eks.pod_identity.model import Association, Desired


def test_an_old_botocore_is_sufficient_for_its_parameters():
    assert Desired("pods", "a", "b", role="role").newer_parameters == []
    desired = Desired("pods", "a", "b", target="role", without_session_tags=False, policy={})
    assert desired.newer_parameters == ["targetRoleArn", "disableSessionTags", "policy"]


def test_the_policy_of_an_answer_is_parsed():
    answer = {"associationId": "a-1", "associationArn": "arn", "namespace": "a", "serviceAccount": "b"}
    for given, policy in ((None, {}), ("", {}), ('{"a": 1}', {"a": 1}), ("no JSON", "no JSON")):
        assert Association.from_api({**answer, "policy": given}).policy == policy


def test_missing_fields_are_empty() -> None:
    have = Association("a-1", "arn", "a", "b", "role")
    assert (have.target, have.external_id, have.without_session_tags) == ("", "", False)
    assert (have.policy, have.owner, have.tags) == ({}, "", {})


def test_options_have_the_documented_defaults() -> None:
    desired = Desired("pods", "a", "b")
    assert (desired.present, desired.role, desired.target, desired.without_session_tags) == (True, None, None, None)
    assert (desired.policy, desired.tags, desired.purge_tags) == (None, None, True)
    assert desired.about == "pod identity association a/b of EKS cluster pods"
