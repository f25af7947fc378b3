#!/usr/bin/python
# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations

DOCUMENTATION = r"""
module: client_vpn_log_info
version_added: 0.1.0
short_description: List users who connected to a Client VPN endpoint
description:
  - Reads the connection log of an AWS Client VPN endpoint in CloudWatch Logs. For each user, the module returns the number of
    connections, the time of the last connection and the time of the last refused attempt.
  - The name of a user is the user name in the log, or the common name of the certificate.
options:
  log_group:
    description:
      - Name of the log group. A log group that does not exist is not an error.
    type: str
    required: true
  days:
    description:
      - Number of days to read, counted back from now, V(1) to V(3653).
    type: int
    default: 90
author:
  - mlfleet (@mlfleet)
extends_documentation_fragment:
  - mlfleet.hyperpod.attributes.info
  - mlfleet.hyperpod.attributes.aws
  - amazon.aws.common.modules
  - amazon.aws.region.modules
  - amazon.aws.boto3
notes:
  - "IAM actions: C(logs:FilterLogEvents)."
  - This module has not yet run against live AWS.
seealso:
  - module: mlfleet.hyperpod.client_vpn_endpoint_info
"""

EXAMPLES = r"""
- name: Get the last connection of each user
  mlfleet.hyperpod.client_vpn_log_info:
    log_group: /mlfleet/hyperpod/client-vpn/vpc-0123456789abcdef0
    days: 365
    region: us-west-2
  register: log
"""

RETURN = r"""
exists:
  description: Whether the log group exists.
  returned: success
  type: bool
  sample: true
people:
  description: Connections of each user, by the name of the user. A time is empty if the log contains none.
  returned: success
  type: dict
  sample:
    alice:
      last_connected: "2026-11-21T08:15:30Z"
      last_refused: ""
      connections: 12
"""

import typing as t

from ansible_collections.mlfleet.hyperpod.plugins.module_utils._aws.client import aws_module, connect
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._aws.run import read_aws
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._client_vpn.log import options
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._client_vpn.log.observe import observe
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._client_vpn.log.result import result

SPEC = {
    "log_group": {"type": "str", "required": True},
    "days": {"type": "int", "default": 90},
}


def read(module: t.Any) -> dict[str, t.Any]:
    desired = options.desired(module.params)
    return result(observe(connect(module, "logs"), desired))


def main() -> None:
    read_aws(aws_module(argument_spec=SPEC), read)


if __name__ == "__main__":
    main()
