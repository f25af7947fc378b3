#!/usr/bin/python
# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations

DOCUMENTATION = r"""
module: client_vpn_endpoint
version_added: 0.1.0
short_description: Manage an AWS Client VPN endpoint with its networks, rules and routes
description:
  - Creates, changes and removes the AWS Client VPN endpoint of a VPC, with its target networks, authorization rules and routes.
    No other collection has such a module.
  - Endpoints have no unique name. The module finds its endpoint by the tags C(mlfleet.hyperpod/component=client_vpn) and
    C(mlfleet.hyperpod/client-vpn) with the ID of the VPC. It never changes endpoints without these tags.
  - O(client_cidr), O(authentication) and O(transport_protocol) cannot be changed in AWS. A different value is refused before
    anything changes, unless O(recreate) is set.
  - The module runs operations on the endpoint one after another and waits for each, because AWS takes minutes for many of them
    and allows few at the same time. Only target networks are associated or disassociated at the same time. While the module
    waits, the control node prints the resource for which it waits.
  - AWS adds a route to each network that the VPC has when a subnet is associated. A network that is added to the VPC later has no
    route. The module warns about this if an authorization rule covers the network.
  - O(disruptive=false) defers changes that would disconnect users or invalidate their profiles.
options:
  vpc_id:
    description:
      - ID of the VPC of the endpoint. There is one endpoint for each VPC.
    type: str
    required: true
  state:
    description:
      - Whether the endpoint exists.
      - V(absent) ends the connections, removes routes and target networks in the order that AWS requires, and deletes the
        endpoint with its rules. It then waits until the network interfaces are removed, because they block the removal of the
        security groups.
    type: str
    choices:
      - present
      - absent
    default: present
  server_certificate_arn:
    description:
      - ARN of the server certificate in ACM. Required to create an endpoint.
      - The certificate must have an RSA key of 1024 or 2048 bits and a name in the form of a domain.
    type: str
  authentication:
    description:
      - Authentication methods of users, with one entry for each method. Set one method, or V(certificate) and one other method.
      - Required to create an endpoint. Cannot be changed.
    type: list
    elements: dict
    suboptions:
      type:
        description:
          - Authentication method.
        type: str
        choices:
          - certificate
          - directory
          - federated
        required: true
      client_root_certificate_arn:
        description:
          - For V(certificate), the ARN in ACM of the certificate authority that signed the certificates of users. The ARN of a
            server certificate of the same authority is also accepted.
        type: str
      directory_id:
        description:
          - For V(directory), the ID of the Active Directory.
        type: str
      saml_provider_arn:
        description:
          - For V(federated), the ARN of the SAML provider in IAM.
        type: str
      self_service_saml_provider_arn:
        description:
          - For V(federated), the ARN of the SAML provider for the self-service portal.
        type: str
  client_cidr:
    description:
      - Address range of the clients, /12 to /22. It must not overlap the networks of the VPC or any route. It should have twice
        as many addresses as there are concurrent connections.
      - Required to create an endpoint. Cannot be changed.
    type: str
  split_tunnel:
    description:
      - Whether only traffic for the routes of the endpoint goes through the tunnel. The default of a new endpoint is V(true).
    type: bool
  dns_servers:
    description:
      - At most two addresses of DNS servers for clients. An empty list removes them.
    type: list
    elements: str
  transport_protocol:
    description:
      - Protocol of the tunnel. The default of a new endpoint is V(udp). Cannot be changed.
    type: str
    choices:
      - udp
      - tcp
  vpn_port:
    description:
      - Port of the tunnel. The default of a new endpoint is V(443). If the port changes, every user needs a new profile.
    type: int
    choices:
      - 443
      - 1194
  description:
    description:
      - Description of the endpoint.
    type: str
  connection_log:
    description:
      - Destination of the connection log. An empty dictionary disables the log, which is the default of a new endpoint.
    type: dict
    suboptions:
      log_group:
        description:
          - Name of the log group in CloudWatch Logs. The log group must exist.
        type: str
      log_stream:
        description:
          - Name of the log stream. If omitted, AWS creates one.
        type: str
  security_groups:
    description:
      - IDs of the security groups of the endpoint's network interfaces, at least one. The default of a new endpoint is the
        default security group of the VPC.
    type: list
    elements: str
  session_hours:
    description:
      - Hours after which users must log in again. The default of a new endpoint is V(24).
    type: int
    choices:
      - 8
      - 10
      - 12
      - 24
  login_banner:
    description:
      - Text that the AWS provided client shows at the start of a session, at most 1400 characters. An empty text disables the
        banner.
    type: str
  self_service_portal:
    description:
      - Whether users can download the configuration from the self-service portal. AWS offers no portal for endpoints that
        authenticate users only with certificates.
    type: bool
  route_enforcement:
    description:
      - Whether the AWS provided client restores routes of the endpoint that were changed on the user's device.
    type: bool
  disconnect_on_session_timeout:
    description:
      - Whether users are disconnected after O(session_hours) and must connect again. With V(false), the client reconnects
        automatically.
    type: bool
  tags:
    description:
      - Tags to set. The module also sets its own tags and the tag C(Name).
    type: dict
    aliases:
      - resource_tags
  purge_tags:
    description:
      - Whether to remove tags that are not in O(tags). If O(tags) is omitted, no tag is removed. Tags of AWS, the module's own
        tags and the tag C(Name) are never removed.
    type: bool
    default: true
  subnets:
    description:
      - Subnets to associate as target networks, one for each Availability Zone. Each must have at least a /27 range with 20 free
        addresses. AWS charges by the hour for each association.
    type: list
    elements: str
  purge_subnets:
    description:
      - Whether to disassociate subnets that are not in O(subnets) and delete the routes through them. This disconnects users.
    type: bool
    default: false
  authorization_rules:
    description:
      - Networks that users may reach.
    type: list
    elements: dict
    suboptions:
      cidr:
        description:
          - The network.
        type: str
        required: true
      group:
        description:
          - ID of the group in the directory or identity provider that may reach the network. If omitted, every user may reach it.
        type: str
      description:
        description:
          - Description of the rule. If omitted, the description is not changed. AWS cannot change a description, so the module
            replaces the rule if the description differs.
        type: str
  purge_authorization_rules:
    description:
      - Whether to revoke rules that are not in O(authorization_rules).
    type: bool
    default: false
  routes:
    description:
      - Routes in addition to the route to the VPC, which AWS adds with each target network.
    type: list
    elements: dict
    suboptions:
      cidr:
        description:
          - Destination of the route.
        type: str
        required: true
      subnet:
        description:
          - Target network of the route.
        type: str
        required: true
      description:
        description:
          - Description of the route. If omitted, the description is not changed. AWS cannot change a description, so the module
            replaces the route if the description differs.
        type: str
  purge_routes:
    description:
      - Whether to delete routes that are not in O(routes). Routes that AWS added are never deleted.
    type: bool
    default: false
  recreate:
    description:
      - Whether to replace the endpoint if an option differs that AWS cannot change.
      - A replaced endpoint has a new DNS name, so every user needs a new profile. The new endpoint gets the networks, rules,
        routes, CRL and settings of the previous one, including the settings whose options are omitted.
    type: bool
    default: false
  disruptive:
    description:
      - Whether to make changes that disconnect users or invalidate their profiles.
      - With V(false), the module defers these changes and makes all other changes. RV(deferred) and RV(hyperpod_findings) list the
        deferred changes, with the users that each change would disconnect.
      - A change that only resets connections is not deferred if no user is connected.
      - This option has no effect with O(state=absent).
    type: bool
    default: true
  endpoint_quota:
    description:
      - Maximum number of endpoints of the account in the Region. If the account already has this many endpoints, the module
        refuses to create another one.
    type: int
    default: 5
  wait_timeout:
    description:
      - Seconds to wait for each operation. Some operations take up to half an hour.
    type: int
    default: 1800
  poll_interval:
    description:
      - Seconds between two polls while waiting, V(1) to V(300).
    type: int
    default: 10
  _progress_file:
    description:
      - Internal, set by the action plugin. File that receives a line for each resource for which the module waits.
    type: path
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
  - "IAM actions: C(ec2:DescribeClientVpnEndpoints), C(ec2:DescribeClientVpnTargetNetworks),
    C(ec2:DescribeClientVpnAuthorizationRules), C(ec2:DescribeClientVpnRoutes), C(ec2:DescribeClientVpnConnections),
    C(ec2:DescribeVpcs), C(ec2:DescribeSubnets), C(acm:DescribeCertificate) if a certificate is new to the endpoint,
    and to change something C(ec2:CreateClientVpnEndpoint), C(ec2:ModifyClientVpnEndpoint),
    C(ec2:AssociateClientVpnTargetNetwork), C(ec2:DisassociateClientVpnTargetNetwork),
    C(ec2:AuthorizeClientVpnIngress), C(ec2:RevokeClientVpnIngress), C(ec2:CreateClientVpnRoute),
    C(ec2:DeleteClientVpnRoute), C(ec2:ApplySecurityGroupsToClientVpnTargetNetwork), C(ec2:CreateTags),
    C(ec2:DeleteTags), with O(recreate) C(ec2:ExportClientVpnClientCertificateRevocationList) and
    C(ec2:ImportClientVpnClientCertificateRevocationList), and to remove the endpoint C(ec2:TerminateClientVpnConnections),
    C(ec2:DeleteClientVpnEndpoint) and C(ec2:DescribeNetworkInterfaces)."
  - Users are disconnected by a change of O(dns_servers), O(server_certificate_arn), O(split_tunnel) or O(vpn_port), by the
    removal of a subnet, by a new description of a rule or route, and by O(recreate). With a split tunnel, every change of a route
    also disconnects users. This includes the route that AWS adds with a subnet.
  - With O(recreate), the module removes the endpoint before it creates the new one. If the module is killed between these steps,
    the settings whose options are omitted are lost.
  - This module has not yet run against live AWS.
seealso:
  - module: mlfleet.hyperpod.client_vpn_endpoint_info
  - name: AWS Client VPN
    description: The AWS documentation.
    link: https://docs.aws.amazon.com/vpn/latest/clientvpn-admin/what-is.html
"""

