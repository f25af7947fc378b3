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
  - Creates, changes and removes the AWS Client VPN endpoint of a VPC, with its target networks, authorization rules and
    routes. No other collection has a module for it.
  - Endpoints have no unique name, so this one is found by its tags C(mlfleet.hyperpod/component=client_vpn) and
    C(mlfleet.hyperpod/client-vpn) with the id of the VPC. Endpoints without these tags are never touched.
  - What AWS cannot change (O(client_cidr), O(authentication), O(transport_protocol)) is refused by name before anything
    changes, unless O(recreate) is set.
  - Operations on the endpoint are made one after another, and each is waited for, since AWS takes minutes for many of
    them and allows few at once. Target networks are associated, or disassociated, at the same time. While it waits on
    the controller, a line tells what for.
  - A network that the VPC got after its subnets were associated has no route. That is a warning, unless no authorization
    rule is for it.
  - Changes that would cut people's connections can be kept back with O(disruptive=false).
options:
  vpc_id:
    description:
      - Id of the VPC that the endpoint leads into. One endpoint a VPC.
    type: str
    required: true
  state:
    description:
      - Whether the endpoint exists.
      - V(absent) ends the connections, removes routes and target networks in the order that AWS needs, deletes
        the endpoint with its rules, and waits until its network interfaces are gone as well, since they hold on to the security
        groups.
    type: str
    choices:
      - present
      - absent
    default: present
  server_certificate_arn:
    description:
      - ARN in ACM of the server's certificate. Required to create an endpoint.
      - It must have an RSA key of 1024 or 2048 bits and a name in domain form.
    type: str
  authentication:
    description:
      - How people prove who they are. One entry, or V(certificate) together with one of the others.
      - Required to create an endpoint. Cannot change.
    type: list
    elements: dict
    suboptions:
      type:
        description:
          - Kind of proof.
        type: str
        choices:
          - certificate
          - directory
          - federated
        required: true
      client_root_certificate_arn:
        description:
          - For V(certificate), ARN in ACM of the authority that signed the people's certificates, or of a server
            certificate of the same authority.
        type: str
      directory_id:
        description:
          - For V(directory), id of the Active Directory.
        type: str
      saml_provider_arn:
        description:
          - For V(federated), ARN of the SAML provider in IAM.
        type: str
      self_service_saml_provider_arn:
        description:
          - For V(federated), ARN of the SAML provider for the self-service portal.
        type: str
  client_cidr:
    description:
      - Network from which people get their addresses, /12 to /22, outside of the VPC's networks and of all routes. It
        should have twice as many addresses as there are connections at once.
      - Required to create an endpoint. Cannot change.
    type: str
  split_tunnel:
    description:
      - Whether only traffic for the endpoint's routes goes through the tunnel. A new endpoint gets V(true).
    type: bool
  dns_servers:
    description:
      - At most two addresses of DNS servers for people's devices. An empty list takes them away.
    type: list
    elements: str
  transport_protocol:
    description:
      - Protocol of the tunnel. AWS takes V(udp) for a new endpoint. Cannot change.
    type: str
    choices:
      - udp
      - tcp
  vpn_port:
    description:
      - Port of the tunnel. AWS takes V(443) for a new endpoint. With another port every profile must be handed out
        again.
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
      - Where connections are logged. An empty dictionary switches the log off, as it is on a new endpoint.
    type: dict
    suboptions:
      log_group:
        description:
          - Name of the log group in CloudWatch Logs. It must exist.
        type: str
      log_stream:
        description:
          - Name of the log stream. AWS makes one if omitted.
        type: str
  security_groups:
    description:
      - Ids of the security groups of the endpoint's network interfaces, at least one. AWS takes the default group of
        the VPC for a new endpoint.
    type: list
    elements: str
  session_hours:
    description:
      - Hours after which people must log in again. AWS takes V(24) for a new endpoint.
    type: int
    choices:
      - 8
      - 10
      - 12
      - 24
  login_banner:
    description:
      - Text that the AWS provided client shows at the start of a session, at most 1400 characters. An empty one
        switches it off.
    type: str
  self_service_portal:
    description:
      - Whether people can download the configuration from the self-service portal. AWS has none for endpoints with
        certificates only.
    type: bool
  route_enforcement:
    description:
      - Whether the AWS provided client puts back routes of the endpoint that the device changes.
    type: bool
  disconnect_on_session_timeout:
    description:
      - Whether people are disconnected when O(session_hours) are over. With V(false) the client is asked to log in
        again without a gap.
    type: bool
  tags:
    description:
      - Tags to ensure. The endpoint's own tags and a C(Name) are added.
    type: dict
    aliases:
      - resource_tags
  purge_tags:
    description:
      - Whether tags that O(tags) does not list are removed. Without O(tags) none is. Tags of AWS itself, the endpoint's
        own tags and C(Name) always stay.
    type: bool
    default: true
  subnets:
    description:
      - Subnets to associate as target networks, one an availability zone, each of at least /27 with 20 free addresses.
        AWS charges for each by the hour.
    type: list
    elements: str
  purge_subnets:
    description:
      - Whether subnets that O(subnets) does not list are disassociated, with the routes that lead through them. This
        cuts connections.
    type: bool
    default: false
  authorization_rules:
    description:
      - Networks that people may reach.
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
          - Id of the group in the directory or identity provider that may reach it. Everybody if omitted.
        type: str
      description:
        description:
          - Description of the rule. Left alone if omitted. AWS cannot change it, so another one makes the rule anew.
        type: str
  purge_authorization_rules:
    description:
      - Whether rules that O(authorization_rules) does not list are revoked.
    type: bool
    default: false
  routes:
    description:
      - Routes besides the one to the VPC, which AWS adds with each target network itself.
    type: list
    elements: dict
    suboptions:
      cidr:
        description:
          - Where the route leads to.
        type: str
        required: true
      subnet:
        description:
          - The target network that it leads through.
        type: str
        required: true
      description:
        description:
          - Description of the route. Left alone if omitted. AWS cannot change it, so another one makes the route anew.
        type: str
  purge_routes:
    description:
      - Whether routes that O(routes) does not list are deleted. Those that AWS added itself always stay.
    type: bool
    default: false
  recreate:
    description:
      - Whether the endpoint is deleted and made anew where a field must change that AWS cannot change.
      - Its DNS name changes, so every profile must be handed out again. Networks, rules, routes and settings that are
        not among the options, and the revocation list, are carried over.
    type: bool
    default: false
  disruptive:
    description:
      - Whether changes that cut people's connections, or make their profiles useless, are made.
      - With V(false) they are named in RV(deferred) and in RV(hyperpod_findings) together with whom they would
        disconnect, and everything else is done. What only resets connections is done if nobody is connected.
      - Has no effect on O(state=absent).
    type: bool
    default: true
  endpoint_quota:
    description:
      - How many endpoints the account may have in the region. No endpoint is created beyond it.
    type: int
    default: 5
  wait_timeout:
    description:
      - Seconds to wait for each operation. AWS takes up to half an hour for some.
    type: int
    default: 1800
  poll_interval:
    description:
      - Seconds between two looks while waiting, 1 to 300.
    type: int
    default: 10
  _progress_file:
    description:
      - Internal, set by the action plugin. A file that gets a line for what is waited for.
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
    C(ec2:DescribeVpcs), C(ec2:DescribeSubnets), C(acm:DescribeCertificate) where a certificate is new to the endpoint,
    and to change something C(ec2:CreateClientVpnEndpoint), C(ec2:ModifyClientVpnEndpoint),
    C(ec2:AssociateClientVpnTargetNetwork), C(ec2:DisassociateClientVpnTargetNetwork),
    C(ec2:AuthorizeClientVpnIngress), C(ec2:RevokeClientVpnIngress), C(ec2:CreateClientVpnRoute),
    C(ec2:DeleteClientVpnRoute), C(ec2:ApplySecurityGroupsToClientVpnTargetNetwork), C(ec2:CreateTags),
    C(ec2:DeleteTags), with O(recreate) C(ec2:ExportClientVpnClientCertificateRevocationList) and
    C(ec2:ImportClientVpnClientCertificateRevocationList), and to remove it C(ec2:TerminateClientVpnConnections),
    C(ec2:DeleteClientVpnEndpoint) and C(ec2:DescribeNetworkInterfaces)."
  - Connections are cut by other O(dns_servers), another O(server_certificate_arn), O(split_tunnel) or O(vpn_port), by a
    subnet that goes, by a rule or route that gets another description, by O(recreate), and with a split tunnel by every
    other route, also by that which AWS adds with a subnet.
  - When a run with O(recreate) is killed between the removal and the new endpoint, what was to be carried over and is
    not among the options is lost.
  - Not yet run against live AWS.
