#!/usr/bin/python
# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations

DOCUMENTATION = r"""
module: client_vpn_endpoint_info
version_added: 0.1.0
short_description: List AWS Client VPN endpoints with their networks, rules, routes and connections
description:
  - Returns the AWS Client VPN endpoints of the account and Region in the format of M(mlfleet.hyperpod.client_vpn_endpoint),
    including endpoints that this collection did not create.
  - AWS cannot filter endpoints by VPC or tag, so the module reads all endpoints and filters them itself. It does not return
    deleted endpoints.
  - The module returns endpoints that match all given options. Without options, it returns all endpoints.
options:
  vpc_id:
    description:
      - Return only endpoints of this VPC.
    type: str
  client_vpn_endpoint_ids:
    description:
      - Return only endpoints with these IDs. An ID that does not exist is missing from the result.
    type: list
    elements: str
  tags:
    description:
      - Return only endpoints with all of these tags.
    type: dict
  connections:
    description:
      - Whether to also read the connections of each endpoint.
    type: bool
    default: false
author:
  - mlfleet (@mlfleet)
extends_documentation_fragment:
  - mlfleet.hyperpod.attributes.info
  - mlfleet.hyperpod.attributes.aws
  - amazon.aws.common.modules
  - amazon.aws.region.modules
  - amazon.aws.boto3
notes:
  - "IAM actions: C(ec2:DescribeClientVpnEndpoints), C(ec2:DescribeClientVpnTargetNetworks),
    C(ec2:DescribeClientVpnAuthorizationRules), C(ec2:DescribeClientVpnRoutes), with O(connections)
    C(ec2:DescribeClientVpnConnections)."
  - This module has not yet run against live AWS.
seealso:
  - module: mlfleet.hyperpod.client_vpn_endpoint
"""

EXAMPLES = r"""
- name: List the connections to the endpoint of a VPC
  mlfleet.hyperpod.client_vpn_endpoint_info:
    vpc_id: vpc-0123456789abcdef0
    tags:
      mlfleet.hyperpod/component: client_vpn
    connections: true
  register: vpn
"""

RETURN = r"""
client_vpn_endpoints:
  description: The endpoints, in the format of RV(mlfleet.hyperpod.client_vpn_endpoint#module:client_vpn_endpoint).
  returned: success
  type: list
  elements: dict
  contains:
    client_vpn_endpoint_id:
      description: ID of the endpoint.
      type: str
      sample: cvpn-endpoint-0123456789abcdef0
    status:
      description: State of the endpoint, for example V(deleting).
      type: str
      sample: available
    dns_name:
      description: DNS name of the endpoint, in which C(*) stands for any label.
      type: str
      sample: "*.cvpn-endpoint-0123456789abcdef0.prod.clientvpn.us-west-2.amazonaws.com"
    vpc_id:
      description: ID of the VPC.
      type: str
      sample: vpc-0123456789abcdef0
    connections:
      description: Connections that are active or have recently ended.
      returned: with O(connections)
      type: list
      elements: dict
      contains:
        connection_id:
          description: ID of the connection.
          type: str
          sample: cvpn-connection-0123456789abcdef0
        common_name:
          description: Common name of the user's certificate. Empty if the user has no certificate.
          type: str
          sample: alice
        username:
          description: User name of a user who authenticated without a certificate. Otherwise empty.
          type: str
          sample: ""
        client_ip:
          description: Address of the device in the tunnel.
          type: str
          sample: 172.20.0.2
        established:
          description: Start of the connection.
          type: str
          sample: "2026-11-21 08:15:30"
        ended:
          description: End of the connection. Empty if the connection has not ended.
          type: str
          sample: ""
        status:
          description: V(active), V(terminating), V(terminated) or V(failed-to-terminate).
          type: str
          sample: active
        ingress_bytes:
          description: Bytes received from the device.
          type: int
          sample: 4711
        egress_bytes:
          description: Bytes sent to the device.
          type: int
          sample: 815
"""

import typing as t

from ansible_collections.mlfleet.hyperpod.plugins.module_utils._aws.client import aws_module, connect
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._aws.run import read_aws
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._client_vpn.api import ClientVpn
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._client_vpn.endpoint.result import endpoint_result

SPEC = {
    "vpc_id": {"type": "str"},
    "client_vpn_endpoint_ids": {"type": "list", "elements": "str"},
    "tags": {"type": "dict"},
    "connections": {"type": "bool", "default": False},
}


def read(module: t.Any) -> dict[str, t.Any]:
    params = module.params
    api = ClientVpn(connect(module, "ec2").client)
    tags = {str(key): str(value) for key, value in (params["tags"] or {}).items()}
    chosen = [
        found
        for found in api.endpoints()
        if (params["vpc_id"] or found.vpc_id) == found.vpc_id
        and (params["client_vpn_endpoint_ids"] is None or found.id in params["client_vpn_endpoint_ids"])
        and tags.items() <= found.tags.items()
    ]
    results = []
    for found in chosen:
        result = endpoint_result(api.complete(found))
        if params["connections"]:
            result["connections"] = [each.to_result() for each in api.connections(found.id)]
        results.append(result)
    return {"client_vpn_endpoints": results}


def main() -> None:
    read_aws(aws_module(argument_spec=SPEC), read)


if __name__ == "__main__":
    main()
