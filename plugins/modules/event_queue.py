#!/usr/bin/python
# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations

DOCUMENTATION = r"""
module: event_queue
version_added: 0.1.0
short_description: Manage a queue of SQS that receives events
description:
  - Creates, changes and removes a standard queue, with its policy and its dead-letter queue.
  - C(community.aws.sqs_queue) changes and removes every queue of the given name, and has no diff mode. It cannot enable
    encryption with keys that SQS manages, and it ignores an error when it reads the tags.
  - The module changes and removes only a queue with the tag C(mlfleet.hyperpod/component=events), which it sets. It enables
    encryption with keys that SQS manages, unless the queue has a KMS key.
  - SQS may need a minute until it returns a change or a removal. The module waits for this.
options:
  name:
    description:
      - Name of the queue, unique in the account and Region. At most 80 letters, digits, hyphens and underscores.
    type: str
    required: true
  state:
    description:
      - Whether the queue exists. With V(absent), the messages in the queue are lost.
    type: str
    choices:
      - present
      - absent
    default: present
  policy:
    description:
      - Policy of the queue. If omitted, the policy is not changed. A new queue without a policy is accessible only to its
        account.
    type: dict
  dead_letter_queue_arn:
    description:
      - ARN of the dead-letter queue. SQS moves a message there that was received O(max_receive_count) times without being
        deleted. The dead-letter queue must exist. If omitted, this setting is not changed.
    type: str
  max_receive_count:
    description:
      - See O(dead_letter_queue_arn).
      - Allowed range is 1 to 1000.
    type: int
    default: 3
  message_retention_period:
    description:
      - Seconds after which SQS deletes a message. If omitted, this setting is not changed.
      - Allowed range is 60 to 1209600. The default of AWS is V(345600).
    type: int
  receive_wait_time:
    description:
      - Seconds for which SQS waits for a message before it returns an empty answer. If omitted, this setting is not changed.
      - Allowed range is 0 to 20. The default of AWS is V(0).
    type: int
  tags:
    description:
      - Tags to set. If omitted, only the tag C(mlfleet.hyperpod/component) is set.
    type: dict
    aliases:
      - resource_tags
  purge_tags:
    description:
      - Whether to remove tags that are not in O(tags), except C(mlfleet.hyperpod/component). If O(tags) is omitted, no tag is
        removed.
    type: bool
    default: true
  adopt:
    description:
      - Whether to adopt an existing queue without the tag C(mlfleet.hyperpod/component=events).
    type: bool
    default: false
  expected_account:
    description:
      - ID of the account of the credentials. With credentials of another account, nothing is read or changed.
    type: str
attributes:
  check_mode:
    support: full
  diff_mode:
    support: full
  idempotent:
    support: full
author:
  - mlfleet (@mlfleet)
extends_documentation_fragment:
  - mlfleet.hyperpod.attributes
  - mlfleet.hyperpod.attributes.aws
  - amazon.aws.common.modules
  - amazon.aws.region.modules
  - amazon.aws.boto3
notes:
  - "IAM actions: C(sqs:GetQueueUrl), C(sqs:GetQueueAttributes), C(sqs:ListQueueTags), and to change something C(sqs:CreateQueue),
    C(sqs:SetQueueAttributes), C(sqs:TagQueue), C(sqs:UntagQueue) and C(sqs:DeleteQueue)."
  - This module has not yet run against live AWS.
seealso:
  - module: mlfleet.hyperpod.event_rule
  - module: mlfleet.hyperpod.event_queue_info
  - name: Queues of SQS
    description: The AWS documentation of the attributes.
    link: https://docs.aws.amazon.com/AWSSimpleQueueService/latest/APIReference/API_SetQueueAttributes.html
"""