EXAMPLES = r"""
- name: Create an endpoint in the VPC of the login nodes
  mlfleet.hyperpod.client_vpn_endpoint:
    vpc_id: vpc-0123456789abcdef0
    server_certificate_arn: arn:aws:acm:us-west-2:111111111111:certificate/01234567-89ab-cdef-0123-456789abcdef
    authentication:
      - type: certificate
        client_root_certificate_arn: >-
          arn:aws:acm:us-west-2:111111111111:certificate/01234567-89ab-cdef-0123-456789abcdef
    client_cidr: 172.20.0.0/20
    connection_log:
      log_group: /mlfleet/hyperpod/client-vpn/vpc-0123456789abcdef0
      log_stream: connections
    security_groups:
      - sg-0123456789abcdef0
    subnets:
      - subnet-0123456789abcdef0
      - subnet-0123456789abcdef1
    authorization_rules:
      - cidr: 10.1.0.0/16

- name: Set the VPC's resolver, but disconnect no users
  mlfleet.hyperpod.client_vpn_endpoint:
    vpc_id: vpc-0123456789abcdef0
    dns_servers:
      - 10.1.0.2
    disruptive: false

- name: Remove the endpoint
  mlfleet.hyperpod.client_vpn_endpoint:
    vpc_id: vpc-0123456789abcdef0
    state: absent
"""

