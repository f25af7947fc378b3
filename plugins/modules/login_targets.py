#!/usr/bin/python
# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations

DOCUMENTATION = r"""
module: login_targets
version_added: 0.1.0
short_description: Register the login nodes of a cluster as targets, and only those
description:
  - Lists the nodes of the cluster itself, just before the change, and brings the targets of a target group in line.
    Inventory and caches are never evidence for a removal.
  - I(In) is a node that is V(Running) and verified. It is registered, also when it is draining at the moment.
  - I(Hold) is a node in transition (C(SystemUpdating), C(Pending), C(DeepHealthCheckInProgress), C(Failure)) and a node
    that runs but is not verified. It is neither added nor removed.
  - I(Out) is an address that no login node has, even if no target is left then, since it may belong to another machine
    tomorrow; also a node that is drained or leaves the cluster (C(ShuttingDown), C(NotFound)).
  - If the nodes cannot be listed, the module fails and has changed nothing. If a node that must have an address shows
    none, the listing is incomplete and no unknown address is removed.
  - C(community.aws.elb_target) takes one target a call, skips check mode and does not see that a target is draining.
options:
  state:
    description:
      - V(absent) deregisters every target, without asking the cluster.
    type: str
    choices:
      - present
      - absent
    default: present
  cluster_arn:
    description:
      - ARN of the cluster. Required with O(state=present) and O(lock=true).
    type: str
  target_group:
    description:
      - Name or ARN of the target group. In check mode it may not exist yet.
    type: str
    required: true
  group:
    description:
      - Name of the instance group of the login nodes.
      - If omitted, every group whose node type is V(login). A cluster without such a group is refused.
    type: str
  node_types:
    description:
      - Node type of instance groups by name, for clusters whose API answer does not state it.
    type: dict
    default: {}
  verified:
    description:
      - Instance ids of nodes whose host keys were seen and whose readiness gate is open.
    type: list
    elements: str
    default: []
  drained:
    description:
      - Instance ids of nodes that are to get no new logins although they run.
    type: list
    elements: str
    default: []
  failed:
    description:
      - Instance ids of nodes that could not be verified although others could. They get no new logins while they run, and
        open sessions go on. O(minimum_healthy) keeps them where nothing else is healthy.
    type: list
    elements: str
    default: []
  port:
    description:
      - Port of the targets, 1 to 65535. Required with O(state=present).
      - A node that is a target at another port too is removed there once it is healthy at this one. So is one that is
        drained or leaves the cluster. Until then it stays, and nobody is turned away.
    type: int
  minimum_healthy:
    description:
      - Healthy targets to keep when nodes that still exist are to be removed. Addresses that no node has are removed
        regardless.
    type: int
    default: 1
  phase:
    description:
      - V(deregister) only removes, which is safe before nodes are configured. V(reconcile) also registers.
    type: str
    choices:
      - deregister
      - reconcile
    default: reconcile
  wait:
    description:
      - With O(phase=reconcile), whether to wait until every target that is I(in) is healthy. When the time is up they
        are reported as pending; the module does not fail. Never waits for a target that drains.
      - One that this run registered, and on whose registration or first health checks AWS is still at work then, is a
        note and not pending.
    type: bool
    default: true
  wait_timeout:
    description:
      - Seconds to wait. AWS takes some minutes for a registration; for targets that are unhealthy, 120 of them are enough.
    type: int
    default: 420
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
  - mlfleet.hyperpod.attributes.lock
  - mlfleet.hyperpod.lock_option
  - amazon.aws.common.modules
  - amazon.aws.region.modules
  - amazon.aws.boto3
notes:
  - "IAM actions: C(sagemaker:DescribeCluster), C(sagemaker:ListClusterNodes), C(sagemaker:DescribeClusterNode),
    C(elasticloadbalancing:DescribeTargetGroups), C(elasticloadbalancing:DescribeTargetHealth), and to change something
    C(elasticloadbalancing:RegisterTargets), C(elasticloadbalancing:DeregisterTargets). Elastic Load Balancing asks the
    caller besides for C(ec2:DescribeInstances), C(ec2:DescribeInternetGateways), C(ec2:DescribeSubnets) and
    C(ec2:DescribeVpcs)."
  - Not yet run against live AWS.
seealso:
  - module: mlfleet.hyperpod.target_group
  - module: mlfleet.hyperpod.cluster_node_info
  - name: Register targets
    description: The AWS documentation of targets and their health.
    link: https://docs.aws.amazon.com/elasticloadbalancing/latest/network/target-group-register-targets.html
"""

EXAMPLES = r"""
- name: Take out what is certainly gone, before nodes are configured
  mlfleet.hyperpod.login_targets:
    cluster_arn: arn:aws:sagemaker:us-west-2:111111111111:cluster/abc123def456
    target_group: hp-ml-4574af3f
    port: 222
    phase: deregister

- name: Register the nodes whose keys were seen
  mlfleet.hyperpod.login_targets:
    cluster_arn: arn:aws:sagemaker:us-west-2:111111111111:cluster/abc123def456
    target_group: hp-ml-4574af3f
    port: 222
    verified:
      - i-0123456789abcdef0
      - i-0123456789abcdef1

- name: Take every target out
  mlfleet.hyperpod.login_targets:
    target_group: hp-ml-4574af3f
    state: absent
"""

