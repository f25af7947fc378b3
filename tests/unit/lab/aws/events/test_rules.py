# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Rules and their targets by boto3 against the simulator."""

from __future__ import annotations

import json

import pytest
from refusals import code

PATTERN = json.dumps({"source": ["aws.sagemaker"]})
RULE = "arn:aws:events:us-west-2:111111111111:rule/{}"
QUEUE = "arn:aws:sqs:us-west-2:111111111111:events"


def test_a_rule_keeps_its_tags_and_targets_when_it_changes(account):
    """Tags of PutRule for an existing rule are ignored.

    https://docs.aws.amazon.com/eventbridge/latest/APIReference/API_PutRule.html
    """
    events, arn = account.client("events"), RULE.format("kept")
    target = {"Id": "queue", "Arn": QUEUE, "DeadLetterConfig": {"Arn": f"{QUEUE}-dead"}, "RetryPolicy": {"MaximumEventAgeInSeconds": 3600}}
    for tag in ("a", "b"):
        assert events.put_rule(Name="kept", EventPattern=PATTERN, Tags=[{"Key": "team", "Value": tag}])["RuleArn"] == arn
        events.put_targets(Rule="kept", Targets=[target])
    assert events.list_tags_for_resource(ResourceARN=arn)["Tags"] == [{"Key": "team", "Value": "a"}]
    assert events.list_targets_by_rule(Rule="kept")["Targets"] == [target]
    assert code(events.delete_rule, Name="kept") == "ValidationException"
    events.remove_targets(Rule="kept", Ids=["queue"])
    events.delete_rule(Name="kept")
    assert code(events.describe_rule, Name="kept") == "ResourceNotFoundException"


@pytest.mark.parametrize("pattern", ["{", '{"source": []}', '{"source": "aws.sagemaker"}'])
def test_a_bad_pattern_is_refused(account, pattern):
    assert code(account.client("events").put_rule, Name="bad", EventPattern=pattern) == "InvalidEventPatternException"


def test_replies_conform_to_the_model(account):
    events = account.client("events")
    account.control.reset_calls()
    events.put_rule(Name="good", EventPattern=PATTERN, Description="d")
    events.disable_rule(Name="good")
    assert (events.describe_rule(Name="good")["State"], code(events.describe_rule, Name="bad")) == ("DISABLED", "ResourceNotFoundException")
    assert [each["Name"] for each in events.list_rules(NamePrefix="good")["Rules"]] == ["good"]
    assert account.control.problems() == []