RETURN = r"""
client_vpn_endpoint:
  description: The endpoint. In check mode, the predicted endpoint.
  returned: success
  type: dict
  contains:
    exists:
      description: Whether the endpoint exists. If not, only C(exists) and C(vpc_id) are returned.
      type: bool
      sample: true
    client_vpn_endpoint_id:
      description: ID of the endpoint.
      type: str
      sample: cvpn-endpoint-0123456789abcdef0
    dns_name:
      description: DNS name of the endpoint, in which C(*) stands for any label.
      type: str
      sample: "*.cvpn-endpoint-0123456789abcdef0.prod.clientvpn.us-west-2.amazonaws.com"
    status:
      description: State of the endpoint. V(pending-associate) if the endpoint has no target network, otherwise V(available).
      type: str
      sample: available
    created:
      description: Creation time.
      type: str
      sample: "2026-11-21T08:15:30"
    vpc_id:
      description: ID of the VPC.
      type: str
      sample: vpc-0123456789abcdef0
    server_certificate_arn:
      description: ARN of the server certificate.
      type: str
      sample: arn:aws:acm:us-west-2:111111111111:certificate/01234567-89ab-cdef-0123-456789abcdef
    authentication:
      description: Authentication methods, in the format of the option.
      type: list
      elements: dict
      sample:
        - type: certificate
          client_root_certificate_arn: >-
            arn:aws:acm:us-west-2:111111111111:certificate/01234567-89ab-cdef-0123-456789abcdef
    client_cidr:
      description: Address range of the clients.
      type: str
      sample: 172.20.0.0/20
    split_tunnel:
      description: Whether only traffic for the routes of the endpoint goes through the tunnel.
      type: bool
      sample: true
    dns_servers:
      description: DNS servers for clients.
      type: list
      elements: str
      sample: []
    transport_protocol:
      description: Protocol of the tunnel.
      type: str
      sample: udp
    vpn_port:
      description: Port of the tunnel.
      type: int
      sample: 443
    description:
      description: Description of the endpoint.
      type: str
      sample: ""
    connection_log:
      description: Destination of the connection log. Null if it is disabled.
      type: dict
      sample: {"log_group": "/mlfleet/hyperpod/client-vpn/vpc-0123456789abcdef0", "log_stream": "connections"}
    security_groups:
      description: IDs of the security groups.
      type: list
      elements: str
      sample: [sg-0123456789abcdef0]
    session_hours:
      description: Hours after which users must log in again.
      type: int
      sample: 24
    login_banner:
      description: Login banner. Empty if it is disabled.
      type: str
      sample: ""
    self_service_portal:
      description: Whether the endpoint has a self-service portal.
      type: bool
      sample: false
    self_service_portal_url:
      description: URL of the portal, or an empty string.
      type: str
      sample: ""
    route_enforcement:
      description: Whether clients restore changed routes.
      type: bool
      sample: false
    disconnect_on_session_timeout:
      description: Whether users are disconnected after RV(client_vpn_endpoint.session_hours).
      type: bool
      sample: true
    tags:
      description: Tags of the endpoint.
      type: dict
      sample: {"mlfleet.hyperpod/component": "client_vpn", "mlfleet.hyperpod/client-vpn": "vpc-0123456789abcdef0"}
    subnets:
      description: IDs of the associated subnets.
      type: list
      elements: str
      sample: [subnet-0123456789abcdef0]
    target_networks:
      description: Associations of the endpoint with subnets.
      type: list
      elements: dict
      sample:
        - association_id: cvpn-assoc-0123456789abcdef0
          subnet_id: subnet-0123456789abcdef0
          status: associated
    authorization_rules:
      description: Networks that users may reach. C(group) is null if every user may reach the network.
      type: list
      elements: dict
      sample: [{"cidr": "10.1.0.0/16", "group": null, "description": "", "status": "active"}]
    routes:
      description: All routes. Routes with the C(origin) V(associate) were added by AWS.
      type: list
      elements: dict
      sample:
        - cidr: 10.1.0.0/16
          subnet: subnet-0123456789abcdef0
          description: Default Route
          origin: associate
          status: active
changes:
  description: The changes. In check mode, the predicted changes.
  returned: success
  type: list
  elements: dict
  sample:
    - action: create
      resource: target network subnet-0123456789abcdef0 of client VPN endpoint of vpc-0123456789abcdef0
      field: null
      before: null
      after: null
deferred:
  description:
    - Changes that O(disruptive=false) deferred, in the format of RV(changes) with two more keys. C(disconnects) lists the users
      who are currently connected. C(profiles) is whether every user would need a new profile.
  returned: success
  type: list
  elements: dict
  sample:
    - action: update
      resource: client VPN endpoint of vpc-0123456789abcdef0
      field: dns_servers
      before: []
      after: [10.1.0.2]
      disconnects: [alice, bob]
      profiles: false
hyperpod_findings:
  description: A finding for each entry of RV(deferred), with the codes of C(docs/reference/findings.md).
  returned: success
  type: list
  elements: dict
"""

