# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""event_queue_info against the simulated API."""

from __future__ import annotations

import pytest
from lab.aws import permissions
from simulated.shape import reads

NAME = "mlfleet-hyperpod-events"
PLACE = "arn:aws:sqs:us-west-2:111111111111"


@pytest.fixture
def listening(simulator):
    """A rule with its queues."""
    for name in (NAME, f"{NAME}-dead"):
        simulator.run("event_queue", name=name)
    rule = {"name": NAME, "event_pattern": {"source": ["aws.sagemaker"]}, "queue_arn": f"{PLACE}:{NAME}"}
    simulator.run("event_rule", **rule)
    yield simulator
    simulator.control("settings", {"policies": permissions.documented()})
    simulator.run("event_rule", name=NAME, state="absent")
    for name in (NAME, f"{NAME}-dead"):
        simulator.run("event_queue", name=name, state="absent")


def found(simulator, **options):
    return reads(simulator, "event_queue_info", name=NAME, **options)["event_queue"]


def test_messages_are_counted(listening):
    sqs = listening.client("sqs")
    url, dead = (sqs.get_queue_url(QueueName=name)["QueueUrl"] for name in (NAME, f"{NAME}-dead"))
    assert (found(listening)["queue"]["messages"], found(listening)["active"]) == (0, True)
    for _number in range(2):
        sqs.send_message(QueueUrl=url, MessageBody="{}")
    assert sqs.receive_message(QueueUrl=url)["Messages"]
    sqs.send_message(QueueUrl=dead, MessageBody="{}")
    status = found(listening)
    assert (status["queue"]["messages"], status["dead_letter_queue"]) == (2, {"name": f"{NAME}-dead", "exists": True, "messages": 1})
    assert status["rule"] == {"exists": True, "enabled": True, "queue_arn": f"{PLACE}:{NAME}"} and status["problems"] == []


def test_a_disabled_rule_is_not_active(listening):
    listening.client("events").disable_rule(Name=NAME)
    status = found(listening)
    assert (status["active"], status["rule"]["enabled"]) == (False, False)


def test_without_a_rule_and_queues_nothing_is_active(simulator):
    status = found(simulator)
    assert (status["active"], status["rule"]["exists"], status["queue"]["exists"], status["queue"]["messages"]) == (False, False, False, None)
    assert status["problems"] == []


@pytest.mark.parametrize("name", ["login-access", "read-only"])
def test_the_policies_of_reports_are_sufficient(listening, name):
    listening.control("settings", {"policies": permissions.documented(name)})
    assert found(listening)["problems"] == []


def test_without_permissions_every_value_is_unknown(listening):
    listening.control("settings", {"policies": permissions.documented("report-store")})
    status = found(listening)
    assert [each["part"] for each in status["problems"]] == ["rule", "queue", "dead-letter queue"]
    assert "not authorized to perform: events:DescribeRule" in status["problems"][0]["reason"]
    assert (status["active"], status["queue"]["exists"], status["dead_letter_queue"]["exists"]) == (None, None, None)


def test_credentials_of_another_account_are_refused(simulator):
    refused = simulator.run("event_queue_info", name=NAME, expected_account="222222222222")
    assert "belong to account 111111111111, but the expected account is 222222222222" in refused["msg"]


def test_bad_input_is_refused_before_any_call(simulator):
    for wrong, named in (({"name": "a.b"}, "name: 'a.b'"), ({"dead_letter_queue_name": "a.b"}, "dead_letter_queue_name: 'a.b'")):
        refused = simulator.run("event_queue_info", **{"name": NAME, **wrong})
        assert refused["failed"] and named in refused["msg"] and simulator.calls() == [], refused
