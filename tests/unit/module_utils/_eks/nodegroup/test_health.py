# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Health issues as text, and the next step for each code."""

from __future__ import annotations

import botocore.session
import pytest
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._eks.nodegroup.health import NEXT_STEPS, UNKNOWN, Issue, next_steps

MODEL = botocore.session.get_session().get_service_model("eks")
ASKED = (
    *("AsgInstanceLaunchFailures", "NodeCreationFailure", "Ec2LaunchTemplateInvalidConfiguration", "InsufficientFreeAddresses"),
    *("Ec2SubnetInvalidConfiguration", "AccessDenied", "InstanceLimitExceeded", "IamLimitExceeded"),
)
UNEXPLAINED = {"Unknown", "LimitExceeded"}
"""Codes whose text alone has the cause."""


def test_each_code_of_eks_has_a_next_step() -> None:
    codes = set(MODEL.shape_for("NodegroupIssueCode").enum)
    assert codes - set(NEXT_STEPS) == UNEXPLAINED
    assert set(NEXT_STEPS) <= codes | set(MODEL.shape_for("ErrorCode").enum)
    assert set(ASKED) <= set(NEXT_STEPS)


@pytest.mark.parametrize(
    ("answer", "text"),
    [
        ({"code": "AccessDenied", "message": "no", "resourceIds": ["i-1", "i-2"]}, "AccessDenied: no [i-1, i-2]"),
        ({"errorCode": "PodEvictionFailure", "errorMessage": "blocked\x1b"}, "PodEvictionFailure: blocked?"),
        ({"code": "NewCode"}, "NewCode"),
        ({"message": "odd"}, "Unknown: odd"),
        ({}, "Unknown"),
    ],
)
def test_an_issue_or_an_error_is_shown_as_it_is(answer: dict[str, object], text: str) -> None:
    assert str(Issue.from_api(answer)) == text


def test_the_next_steps_of_known_codes_have_precedence() -> None:
    known, same, unknown = Issue("IamThrottling"), Issue("AutoScalingGroupRateLimitExceeded"), Issue("NewCode")
    assert next_steps([unknown, known, same]) == "run again later"
    assert next_steps([known, Issue("KubernetesLabelInvalid")]) == "run again later; correct the labels"
    assert next_steps([unknown]) == UNKNOWN == unknown.next_step
    assert next_steps([]) == "EKS gives no reason; run again later"


def test_an_issue_is_returned_with_its_next_step() -> None:
    assert Issue("KubernetesLabelInvalid", "bad", ("i-1",)).to_result() == {
        "code": "KubernetesLabelInvalid",
        "message": "bad",
        "resources": ["i-1"],
        "next_step": "correct the labels",
    }
