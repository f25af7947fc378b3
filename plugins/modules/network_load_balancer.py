#!/usr/bin/python
# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations

DOCUMENTATION = r"""
module: network_load_balancer
version_added: 0.1.0
short_description: Manage a Network Load Balancer with its listeners
description:
  - Creates, changes and removes a Network Load Balancer for TCP with its listeners.
  - C(community.aws.elb_network_lb) does not support security groups, and a Network Load Balancer that was created without
    security groups can never get one. That module also skips check mode, does not support listener attributes such as the idle
    timeout, cannot add subnets, and fails on its second run with private addresses. This module supports all of this.
  - A load balancer is identified by its name. Load balancers of a different type are never changed.
  - Some properties cannot be changed in AWS. These are the scheme, the type, the address of an existing subnet mapping, and the
    security groups of a load balancer that has none. A change of such a property is refused before anything changes.
options:
  name:
    description:
      - Name of the load balancer, unique in the account and Region. At most 32 letters, digits and hyphens.
    type: str
    required: true
  state:
    description:
      - Whether the load balancer exists.
      - V(absent) removes the listeners and then the load balancer. It waits until the network interfaces are removed, because
        they block the removal of the security groups.
    type: str
    choices:
      - present
      - absent
    default: present
  scheme:
    description:
      - Whether the addresses are private or public. The default of a new load balancer is V(internal). Cannot be changed.
    type: str
    choices:
      - internal
      - internet-facing
  subnets:
    description:
      - Subnets of the load balancer, one for each Availability Zone. A new load balancer requires them, here or as
        O(subnet_mappings).
      - Missing subnets are added to the load balancer.
    type: list
    elements: str
  subnet_mappings:
    description:
      - Subnets as in O(subnets), each with an address.
    type: list
    elements: dict
    suboptions:
      subnet_id:
        description:
          - ID of the subnet.
        type: str
        required: true
      private_ipv4_address:
        description:
          - Address of the load balancer in this subnet. If omitted, AWS selects an address. Cannot be changed.
        type: str
  purge_subnets:
    description:
      - Whether to remove subnets that are not listed. This ends the connections through the zones of these subnets.
    type: bool
    default: false
  security_groups:
    description:
      - IDs of the security groups, at least one. A new load balancer requires them.
    type: list
    elements: str
  purge_security_groups:
    description:
      - Whether to remove security groups that are not in O(security_groups) from the load balancer.
    type: bool
    default: true
  listeners:
    description:
      - Listeners, one for each port. If omitted, listeners are not changed.
    type: list
    elements: dict
    suboptions:
      port:
        description:
          - Port of the listener, 1 to 65535.
        type: int
        required: true
      target_group_name:
        description:
          - Name of the target group of the listener. In check mode, the target group does not need to exist.
        type: str
      target_group_arn:
        description:
          - ARN of the target group of the listener.
        type: str
      tcp_idle_timeout:
        description:
          - Seconds without traffic after which the load balancer drops a connection, 60 to 6000. The default of a new listener is
            350.
        type: int
  purge_listeners:
    description:
      - Whether to remove listeners whose ports are not in O(listeners).
    type: bool
    default: true
  attributes:
    description:
      - Attributes of the load balancer. Omitted attributes are not changed.
    type: dict
    suboptions:
      cross_zone:
        description:
          - Whether an address in one zone also serves targets in other zones. If not, connections to the address of a zone
            without a login node time out.
          - The default of AWS is V(false).
        type: bool
      client_routing_policy:
        description:
          - Zones whose addresses DNS returns to a client.
          - The default of AWS is V(any_availability_zone).
        type: str
        choices:
          - any_availability_zone
          - partial_availability_zone_affinity
          - availability_zone_affinity
      zonal_shift:
        description:
          - Whether a zonal shift may move traffic away from a zone.
          - The default of AWS is V(false).
        type: bool
      access_logs_enabled:
        description:
          - Whether access logs are written to S3. AWS writes access logs only for TLS listeners.
          - The default of AWS is V(false).
        type: bool
      access_logs_bucket:
        description:
          - The bucket for access logs.
        type: str
      access_logs_prefix:
        description:
          - The prefix for access logs in the bucket.
        type: str
  deletion_protection:
    description:
      - Whether AWS refuses to delete the load balancer.
      - The default of AWS is V(false).
    type: bool
  tags:
    description:
      - Tags to set. If omitted, only the tag of O(cluster_arn) is set.
    type: dict
    aliases:
      - resource_tags
  purge_tags:
    description:
      - Whether to remove tags that are not in O(tags). Tags of AWS and the tag of O(cluster_arn) are never removed.
    type: bool
    default: true
  cluster_arn:
    description:
      - ARN of the cluster that owns the load balancer, stored in the tag C(mlfleet.hyperpod/cluster).
      - If set, the module changes or removes only a load balancer with this tag. Required with O(lock=true).
    type: str
  adopt:
    description:
      - Whether to adopt an existing load balancer without the tag of O(cluster_arn).
      - A load balancer with the tag of a different cluster is never adopted.
    type: bool
    default: false
  force_delete:
    description:
      - With O(state=absent), whether to disable deletion protection first. With V(false), a protected load balancer is not
        removed, and the module fails.
    type: bool
    default: false
  wait:
    description:
      - Whether to wait until the load balancer is active, or with O(state=absent) until the load balancer and its network
        interfaces are removed.
    type: bool
    default: true
  wait_timeout:
    description:
      - Seconds to wait. AWS takes two to three minutes to provision a load balancer.
    type: int
    default: 600
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
  - "IAM actions: C(elasticloadbalancing:DescribeLoadBalancers), C(elasticloadbalancing:DescribeLoadBalancerAttributes),
    C(elasticloadbalancing:DescribeListeners), C(elasticloadbalancing:DescribeListenerAttributes),
    C(elasticloadbalancing:DescribeTargetGroups), C(elasticloadbalancing:DescribeTags), C(ec2:DescribeSubnets) to add subnets,
    C(ec2:DescribeNetworkInterfaces) to wait for a removal, and to change something C(elasticloadbalancing:CreateLoadBalancer),
    C(elasticloadbalancing:ModifyLoadBalancerAttributes), C(elasticloadbalancing:SetSubnets),
    C(elasticloadbalancing:SetSecurityGroups), C(elasticloadbalancing:DeleteLoadBalancer), C(elasticloadbalancing:CreateListener),
    C(elasticloadbalancing:ModifyListener), C(elasticloadbalancing:ModifyListenerAttributes),
    C(elasticloadbalancing:DeleteListener), C(elasticloadbalancing:AddTags), C(elasticloadbalancing:RemoveTags). Elastic Load
    Balancing also requires C(ec2:DescribeAccountAttributes), C(ec2:DescribeAddresses), C(ec2:DescribeInternetGateways),
    C(ec2:DescribeSecurityGroups), C(ec2:DescribeSubnets), C(ec2:DescribeVpcs) and C(ec2:GetSecurityGroupsForVpc) of the caller."
  - This module has not yet run against live AWS.
seealso:
  - module: mlfleet.hyperpod.target_group
  - module: mlfleet.hyperpod.login_targets
  - name: Network Load Balancers
    description: The AWS documentation.
    link: https://docs.aws.amazon.com/elasticloadbalancing/latest/network/network-load-balancers.html
"""

