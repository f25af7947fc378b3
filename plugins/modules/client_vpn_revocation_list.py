#!/usr/bin/python
# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations

DOCUMENTATION = r"""
module: client_vpn_revocation_list
version_added: 0.1.0
short_description: Import a certificate revocation list into a Client VPN endpoint
description:
  - Imports a certificate revocation list (CRL) into an endpoint if the content differs from the endpoint's current CRL.
  - An import resets the connections of all users. With O(allowed=false), the module imports a different CRL only if no user is
    connected. Otherwise it defers the import, and the result lists the users that the import would disconnect.
  - If the current CRL expires within three days, the module does not defer the import, because no user could connect after the
    expiry.
  - The module warns if the endpoint's CRL expires soon, because the endpoint refuses all users after the CRL has expired.
options:
  client_vpn_endpoint_id:
    description:
      - ID of the endpoint. Check mode also accepts V((known after apply\)), which stands for an endpoint that a run would create.
    type: str
    required: true
  crl:
    description:
      - CRL in PEM, as in RV(mlfleet.hyperpod.client_vpn_pki#module:client_vpn_pki.crl.pem). Check mode also accepts V((known
        after apply\)).
      - The module refuses a CRL that has expired, that has more than 20,000 entries, or that is older than the imported CRL of
        the same authority.
    type: str
    required: true
  allowed:
    description: Whether the module may disconnect users now.
    type: bool
    default: true
  warn_before:
    description: The module warns if the CRL of the endpoint expires within this number of days, V(0) to V(3650).
    type: int
    default: 30
  wait_timeout:
    description: Seconds to wait until an imported CRL is active, V(0) to V(3600).
    type: int
    default: 300
  poll_interval:
    description: Seconds between two polls while waiting, V(1) to V(60).
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
  - cryptography >= 42 (installed with paramiko)
notes:
  - 'IAM actions: C(ec2:ExportClientVpnClientCertificateRevocationList),
    C(ec2:ImportClientVpnClientCertificateRevocationList) and C(ec2:DescribeClientVpnConnections).'
seealso:
  - module: mlfleet.hyperpod.client_vpn_pki
  - module: mlfleet.hyperpod.client_vpn_connections
"""

EXAMPLES = r"""
- name: Import the CRL, but disconnect users only at night
  mlfleet.hyperpod.client_vpn_revocation_list:
    client_vpn_endpoint_id: cvpn-endpoint-0123456789abcdef0
    crl: "{{ pki.client_vpn_pki.crl.pem }}"
    allowed: "{{ now(utc=true).hour in [2, 3] }}"
    region: us-west-2
"""

RETURN = r"""
entries:
  description: Number of certificates in the CRL of the endpoint. Null if the endpoint has no CRL.
  returned: success
  type: int
  sample: 1
number:
  description: Number of the endpoint's CRL. Null if the endpoint has no CRL.
  returned: success
  type: int
  sample: 2
next_update:
  description: Time at which the endpoint's CRL expires, as an ISO time. Null if the endpoint has no CRL.
  returned: success
  type: str
  sample: "2027-11-21T01:02:03Z"
imported:
  description: Whether a CRL was imported. In check mode, whether it would be imported.
  returned: success
  type: bool
  sample: true
waiting:
  description: Whether O(allowed=false) deferred the import of a different CRL.
  returned: success
  type: bool
  sample: false
disconnects:
  description: Users that the import disconnected, or that a deferred import would disconnect.
  returned: success
  type: list
  elements: str
  sample: [alice]
hyperpod_findings:
  description: Findings about a deferred CRL and disconnected users, with the codes of C(docs/reference/findings.md).
  returned: success
  type: list
  elements: dict
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