import typing as t

from ansible_collections.mlfleet.hyperpod.plugins.module_utils._aws.client import aws_module, connect
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._client_vpn.api import Certificates, ClientVpn
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._client_vpn.endpoint import options
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._client_vpn.endpoint.apply import Applier
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._client_vpn.endpoint.observe import Observer
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._client_vpn.endpoint.plan import plan
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._client_vpn.endpoint.result import Report
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._core.converge import Resource
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._core.waits import Progress, Waits
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._lock.run import LOCK_OPTION, run_aws

AUTHENTICATION = {
    "type": {"type": "str", "choices": ["certificate", "directory", "federated"], "required": True},
    "client_root_certificate_arn": {"type": "str"},
    "directory_id": {"type": "str"},
    "saml_provider_arn": {"type": "str"},
    "self_service_saml_provider_arn": {"type": "str"},
}
RULE = {
    "cidr": {"type": "str", "required": True},
    "group": {"type": "str"},
    "description": {"type": "str"},
}
ROUTE = {
    "cidr": {"type": "str", "required": True},
    "subnet": {"type": "str", "required": True},
    "description": {"type": "str"},
}

SPEC = {
    "vpc_id": {"type": "str", "required": True},
    "state": {"type": "str", "choices": ["present", "absent"], "default": "present"},
    "server_certificate_arn": {"type": "str"},
    "authentication": {"type": "list", "elements": "dict", "options": AUTHENTICATION},
    "client_cidr": {"type": "str"},
    "split_tunnel": {"type": "bool"},
    "dns_servers": {"type": "list", "elements": "str"},
    "transport_protocol": {"type": "str", "choices": ["udp", "tcp"]},
    "vpn_port": {"type": "int", "choices": [443, 1194]},
    "description": {"type": "str"},
    "connection_log": {
        "type": "dict",
        "options": {"log_group": {"type": "str"}, "log_stream": {"type": "str"}},
        "required_by": {"log_stream": ["log_group"]},
    },
    "security_groups": {"type": "list", "elements": "str"},
    "session_hours": {"type": "int", "choices": [8, 10, 12, 24]},
    "login_banner": {"type": "str"},
    "self_service_portal": {"type": "bool"},
    "route_enforcement": {"type": "bool"},
    "disconnect_on_session_timeout": {"type": "bool"},
    "tags": {"type": "dict", "aliases": ["resource_tags"]},
    "purge_tags": {"type": "bool", "default": True},
    "subnets": {"type": "list", "elements": "str"},
    "purge_subnets": {"type": "bool", "default": False},
    "authorization_rules": {"type": "list", "elements": "dict", "options": RULE},
    "purge_authorization_rules": {"type": "bool", "default": False},
    "routes": {"type": "list", "elements": "dict", "options": ROUTE},
    "purge_routes": {"type": "bool", "default": False},
    "recreate": {"type": "bool", "default": False},
    "disruptive": {"type": "bool", "default": True},
    "endpoint_quota": {"type": "int", "default": 5},
    "wait_timeout": {"type": "int", "default": 1800},
    "poll_interval": {"type": "int", "default": 10},
    "_progress_file": {"type": "path"},
    "cluster_arn": {"type": "str"},
    **LOCK_OPTION,
}


def resource(module: t.Any) -> Resource:
    params = module.params
    desired = options.desired(params)
    vpn = ClientVpn(connect(module, "ec2").client)
    progress = Progress(params["_progress_file"])
    waits = Waits(timeout=params["wait_timeout"], interval=params["poll_interval"], progress=progress)
    apply = Applier(vpn, about=desired.resource, waits=waits)
    observe = Observer(
        vpn,
        lambda: Certificates(connect(module, "acm").client),
        desired,
        waits=None if module.check_mode else waits,
        made=lambda: apply.created,
    )
    report = Report(desired)
    return Resource(
        observe=observe,
        plan=lambda state: report.noted(plan(desired, state)),
        apply=apply,
        result=report.result,
    )


def main() -> None:
    run_aws(aws_module(argument_spec=SPEC), resource)


if __name__ == "__main__":
    main()
