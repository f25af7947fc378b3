# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""event_rule against the simulated API."""

from __future__ import annotations

import itertools
import json

import pytest
from lab.aws import permissions
from simulated.shape import changes_once, one_shape, reads

NAMES = (f"mlfleet-hyperpod-events-{number}" for number in itertools.count())
QUEUE, DEAD, OTHER = (f"arn:aws:sqs:us-west-2:111111111111:mlfleet-hyperpod-events{suffix}" for suffix in ("", "-dead", "-other"))
PATTERN = {"source": ["aws.sagemaker"], "detail-type": ["SageMaker HyperPod Cluster State Change"]}
OURS = [{"Key": "mlfleet.hyperpod/component", "Value": "events"}]


@pytest.fixture
def wanted():
    return {"name": next(NAMES), "event_pattern": PATTERN, "queue_arn": QUEUE, "dead_letter_queue_arn": DEAD}


def gone(wanted):
    return {"name": wanted["name"], "state": "absent"}


def test_made_and_removed(simulator, wanted):
    present = {**wanted, "description": "HyperPod", "maximum_event_age": 3600, "tags": {"team": "research"}}
    made, removed = one_shape(simulator, "event_rule", present=present, absent=gone(wanted), unforeseen=["event_rule.event_rule_arn"])
    rule = made["event_rule"]
    assert rule["event_rule_arn"] == f"arn:aws:events:us-west-2:111111111111:rule/{wanted['name']}"
    assert (rule["event_pattern"], rule["description"], rule["enabled"]) == (PATTERN, "HyperPod", True)
    assert rule["target"] == {"queue_arn": QUEUE, "dead_letter_queue_arn": DEAD, "maximum_event_age": 3600}
    assert rule["tags"] == {"team": "research", "mlfleet.hyperpod/component": "events"} and rule["other_targets"] == []
    assert removed["event_rule"] == {"exists": False, "name": wanted["name"]}


def test_changes_are_shown_and_undone_by_the_next_run(simulator, wanted):
    simulator.run("event_rule", **wanted)
    events = simulator.client("events")
    events.disable_rule(Name=wanted["name"])
    done = changes_once(simulator, "event_rule", **wanted)
    assert [(each["field"], each["before"], each["after"]) for each in done["changes"]] == [("enabled", False, True)]
    assert done["diff"]["before"] == f"event rule {wanted['name']}: enabled = False\n"
    done = changes_once(simulator, "event_rule", **{**wanted, "queue_arn": OTHER, "event_pattern": {"source": ["aws.sagemaker"]}})
    assert [each["field"] for each in done["changes"]] == ["event_pattern", "target.queue_arn"]
    changes_once(simulator, "event_rule", **wanted, tags={"team": "research"})
    reads(simulator, "event_rule", **wanted)


def test_another_target_stays_until_the_rule_is_removed(simulator, wanted):
    simulator.run("event_rule", **wanted)
    simulator.client("events").put_targets(Rule=wanted["name"], Targets=[{"Id": "theirs", "Arn": OTHER}])
    found = reads(simulator, "event_rule", **wanted)
    assert found["event_rule"]["other_targets"] == ["theirs"]
    done = changes_once(simulator, "event_rule", **gone(wanted))
    assert [each["field"] for each in done["changes"]] == ["target", "target theirs", None]


def test_a_rule_of_another_owner_is_refused(simulator, wanted):
    events = simulator.client("events")
    events.put_rule(Name=wanted["name"], EventPattern=json.dumps(PATTERN), State="ENABLED")
    refused = simulator.run("event_rule", **wanted)
    assert "exists without the tag mlfleet.hyperpod/component=events" in refused["msg"] and not refused["mutating"]
    reads(simulator, "event_rule", **gone(wanted))
    assert events.describe_rule(Name=wanted["name"])["State"] == "ENABLED"
    adopted = changes_once(simulator, "event_rule", **wanted, adopt=True)
    assert adopted["event_rule"]["tags"] == {"mlfleet.hyperpod/component": "events"}
    changes_once(simulator, "event_rule", **gone(wanted))


def test_lost_replies_cause_no_error_and_no_second_change(simulator, wanted, faults):
    for operation in ("PutRule", "PutTargets", "RemoveTargets", "DeleteRule"):
        faults(kind="cut_after", operation=operation, times=1)
    for options in (wanted, gone(wanted)):
        done = simulator.run("event_rule", **options)
        assert not done.get("failed") and done["changed"], done
        assert not simulator.run("event_rule", **options)["changed"]
    assert [rule["fired"] for rule in simulator.control("faults")] == [1, 1, 1, 1]


@pytest.mark.parametrize("action", ["events:DescribeRule", "events:PutRule", "events:TagResource", "events:PutTargets"])
def test_a_missing_permission_is_named(simulator, wanted, policies, action):
    policies(_without(action))
    refused = simulator.run("event_rule", **wanted)
    assert refused["failed"] and f"not authorized to perform: {action}" in refused["msg"], refused
    policies([])
    changes_once(simulator, "event_rule", **wanted)


def _without(action):
    documents = permissions.documented("events")
    for statement in documents[0]["Statement"]:
        actions = statement["Action"] if isinstance(statement["Action"], list) else [statement["Action"]]
        statement["Action"] = [each for each in actions if each != action]
    return documents


def test_the_policy_allows_only_events_of_sagemaker_to_our_queues(simulator, wanted):
    for wrong, action in (
        ({"event_pattern": {"source": ["aws.ec2"]}}, "events:PutRule"),
        ({"event_pattern": {"detail-type": ["x"]}}, "events:PutRule"),
        ({"queue_arn": "arn:aws:sqs:us-west-2:111111111111:another"}, "events:PutTargets"),
        ({"name": "another"}, "events:DescribeRule"),
    ):
        refused = simulator.run("event_rule", **{**wanted, **wrong})
        assert f"not authorized to perform: {action}" in refused["msg"], refused


def test_credentials_of_another_account_are_refused_before_anything_is_read(simulator, wanted):
    refused = simulator.run("event_rule", **wanted, expected_account="222222222222")
    assert "belong to account 111111111111, but the expected account is 222222222222" in refused["msg"]
    assert simulator.calls() == ["GetCallerIdentity"]
    assert simulator.run("event_rule", **wanted, expected_account="111111111111")["changed"]


def test_bad_input_is_refused_before_any_call(simulator, wanted):
    for wrong, named in (
        ({"name": "a.b"}, "name: 'a.b'"),
        ({"event_pattern": None}, "event_pattern: None"),
        ({"queue_arn": None}, "queue_arn: missing"),
        ({"dead_letter_queue_arn": "dead"}, "dead_letter_queue_arn: 'dead'"),
        ({"maximum_event_age": 1}, "maximum_event_age: 1"),
        ({"tags": {"aws:x": "y"}}, "tags: 'aws:x'"),
    ):
        refused = simulator.run("event_rule", **{name: value for name, value in {**wanted, **wrong}.items() if value is not None})
        assert refused["failed"] and named in refused["msg"] and simulator.calls() == [], refused
