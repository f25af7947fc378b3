#!/usr/bin/python
# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations

DOCUMENTATION = r"""
module: client_vpn_pki
version_added: 0.1.0
short_description: Manage the certificates of a Client VPN endpoint and its users
description:
  - Manages a certificate authority, a server certificate, one certificate for each user and a certificate revocation list (CRL).
    All are stored in Secrets Manager.
  - The module creates a key only if none exists. The module fails if the secret of the certificate authority can't be read, is
    scheduled for deletion or does not have the tag of this VPC, because a new authority would invalidate every profile.
  - A certificate is renewed if it expires within O(renew_before) days or if a different authority issued it. The module does not
    change users who are neither in O(people) nor in O(revoked), so several clusters can share an endpoint.
  - The CRL is signed again only if its entries change, or O(crl_renew_before) days before it expires. The module creates the
    first, empty CRL together with the authority.
  - Private keys are never part of the result, the diff or a log. With C(community.crypto.x509_certificate) and other modules, keys
    would pass from task to task.
options:
  vpc_id:
    description: VPC of the endpoint.
    type: str
    required: true
  state:
    description:
      - Whether the certificates exist.
    type: str
    choices:
      present: All certificates exist, and none is due for renewal.
      absent: >-
        All secrets below O(secret_prefix) that have the tags of this collection and VPC are removed. Unless O(force) is set, they
        can be restored within O(recovery_window) days.
      query: Nothing is changed.
    default: present
  secret_prefix:
    description:
      - Prefix of the secrets. Their names are C(<prefix>/authority), C(<prefix>/server) and C(<prefix>/people/<name>).
      - The default is C(mlfleet/hyperpod/client-vpn/<vpc id>).
    type: str
  kms_key_id:
    description:
      - KMS key for new secrets, as ID, ARN or alias. The default is the account's C(aws/secretsmanager) key.
    type: str
  domain:
    description:
      - Domain of the server certificate, whose name is C(server.<domain>). The name does not need to exist in DNS.
      - The default is C(vpn.<region>.hyperpod.internal). If the domain changes, the module creates a new server certificate. All
        profiles must then be written again, because clients compare the name.
    type: str
  authority:
    description:
      - Your own certificate authority, for example from a vaulted file. Its private key is then not stored in Secrets Manager.
        You must pass the key whenever the module signs something.
      - By default, the module creates an authority and stores its key in the secret.
    type: dict
    suboptions:
      certificate:
        description: Certificate of the authority in PEM, with an RSA key of 2048 bits and without a chain.
        type: str
        required: true
      private_key:
        description: Private key of the authority in PEM, without a passphrase. Required only if the module signs something.
        type: str
  people:
    description:
      - Names of users who get a certificate. The name becomes the common name of the certificate.
      - O(state=query) and O(state=absent) apply to all users that Secrets Manager lists. This list can be up to five minutes old.
        Set this option to include users whose secrets are newer.
    type: list
    elements: str
    default: []
  revoked:
    description:
      - Names of users whose unexpired certificates are revoked. The secrets of these users are removed permanently.
      - The module revokes the certificate in the user's secret, if the secret exists, and all certificates of the user in the
        authority's ledger. It does not rely on tags, because others can change them.
      - RV(client_vpn_pki.nothing_to_revoke) lists the names for which no certificate was revoked. Names in O(people) are not
        allowed here.
    type: list
    elements: str
    default: []
  lost:
    description:
      - Names in O(people) whose certificates are revoked and replaced, for example after a user has lost a laptop. The secret of
        such a user gets the new certificate. Each run with this option replaces the certificate again.
    type: list
    elements: str
    default: []
  authority_days:
    description: Validity of a new authority in days, V(1) to V(7300).
    type: int
    default: 3650
  server_days:
    description: Validity of a new server certificate in days, V(1) to V(825). macOS accepts no longer validity.
    type: int
    default: 397
  person_days:
    description: Validity of a new user certificate in days, V(1) to V(3650).
    type: int
    default: 365
  renew_before:
    description: A certificate is renewed if it expires within this number of days. Must be less than O(server_days) and
      O(person_days).
    type: int
    default: 30
  crl_days:
    description:
      - Validity of a CRL in days, V(1) to V(3650). After a CRL has expired, the endpoint refuses all users.
    type: int
    default: 365
  crl_renew_before:
    description: The CRL is signed again if it expires within this number of days. Must be less than O(crl_days).
    type: int
    default: 30
  recovery_window:
    description: Number of days for which secrets that O(state=absent) removed can be restored, V(7) to V(30).
    type: int
    default: 30
  force:
    description: Whether O(state=absent) removes the secrets immediately and permanently.
    type: bool
    default: false
  tags:
    description: Tags of the secrets, in addition to those of the collection. Other existing tags are not changed.
    type: dict
    default: {}
attributes:
  check_mode:
    support: full
    details:
      - Values that exist only after a certificate or CRL has been signed are returned as V((known after apply\)).
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
requirements:
  - cryptography >= 42 (installed with paramiko)
notes:
  - 'IAM actions: C(secretsmanager:ListSecrets), C(secretsmanager:DescribeSecret), C(secretsmanager:GetSecretValue),
    C(secretsmanager:CreateSecret), C(secretsmanager:PutSecretValue), C(secretsmanager:TagResource),
    C(secretsmanager:RestoreSecret) for users whose secrets are scheduled for deletion, and C(secretsmanager:DeleteSecret).
    O(state=query) needs only C(ListSecrets), C(DescribeSecret) and C(GetSecretValue).'
  - The secret of the authority also contains a ledger of the user certificates that the authority issued, with name, serial
    number and expiry. If the ledger lacks a certificate, for example because the certificate is older than the ledger, the module
    adds it from the secret of the user.
  - A secret can contain 64 KiB. This is enough for about 600 unexpired certificates, or for 300 revoked ones. Expired
    certificates are removed the next time the secret is written. To leave space for revocations, the module issues no certificate
    if less than 8 KiB would remain.
  - The action plugin enables pipelining for this task, so that the key of O(authority) is never written to a file.
seealso:
  - module: mlfleet.hyperpod.client_vpn_certificate
  - module: mlfleet.hyperpod.client_vpn_revocation_list
  - module: mlfleet.hyperpod.client_vpn_profile
"""

