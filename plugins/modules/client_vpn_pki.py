#!/usr/bin/python
# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations

DOCUMENTATION = r"""
module: client_vpn_pki
version_added: 0.1.0
short_description: Keep the certificates of a Client VPN endpoint and its people
description:
  - Keeps a certificate authority, a server certificate, one certificate for each person and a list of revoked
    certificates, all in Secrets Manager.
  - Keys are made only where there is truly none. An authority that can't be read, is scheduled for deletion or is
    somebody else's is an error, since a new one would make every profile useless.
  - Certificates are made anew when they end within O(renew_before) days or belong to another authority. People who are
    named neither in O(people) nor in O(revoked) are left as they are, so that several clusters can share an endpoint.
  - The list of revoked certificates is signed anew only when its entries change, or O(crl_renew_before) days before it
    ends. A first, empty one is made at once.
  - Private keys are never part of the arguments, the result, the diff or a log. That is why this is one module and not
    a chain of C(community.crypto.x509_certificate) and others, which hand keys from task to task.
options:
  vpc_id:
    description: VPC that the endpoint belongs to.
    type: str
    required: true
  state:
    description:
      - What is wanted.
    type: str
    choices:
      present: Everything exists and nothing is due.
      absent: >-
        All secrets below O(secret_prefix) that carry the tag of this collection and VPC are removed. They can be
        restored for some days.
      query: Nothing is changed. An authority that does not exist is returned as null.
    default: present
  secret_prefix:
    description:
      - Where the secrets live - C(<prefix>/authority), C(<prefix>/server) and C(<prefix>/people/<name>).
      - C(mlfleet/hyperpod/client-vpn/<vpc id>) by default.
    type: str
  kms_key_id:
    description:
      - Key that encrypts new secrets, by id, ARN or alias. The account's C(aws/secretsmanager) by default.
    type: str
  domain:
    description:
      - Domain of the server certificate, whose name is C(server.<domain>). It need not exist in DNS.
      - C(vpn.<region>.hyperpod.internal) by default. A change makes a new server certificate, and every profile has to
        be written anew, since clients compare the name.
    type: str
  authority:
    description:
      - An authority of your own, for example from a vaulted file. Its key is not stored in Secrets Manager then, and
        has to be given whenever something is signed.
      - By default an authority is made and its key kept in the secret.
    type: dict
    suboptions:
      certificate:
        description: The authority's certificate in PEM, RSA with 2048 bits. The only one, without a chain.
        type: str
        required: true
      private_key:
        description: Its private key in PEM without passphrase. Needed only when something is signed.
        type: str
  people:
    description:
      - Names of the people who get a certificate. The name is the certificate's common name.
      - With O(state=query) and O(state=absent), people who are looked at even where a listing of Secrets Manager, which
        lags behind by up to five minutes, does not show them.
    type: list
    elements: str
    default: []
  revoked:
    description:
      - Names of people whose certificates are revoked, all that have not ended. Their secrets are removed for good.
      - What is revoked is what the authority issued by its ledger, and what the secret holds; tags are not believed.
        It is revoked also where the person's secret is gone.
      - Names without a certificate that holds are returned in RV(client_vpn_pki.nothing_to_revoke). A name in O(people)
        is refused here.
    type: list
    elements: str
    default: []
  lost:
    description:
      - Names in O(people) whose certificates are revoked and made anew, for example of somebody who lost a laptop. The
        secret stays, and holds the new one. Each run does it again.
    type: list
    elements: str
    default: []
  authority_days:
    description: For how many days an authority is made, from V(1) to V(7300).
    type: int
    default: 3650
  server_days:
    description: For how many days a server certificate is made, from V(1) to V(825), which is what macOS accepts.
    type: int
    default: 397
  person_days:
    description: For how many days a person's certificate is made, from V(1) to V(3650).
    type: int
    default: 365
  renew_before:
    description: How many days before its end a certificate is made anew, less than O(server_days) and O(person_days).
    type: int
    default: 30
  crl_days:
    description:
      - For how many days a list of revoked certificates holds, from V(1) to V(3650). The endpoint refuses everybody
        after that.
    type: int
    default: 365
  crl_renew_before:
    description: How many days before its end the list is signed anew, less than O(crl_days).
    type: int
    default: 30
  recovery_window:
    description: Days for which secrets that O(state=absent) removed can be restored, from V(7) to V(30).
    type: int
    default: 30
  force:
    description: With O(state=absent), remove the secrets at once and for good.
    type: bool
    default: false
  tags:
    description: Tags of the secrets, besides those of the collection. Others that are there stay.
    type: dict
    default: {}
attributes:
  check_mode:
    support: full
    details:
      - What only signing can tell is returned as V((known after apply\)).
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
  - cryptography >= 42 (it comes with paramiko)
notes:
  - 'IAM actions: C(secretsmanager:ListSecrets), C(secretsmanager:DescribeSecret), C(secretsmanager:GetSecretValue),
    C(secretsmanager:CreateSecret), C(secretsmanager:PutSecretValue), C(secretsmanager:TagResource),
    C(secretsmanager:RestoreSecret) for people whose secrets are scheduled for deletion, and
    C(secretsmanager:DeleteSecret). O(state=query) needs C(ListSecrets), C(DescribeSecret) and C(GetSecretValue) only.'
  - The authority's secret also holds a ledger of the certificates that it issued to people, with name, serial number and
    end. Certificates from before there was a ledger are taken over from people's secrets.
  - A secret holds 64 KiB, which is enough for about 600 certificates that have not ended, or 300 revoked ones. Those that
    have ended leave it when it is written the next time. No certificate is issued where less than 8 KiB would stay
    free, so that some can be revoked in any case.
  - The action plugin switches pipelining on for this task, so that no file with the key of O(authority) is made.
seealso:
  - module: mlfleet.hyperpod.client_vpn_certificate
  - module: mlfleet.hyperpod.client_vpn_revocation_list
  - module: mlfleet.hyperpod.client_vpn_profile
"""

