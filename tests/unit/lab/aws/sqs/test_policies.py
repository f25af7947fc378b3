# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Policies of queues for callers of the same account and of another one."""

from __future__ import annotations

import itertools
import json
import typing as t

import boto3
import pytest
from botocore.exceptions import ClientError
from refusals import code

NUMBERS = itertools.count()
OWNER, OTHER = "111111111111", "222222222222"
LISTENER = f"arn:aws:iam::{OTHER}:role/listener"
RECEIVE = {"Effect": "Allow", "Action": ["sqs:GetQueueUrl", "sqs:ReceiveMessage", "sqs:DeleteMessage"]}
NONE = "AWS.SimpleQueueService.NonExistentQueue"


class Place:
    """A queue of one account with a role in another account that may use it."""

    def __init__(self, account: t.Any) -> None:
        self.account, self.name = account, f"policy-{next(NUMBERS)}"
        self.sqs, self.other = account.client("sqs"), type(account)(account.url, OTHER)
        self.url = self.sqs.create_queue(QueueName=self.name)["QueueUrl"]
        self.sqs.send_message(QueueUrl=self.url, MessageBody="x")

    def allow(self, principal: t.Any, **more: t.Any) -> None:
        resource = {"Resource": f"arn:aws:sqs:us-west-2:{OWNER}:{self.name}"}
        document = {"Version": "2012-10-17", "Statement": [{**RECEIVE, **resource, "Principal": principal, **more}]}
        self.sqs.set_queue_attributes(QueueUrl=self.url, Attributes={"Policy": json.dumps(document)})

    def listener(self, role: str = LISTENER) -> t.Any:
        keys = self.other.client("sts").assume_role(RoleArn=role, RoleSessionName="test")["Credentials"]
        names = {"aws_access_key_id": "AccessKeyId", "aws_secret_access_key": "SecretAccessKey", "aws_session_token": "SessionToken"}
        given = {name: keys[key] for name, key in names.items()}
        return boto3.client("sqs", region_name="us-west-2", endpoint_url=self.account.url, **given)

    def refusals(self, sqs: t.Any) -> list[str]:
        return [
            code(sqs.get_queue_url, QueueName=self.name, QueueOwnerAWSAccountId=OWNER),
            code(sqs.receive_message, QueueUrl=self.url, VisibilityTimeout=0),
        ]


def test_another_account_needs_the_policy_of_the_queue(account):
    place = Place(account)
    assert place.refusals(place.listener()) == [NONE, "AccessDenied"]
    with pytest.raises(ClientError, match="because no resource-based policy allows the sqs:ReceiveMessage action"):
        place.listener().receive_message(QueueUrl=place.url)


@pytest.mark.parametrize("principal", [{"AWS": LISTENER}, {"AWS": [OTHER]}, {"AWS": f"arn:aws:iam::{OTHER}:root"}, "*"])
def test_principals_that_name_a_role_of_another_account(account, principal):
    place = Place(account)
    place.allow(principal)
    listener = place.listener()
    assert place.refusals(listener) == ["", ""]
    (message,) = listener.receive_message(QueueUrl=place.url)["Messages"]
    entries = [{"Id": "a", "ReceiptHandle": message["ReceiptHandle"]}]
    assert listener.delete_message_batch(QueueUrl=place.url, Entries=entries)["Successful"] == [{"Id": "a"}]
    assert code(listener.get_queue_attributes, QueueUrl=place.url) == "AccessDenied"


@pytest.mark.parametrize("principal", [{"AWS": f"{LISTENER}-2"}, {"AWS": "333333333333"}, {"Service": "events.amazonaws.com"}])
def test_principals_that_name_others(account, principal):
    place = Place(account)
    place.allow(principal)
    assert place.refusals(place.listener()) == [NONE, "AccessDenied"]


def test_some_operations_are_for_the_owner_only(account):
    place = Place(account)
    place.allow({"AWS": LISTENER}, Action="sqs:*")
    listener = place.listener()
    assert code(listener.get_queue_attributes, QueueUrl=place.url) == ""
    assert code(listener.list_queue_tags, QueueUrl=place.url) == "AccessDenied"


def test_another_account_also_needs_its_own_policy(account):
    place = Place(account)
    place.allow({"AWS": LISTENER})
    listener, own = place.listener(), {"Effect": "Allow", "Action": "sqs:GetQueueUrl", "Resource": f"arn:aws:sqs:*:{OWNER}:*"}
    account.control.settings(policies=[{"Statement": [own]}])
    assert place.refusals(listener) == ["", "AccessDenied"]
    with pytest.raises(ClientError, match="because no identity-based policy allows the sqs:ReceiveMessage action"):
        listener.receive_message(QueueUrl=place.url)


def test_a_role_of_the_same_account_needs_one_policy(account):
    place = Place(account)
    account.control.settings(policies=[{"Statement": [{"Effect": "Allow", "Action": "sqs:SetQueueAttributes", "Resource": "*"}]}])
    own = f"arn:aws:iam::{OWNER}:role/lab"
    for principal, expected in (({"AWS": own}, ["", ""]), ({"AWS": OWNER}, ["AccessDenied"] * 2), ({"AWS": f"{own}-2"}, ["AccessDenied"] * 2)):
        place.allow(principal)
        assert place.refusals(place.sqs) == expected, principal


def test_an_explicit_deny_of_the_queue_wins(account):
    place = Place(account)
    account.control.settings(policies=[{"Statement": [{"Effect": "Allow", "Action": "sqs:*", "Resource": "*"}]}])
    place.allow("*", Effect="Deny")
    assert place.refusals(place.sqs) == ["AccessDenied"] * 2


@pytest.mark.parametrize(
    "statement",
    [
        {"Action": "sqs:SetQueueAttributes"},
        {"Action": ["sqs:ReceiveMessage", "sqs:ListQueueTags"]},
        {"Principal": None},
    ],
)
def test_a_policy_that_aws_refuses(account, statement):
    place, made = Place(account), {"Principal": {"AWS": LISTENER}, **statement}
    principal = made.pop("Principal")
    if principal is None:
        document = json.dumps({"Statement": [RECEIVE]})
        refused = code(place.sqs.set_queue_attributes, QueueUrl=place.url, Attributes={"Policy": document})
    else:
        refused = code(place.allow, principal=principal, **made)
    assert refused == "InvalidAttributeValue"
