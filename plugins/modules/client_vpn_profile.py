#!/usr/bin/python
# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations

DOCUMENTATION = r"""
module: client_vpn_profile
version_added: 0.1.0
short_description: Write profiles for users of a Client VPN endpoint
description:
  - Combines the configuration that the endpoint exports with the certificate and key of a user. Writes the result to
    C(<folder>/<name>.ovpn) on the machine where the module runs, which should be the control node.
  - The module writes a file only if its content differs, and only after it has found the data of all O(people). It writes
    atomically, with mode 0600. The content of a file is never part of the result, the diff or a log.
options:
  state:
    description: Whether the profiles exist. V(absent) removes the files of O(people) without a call to AWS.
    type: str
    choices: [present, absent]
    default: present
  client_vpn_endpoint_id:
    description:
      - ID of the endpoint. Required with O(state=present). Check mode also accepts V((known after apply\)).
    type: str
  vpc_id:
    description: VPC of the endpoint. This option or O(secret_prefix) is required with O(state=present).
    type: str
  secret_prefix:
    description:
      - Prefix of the secrets of M(mlfleet.hyperpod.client_vpn_pki). The default is C(mlfleet/hyperpod/client-vpn/<vpc id>).
    type: str
  people:
    description: Names of users who have a certificate.
    type: list
    elements: str
    required: true
  folder:
    description: Folder for the files. If it does not exist, it is created with mode 0700.
    type: path
    required: true
  client:
    description:
      - VPN client of the users. V(openvpn) works with every client that is compatible with OpenVPN 2.4 and later.
      - V(aws) is the AWS provided client. It supports only some directives of OpenVPN, so the other directives are left out of
        the profile. It is the only client that supports SAML.
    type: str
    choices: [openvpn, aws]
    default: openvpn
  random_host_prefix:
    description:
      - Whether to put a random label in front of the endpoint's name, for clients that do not support C(remote-random-hostname).
        If an existing file has such a label, the label is kept.
      - Not allowed with O(client=aws).
    type: bool
    default: false
attributes:
  check_mode:
    support: full
  diff_mode:
    support: full
    details:
      - The diff shows serial numbers and fingerprints instead of the content of files.
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
requirements:
  - cryptography >= 42 (installed with paramiko)
notes:
  - 'IAM actions: C(ec2:ExportClientVpnClientConfiguration), and C(secretsmanager:GetSecretValue) on the secrets of
    O(people).'
  - Everyone who has the file has the access of the user. Transfer the file securely, and delete it afterwards.
seealso:
  - module: mlfleet.hyperpod.client_vpn_pki
"""

EXAMPLES = r"""
- name: Write the profiles of two users
  mlfleet.hyperpod.client_vpn_profile:
    client_vpn_endpoint_id: cvpn-endpoint-0123456789abcdef0
    vpc_id: vpc-0123456789abcdef0
    people: [alice, bob]
    folder: ~/.mlfleet/hyperpod/vpn/research
    region: us-west-2
  delegate_to: localhost

- name: Remove the profile of a user who has left the organization
  mlfleet.hyperpod.client_vpn_profile:
    people: [mallory]
    folder: ~/.mlfleet/hyperpod/vpn/research
    state: absent
  delegate_to: localhost
"""

RETURN = r"""
profiles:
  description: One entry for each name in O(people). Empty with O(state=absent).
  returned: success
  type: list
  elements: dict
  contains:
    name:
      description: Name of the user.
      type: str
    path:
      description: Path of the file.
      type: str
    serial:
      description: Serial number of the certificate in the file, lower-case hex.
      type: str
    not_after:
      description: Time at which this certificate expires, as an ISO time.
      type: str
    changed:
      description: Whether the file was written. In check mode, whether it would be written.
      type: bool
  sample:
    - name: alice
      path: /home/ops/.mlfleet/hyperpod/vpn/research/alice.ovpn
      serial: 5f1c9a0b7d3e4f5a6b7c8d9e0f1a2b3c4d5e6f70
      not_after: "2027-11-21T01:02:03Z"
      changed: true
changes:
  description: The changes. In check mode, the predicted changes.
  returned: always
  type: list
  elements: dict
  sample:
    - action: create
      resource: file /home/ops/.mlfleet/hyperpod/vpn/research/alice.ovpn
      field: null
      before: null
      after: {serial: 5f1c9a0b7d3e4f5a6b7c8d9e0f1a2b3c4d5e6f70, content: "(secret SHA256:0a1b2c3d4e5f6071)"}
"""

import datetime
import typing as t

from ansible_collections.mlfleet.hyperpod.plugins.module_utils._aws.client import aws_module, connect
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._aws.secrets import Secrets
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._client_vpn.pki.crypto import require_cryptography
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._client_vpn.profile import options
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._client_vpn.profile.apply import Applier
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._client_vpn.profile.observe import Observer
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._client_vpn.profile.plan import plan
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._client_vpn.profile.result import Report
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._client_vpn.profile.source import Source
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._core.converge import Resource
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._lock.run import run_aws

SPEC = {
    "state": {"type": "str", "choices": ["present", "absent"], "default": "present"},
    "client_vpn_endpoint_id": {"type": "str"},
    "vpc_id": {"type": "str"},
    "secret_prefix": {"type": "str", "no_log": False},
    "people": {"type": "list", "elements": "str", "required": True},
    "folder": {"type": "path", "required": True},
    "client": {"type": "str", "choices": ["openvpn", "aws"], "default": "openvpn"},
    "random_host_prefix": {"type": "bool", "default": False},
}
REQUIRED_IF = [
    ("state", "present", ["client_vpn_endpoint_id"]),
    ("state", "present", ["vpc_id", "secret_prefix"], True),
]


def resource(module: t.Any) -> Resource:
    require_cryptography(module)
    now = datetime.datetime.now(datetime.timezone.utc)
    desired = options.desired(module.params, now=now, check_mode=module.check_mode)
    source = None
    if desired.present:
        source = Source(connect(module, "ec2"), Secrets(connect(module, "secretsmanager")), desired)
    observe = Observer(source, desired)
    report = Report(desired)
    return Resource(
        observe=observe,
        plan=lambda state: report.noted(plan(desired, state, check_mode=module.check_mode)),
        apply=Applier(desired, observe.text),
        result=report.result,
    )


def main() -> None:
    run_aws(aws_module(argument_spec=SPEC, required_if=REQUIRED_IF), resource)


if __name__ == "__main__":
    main()
