#!/usr/bin/python
# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations

DOCUMENTATION = r"""
module: client_vpn_revocation_list
version_added: 0.1.0
short_description: Import the list of revoked certificates into a Client VPN endpoint
description:
  - Imports a list of revoked certificates (CRL) only if its content differs from the one that the endpoint has.
  - An import resets the connections of everybody. With O(allowed=false) a list that differs is imported only while
    nobody is connected; else it waits, and the result says whom an import would disconnect. In the last three days of the
    list in force nothing waits, since nobody could connect after it.
  - A list that is about to end is a warning, since the endpoint refuses everybody once it has ended.
options:
  client_vpn_endpoint_id:
    description:
      - The endpoint. In check mode also V((known after apply\)), for one that would be made.
    type: str
    required: true
  crl:
    description:
      - The list in PEM, as RV(mlfleet.hyperpod.client_vpn_pki#module:client_vpn_pki.crl.pem) is. In check mode
        also V((known after apply\)).
      - A list that has ended, holds more than 20,000 entries, or is older than the imported one of the same authority
        is refused.
    type: str
    required: true
  allowed:
    description: Whether people may be disconnected now.
    type: bool
    default: true
  warn_before:
    description: How many days before its end a list is a warning, from V(0) to V(3650).
    type: int
    default: 30
  wait_timeout:
    description: Seconds to wait until an imported list is active, from V(0) to V(3600).
    type: int
    default: 300
  poll_interval:
    description: Seconds between two looks meanwhile, from V(1) to V(60).
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
requirements:
  - cryptography >= 42 (it comes with paramiko)
notes:
  - 'IAM actions: C(ec2:ExportClientVpnClientCertificateRevocationList),
    C(ec2:ImportClientVpnClientCertificateRevocationList) and C(ec2:DescribeClientVpnConnections).'
seealso:
  - module: mlfleet.hyperpod.client_vpn_pki
  - module: mlfleet.hyperpod.client_vpn_connections
"""

EXAMPLES = r"""
- name: Import the list, at night only
  mlfleet.hyperpod.client_vpn_revocation_list:
    client_vpn_endpoint_id: cvpn-endpoint-0123456789abcdef0
    crl: "{{ pki.client_vpn_pki.crl.pem }}"
    allowed: "{{ now(utc=true).hour in [2, 3] }}"
    region: us-west-2
"""

RETURN = r"""
entries:
  description: Number of certificates in the list that the endpoint has, or null where it has none.
  returned: success
  type: int
  sample: 1
number:
  description: Number of that list, or null.
  returned: success
  type: int
  sample: 2
next_update:
  description: End of that list, ISO time, or null.
  returned: success
  type: str
  sample: "2027-11-21T01:02:03Z"
imported:
  description: Whether a list was imported, or would be in check mode.
  returned: success
  type: bool
  sample: true
waiting:
  description: Whether a list that differs waits because of O(allowed).
  returned: success
  type: bool
  sample: false
disconnects:
  description: People who were connected when the list was imported, or whom an import would disconnect.
  returned: success
  type: list
  elements: str
  sample: [alice]
hyperpod_findings:
  description: A CRL that waits, and whom an import disconnects, with the codes of C(docs/reference/findings.md).
  returned: success
  type: list
  elements: dict
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
    - action: update
      resource: revocation list of cvpn-endpoint-0123456789abcdef0
      field: null
      before: {number: 1, entries: [], next_update: "2027-11-20T01:02:03Z"}
      after: {number: 2, entries: [5f1c9a0b7d3e4f5a6b7c8d9e0f1a2b3c4d5e6f70], next_update: "2027-11-21T01:02:03Z"}
"""

import datetime
import typing as t

from ansible_collections.mlfleet.hyperpod.plugins.module_utils._aws.client import aws_module, connect
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._client_vpn.pki.crypto import require_cryptography
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._client_vpn.revocation_list import options
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._client_vpn.revocation_list.apply import Applier
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._client_vpn.revocation_list.observe import observe
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._client_vpn.revocation_list.plan import plan
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._client_vpn.revocation_list.result import Report
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._core.converge import Resource
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._lock.run import LOCK_OPTION, run_aws

SPEC = {
    "client_vpn_endpoint_id": {"type": "str", "required": True},
    "crl": {"type": "str", "required": True},
    "allowed": {"type": "bool", "default": True},
    "warn_before": {"type": "int", "default": 30},
    "wait_timeout": {"type": "int", "default": 300},
    "poll_interval": {"type": "int", "default": 5},
    "cluster_arn": {"type": "str"},
    **LOCK_OPTION,
}


def resource(module: t.Any) -> Resource:
    require_cryptography(module)
    now = datetime.datetime.now(datetime.timezone.utc)
    desired = options.desired(module.params, now=now, check_mode=module.check_mode)
    ec2 = connect(module, "ec2")
    report = Report(desired)
    return Resource(
        observe=lambda: observe(ec2, desired),
        plan=lambda state: report.noted(plan(desired, state)),
        apply=Applier(ec2, desired),
        result=report.result,
    )


def main() -> None:
    run_aws(aws_module(argument_spec=SPEC), resource)


if __name__ == "__main__":
    main()
