#!/usr/bin/python
# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations

DOCUMENTATION = r"""
module: event_rule
version_added: 0.1.0
short_description: Manage a rule of EventBridge that sends events to a queue
description:
  - Creates, changes and removes a rule on the default event bus, with one queue of SQS as its target. The rule is always enabled.
  - C(amazon.aws.cloudwatchevent_rule) has no check mode and no diff mode, and it cannot set the dead-letter queue of a target.
    Without such a queue, events that EventBridge cannot deliver are lost.
  - The module changes and removes only a rule with the tag C(mlfleet.hyperpod/component=events), which it sets.
options:
  name:
    description:
      - Name of the rule, unique in the account and Region. At most 64 letters, digits, hyphens and underscores.
    type: str
    required: true
  state:
    description:
      - Whether the rule exists. With V(absent), all targets of the rule are removed before the rule.
    type: str
    choices:
      - present
      - absent
    default: present
  event_pattern:
    description:
      - Pattern of the events that the rule selects. Required with O(state=present).
    type: dict
  description:
    description:
      - Description of the rule. If omitted, the description is not changed.
    type: str
  queue_arn:
    description:
      - ARN of the queue that receives the events. Required with O(state=present). The policy of the queue must allow the rule to
        send messages. EventBridge does not check this.
      - Other targets of the rule stay unchanged.
    type: str
  dead_letter_queue_arn:
    description:
      - ARN of the queue that receives the events that EventBridge could not deliver. If omitted, such events are lost.
    type: str
  maximum_event_age:
    description:
      - Seconds for which EventBridge tries to deliver an event.
      - Allowed range is 60 to 86400.
    type: int
    default: 86400
  tags:
    description:
      - Tags to set. If omitted, only the tag C(mlfleet.hyperpod/component) is set.
    type: dict
    aliases:
      - resource_tags
  purge_tags:
    description:
      - Whether to remove tags that are not in O(tags), except those of AWS and C(mlfleet.hyperpod/component). If O(tags) is
        omitted, no tag is removed.
    type: bool
    default: true
  adopt:
    description:
      - Whether to adopt an existing rule without the tag C(mlfleet.hyperpod/component=events).
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
  - "IAM actions: C(events:DescribeRule), C(events:ListTargetsByRule), C(events:ListTagsForResource), and to change something
    C(events:PutRule), C(events:PutTargets), C(events:TagResource), C(events:UntagResource), C(events:RemoveTargets) and
    C(events:DeleteRule)."
  - This module has not yet run against live AWS.
seealso:
  - module: mlfleet.hyperpod.event_queue
  - module: mlfleet.hyperpod.event_queue_info
  - name: Rules of EventBridge
    description: The AWS documentation.
    link: https://docs.aws.amazon.com/eventbridge/latest/userguide/eb-rules.html
"""

EXAMPLES = r"""
- name: Send the state changes of HyperPod clusters to a queue
  mlfleet.hyperpod.event_rule:
    name: hyperpod-events
    region: us-west-2
    event_pattern:
      source: [aws.sagemaker]
      detail-type: [SageMaker HyperPod Cluster State Change]
    queue_arn: arn:aws:sqs:us-west-2:111111111111:hyperpod-events
    dead_letter_queue_arn: arn:aws:sqs:us-west-2:111111111111:hyperpod-events-dead

- name: Remove the rule
  mlfleet.hyperpod.event_rule:
    name: hyperpod-events
    region: us-west-2
    state: absent
"""

RETURN = r"""
event_rule:
  description: The rule. In check mode, the predicted rule.
  returned: success
  type: dict
  contains:
    exists:
      description: Whether the rule exists. If not, only C(exists) and C(name) are returned.
      type: bool
      sample: true
    name:
      description: Name of the rule.
      type: str
      sample: hyperpod-events
    event_rule_arn:
      description: ARN of the rule.
      type: str
      sample: arn:aws:events:us-west-2:111111111111:rule/hyperpod-events
    event_pattern:
      description: Pattern of the events that the rule selects. Null for a rule without a pattern.
      type: dict
      sample: {"source": ["aws.sagemaker"]}
    description:
      description: Description of the rule.
      type: str
      sample: Events of HyperPod clusters
    enabled:
      description: Whether the rule is enabled.
      type: bool
      sample: true
    target:
      description: Target that this module manages. Null if the rule does not have it.
      type: dict
      sample:
        queue_arn: arn:aws:sqs:us-west-2:111111111111:hyperpod-events
        dead_letter_queue_arn: arn:aws:sqs:us-west-2:111111111111:hyperpod-events-dead
        maximum_event_age: 86400
    other_targets:
      description: IDs of the other targets.
      type: list
      elements: str
      sample: []
    tags:
      description: Tags of the rule.
      type: dict
      sample: {"mlfleet.hyperpod/component": "events"}
changes:
  description: The changes. In check mode, the predicted changes.
  returned: success
  type: list
  elements: dict
  sample:
    - action: update
      resource: event rule hyperpod-events
      field: enabled
      before: false
      after: true
"""

import typing as t

from ansible_collections.mlfleet.hyperpod.plugins.module_utils._aws.account import check_account
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._aws.client import aws_module, connect
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._core.converge import Resource
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._events.identity import OPTIONS
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._events.rule import options
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._events.rule.apply import Applier
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._events.rule.observe import Observer
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._events.rule.plan import plan
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._events.rule.result import result
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._lock.run import run_aws

SPEC = {
    "name": {"type": "str", "required": True},
    "event_pattern": {"type": "dict"},
    "description": {"type": "str"},
    "queue_arn": {"type": "str"},
    "dead_letter_queue_arn": {"type": "str"},
    "maximum_event_age": {"type": "int", "default": 86400},
    **OPTIONS,
}


def resource(module: t.Any) -> Resource:
    desired = options.desired(module.params)
    if module.params["expected_account"]:
        check_account(connect(module, "sts"), module.params["expected_account"], profile=module.params["profile"])
    events = connect(module, "events")
    apply = Applier(events, desired)
    return Resource(
        observe=Observer(events, desired, apply),
        plan=lambda state: plan(desired, state),
        apply=apply,
        result=lambda state: result(desired, state),
    )


def main() -> None:
    run_aws(aws_module(argument_spec=SPEC), resource)


if __name__ == "__main__":
    main()