EXAMPLES = r"""
- name: Create the authority, the server certificate and the certificates of two users
  mlfleet.hyperpod.client_vpn_pki:
    vpc_id: vpc-0123456789abcdef0
    people: [alice, bob]
    region: us-west-2
  register: pki

- name: Revoke the certificates of a user who has left the organization
  mlfleet.hyperpod.client_vpn_pki:
    vpc_id: vpc-0123456789abcdef0
    revoked: [mallory]
    region: us-west-2

- name: Replace the certificate of a user who lost a laptop
  mlfleet.hyperpod.client_vpn_pki:
    vpc_id: vpc-0123456789abcdef0
    people: [alice, bob]
    lost: [alice]
    region: us-west-2

- name: Use an authority whose key is in a vaulted file
  mlfleet.hyperpod.client_vpn_pki:
    vpc_id: vpc-0123456789abcdef0
    people: [alice]
    authority:
      certificate: "{{ vaulted_authority.certificate }}"
      private_key: "{{ vaulted_authority.private_key }}"
    region: us-west-2

- name: List users with a certificate
  mlfleet.hyperpod.client_vpn_pki:
    vpc_id: vpc-0123456789abcdef0
    state: query
    region: us-west-2
  register: pki
"""

RETURN = r"""
client_vpn_pki:
  description: The public parts of the authority, certificates and CRL.
  returned: success
  type: dict
  contains:
    authority:
      description: The certificate authority. Null if it does not exist, and with O(state=absent).
      type: dict
      contains:
        certificate:
          description: Certificate in PEM.
          type: str
        fingerprint:
          description: SHA-256 of the certificate, lower-case hex.
          type: str
        not_after:
          description: Time at which the certificate of the authority expires, as an ISO time.
          type: str
        secret:
          description: Name of the secret of the authority.
          type: str
    server:
      description: The server certificate. Null if it does not exist, and with O(state=absent).
      type: dict
      contains:
        name:
          description: Common name and DNS name of the server certificate.
          type: str
        certificate:
          description: Certificate in PEM.
          type: str
        chain:
          description: Certificate of the authority in PEM.
          type: str
        fingerprint:
          description: SHA-256 of the certificate, lower-case hex.
          type: str
        not_after:
          description: Time at which the server certificate expires, as an ISO time.
          type: str
        secret:
          description: Name of the secret of the server certificate.
          type: str
    people:
      description: Users who have a certificate or a revoked certificate, sorted by name.
      type: list
      elements: dict
      contains:
        name:
          description: Name of the user.
          type: str
        serial:
          description: Serial number of the certificate, lower-case hex.
          type: str
        not_after:
          description: Time at which the certificate expires, as an ISO time.
          type: str
        state:
          description: >-
            V(valid), V(due), V(revoked), V(deleted) or V(issued). V(due) means that the certificate expires within
            O(renew_before) days or that a different authority issued it. V(deleted) means that the secret is scheduled for
            deletion, but the certificate was not revoked.
            V(issued) means that the certificate is in the ledger and not revoked, but its secret is missing or not listed yet.
          type: str
        secret:
          description: Name of the user's secret. Null with V(revoked) and V(issued).
          type: str
    crl:
      description: The CRL. Null if it does not exist, and with O(state=absent).
      type: dict
      contains:
        pem:
          description: The signed CRL in PEM.
          type: str
        number:
          description: CRL number, which increases with each signature.
          type: int
        next_update:
          description: Time at which the CRL expires, as an ISO time.
          type: str
        entries:
          description: Entries of the CRL.
          type: list
          elements: dict
          contains:
            serial:
              description: Serial number of the revoked certificate, lower-case hex.
              type: str
            name:
              description: Name of the user.
              type: str
            date:
              description: Time of the revocation, as an ISO time.
              type: str
    nothing_to_revoke:
      description: Names in O(revoked) and O(lost) for which the CRL has no entry, because they had no unexpired certificate.
      type: list
      elements: str
  sample:
    authority:
      certificate: "-----BEGIN CERTIFICATE-----\nMIID..."
      fingerprint: 8b1c4d07be5d42c60d2e5f84a9b3b7a1f2f5bfa2c9e3f7a5f4d1a0c3b2e1d0f9
      not_after: "2036-11-18T01:02:03Z"
      secret: mlfleet/hyperpod/client-vpn/vpc-0123456789abcdef0/authority
    server:
      name: server.vpn.us-west-2.hyperpod.internal
      certificate: "-----BEGIN CERTIFICATE-----\nMIID..."
      chain: "-----BEGIN CERTIFICATE-----\nMIID..."
      fingerprint: 1d0f98b1c4d07be5d42c60d2e5f84a9b3b7a1f2f5bfa2c9e3f7a5f4d1a0c3b2e
      not_after: "2027-12-23T01:02:03Z"
      secret: mlfleet/hyperpod/client-vpn/vpc-0123456789abcdef0/server
    people:
      - name: alice
        serial: 5f1c9a0b7d3e4f5a6b7c8d9e0f1a2b3c4d5e6f70
        not_after: "2027-11-21T01:02:03Z"
        state: valid
        secret: mlfleet/hyperpod/client-vpn/vpc-0123456789abcdef0/people/alice
    crl:
      pem: "-----BEGIN X509 CRL-----\nMIIB..."
      number: 1
      next_update: "2027-11-21T01:02:03Z"
      entries: []
    nothing_to_revoke: []
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
    - action: create
      resource: certificate of alice
      field: null
      before: null
      after: {days: 365, secret: mlfleet/hyperpod/client-vpn/vpc-0123456789abcdef0/people/alice}
"""

