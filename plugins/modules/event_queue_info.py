#!/usr/bin/python
# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations

DOCUMENTATION = r"""
module: event_queue_info
version_added: 0.1.0
short_description: Check whether the events of an account and Region arrive and are received
description:
  - Reads a rule of EventBridge, the queue that the rule sends events to, and the dead-letter queue.
  - A value is null if it could not be read. If the rule or a queue does not exist, C(exists) is V(false). So a queue without
    messages differs from a missing queue, and from a queue that the credentials may not read.
options:
  name:
    description:
      - Name of the rule and of the queue.
    type: str
    required: true
  dead_letter_queue_name:
    description:
      - Name of the dead-letter queue. The default is O(name) followed by C(-dead).
    type: str
  expected_account:
    description:
      - ID of the account of the credentials. With credentials of another account, nothing is read.
    type: str
author:
  - mlfleet (@mlfleet)
extends_documentation_fragment:
  - mlfleet.hyperpod.attributes.info
  - mlfleet.hyperpod.attributes.aws
  - amazon.aws.common.modules
  - amazon.aws.region.modules
  - amazon.aws.boto3
notes:
  - "IAM actions: C(events:DescribeRule), C(events:ListTargetsByRule), C(sqs:GetQueueUrl), C(sqs:GetQueueAttributes) and
    C(cloudwatch:GetMetricData). The module also succeeds without some of them, and returns the reason in C(problems)."
  - This module has not yet run against live AWS.
seealso:
  - module: mlfleet.hyperpod.event_rule
  - module: mlfleet.hyperpod.event_queue
  - name: Metrics of SQS
    description: The AWS documentation.
    link: https://docs.aws.amazon.com/AWSSimpleQueueService/latest/SQSDeveloperGuide/sqs-available-cloudwatch-metrics.html
"""

EXAMPLES = r"""
- name: Check whether events are received
  mlfleet.hyperpod.event_queue_info:
    name: hyperpod-events
    region: us-west-2
  register: events
"""

RETURN = r"""
event_queue:
  description: State of the rule and its queues.
  returned: success
  type: dict
  contains:
    name:
      description: Name of the rule and of the queue.
      type: str
      sample: hyperpod-events
    active:
      description: Whether the rule is enabled, and its target is the queue, which exists. Null if this could not be read.
      type: bool
      sample: true
    rule:
      description:
        - Whether the rule exists and is enabled, and the ARN of its target. The ARN is empty if the rule has no such target.
      type: dict
      sample:
        exists: true
        enabled: true
        queue_arn: arn:aws:sqs:us-west-2:111111111111:hyperpod-events
    queue:
      description:
        - Whether the queue exists, the approximate number of its messages, and the age of the oldest message in seconds.
        - The age is from CloudWatch, which updates it about once a minute. It is null if CloudWatch has no value of the last 15
          minutes.
      type: dict
      sample: {"exists": true, "messages": 0, "oldest_message_age": 0}
    dead_letter_queue:
      description: Name of the dead-letter queue, whether it exists, and the approximate number of its messages.
      type: dict
      sample: {"name": "hyperpod-events-dead", "exists": true, "messages": 0}
    problems:
      description: Parts that could not be read, each with C(part) and C(reason).
      type: list
      elements: dict
      sample: []
"""

import datetime
import typing as t

from ansible_collections.mlfleet.hyperpod.plugins.module_utils._aws.account import check_account
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._aws.client import aws_module, connect
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._aws.run import read_aws
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._events.identity import check_name, check_queue_name
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._events.status import Reader

SPEC = {
    "name": {"type": "str", "required": True},
    "dead_letter_queue_name": {"type": "str"},
    "expected_account": {"type": "str"},
}


def read(module: t.Any) -> dict[str, t.Any]:
    params = module.params
    name = check_name("name", params["name"])
    dead = check_queue_name("dead_letter_queue_name", params["dead_letter_queue_name"] or f"{name}-dead")
    if params["expected_account"]:
        check_account(connect(module, "sts"), params["expected_account"], profile=params["profile"])
    clients = [connect(module, service) for service in ("events", "sqs", "cloudwatch")]
    reader = Reader(*clients, now=datetime.datetime.now(datetime.timezone.utc))
    return {"event_queue": reader.status(name, dead).to_result()}


def main() -> None:
    read_aws(aws_module(argument_spec=SPEC), read)


if __name__ == "__main__":
    main()