EXAMPLES = r"""
- name: Create an internal load balancer for SSH
  mlfleet.hyperpod.network_load_balancer:
    name: hp-ml-4574af3f
    subnets:
      - subnet-0123456789abcdef0
      - subnet-0123456789abcdef1
    security_groups:
      - sg-0123456789abcdef0
    listeners:
      - port: 22
        target_group_name: hp-ml-4574af3f
        tcp_idle_timeout: 3600
    attributes:
      cross_zone: true
    deletion_protection: true
    cluster_arn: arn:aws:sagemaker:us-west-2:111111111111:cluster/abc123def456

- name: Remove the load balancer, even if it is protected
  mlfleet.hyperpod.network_load_balancer:
    name: hp-ml-4574af3f
    cluster_arn: arn:aws:sagemaker:us-west-2:111111111111:cluster/abc123def456
    force_delete: true
    state: absent
"""

RETURN = r"""
network_load_balancer:
  description: The load balancer. In check mode, the predicted load balancer.
  returned: success
  type: dict
  contains:
    exists:
      description: Whether the load balancer exists. If not, only C(exists) and C(name) are returned.
      type: bool
      sample: true
    name:
      description: Name of the load balancer.
      type: str
      sample: hp-ml-4574af3f
    load_balancer_arn:
      description: ARN of the load balancer.
      type: str
      sample: arn:aws:elasticloadbalancing:us-west-2:111111111111:loadbalancer/net/hp-ml-4574af3f/50dc6c495c0c9188
    type:
      description: Type of the load balancer.
      type: str
      sample: network
    scheme:
      description: Scheme of the load balancer.
      type: str
      sample: internal
    status:
      description: State of the load balancer.
      type: str
      sample: active
    dns_name:
      description: DNS name for users. They can also use an alias of this name.
      type: str
      sample: hp-ml-4574af3f-50dc6c495c0c9188.elb.us-west-2.amazonaws.com
    canonical_hosted_zone_id:
      description: Hosted zone of the DNS name, for a Route 53 alias.
      type: str
      sample: Z18D5FSROUN65G
    vpc_id:
      description: ID of the VPC.
      type: str
      sample: vpc-0123456789abcdef0
    created_time:
      description: Creation time.
      type: str
      sample: "2026-11-21T08:15:30.120000+00:00"
    subnets:
      description: Subnets of the load balancer.
      type: list
      elements: dict
      sample: [{"subnet_id": "subnet-0123456789abcdef0", "private_ipv4_address": null, "zone": "us-west-2a"}]
    security_groups:
      description: IDs of the security groups.
      type: list
      elements: str
      sample: [sg-0123456789abcdef0]
    attributes:
      description: Attributes of the load balancer, with the names of the options.
      type: dict
      sample: {"cross_zone": true, "deletion_protection": true}
    tags:
      description: Tags of the load balancer.
      type: dict
      sample: {"mlfleet.hyperpod/component": "login_balancer"}
    listeners:
      description: Listeners of the load balancer.
      type: list
      elements: dict
      contains:
        listener_arn:
          description: ARN of the listener.
          type: str
          sample: arn:aws:elasticloadbalancing:us-west-2:111111111111:listener/net/hp-ml-4574af3f/50dc6c/f2f7dc8e
        port:
          description: Port of the listener.
          type: int
          sample: 22
        protocol:
          description: Protocol of the listener.
          type: str
          sample: TCP
        target_group_arn:
          description: ARN of the target group of the listener.
          type: str
          sample: arn:aws:elasticloadbalancing:us-west-2:111111111111:targetgroup/hp-ml-4574af3f/73e2d6bc24d8a067
        tcp_idle_timeout:
          description: Seconds without traffic after which the load balancer drops a connection.
          type: int
          sample: 350
changes:
  description: The changes. In check mode, the predicted changes.
  returned: success
  type: list
  elements: dict
  sample:
    - action: create
      resource: listener hp-ml-4574af3f:22
      field: null
      before: null
      after: {"protocol": "TCP", "target_group": "hp-ml-4574af3f", "tcp_idle_timeout": 350}
"""

