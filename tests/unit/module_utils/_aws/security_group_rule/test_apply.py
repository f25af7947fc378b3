# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Rules of an EC2 API that lists new rules late, or whose first reply was lost."""

from __future__ import annotations

import boto3
import pytest
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._aws.client import Api, AwsError
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._aws.security_group_rule import options
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._aws.security_group_rule.apply import Applier
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._aws.security_group_rule.observe import Observer
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._core.plan import Step
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._core.wait import Clock
from botocore.config import Config
from botocore.stub import ANY, Stubber

CLUSTER = "arn:aws:sagemaker:us-west-2:111111111111:cluster/abc123def456"
GROUP = "sg-0123456789abcdef0"
OPTIONS = {
    "state": "present",
    "group_id": GROUP,
    "group_name": None,
    "vpc_id": None,
    "direction": "ingress",
    "protocol": "tcp",
    "from_port": 22,
    "to_port": None,
    "cidr": "10.1.0.0/16",
    "source_group_id": None,
    "source_group_name": None,
    "description": None,
    "tags": None,
    "cluster_arn": CLUSTER,
}
AUTHORIZE = Step("AuthorizeSecurityGroupIngress", {"GroupId": GROUP}, ())
REVOKE = Step("RevokeSecurityGroupIngress", {"GroupId": GROUP}, ())
RULE = {
    "SecurityGroupRuleId": "sgr-0123456789abcdef0",
    "GroupId": GROUP,
    "IsEgress": False,
    "IpProtocol": "tcp",
    "FromPort": 22,
    "ToPort": 22,
    "CidrIpv4": "10.1.0.0/16",
}


@pytest.fixture
def ec2():
    keys = {"aws_access_key_id": "testing", "aws_secret_access_key": "testing"}
    client = boto3.client("ec2", region_name="us-west-2", config=Config(retries={"max_attempts": 0}), **keys)
    with Stubber(client) as stubber:
        yield client, stubber
        stubber.assert_no_pending_responses()


def made(client, *, needs_groups=True, **given):
    """The observer and the applier of a rule, and their pauses in seconds."""
    pauses: list[float] = []
    desired, clock = options.desired({**OPTIONS, **given}), Clock(sleep=pauses.append)
    apply = Applier(Api(client), desired, clock=clock)
    return Observer(Api(client), desired, apply, needs_groups=needs_groups, clock=clock), apply, pauses


def described(stubber, *found):
    stubber.add_response("describe_security_group_rules", {"SecurityGroupRules": list(found)})


def test_a_rule_that_was_just_created_is_read_again(ec2):
    client, stubber = ec2
    observe, apply, pauses = made(client)
    stubber.add_response("authorize_security_group_ingress", {"Return": True})
    apply(AUTHORIZE)
    described(stubber)
    described(stubber, RULE)
    assert observe().rule.id == RULE["SecurityGroupRuleId"] and len(pauses) == 1


def test_a_rule_that_was_just_revoked_is_read_again(ec2):
    client, stubber = ec2
    observe, apply, pauses = made(client)
    stubber.add_response("revoke_security_group_ingress", {"Return": True})
    apply(REVOKE)
    described(stubber, RULE)
    described(stubber)
    assert observe().rule is None and len(pauses) == 1


def test_reading_again_for_a_new_rule_is_bounded(ec2):
    client, stubber = ec2
    observe, apply, pauses = made(client)
    stubber.add_response("authorize_security_group_ingress", {"Return": True})
    apply(AUTHORIZE)
    for _read in range(4):
        described(stubber)
    assert observe().rule is None and len(pauses) == 3


def test_a_rule_that_was_not_created_is_missing_at_once(ec2):
    client, stubber = ec2
    observe, _apply, pauses = made(client)
    described(stubber)
    assert observe().rule is None and pauses == []


@pytest.mark.parametrize(("needs_groups", "calls"), [(True, 2), (False, 1)])
def test_a_new_group_is_read_again_if_it_is_needed(ec2, needs_groups, calls):
    client, stubber = ec2
    named = {"source_group_name": "balancer", "vpc_id": "vpc-0123456789abcdef0", "cidr": None}
    observe, _apply, pauses = made(client, needs_groups=needs_groups, **named)
    stubber.add_response("describe_security_groups", {"SecurityGroups": []})
    if needs_groups:
        found = {"SecurityGroups": [{"GroupId": "sg-00000000000000001"}]}
        stubber.add_response("describe_security_groups", found)
        described(stubber)
    state = observe()
    assert state.peer == ("sg-00000000000000001" if needs_groups else None)
    assert len(pauses) == calls - 1


def test_a_rule_of_a_group_that_is_not_ready_is_retried(ec2):
    client, stubber = ec2
    _observe, apply, pauses = made(client)
    stubber.add_client_error("authorize_security_group_ingress", "InvalidGroup.NotFound")
    stubber.add_response("authorize_security_group_ingress", {"Return": True})
    apply(AUTHORIZE)
    assert len(pauses) == 1
    for _try in range(4):
        stubber.add_client_error("authorize_security_group_ingress", "InvalidGroup.NotFound")
    with pytest.raises(AwsError, match="AuthorizeSecurityGroupIngress"):
        apply(AUTHORIZE)


@pytest.mark.parametrize(
    ("operation", "method", "code"),
    [
        ("AuthorizeSecurityGroupIngress", "authorize_security_group_ingress", "InvalidPermission.Duplicate"),
        ("AuthorizeSecurityGroupEgress", "authorize_security_group_egress", "InvalidPermission.Duplicate"),
        ("RevokeSecurityGroupIngress", "revoke_security_group_ingress", "InvalidSecurityGroupRuleId.NotFound"),
        ("RevokeSecurityGroupEgress", "revoke_security_group_egress", "InvalidPermission.NotFound"),
    ],
)
def test_a_rule_that_is_already_as_desired_is_no_failure(ec2, operation, method, code):
    client, stubber = ec2
    _observe, apply, _pauses = made(client)
    stubber.add_client_error(method, code, expected_params={"GroupId": ANY})
    apply(Step(operation, {"GroupId": GROUP}, ()))
    stubber.add_client_error(method, "UnauthorizedOperation", expected_params={"GroupId": ANY})
    with pytest.raises(AwsError):
        apply(Step(operation, {"GroupId": GROUP}, ()))
