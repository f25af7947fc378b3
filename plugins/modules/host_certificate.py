#!/usr/bin/python
# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Signs certificates for the host keys of one node, on the control node."""

from __future__ import annotations

DOCUMENTATION = r"""
module: host_certificate
version_added: 0.1.0
short_description: Sign the SSH host keys of a node with a certificate authority
author: mlfleet (@mlfleet)
description:
  - Signs the public host keys of one node. Clients that trust the certificate authority then accept the node under the given
    names. Run the module on the control node. M(mlfleet.hyperpod.sshd_config) installs the certificates on the node.
  - A valid certificate is kept, so a second run changes nothing. The module signs a new certificate if the current one is
    missing, damaged or not valid yet, if its authority, principals, key ID or length of validity differs from the options, or if
    it expires within O(renew_before_days) days.
  - The module signs in memory and never writes the private key of the authority to a file. In contrast,
    C(community.crypto.openssh_cert) requires the private key in a file.
options:
  authority:
    description: Public key of the certificate authority, on one line.
    type: str
    required: true
  private_key:
    description:
      - Private key of the certificate authority in OPENSSH format, without a passphrase.
      - Pass the key as a lookup in the arguments of the task, because values from C(set_fact) are stored in fact caches.
      - Required only if the module must sign a certificate outside check mode.
    type: str
  public_keys:
    description: Public host keys of the node, one on each line, at most one key of each type.
    type: list
    elements: str
    required: true
  certificates:
    description: Current certificates of the node, one on each line. Any other text counts as a missing certificate.
    type: list
    elements: str
    default: []
  principals:
    description:
      - Names and addresses that clients may use for the node, without wildcards. Empty entries are ignored.
      - A client compares these with the name that it connects to, or with its C(HostKeyAlias).
    type: list
    elements: str
    required: true
  key_id:
    description: Key ID of the certificate, which appears in logs.
    type: str
    required: true
  valid_days:
    description: Validity of a new certificate in days, V(1) to V(3650). The validity begins one hour before the time of signing.
    type: int
    default: 365
  renew_before_days:
    description: A certificate is renewed if it expires within this number of days. Must be less than O(valid_days).
    type: int
    default: 30
requirements:
  - cryptography >= 40
extends_documentation_fragment:
  - mlfleet.hyperpod.attributes
attributes:
  check_mode:
    support: full
    details:
      - Certificates that would be signed are returned as V((known after apply\)).
  diff_mode:
    support: full
  idempotent:
    support: full
    details:
      - The second run changes nothing if its O(certificates) are the certificates of the first run.
notes:
  - The action plugin enables pipelining for this task, so that the key of the authority is never written to a file.
  - A certificate can't be revoked before its expiry, except on clients whose C(known_hosts) lists the host key as C(@revoked).
seealso:
  - module: mlfleet.hyperpod.host_key_secret
  - module: mlfleet.hyperpod.host_key_info
  - module: mlfleet.hyperpod.sshd_config
"""

EXAMPLES = r"""
- name: Read host keys and certificates of the node
  mlfleet.hyperpod.host_key_info:
  become: true
  register: own

- name: Sign the host keys on the control node
  mlfleet.hyperpod.host_certificate:
    authority: "{{ ca.host_keys[0].public_key }}"
    private_key: "{{ (lookup('amazon.aws.secretsmanager_secret', ca.secret.name) | from_json)['keys'].ed25519.private }}"
    public_keys: "{{ own.host_keys | map(attribute='public_key') }}"
    certificates: "{{ own.host_keys | map(attribute='certificate') | select }}"
    principals: [login.example.com, "{{ inventory_hostname }}"]
    key_id: "{{ inventory_hostname }}"
  delegate_to: localhost
  register: signed

- name: Let sshd present the certificates
  mlfleet.hyperpod.sshd_config:
    host_key_types: "{{ signed.host_certificates | map(attribute='type') }}"
    host_certificates: "{{ signed.host_certificates | items2dict(key_name='type', value_name='certificate') }}"
  become: true
"""

RETURN = r"""
host_certificates:
  description: One certificate for each key in O(public_keys).
  returned: success
  type: list
  elements: dict
  contains:
    type:
      description: Type of the host key, as in C(ssh-keygen -t), such as V(ed25519).
      type: str
    fingerprint:
      description: Fingerprint of the host key.
      type: str
    certificate:
      description: Line of the certificate file.
      type: str
    key_id:
      description: Key ID of the certificate.
      type: str
    serial:
      description: Random serial number of the certificate. Null before the certificate is signed.
      type: int
    principals:
      description: Names for which the certificate is valid.
      type: list
      elements: str
    valid_from:
      description: Start of the validity, as an ISO time. Null before the certificate is signed.
      type: str
    valid_until:
      description: End of the validity, as an ISO time. Null before the certificate is signed.
      type: str
  sample:
    - type: ed25519
      fingerprint: SHA256:8M1D0c6vLrkMzbkfxYCpJ2S5kFCcGMQp9VqXIqeLxzM
      certificate: ssh-ed25519-cert-v01@openssh.com AAAAIHNzaC1lZDI1NTE5LWNlcnQtdjAxQG9wZW5zc2guY29t...
      key_id: i-0123456789abcdef0
      serial: 4711471147114711471
      principals: [10.1.1.21, i-0123456789abcdef0, login.example.com]
      valid_from: "2026-11-21T00:02:03Z"
      valid_until: "2027-11-21T01:02:03Z"
changes:
  description: Certificates that were signed, with the reasons. In check mode, certificates that would be signed.
  returned: always
  type: list
  elements: dict
"""

import datetime
import typing as t

from ansible.module_utils.basic import AnsibleModule, missing_required_lib
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._core.converge import Resource
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._host_keys.certificate import options
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._host_keys.certificate.apply import Applier
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._host_keys.certificate.plan import plan
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._host_keys.certificate.result import result
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._host_keys.certificate.signing import HAS_BUILDER, read_all
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._node.run import run_node

SPEC: dict[str, dict[str, t.Any]] = {
    "authority": {"type": "str", "required": True},
    "private_key": {"type": "str", "no_log": True},
    "public_keys": {"type": "list", "elements": "str", "required": True, "no_log": False},
    "certificates": {"type": "list", "elements": "str", "default": []},
    "principals": {"type": "list", "elements": "str", "required": True},
    "key_id": {"type": "str", "required": True, "no_log": False},
    "valid_days": {"type": "int", "default": 365},
    "renew_before_days": {"type": "int", "default": 30},
}


def resource(module: t.Any) -> Resource:
    desired = options.desired(module.params, now=datetime.datetime.now(datetime.timezone.utc))
    applier = Applier(desired, read_all(module.params["certificates"]), private_key=module.params["private_key"])
    return Resource(
        observe=lambda: applier.certificates,
        plan=lambda state: plan(desired, state),
        apply=applier,
        result=lambda state: result(desired, state),
    )


def main() -> None:
    module = AnsibleModule(argument_spec=SPEC, supports_check_mode=True)
    if not HAS_BUILDER:
        module.fail_json(msg=missing_required_lib("cryptography >= 40"))
    run_node(module, resource, lock=False)


if __name__ == "__main__":
    main()