import datetime
import typing as t

from ansible_collections.mlfleet.hyperpod.plugins.module_utils._aws.client import aws_module, connect
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._aws.secrets import Secrets
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._client_vpn.pki import options
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._client_vpn.pki.apply import Applier
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._client_vpn.pki.crypto import require_cryptography
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._client_vpn.pki.observe import Observer
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._client_vpn.pki.plan import plan
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._client_vpn.pki.result import result
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._core.converge import Resource
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._lock.run import LOCK_OPTION, run_aws

AUTHORITY = {
    "certificate": {"type": "str", "required": True},
    "private_key": {"type": "str", "no_log": True},
}
SPEC = {
    "vpc_id": {"type": "str", "required": True},
    "state": {"type": "str", "default": "present", "choices": ["present", "absent", "query"]},
    "secret_prefix": {"type": "str", "no_log": False},
    "kms_key_id": {"type": "str", "no_log": False},
    "domain": {"type": "str"},
    "authority": {"type": "dict", "options": AUTHORITY},
    "people": {"type": "list", "elements": "str", "default": []},
    "revoked": {"type": "list", "elements": "str", "default": []},
    "lost": {"type": "list", "elements": "str", "default": []},
    "authority_days": {"type": "int", "default": 3650},
    "server_days": {"type": "int", "default": 397},
    "person_days": {"type": "int", "default": 365},
    "renew_before": {"type": "int", "default": 30},
    "crl_days": {"type": "int", "default": 365},
    "crl_renew_before": {"type": "int", "default": 30},
    "recovery_window": {"type": "int", "default": 30},
    "force": {"type": "bool", "default": False},
    "tags": {"type": "dict", "default": {}},
    "cluster_arn": {"type": "str"},
    **LOCK_OPTION,
}


def resource(module: t.Any) -> Resource:
    require_cryptography(module)
    params = module.params
    desired = options.desired(params, region=module.region, now=datetime.datetime.now(datetime.timezone.utc))
    given_key = (params["authority"] or {}).get("private_key")
    secrets = Secrets(connect(module, "secretsmanager"))
    return Resource(
        observe=Observer(secrets, desired),
        plan=lambda state: plan(desired, state),
        apply=Applier(secrets, desired, given_key=given_key, kms_key_id=params["kms_key_id"]),
        result=lambda state: result(desired, state),
        lost_race=f"Another run keeps creating secrets below {desired.prefix}. Run again later.",
    )


def main() -> None:
    run_aws(aws_module(argument_spec=SPEC), resource)


if __name__ == "__main__":
    main()
