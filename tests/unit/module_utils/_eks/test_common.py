# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""ARNs of clusters and roles, and steps whose reply was lost."""

from __future__ import annotations

import typing as t

import pytest
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._aws.client import Api, AwsError
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._core.failure import LostRace, Refused
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._core.plan import Step
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._eks import common
from botocore.exceptions import ClientError


@pytest.mark.parametrize("value", ["", "hyperpod", "arn:aws:iam::1:role/a", "arn:aws:iam::111111111111:user/a", "arn:aws:iam::111111111111:role/"])
def test_other_texts_are_no_role_arns(value):
    with pytest.raises(Refused, match="role_arn: "):
        common.check_role("role_arn", value)


@pytest.mark.parametrize("value", ["arn:aws-cn:iam::111111111111:role/a/b+c", "arn:aws:iam::111111111111:role/hyperpod-nodes"])
def test_role_arns_are_accepted(value):
    assert common.check_role("role_arn", value) == value


def test_the_arn_of_a_cluster_is_known_before_it_exists(stubbed):
    client, _stub = stubbed("eks")
    assert common.arn_of("ml", "111111111111", Api(client)) == "arn:aws:eks:us-west-2:111111111111:cluster/ml"


class Client:
    """Refuses each call."""

    def __init__(self, code: str) -> None:
        self.code = code

    def __getattr__(self, name: str) -> t.Any:
        def refuse(**_arguments: t.Any) -> t.NoReturn:
            raise ClientError({"Error": {"Code": self.code, "Message": "no"}}, name)

        return refuse


@pytest.mark.parametrize(
    ("operation", "code", "made", "raised"),
    [
        ("CreateAccessEntry", "ResourceInUseException", True, None),
        ("CreateAccessEntry", "ResourceInUseException", False, LostRace),
        ("CreateAccessEntry", "ResourceNotFoundException", True, AwsError),
        ("DeleteAccessEntry", "ResourceNotFoundException", False, None),
        ("DisassociateAccessPolicy", "ResourceNotFoundException", False, None),
        ("UpdateAccessEntry", "ResourceNotFoundException", True, AwsError),
        ("UpdateAccessEntry", "ResourceInUseException", True, AwsError),
    ],
)
def test_the_cause_of_a_refused_step_decides_its_outcome(operation, code, made, raised):
    apply = common.Applier(Api(Client(code)), "it", made=lambda: made)
    if raised is None:
        apply(Step(operation, {}, ()))
        return
    with pytest.raises(raised):
        apply(Step(operation, {}, ()))


def test_a_missing_resource_is_none_and_other_errors_are_raised():
    assert common.found(Api(Client("ResourceNotFoundException")), "DescribeAddon", about="it") is None
    with pytest.raises(AwsError, match="DescribeAddon for it failed"):
        common.found(Api(Client("AccessDeniedException")), "DescribeAddon", about="it")
