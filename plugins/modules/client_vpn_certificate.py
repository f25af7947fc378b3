#!/usr/bin/python
# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations

DOCUMENTATION = r"""
module: client_vpn_certificate
version_added: 0.1.0
short_description: Import the server certificate of a Client VPN endpoint into ACM
description:
  - Imports the certificate in a secret of M(mlfleet.hyperpod.client_vpn_pki) into AWS Certificate Manager (ACM).
  - The module records the ARN of the certificate in the secret. If the secret contains no ARN of an existing certificate, the
    module searches ACM for a certificate with the tags of this collection and VPC. Because others can also set these tags, the
    certificate authority in the secret must have issued the certificate.
  - If ACM has a different certificate under this ARN, the module imports the new certificate in its place. The ARN therefore stays
    valid for all resources that use it.
  - The module neither replaces nor removes a certificate that resources other than Client VPN endpoints use. The message lists
    these resources.
  - C(community.aws.acm_certificate) finds certificates by a name tag and needs the private key as an argument. This module reads
    the private key from the secret and passes it only to ACM.
options:
  vpc_id:
    description: VPC of the endpoint.
    type: str
    required: true
  state:
    description:
      - Whether the certificate exists in ACM. V(absent) removes a certificate only if the secret records it or the certificate
        authority in the secret issued it. V(absent) waits while an endpoint uses the certificate.
    type: str
    choices: [present, absent]
    default: present
  secret:
    description:
      - Name of the secret. The default is C(mlfleet/hyperpod/client-vpn/<vpc id>/server).
      - The secret contains a JSON object with C(certificate), C(private_key) and C(chain), all in PEM. The certificate must have
        an RSA key of 1024 or 2048 bits, because Client VPN accepts no other. This module adds C(certificate_arn) to the object.
    type: str
  fingerprint:
    description:
      - SHA-256 of the certificate that the secret must contain, as in
        RV(mlfleet.hyperpod.client_vpn_pki#module:client_vpn_pki.server.fingerprint).
      - M(mlfleet.hyperpod.client_vpn_pki) returns V((known after apply\)) in check mode if it would create a certificate. With
        this value, check mode predicts an import.
    type: str
  wait_timeout:
    description: With O(state=absent), seconds to wait until nothing uses the certificate, V(0) to V(3600).
    type: int
    default: 900
  poll_interval:
    description: Seconds between two polls while waiting, V(1) to V(60).
    type: int
    default: 10
  tags:
    description: Tags in addition to those of the collection. Other existing tags are not changed.
    type: dict
    default: {}
attributes:
  check_mode:
    support: full
    details:
      - In check mode, the module does not fail if the secret does not exist.
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
  - 'IAM actions: C(acm:ListCertificates), C(acm:ListTagsForCertificate), C(acm:DescribeCertificate),
    C(acm:GetCertificate), C(acm:ImportCertificate), C(acm:AddTagsToCertificate), C(acm:DeleteCertificate), and
    C(secretsmanager:GetSecretValue) and C(secretsmanager:PutSecretValue) on the secret.'
  - AWS distributes a renewed certificate to the endpoint within 24 hours.
seealso:
  - module: mlfleet.hyperpod.client_vpn_pki
  - module: mlfleet.hyperpod.client_vpn_endpoint
"""

EXAMPLES = r"""
- name: Import the server certificate
  mlfleet.hyperpod.client_vpn_certificate:
    vpc_id: vpc-0123456789abcdef0
    fingerprint: "{{ pki.client_vpn_pki.server.fingerprint }}"
    region: us-west-2
  register: server

- name: Remove the certificate after the endpoint is removed
  mlfleet.hyperpod.client_vpn_certificate:
    vpc_id: vpc-0123456789abcdef0
    state: absent
    region: us-west-2
"""

RETURN = r"""
client_vpn_certificate:
  description: The certificate, or null with O(state=absent).
  returned: success
  type: dict
  contains:
    certificate_arn:
      description: ARN of the certificate in ACM.
      type: str
    fingerprint:
      description: SHA-256 of the certificate, lower-case hex.
      type: str
    not_after:
      description: Time at which the certificate expires, as an ISO time.
      type: str
    key_algorithm:
      description: Algorithm of the key, V(RSA_2048) or V(RSA_1024).
      type: str
    in_use_by:
      description: ARNs of the resources that use the certificate.
      type: list
      elements: str
    tags:
      description: Tags of the certificate.
      type: dict
  sample:
    certificate_arn: arn:aws:acm:us-west-2:111111111111:certificate/0a1b2c3d-0000-1111-2222-333344445555
    fingerprint: 1d0f98b1c4d07be5d42c60d2e5f84a9b3b7a1f2f5bfa2c9e3f7a5f4d1a0c3b2e
    not_after: "2027-12-23T01:02:03Z"
    key_algorithm: RSA_2048
    in_use_by: ["arn:aws:ec2:us-west-2:111111111111:client-vpn-endpoint/cvpn-endpoint-0123456789abcdef0"]
    tags: {mlfleet.hyperpod/component: client_vpn, mlfleet.hyperpod/client-vpn: vpc-0123456789abcdef0}
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
    - action: update
      resource: certificate arn:aws:acm:us-west-2:111111111111:certificate/0a1b2c3d-0000-1111-2222-333344445555
      field: fingerprint
      before: 8b1c4d07be5d42c60d2e5f84a9b3b7a1f2f5bfa2c9e3f7a5f4d1a0c3b2e1d0f9
      after: 1d0f98b1c4d07be5d42c60d2e5f84a9b3b7a1f2f5bfa2c9e3f7a5f4d1a0c3b2e
"""

import typing as t

from ansible_collections.mlfleet.hyperpod.plugins.module_utils._aws.client import aws_module, connect
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._aws.secrets import Secrets
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._client_vpn.certificate import options
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._client_vpn.certificate.api import Acm
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._client_vpn.certificate.apply import Applier
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._client_vpn.certificate.observe import Observer
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._client_vpn.certificate.plan import plan
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._client_vpn.certificate.result import result
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._client_vpn.pki.crypto import require_cryptography
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._core.converge import Resource
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._lock.run import LOCK_OPTION, run_aws

SPEC = {
    "vpc_id": {"type": "str", "required": True},
    "state": {"type": "str", "default": "present", "choices": ["present", "absent"]},
    "secret": {"type": "str", "no_log": False},
    "fingerprint": {"type": "str"},
    "wait_timeout": {"type": "int", "default": 900},
    "poll_interval": {"type": "int", "default": 10},
    "tags": {"type": "dict", "default": {}},
    "cluster_arn": {"type": "str"},
    **LOCK_OPTION,
}


def resource(module: t.Any) -> Resource:
    require_cryptography(module)
    desired = options.desired(module.params)
    once = connect(module, "acm", max_attempts=0)
    acm = Acm(connect(module, "acm").client)
    secrets = Secrets(connect(module, "secretsmanager"))
    return Resource(
        observe=Observer(acm, secrets, desired),
        plan=lambda state: plan(desired, state, check_mode=module.check_mode),
        apply=Applier(acm, once, secrets, desired),
        result=result,
    )


def main() -> None:
    run_aws(aws_module(argument_spec=SPEC), resource)


if __name__ == "__main__":
    main()
