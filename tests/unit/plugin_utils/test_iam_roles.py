# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Trust policies of roles that the collection creates, and their permissions boundaries."""

from __future__ import annotations

import copy
import typing as t

import pytest
from ansible_collections.mlfleet.hyperpod.plugins.plugin_utils import iam_roles

SERVICE, ACCOUNT = "hyperpod.sagemaker.amazonaws.com", "111111111111"
OURS = iam_roles.trust(SERVICE, ACCOUNT)


def changed(**fields: t.Any) -> dict[str, t.Any]:
    """Our trust policy with other fields in its statement."""
    document = copy.deepcopy(OURS)
    document["Statement"][0] = {key: value for key, value in {**document["Statement"][0], **fields}.items() if value is not None}
    return document


def test_a_service_can_assume_a_role_only_for_its_account() -> None:
    (statement,) = OURS["Statement"]
    assert statement["Principal"] == {"Service": SERVICE} and statement["Action"] == "sts:AssumeRole"
    assert statement["Condition"] == {"StringEqualsIfExists": {"aws:SourceAccount": ACCOUNT}}


@pytest.mark.parametrize(
    ("document", "fits"),
    [
        (OURS, True),
        (changed(Action=["sts:AssumeRole"], Principal={"Service": [SERVICE]}), True),
        (changed(Condition={"StringEquals": {"aws:SourceAccount": [ACCOUNT]}, "ArnLike": {"aws:SourceArn": "arn:*"}}), True),
        ({**OURS, "Statement": OURS["Statement"][0]}, True),
        ({**OURS, "Statement": [*OURS["Statement"], {"Effect": "Deny", "Principal": "*", "Action": "sts:AssumeRole"}]}, True),
        (changed(Condition=None), False),
        (changed(Condition={"StringEquals": {"aws:SourceAccount": "222222222222"}}), False),
        (changed(Condition={"StringEquals": {"aws:SourceAccount": [ACCOUNT, "222222222222"]}}), False),
        (changed(Condition={"StringLike": {"aws:SourceAccount": "*"}}), False),
        (changed(Principal={"AWS": "*"}), False),
        (changed(Principal="*"), False),
        (changed(Principal={"Service": [SERVICE, "ec2.amazonaws.com"]}), False),
        (changed(Principal={"Service": SERVICE, "AWS": "arn:aws:iam::111111111111:root"}), False),
        (changed(Action="sts:*"), False),
        ({**OURS, "Statement": [*OURS["Statement"], *changed(Principal={"AWS": "*"})["Statement"]]}, False),
        ({**OURS, "Statement": []}, False),
        ({}, False),
        ("not read", False),
    ],
)
def test_trust_policies_for_other_principals_are_recognised(document: t.Any, fits: bool) -> None:
    assert iam_roles.trusts_alone(document, SERVICE, ACCOUNT) is fits


@pytest.mark.parametrize(
    ("arn", "why"),
    [
        ("", None),
        ("arn:aws:iam::111111111111:policy/mlfleet-hyperpod-boundary", None),
        ("arn:aws:iam::111111111111:policy/teams/ml/boundary", None),
        ("arn:aws:iam::aws:policy/PowerUserAccess", None),
        ("arn:aws-us-gov:iam::111111111111:policy/a", "the role is in partition aws"),
        ("arn:aws:iam::222222222222:policy/a", "the role is in account 111111111111"),
    ],
)
def test_a_boundary_of_another_account_is_refused(arn: str, why: str | None) -> None:
    found = iam_roles.boundary_problem("some_option", arn, partition="aws", account=ACCOUNT)
    assert found is None if why is None else found.startswith(f"some_option: {arn!r} is not allowed: {why}. Allowed: ")


@pytest.mark.parametrize("wrong", ["mlfleet-hyperpod-boundary", "arn:aws:iam::111111111111:role/a", "arn:aws:iam::1:policy/a", " "])
def test_a_boundary_must_be_the_arn_of_a_policy(wrong: str) -> None:
    found = iam_roles.boundary_problem("some_option", wrong, partition="aws", account=ACCOUNT)
    assert found is not None and "Allowed: the ARN of a managed IAM policy such as " in found