seealso:
  - module: mlfleet.hyperpod.client_vpn_endpoint_info
  - name: AWS Client VPN
    description: The AWS documentation.
    link: https://docs.aws.amazon.com/vpn/latest/clientvpn-admin/what-is.html
"""

EXAMPLES = r"""
- name: Endpoint into the VPC of the login nodes
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

- name: Push the VPC's resolver, but cut nobody now
  mlfleet.hyperpod.client_vpn_endpoint:
    vpc_id: vpc-0123456789abcdef0
    dns_servers:
      - 10.1.0.2
    disruptive: false

- name: Remove it
  mlfleet.hyperpod.client_vpn_endpoint:
    vpc_id: vpc-0123456789abcdef0
    state: absent
"""

RETURN = r"""
client_vpn_endpoint:
  description: The endpoint; in check mode as it would be.
  returned: success
  type: dict
  contains:
    exists:
      description: Whether it exists. If not, only the id of the VPC is returned besides.
      type: bool
      sample: true
    client_vpn_endpoint_id:
      description: Its id.
      type: str
      sample: cvpn-endpoint-0123456789abcdef0
    dns_name:
      description: Its DNS name, as AWS gives it, with C(*) for any label.
      type: str
      sample: "*.cvpn-endpoint-0123456789abcdef0.prod.clientvpn.us-west-2.amazonaws.com"
    status:
      description: Its state, V(pending-associate) without a target network, else V(available).
      type: str
      sample: available
    created:
      description: When it was created.
      type: str
      sample: "2026-11-21T08:15:30"
    vpc_id:
      description: Its VPC.
      type: str
      sample: vpc-0123456789abcdef0
    server_certificate_arn:
      description: ARN of the server's certificate.
      type: str
      sample: arn:aws:acm:us-west-2:111111111111:certificate/01234567-89ab-cdef-0123-456789abcdef
    authentication:
      description: How people prove who they are, in the form of the option.
      type: list
      elements: dict
      sample:
        - type: certificate
          client_root_certificate_arn: >-
            arn:aws:acm:us-west-2:111111111111:certificate/01234567-89ab-cdef-0123-456789abcdef
    client_cidr:
      description: Network of people's addresses.
      type: str
      sample: 172.20.0.0/20
    split_tunnel:
      description: Whether only traffic for the routes goes through the tunnel.
      type: bool
      sample: true
    dns_servers:
      description: DNS servers for people's devices.
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
      description: Its description.
      type: str
      sample: ""
    connection_log:
      description: Where connections are logged, null where they are not.
      type: dict
      sample: {"log_group": "/mlfleet/hyperpod/client-vpn/vpc-0123456789abcdef0", "log_stream": "connections"}
    security_groups:
      description: Ids of its security groups.
      type: list
      elements: str
      sample: [sg-0123456789abcdef0]
    session_hours:
      description: Hours after which people must log in again.
      type: int
      sample: 24
    login_banner:
      description: The banner, empty where there is none.
      type: str
      sample: ""
    self_service_portal:
      description: Whether there is a self-service portal.
      type: bool
      sample: false
    self_service_portal_url:
      description: Its address, empty where there is none.
      type: str
      sample: ""
    route_enforcement:
      description: Whether clients put back changed routes.
      type: bool
      sample: false
    disconnect_on_session_timeout:
      description: Whether people are disconnected when the session's hours are over.
      type: bool
      sample: true
    tags:
      description: Its tags.
      type: dict
      sample: {"mlfleet.hyperpod/component": "client_vpn", "mlfleet.hyperpod/client-vpn": "vpc-0123456789abcdef0"}
    subnets:
      description: Ids of the associated subnets.
      type: list
      elements: str
      sample: [subnet-0123456789abcdef0]
    target_networks:
      description: The associations.
      type: list
      elements: dict
      sample:
        - association_id: cvpn-assoc-0123456789abcdef0
          subnet_id: subnet-0123456789abcdef0
          status: associated
    authorization_rules:
      description: Networks that people may reach. C(group) is null where everybody may.
      type: list
      elements: dict
      sample: [{"cidr": "10.1.0.0/16", "group": null, "description": "", "status": "active"}]
    routes:
      description: All routes, those with the C(origin) V(associate) are AWS's own.
      type: list
      elements: dict
      sample:
        - cidr: 10.1.0.0/16
          subnet: subnet-0123456789abcdef0
          description: Default Route
          origin: associate
          status: active
changes:
  description: Every change that was made, or in check mode would be made.
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
    - Changes that were kept back because of O(disruptive=false), in the form of RV(changes), with C(disconnects), the
      names of the people who are connected now, and C(profiles), whether every profile must be handed out again.
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
  description: What was kept back, a finding for each of RV(deferred), with the codes of C(docs/reference/findings.md).
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