RETURN = r"""
targets:
  description: One row for each login node and each registered target.
  returned: success
  type: list
  elements: dict
  contains:
    ip:
      description: The address; null for a node that shows none.
      type: str
      sample: 10.1.1.11
    port:
      description: The port.
      type: int
      sample: 222
    instance_id:
      description: The login node at this address; null if there is none.
      type: str
      sample: i-0123456789abcdef0
    decision:
      description: C(in), C(hold) or C(out).
      type: str
      sample: in
    reason:
      description: Why.
      type: str
      sample: running and verified
    health:
      description: State of the target; null if it is not registered.
      type: str
      sample: healthy
target_group_arn:
  description: ARN of the target group; null if it does not exist.
  returned: success
  type: str
  sample: arn:aws:elasticloadbalancing:us-west-2:111111111111:targetgroup/hp-ml-4574af3f/73e2d6bc24d8a067
complete:
  description: Whether the listing proves which addresses belong to no login node. If not, none of those was removed.
  returned: success
  type: bool
  sample: true
all_unhealthy:
  description:
    - Whether all targets are unhealthy. The load balancer then sends connections to all of them.
  returned: success
  type: bool
  sample: false
login_service:
  description: Whether anybody can log in.
  returned: success with O(state=present)
  type: dict
  contains:
    login_nodes:
      description: How many login nodes the cluster has, without those that are shutting down.
      type: int
      sample: 2
    in_service:
      description: Instance ids of login nodes with a healthy target.
      type: list
      elements: str
      sample: [i-0123456789abcdef0]
    finding:
      description:
        - Where no login node is in service. Pending if AWS is at work on a registration of this run, or if all are drained,
          and a failure for another reason; else null.
      type: dict
      sample: null
ports:
  description: Ports of the targets that take logins.
  returned: success
  type: list
  elements: int
  sample: [222]
draining_ports:
  description: Ports of the targets that drain.
  returned: success
  type: list
  elements: int
  sample: []
health_check_port:
  description: The port that the health check of the target group asks, or C(traffic-port); null if there is no such group.
  returned: success
  type: str
  sample: "223"
all_verified:
  description: Whether every target that takes logins is a verified node at O(port).
  returned: success
  type: bool
  sample: true
hyperpod_findings:
  description: What was found beside changes, with the codes of C(docs/reference/findings.md).
  returned: success
  type: list
  elements: dict
changes:
  description: Every change that was made, or in check mode would be made.
  returned: success
  type: list
  elements: dict
  sample:
    - action: create
      resource: target 10.1.1.11:222 of target group hp-ml-4574af3f
      field: null
      before: null
      after: i-0123456789abcdef0
"""

import typing as t

from ansible_collections.mlfleet.hyperpod.plugins.module_utils._aws.client import aws_module, connect
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._balancer.api import Balancing
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._balancer.targets import options
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._balancer.targets.apply import Applier
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._balancer.targets.model import State
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._balancer.targets.observe import Observer
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._balancer.targets.plan import plan
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._balancer.targets.result import result
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._core.converge import Resource
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._hyperpod.api import connect_hyperpod
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._lock.run import LOCK_OPTION, run_aws

SPEC = {
    "state": {"type": "str", "choices": ["present", "absent"], "default": "present"},
    "cluster_arn": {"type": "str"},
    "target_group": {"type": "str", "required": True},
    "group": {"type": "str"},
    "node_types": {"type": "dict", "default": {}},
    "verified": {"type": "list", "elements": "str", "default": []},
    "drained": {"type": "list", "elements": "str", "default": []},
    "failed": {"type": "list", "elements": "str", "default": []},
    "port": {"type": "int"},
    "minimum_healthy": {"type": "int", "default": 1},
    "phase": {"type": "str", "choices": ["deregister", "reconcile"], "default": "reconcile"},
    "wait": {"type": "bool", "default": True},
    "wait_timeout": {"type": "int", "default": 420},
    **LOCK_OPTION,
}


def resource(module: t.Any) -> Resource:
    desired = options.desired(module.params)
    balancing = Balancing(connect(module, "elbv2").client)
    observe = Observer(connect_hyperpod(module), balancing, desired, check_mode=module.check_mode)
    waits = desired.waits and module.params["wait"] and not module.check_mode
    apply = Applier(balancing, observe, desired, timeout=module.params["wait_timeout"] if waits else 0)

    def described(state: State) -> dict[str, t.Any]:
        seen = apply.settled(state) if waits else state
        waited = module.params["wait_timeout"] if waits else None
        return result(desired, seen, waited=waited, registered=apply.registered)

    return Resource(observe=observe, plan=lambda state: plan(desired, state), apply=apply, result=described)


def main() -> None:
    run_aws(aws_module(argument_spec=SPEC, required_if=[("state", "present", ["cluster_arn", "port"])]), resource)


if __name__ == "__main__":
    main()
