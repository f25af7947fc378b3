#!/usr/bin/python
# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations

DOCUMENTATION = r"""
module: client_vpn_endpoint_info
version_added: 0.1.0
short_description: Read AWS Client VPN endpoints with their networks, rules, routes and connections
description:
  - Reads the AWS Client VPN endpoints of the account and region in the form of
    M(mlfleet.hyperpod.client_vpn_endpoint), also those that this collection did not make.
  - AWS cannot filter endpoints by VPC or tag, so all are read and chosen from here. Deleted ones are left out.
  - The options narrow one another down; without any, all endpoints are returned.
options:
  vpc_id:
    description:
      - Only endpoints of this VPC.
    type: str
  client_vpn_endpoint_ids:
    description:
      - Only endpoints with these ids. One that does not exist is missing from the result.
    type: list
    elements: str
  tags:
    description:
      - Only endpoints that carry all of these tags.
    type: dict
  connections:
    description:
      - Whether the connections are read as well.
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
  - Not yet run against live AWS.
seealso:
  - module: mlfleet.hyperpod.client_vpn_endpoint
"""

EXAMPLES = r"""
- name: Who is connected to the endpoint of the VPC
  mlfleet.hyperpod.client_vpn_endpoint_info:
    vpc_id: vpc-0123456789abcdef0
    tags:
      mlfleet.hyperpod/component: client_vpn
    connections: true
  register: vpn
"""

RETURN = r"""
client_vpn_endpoints:
  description: The endpoints, in the form of RV(mlfleet.hyperpod.client_vpn_endpoint#module:client_vpn_endpoint).
  returned: success
  type: list
  elements: dict
  contains:
    client_vpn_endpoint_id:
      description: Its id.
      type: str
      sample: cvpn-endpoint-0123456789abcdef0
    status:
      description: Its state, V(deleting) among others.
      type: str
      sample: available
    dns_name:
      description: Its DNS name, as AWS gives it, with C(*) for any label.
      type: str
      sample: "*.cvpn-endpoint-0123456789abcdef0.prod.clientvpn.us-west-2.amazonaws.com"
    vpc_id:
      description: Its VPC.
      type: str
      sample: vpc-0123456789abcdef0
    connections:
      description: Active and lately ended connections.
      returned: with O(connections)
      type: list
      elements: dict
      contains:
        connection_id:
          description: Its id.
          type: str
          sample: cvpn-connection-0123456789abcdef0
        common_name:
          description: Common name of the person's certificate, empty without one.
          type: str
          sample: alice
        username:
          description: The person's name where there is another proof than a certificate, else empty.
          type: str
          sample: ""
        client_ip:
          description: The device's address in the tunnel.
          type: str
          sample: 172.20.0.2
        established:
          description: When it began.
          type: str
          sample: "2026-11-21 08:15:30"
        ended:
          description: When it ended, empty for a live one.
          type: str
          sample: ""
        status:
          description: V(active), V(terminating), V(terminated) or V(failed-to-terminate).
          type: str
          sample: active
        ingress_bytes:
          description: Bytes from the device.
          type: int
          sample: 4711
        egress_bytes:
          description: Bytes to the device.
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
    """The module's result."""
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
