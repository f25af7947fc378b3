#!/usr/bin/python
# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations

DOCUMENTATION = r"""
module: cluster_event_wait
version_added: 0.1.0
short_description: Wait until a run may handle an event of a SageMaker HyperPod cluster
description:
  - AWS sends events about a cluster, for example when a node was replaced. An event is handled when a full look (a run of the
    playbook C(reconcile) that checks the cluster completely) began after the time of the event, and left nothing pending or failed.
  - If the event is handled, the module returns immediately, after one call to AWS. It does so for repeated and late events, and
    for events that a run of this collection has caused.
  - Otherwise, if another run holds the lock of the cluster, the module waits until the lock is free, because a scheduled run skips
    a locked cluster. The other run may have read the nodes before the event. The module then checks again whether the event is
    handled.
options:
  cluster_arn:
    description:
      - ARN of the cluster. The Region must match the ARN.
    type: str
    required: true
  time:
    description:
      - The time of the event in ISO 8601 with a time zone.
      - Five seconds are added, because for a moment AWS may return the state from before the event.
    type: str
    required: true
  wait:
    description:
      - Whether to wait while another run holds the lock. The module does not wait in check mode.
    type: bool
    default: true
  wait_timeout:
    description:
      - Maximum time to wait in seconds, V(1) to V(86400). If the lock is then still held, the module does not fail.
    type: int
    default: 1800
  poll_interval:
    description:
      - Seconds between two polls while waiting, V(1) to V(300). The first intervals are shorter.
    type: int
    default: 5
attributes:
  check_mode:
    support: full
  diff_mode:
    support: none
  idempotent:
    support: full
author:
  - mlfleet (@mlfleet)
extends_documentation_fragment:
  - mlfleet.hyperpod.attributes
  - mlfleet.hyperpod.attributes.cluster
  - mlfleet.hyperpod.waits
  - amazon.aws.common.modules
  - amazon.aws.region.modules
  - amazon.aws.boto3
notes:
  - If a call to AWS fails, or if the lock is unreadable, the module warns, and returns that the event is not handled. The run that
    follows reports the problem.
  - 'IAM actions, both on C(parameter/mlfleet/hyperpod/*): C(ssm:GetParameter), C(ssm:GetParametersByPath).'
seealso:
  - module: mlfleet.hyperpod.cluster_look
  - module: mlfleet.hyperpod.cluster_lock
  - name: SageMaker HyperPod cluster events
    description: The events that AWS sends.
    link: https://docs.aws.amazon.com/sagemaker/latest/dg/sagemaker-hyperpod-cluster-events-reference.html
"""

EXAMPLES = r"""
- name: Wait until the event can be handled
  mlfleet.hyperpod.cluster_event_wait:
    cluster_arn: arn:aws:sagemaker:us-west-2:111111111111:cluster/abc123def456
    region: us-west-2
    time: "2026-11-21T01:02:03Z"
  register: event

- name: End the play for this cluster if the event is handled
  ansible.builtin.meta: end_host
  when: event.handled
"""

RETURN = r"""
handled:
  description: Whether the event is handled.
  returned: success
  type: bool
  sample: false
full_look:
  description: When the last full look began that left nothing pending or failed, in AWS's time. Null if none is recorded.
  returned: success
  type: str
  sample: "2026-11-21T01:01:40Z"
locked:
  description: Whether another run holds the lock. False if the event is handled.
  returned: success
  type: bool
  sample: false
changes:
  description: Always empty.
  returned: always
  type: list
  elements: dict
  sample: []
"""

import typing as t

from ansible_collections.mlfleet.hyperpod.plugins.module_utils._aws.account import check_region
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._aws.client import AwsError, aws_module, connect
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._aws.parameters import Parameters
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._aws.run import read_aws
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._core.arn import ClusterArn
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._core.failure import Refused
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._hyperpod.full_look.event import EventLook, Seen, awaited
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._hyperpod.full_look.observe import Observer
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._hyperpod.full_look.options import event_time
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._hyperpod.waits import wait_options, waits_of
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._lock.claim import own_token
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._lock.observe import Observer as LockObserver

SPEC = {
    "cluster_arn": {"type": "str", "required": True},
    "time": {"type": "str", "required": True},
    **wait_options(timeout=1800),
    "poll_interval": {"type": "int", "default": 5},
}


def read(module: t.Any) -> dict[str, t.Any]:
    arn = ClusterArn.parse(module.params["cluster_arn"])
    check_region(arn, module.region)
    time, waits = event_time(module.params), waits_of(module)
    ssm = connect(module, "ssm")
    look = EventLook(Observer(Parameters(ssm), arn), LockObserver(ssm, arn), time, own_token())
    try:
        seen = awaited(look, waits, subject=f"the lock of cluster {arn.id}") if waits else look()
    except (AwsError, Refused) as error:
        module.warn(f"Whether the event is handled is not known: {error}")
        seen = Seen(False, "")
    return {"handled": seen.handled, "full_look": seen.full_look or None, "locked": bool(seen.holder)}


def main() -> None:
    read_aws(aws_module(argument_spec=SPEC), read)


if __name__ == "__main__":
    main()
