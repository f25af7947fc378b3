#!/usr/bin/python
# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations

DOCUMENTATION = r"""
module: client_vpn_connections
version_added: 0.1.0
short_description: Disconnect users from a Client VPN endpoint
description:
  - Ends the active connections of the given users. Other users stay connected.
  - The revocation of a certificate does not end an open connection. Import the certificate revocation list first, with
    M(mlfleet.hyperpod.client_vpn_revocation_list). Otherwise the client connects again immediately.
options:
  client_vpn_endpoint_id:
    description:
      - ID of the endpoint. Check mode also accepts V((known after apply\)), which stands for an endpoint that a run would create.
    type: str
    required: true
  people:
    description: Common names of certificates, or user names if users authenticate with a directory or single sign-on.
    type: list
    elements: str
    required: true
  wait_timeout:
    description: Seconds to wait until the connections have ended, V(0) to V(3600).
    type: int
    default: 120
  poll_interval:
    description: Seconds between two polls while waiting, V(1) to V(60).
    type: int
    default: 5
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
  - mlfleet.hyperpod.lock_option.cluster
  - amazon.aws.common.modules
  - amazon.aws.region.modules
  - amazon.aws.boto3
notes:
  - 'IAM actions: C(ec2:DescribeClientVpnConnections) and C(ec2:TerminateClientVpnConnections).'
seealso:
  - module: mlfleet.hyperpod.client_vpn_revocation_list
  - module: mlfleet.hyperpod.client_vpn_endpoint_info
"""

EXAMPLES = r"""
- name: Disconnect a user who has left the organization
  mlfleet.hyperpod.client_vpn_connections:
    client_vpn_endpoint_id: cvpn-endpoint-0123456789abcdef0
    people: [mallory]
    cluster_arn: arn:aws:sagemaker:us-west-2:111111111111:cluster/abc123def456
    lock: true
    region: us-west-2
"""

RETURN = r"""
connections:
  description: Connections that the module ended. In check mode, connections that it would end.
  returned: success
  type: list
  elements: dict
  contains:
    connection_id:
      description: ID of the connection.
      type: str
    common_name:
      description: Common name of the certificate. It may be empty.
      type: str
    username:
      description: User name. It may be empty.
      type: str
    client_ip:
      description: Address of the client in the tunnel.
      type: str
    established:
      description: Start of the connection, in the format of AWS.
      type: str
  sample:
    - connection_id: cvpn-connection-0123456789abcdef0
      common_name: mallory
      username: ""
      client_ip: 10.250.0.34
      established: "2026-11-21 01:02:03"
locked_by:
  description: Holder of the lock, in the format of RV(mlfleet.hyperpod.cluster_lock#module:holder).
  returned: failure, if another run holds the lock
  type: dict
  sample:
    owner: ops@bastion
    expires: "2026-11-21T02:02:03Z"
changes:
  description: The changes. In check mode, the predicted changes.
  returned: always
  type: list
  elements: dict
  sample:
    - action: delete
      resource: connection cvpn-connection-0123456789abcdef0
      field: null
      before: mallory from 10.250.0.34
      after: null
"""

import typing as t

from ansible_collections.mlfleet.hyperpod.plugins.module_utils._aws.client import aws_module, connect
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._client_vpn.connections import options
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._client_vpn.connections.apply import Applier
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._client_vpn.connections.observe import observe
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._client_vpn.connections.plan import plan
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._client_vpn.connections.result import Report
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._core.converge import Resource
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._lock.run import LOCK_OPTION, run_aws

SPEC = {
    "client_vpn_endpoint_id": {"type": "str", "required": True},
    "people": {"type": "list", "elements": "str", "required": True},
    "wait_timeout": {"type": "int", "default": 120},
    "poll_interval": {"type": "int", "default": 5},
    "cluster_arn": {"type": "str"},
    **LOCK_OPTION,
}


def resource(module: t.Any) -> Resource:
    desired = options.desired(module.params, check_mode=module.check_mode)
    ec2 = connect(module, "ec2")
    report = Report()
    return Resource(
        observe=lambda: observe(ec2, desired.endpoint),
        plan=lambda state: report.noted(plan(desired, state)),
        apply=Applier(ec2, desired),
        result=report.result,
    )


def main() -> None:
    run_aws(aws_module(argument_spec=SPEC), resource)


if __name__ == "__main__":
    main()