import typing as t

from ansible_collections.mlfleet.hyperpod.plugins.module_utils._aws.client import aws_module, connect
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._aws.network import Network
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._balancer.api import Balancing
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._balancer.apply import Applier
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._balancer.load_balancer import options
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._balancer.load_balancer.model import ATTRIBUTES, PROTECTION
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._balancer.load_balancer.observe import Observer
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._balancer.load_balancer.plan import plan
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._balancer.load_balancer.result import result
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._core import fields
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._core.converge import Resource
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._lock.run import LOCK_OPTION, run_aws

MAPPING = {
    "subnet_id": {"type": "str", "required": True},
    "private_ipv4_address": {"type": "str"},
}
LISTENER = {
    "port": {"type": "int", "required": True},
    "target_group_name": {"type": "str"},
    "target_group_arn": {"type": "str"},
    "tcp_idle_timeout": {"type": "int"},
}
TARGET_GROUP = [("target_group_name", "target_group_arn")]

SPEC = {
    "name": {"type": "str", "required": True},
    "state": {"type": "str", "choices": ["present", "absent"], "default": "present"},
    "scheme": {"type": "str", "choices": ["internal", "internet-facing"]},
    "subnets": {"type": "list", "elements": "str"},
    "subnet_mappings": {"type": "list", "elements": "dict", "options": MAPPING},
    "purge_subnets": {"type": "bool", "default": False},
    "security_groups": {"type": "list", "elements": "str"},
    "purge_security_groups": {"type": "bool", "default": True},
    "listeners": {
        "type": "list",
        "elements": "dict",
        "options": LISTENER,
        "mutually_exclusive": TARGET_GROUP,
        "required_one_of": TARGET_GROUP,
    },
    "purge_listeners": {"type": "bool", "default": True},
    "attributes": {"type": "dict", "options": fields.argument_spec(ATTRIBUTES)},
    **fields.argument_spec(PROTECTION),
    "tags": {"type": "dict", "aliases": ["resource_tags"]},
    "purge_tags": {"type": "bool", "default": True},
    "cluster_arn": {"type": "str"},
    "adopt": {"type": "bool", "default": False},
    "force_delete": {"type": "bool", "default": False},
    "wait": {"type": "bool", "default": True},
    "wait_timeout": {"type": "int", "default": 600},
    **LOCK_OPTION,
}
SETTINGS = {"argument_spec": SPEC, "mutually_exclusive": [("subnets", "subnet_mappings")]}


def resource(module: t.Any) -> Resource:
    desired = options.desired(module.params)
    balancing = Balancing(connect(module, "elbv2").client)
    network = Network(connect(module, "ec2").client)
    wait, timeout = module.params["wait"], module.params["wait_timeout"]
    return Resource(
        observe=Observer(balancing, network, desired, timeout=timeout if wait and not module.check_mode else 0),
        plan=lambda state: plan(desired, state, check_mode=module.check_mode),
        apply=Applier(balancing, about=desired.resource, timeout=timeout, wait=wait),
        result=lambda state: result(desired, state),
    )


def run(module: t.Any) -> t.NoReturn:
    run_aws(module, resource)


def main() -> None:
    run(aws_module(**SETTINGS))


if __name__ == "__main__":
    main()
