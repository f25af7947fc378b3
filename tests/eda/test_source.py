# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The source amazon.aws.aws_sqs_queue: an event of HyperPod from the simulated EventBridge reaches a rule."""

from __future__ import annotations

import json
import typing as t
from pathlib import Path

from lab.aws.control.client import Control
from lab.eda.rulebook import Rulebook, running
from lab.eda.runtime import Runtime
from simulated import REGION, Simulated

OWNER, LISTENER = "111111111111", "222222222222"
QUEUE, RULE = f"arn:aws:sqs:{REGION}:{OWNER}:{{}}", f"arn:aws:events:{REGION}:{OWNER}:rule/events"
ROLE = f"arn:aws:iam::{LISTENER}:role/listener"
ACTIONS = ["sqs:DeleteMessage", "sqs:GetQueueUrl", "sqs:ReceiveMessage"]
"""All that the source needs."""
RULEBOOK = """
- name: events
  hosts: all
  sources:
    - amazon.aws.aws_sqs_queue:
        region: us-west-2
        name: events
        queue_owner_aws_account_id: "111111111111"
        delay_seconds: 1
  rules:
    - name: Print each event
      condition: event.body is defined
      action:
        print_event:
          pretty: true
"""


def queue(aws: Simulated, *, most_receipts: int = 3) -> str:
    """A queue for events with a dead-letter queue, from which the listener's role of another account may read; returns its URL."""
    sqs = aws.client("sqs")
    sqs.create_queue(QueueName="events-dead")
    allow = {"Effect": "Allow", "Resource": QUEUE.format("events")}
    send = {**allow, "Principal": {"Service": "events.amazonaws.com"}, "Action": "sqs:SendMessage"}
    statements = [{**send, "Condition": {"ArnEquals": {"aws:SourceArn": RULE}}}, {**allow, "Principal": {"AWS": ROLE}, "Action": ACTIONS}]
    redrive = {"deadLetterTargetArn": QUEUE.format("events-dead"), "maxReceiveCount": most_receipts}
    documents = {"Policy": {"Version": "2012-10-17", "Statement": statements}, "RedrivePolicy": redrive}
    attributes = {"VisibilityTimeout": "1", **{name: json.dumps(document) for name, document in documents.items()}}
    return str(sqs.create_queue(QueueName="events", Attributes=attributes)["QueueUrl"])


def waiting(aws: Simulated, name: str) -> int:
    """The number of messages of a queue, received ones included."""
    sqs = aws.client("sqs")
    found = sqs.get_queue_attributes(QueueUrl=sqs.get_queue_url(QueueName=name)["QueueUrl"], AttributeNames=["All"])["Attributes"]
    return int(found["ApproximateNumberOfMessages"]) + int(found["ApproximateNumberOfMessagesNotVisible"])


def listener(aws: Simulated, control: Control) -> dict[str, str]:
    """Variables for the rulebook with the role of another account, whose policy has only the actions of the source."""
    keys = aws.client("sts").assume_role(RoleArn=ROLE, RoleSessionName="eda")["Credentials"]
    control.settings(policies=[{"Statement": [{"Effect": "Allow", "Action": ACTIONS, "Resource": QUEUE.format("events")}]}])
    names = {"AWS_ACCESS_KEY_ID": "AccessKeyId", "AWS_SECRET_ACCESS_KEY": "SecretAccessKey", "AWS_SESSION_TOKEN": "SessionToken"}
    return {"AWS_ENDPOINT_URL": aws.url, "AWS_EC2_METADATA_DISABLED": "true", **{name: keys[key] for name, key in names.items()}}


def test_an_event_reaches_a_rule_in_another_account(eda: Runtime, aws: Simulated, control: Control, tmp_path: Path) -> None:
    queue(aws)
    events = aws.client("events")
    events.put_rule(Name="events", EventPattern=json.dumps({"source": ["aws.sagemaker"]}))
    events.put_targets(Rule="events", Targets=[{"Id": "queue", "Arn": QUEUE.format("events")}])
    event: dict[str, t.Any] = {"version": "0", "id": "1", "detail-type": "Test", "source": "aws.sagemaker", "account": OWNER, "region": REGION}
    with running(tmp_path / "eda", eda, RULEBOOK, **listener(aws, control)) as rulebook:
        control.put_event({**event, "detail": {"mark": "of the event"}})
        output = rulebook.wait_for("'mark': 'of the event'")
    assert "'detail-type': 'Test'" in output and "'type': 'amazon.aws.aws_sqs_queue'" in output
    assert (waiting(aws, "events"), waiting(aws, "events-dead")) == (0, 0)
    assert control.problems() == []


def test_a_message_that_ends_the_rulebook_goes_to_the_dead_letter_queue(
    eda: Runtime, aws: Simulated, control: Control, tmp_path: Path
) -> None:
    """The source does not handle JSON that is nested too deeply for Python."""
    url, variables = queue(aws, most_receipts=1), listener(aws, control)
    aws.client("sqs").send_message(QueueUrl=url, MessageBody="[" * 100_000)
    first = Rulebook(tmp_path / "first", eda, RULEBOOK, **variables)
    try:
        assert first.wait() != 0
    finally:
        first.stop()
    assert (waiting(aws, "events"), waiting(aws, "events-dead")) == (1, 0)
    with running(tmp_path / "second", eda, RULEBOOK, **variables) as rulebook:
        aws.client("sqs").send_message(QueueUrl=url, MessageBody='{"mark": "of a good message"}')
        rulebook.wait_for("'mark': 'of a good message'")
        assert (waiting(aws, "events"), waiting(aws, "events-dead")) == (0, 1)