EXAMPLES = r"""
- name: Create a queue for messages that failed
  mlfleet.hyperpod.event_queue:
    name: hyperpod-events-dead
    region: us-west-2
    message_retention_period: 1209600

- name: Create the queue for events
  mlfleet.hyperpod.event_queue:
    name: hyperpod-events
    region: us-west-2
    dead_letter_queue_arn: arn:aws:sqs:us-west-2:111111111111:hyperpod-events-dead
    receive_wait_time: 20
    policy:
      Version: "2012-10-17"
      Statement:
        - Effect: Allow
          Principal: {Service: events.amazonaws.com}
          Action: sqs:SendMessage
          Resource: arn:aws:sqs:us-west-2:111111111111:hyperpod-events
          Condition:
            ArnEquals: {"aws:SourceArn": arn:aws:events:us-west-2:111111111111:rule/hyperpod-events}

- name: Remove the queue
  mlfleet.hyperpod.event_queue:
    name: hyperpod-events
    region: us-west-2
    state: absent
"""

RETURN = r"""
event_queue:
  description: The queue. In check mode, the predicted queue.
  returned: success
  type: dict
  contains:
    exists:
      description: Whether the queue exists. If not, only C(exists) and C(name) are returned.
      type: bool
      sample: true
    name:
      description: Name of the queue.
      type: str
      sample: hyperpod-events
    queue_arn:
      description: ARN of the queue.
      type: str
      sample: arn:aws:sqs:us-west-2:111111111111:hyperpod-events
    queue_url:
      description: URL of the queue.
      type: str
      sample: https://sqs.us-west-2.amazonaws.com/111111111111/hyperpod-events
    policy:
      description: Policy of the queue. Empty for a queue without a policy.
      type: dict
      sample: {}
    dead_letter_queue_arn:
      description: ARN of the dead-letter queue. Empty for a queue without one.
      type: str
      sample: arn:aws:sqs:us-west-2:111111111111:hyperpod-events-dead
    max_receive_count:
      description: Number of receptions after which a message is moved. Null without a dead-letter queue.
      type: int
      sample: 3
    message_retention_period:
      description: Seconds after which a message is deleted.
      type: int
      sample: 345600
    receive_wait_time:
      description: Seconds for which SQS waits for a message.
      type: int
      sample: 20
    encryption:
      description: V(sqs) with keys that SQS manages, V(kms) with a KMS key, V(none) without encryption.
      type: str
      sample: sqs
    tags:
      description: Tags of the queue.
      type: dict
      sample: {"mlfleet.hyperpod/component": "events"}
changes:
  description: The changes. In check mode, the predicted changes.
  returned: success
  type: list
  elements: dict
  sample:
    - action: update
      resource: queue hyperpod-events
      field: receive_wait_time
      before: 0
      after: 20
"""

import typing as t

from ansible_collections.mlfleet.hyperpod.plugins.module_utils._aws.account import check_account
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._aws.client import aws_module, connect
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._core.converge import Resource
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._events.identity import OPTIONS
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._events.queue import options
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._events.queue.apply import Applier
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._events.queue.observe import read
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._events.queue.plan import is_as_wanted, plan
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._events.queue.result import result
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._lock.run import run_aws

SPEC = {
    "name": {"type": "str", "required": True},
    "policy": {"type": "dict"},
    "dead_letter_queue_arn": {"type": "str"},
    "max_receive_count": {"type": "int", "default": 3},
    "message_retention_period": {"type": "int"},
    "receive_wait_time": {"type": "int"},
    **OPTIONS,
}


def resource(module: t.Any) -> Resource:
    desired = options.desired(module.params)
    if module.params["expected_account"]:
        check_account(connect(module, "sts"), module.params["expected_account"], profile=module.params["profile"])
    sqs = connect(module, "sqs")
    return Resource(
        observe=lambda: read(sqs, desired.name),
        plan=lambda state: plan(desired, state),
        apply=Applier(
            sqs, desired, look=lambda: read(sqs, desired.name).queue, is_as_wanted=lambda queue: is_as_wanted(desired, queue)
        ),
        result=lambda state: result(desired, state),
        lost_race=f"The {desired.resource} keeps changing concurrently. Run again later.",
    )


def main() -> None:
    run_aws(aws_module(argument_spec=SPEC), resource)


if __name__ == "__main__":
    main()