EXAMPLES = r"""
- name: Make authority, server certificate and the certificates of two people
  mlfleet.hyperpod.client_vpn_pki:
    vpc_id: vpc-0123456789abcdef0
    people: [alice, bob]
    region: us-west-2
  register: pki

- name: Revoke the certificates of somebody who left
  mlfleet.hyperpod.client_vpn_pki:
    vpc_id: vpc-0123456789abcdef0
    revoked: [mallory]
    region: us-west-2

- name: Revoke a certificate whose laptop was lost, and make a new one
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

- name: See who has a certificate
  mlfleet.hyperpod.client_vpn_pki:
    vpc_id: vpc-0123456789abcdef0
    state: query
    region: us-west-2
  register: pki
"""

RETURN = r"""
client_vpn_pki:
  description: The public parts of what is kept.
  returned: success
  type: dict
  contains:
    authority:
      description: The authority, or null with O(state=absent) and where there is none.
      type: dict
      contains:
        certificate:
          description: Certificate in PEM.
          type: str
        fingerprint:
          description: SHA-256 of the certificate, lower-case hex.
          type: str
        not_after:
          description: End, ISO time.
          type: str
        secret:
          description: Name of the secret.
          type: str
    server:
      description: The server certificate, or null.
      type: dict
      contains:
        name:
          description: Common name and DNS name.
          type: str
        certificate:
          description: Certificate in PEM.
          type: str
        chain:
          description: The authority's certificate in PEM.
          type: str
        fingerprint:
          description: SHA-256 of the certificate, lower-case hex.
          type: str
        not_after:
          description: End, ISO time.
          type: str
        secret:
          description: Name of the secret.
          type: str
    people:
      description: Everybody who has a certificate, and everybody whose certificate was revoked, by name.
      type: list
      elements: dict
      contains:
        name:
          description: The person.
          type: str
        serial:
          description: Serial number of the certificate, lower-case hex.
          type: str
        not_after:
          description: End, ISO time.
          type: str
        state:
          description: >-
            V(valid), V(due) when it ends soon or belongs to another authority, V(revoked), V(deleted) when the
            secret is scheduled for deletion although nothing was revoked, or V(issued) when the ledger knows the
            certificate, it is not revoked, and its secret is gone or not listed yet.
          type: str
        secret:
          description: Name of the secret, null with V(revoked) and V(issued).
          type: str
    crl:
      description: The list of revoked certificates, or null.
      type: dict
      contains:
        pem:
          description: The signed list in PEM.
          type: str
        number:
          description: Its number, which grows whenever it is signed.
          type: int
        next_update:
          description: End, ISO time.
          type: str
        entries:
          description: What it holds.
          type: list
          elements: dict
          contains:
            serial:
              description: Serial number, lower-case hex.
              type: str
            name:
              description: The person.
              type: str
            date:
              description: When it was revoked, ISO time.
              type: str
    nothing_to_revoke:
      description: Names in O(revoked) and O(lost) that have no certificate on the list, since none that holds is known.
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
  description: Who holds the lock, as RV(mlfleet.hyperpod.cluster_lock#module:holder).
  returned: failure, when somebody else holds O(lock)
  type: dict
  sample:
    owner: ops@bastion
    expires: "2026-11-21T02:02:03Z"
changes:
  description: What was changed, or would be in check mode.
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
        lost_race=f"Secrets below {desired.prefix} were created by others again and again meanwhile; run again.",
    )


def main() -> None:
    run_aws(aws_module(argument_spec=SPEC), resource)


if __name__ == "__main__":
    main()
