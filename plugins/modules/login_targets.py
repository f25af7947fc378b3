#!/usr/bin/python
# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations

DOCUMENTATION = r"""
module: login_targets
version_added: 0.1.0
short_description: Manage the login nodes of a cluster as targets of a load balancer
description:
  - Registers and deregisters the login nodes of a cluster as targets of a target group. The module lists the nodes of the cluster
    directly before the change, so a node that is missing in an inventory or cache is never deregistered for that reason.
  - For each login node and each target, RV(targets[].decision) is I(in), I(hold) or I(out). A node that is V(Running) and
    verified is I(in). It is registered, even if its target is currently draining.
  - A node in transition (C(SystemUpdating), C(Pending), C(DeepHealthCheckInProgress), C(Failure)), or a node that runs but is not
    verified, is I(hold). It is neither registered nor deregistered.
  - A node that is drained, that is in O(failed) or that leaves the cluster (C(ShuttingDown), C(NotFound)) is I(out). It is
    deregistered.
  - An address without a login node is also I(out). It is deregistered even if no target remains, because the address may later
    belong to a different machine.
  - If the nodes can't be listed, the module fails and changes nothing. If the list has no address for a node that must have one,
    the list is incomplete, and no unknown address is deregistered.
  - C(community.aws.elb_target) accepts one target for each call, skips check mode and does not detect draining targets.
options:
  state:
    description:
      - Whether the login nodes are registered. V(absent) deregisters every target and does not read the cluster.
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
      - Name or ARN of the target group. In check mode, the target group does not need to exist.
    type: str
    required: true
  group:
    description:
      - Name of the instance group of the login nodes.
      - The default is every group with the node type V(login). A cluster without such a group is refused.
    type: str
  node_types:
    description:
      - Node types of instance groups, by the name of the group. Use this option for clusters for which the API does not return
        node types.
    type: dict
    default: {}
  verified:
    description:
      - Instance IDs of the nodes whose host keys were verified and whose readiness gate accepts connections.
    type: list
    elements: str
    default: []
  drained:
    description:
      - Instance IDs of running nodes that must not get new logins.
    type: list
    elements: str
    default: []
  failed:
    description:
      - Instance IDs of nodes that could not be verified although other nodes could. These nodes get no new logins while they run,
        but existing connections are kept. If no other target is healthy, O(minimum_healthy) keeps their targets.
    type: list
    elements: str
    default: []
  port:
    description:
      - Port of the targets, 1 to 65535. Required with O(state=present).
      - A node can also be a target at a different port. That target is deregistered when the node is healthy at O(port), is
        drained or leaves the cluster. It is kept until then, so no login is refused.
    type: int
  minimum_healthy:
    description:
      - Number of healthy targets to keep when targets of existing nodes are deregistered. Addresses without a login node are
        deregistered regardless of this number.
    type: int
    default: 1
  phase:
    description:
      - V(deregister) only deregisters targets, which is safe before nodes are configured. V(reconcile) also registers targets.
    type: str
    choices:
      - deregister
      - reconcile
    default: reconcile
  wait:
    description:
      - With O(phase=reconcile), whether to wait until every target that is I(in) is healthy. After O(wait_timeout), the module
        reports the targets that are not healthy as pending and does not fail. It never waits for draining targets.
      - If this run registered a target and AWS has not yet completed the registration or the first health checks, the target is
        reported as a note, not as pending.
    type: bool
    default: true
  wait_timeout:
    description:
      - Seconds to wait. AWS needs some minutes for a registration. The module waits at most 120 seconds for unhealthy targets.
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
    C(elasticloadbalancing:RegisterTargets), C(elasticloadbalancing:DeregisterTargets). Elastic Load Balancing also requires
    C(ec2:DescribeInstances), C(ec2:DescribeInternetGateways), C(ec2:DescribeSubnets) and C(ec2:DescribeVpcs) of the caller."
  - This module has not yet run against live AWS.
seealso:
  - module: mlfleet.hyperpod.target_group
  - module: mlfleet.hyperpod.cluster_node_info
  - name: Register targets
    description: The AWS documentation of targets and their health.
    link: https://docs.aws.amazon.com/elasticloadbalancing/latest/network/target-group-register-targets.html
"""

EXAMPLES = r"""
- name: Deregister removed nodes before other nodes are configured
  mlfleet.hyperpod.login_targets:
    cluster_arn: arn:aws:sagemaker:us-west-2:111111111111:cluster/abc123def456
    target_group: hp-ml-4574af3f
    port: 222
    phase: deregister

- name: Register the verified nodes
  mlfleet.hyperpod.login_targets:
    cluster_arn: arn:aws:sagemaker:us-west-2:111111111111:cluster/abc123def456
    target_group: hp-ml-4574af3f
    port: 222
    verified:
      - i-0123456789abcdef0
      - i-0123456789abcdef1

- name: Deregister every target
  mlfleet.hyperpod.login_targets:
    target_group: hp-ml-4574af3f
    state: absent
"""

RETURN = r"""
targets:
  description: One entry for each login node and each registered target.
  returned: success
  type: list
  elements: dict
  contains:
    ip:
      description: Address of the target. Null for a node without an address.
      type: str
      sample: 10.1.1.11
    port:
      description: Port of the target.
      type: int
      sample: 222
    instance_id:
      description: Instance ID of the login node with this address, or null.
      type: str
      sample: i-0123456789abcdef0
    decision:
      description: C(in), C(hold) or C(out).
      type: str
      sample: in
    reason:
      description: Reason for the decision.
      type: str
      sample: running and verified
    health:
      description: State of the target. Null if the target is not registered.
      type: str
      sample: healthy
target_group_arn:
  description: ARN of the target group. Null if it does not exist.
  returned: success
  type: str
  sample: arn:aws:elasticloadbalancing:us-west-2:111111111111:targetgroup/hp-ml-4574af3f/73e2d6bc24d8a067
complete:
  description: Whether the list of nodes proves which addresses belong to no login node. If not, no such address was deregistered.
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
  description: Whether users can log in.
  returned: success with O(state=present)
  type: dict
  contains:
    login_nodes:
      description: Number of login nodes of the cluster, without nodes that are shutting down.
      type: int
      sample: 2
    in_service:
      description: Instance IDs of login nodes with a healthy target.
      type: list
      elements: str
      sample: [i-0123456789abcdef0]
    finding:
      description:
        - Finding if no login node is in service, otherwise null. The finding is pending if AWS has not yet completed a
          registration of this run, or if all login nodes are drained. Otherwise it is a failure.
      type: dict
      sample: null
ports:
  description: Ports of the targets that accept logins.
  returned: success
  type: list
  elements: int
  sample: [222]
draining_ports:
  description: Ports of the draining targets.
  returned: success
  type: list
  elements: int
  sample: []
health_check_port:
  description: Health check port of the target group, or C(traffic-port). Null if the target group does not exist.
  returned: success
  type: str
  sample: "223"
all_verified:
  description: Whether every target that accepts logins is a verified node with O(port).
  returned: success
  type: bool
  sample: true
hyperpod_findings:
  description: Findings, with the codes of C(docs/reference/findings.md).
  returned: success
  type: list
  elements: dict
changes:
  description: The changes. In check mode, the predicted changes.
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
SETTINGS = {"argument_spec": SPEC, "required_if": [("state", "present", ["cluster_arn", "port"])]}


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


def run(module: t.Any) -> t.NoReturn:
    run_aws(module, resource)


def main() -> None:
    run(aws_module(**SETTINGS))


if __name__ == "__main__":
    main()
