#!/usr/bin/python
# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Reads the host keys that SSH endpoints present."""

from __future__ import annotations

DOCUMENTATION = r"""
module: ssh_endpoint_info
short_description: Compare the host keys that SSH endpoints present
version_added: 0.1.0
author: mlfleet (@mlfleet)
description:
  - Connects to one or more SSH servers without logging in, and returns their host keys, banner and latency.
  - The module checks whether the endpoints present the expected keys, and whether all of them present the same keys.
  - An endpoint is V(unverified) if an attempt to reach it from the machine on which the module runs failed, and no attempt
    returned a different key.
options:
  endpoints:
    description: Servers to check.
    type: list
    elements: dict
    required: true
    suboptions:
      host:
        description: Name or address of the server.
        type: str
        required: true
      port:
        description: TCP port.
        type: int
        default: 22
      name:
        description: Name of the endpoint in the result. The default is O(endpoints[].host).
        type: str
      host_keys:
        description:
          - Public keys that this endpoint must present, one on each line, instead of O(expected_host_keys). No other keys are
            accepted.
          - Keys of types that are not in O(types) are not compared.
        type: list
        elements: str
        default: []
      certificates:
        description:
          - Host certificates that this endpoint must also present, one on each line. No other certificates are accepted. This
            option requires O(endpoints[].host_keys), and C(ssh-keyscan) on the machine on which the module runs.
          - The certificates are only compared, not validated. M(mlfleet.hyperpod.host_certificate) returns their expiry.
        type: list
        elements: str
        default: []
  expected_host_keys:
    description:
      - Public keys that each endpoint must present, one on each line. No other keys are accepted.
      - Keys of types that are not in O(types) are not compared.
      - If empty, the endpoints are compared with each other.
    type: list
    elements: str
    default: []
  types:
    description: Types of host keys to request.
    type: list
    elements: str
    choices: [ed25519, ecdsa, rsa]
    default: [ed25519, ecdsa, rsa]
  via:
    description:
      - V(paramiko) uses this Python library, which is installed on the control node.
      - V(keyscan) uses C(ssh-keyscan) and Python's standard library, which nodes have. If the control node can't reach the
        endpoints, run the module with V(keyscan) on a node.
    type: str
    choices: [paramiko, keyscan]
    default: paramiko
  timeout:
    description: Seconds to wait for each reply of the server, V(1) to V(60).
    type: int
    default: 5
  attempts:
    description:
      - Number of attempts for each endpoint, V(1) to V(50). Behind a load balancer, each attempt may reach a different node.
    type: int
    default: 1
requirements:
  - paramiko (for O(via=paramiko))
extends_documentation_fragment:
  - mlfleet.hyperpod.attributes.info
notes:
  - Each attempt opens one connection for each type and one for the banner. After many connections without a login, OpenSSH 9.8
    and newer may refuse a source address for some seconds. See O(mlfleet.hyperpod.sshd_config#module:source_penalties).
seealso:
  - module: mlfleet.hyperpod.ssh_host_keys
"""

EXAMPLES = r"""
- name: Verify the name of the load balancer and all login nodes from the control node
  mlfleet.hyperpod.ssh_endpoint_info:
    endpoints:
      - host: login.example.com
      - host: 10.1.1.21
        name: login-group-1
    expected_host_keys:
      - ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAILasyqoyi7KmpC6pzKvPK49DNOORBt4sb+SRbAAjYkMm
    types: [ed25519]
    attempts: 6
  delegate_to: localhost

- name: Verify the name from a node, which needs no paramiko
  mlfleet.hyperpod.ssh_endpoint_info:
    endpoints:
      - host: login.example.com
    via: keyscan
"""

RETURN = r"""
ssh_endpoints:
  description: Result of the comparison.
  returned: success
  type: dict
  contains:
    verdict:
      description:
        - V(agrees) if each endpoint presents the expected keys, or if no keys are expected and all endpoints present the same
          keys.
        - V(differs) if an endpoint presents different keys. Otherwise V(unverified) if an attempt to reach an endpoint failed.
      type: str
    same_keys:
      description: Whether all endpoints were reached in all attempts and present the same keys.
      type: bool
    matches_expected:
      description: Whether all endpoints were reached in all attempts and present the expected keys. Null if no keys are expected.
      type: bool
    endpoints:
      description: The endpoints.
      type: list
      elements: dict
      contains:
        name:
          description: Name of the endpoint.
          type: str
        host:
          description: Name or address of the server.
          type: str
        port:
          description: TCP port of the server.
          type: int
        reachable:
          description: Whether an SSH server answered at least once.
          type: bool
        banner:
          description: First line that the server sent.
          type: str
        latency_ms:
          description: Milliseconds until the first line was received. This is the minimum of all attempts.
          type: float
        host_keys:
          description: All different host keys of all attempts, with C(type), C(public_key) and C(fingerprint).
          type: list
          elements: dict
        verdict:
          description: V(agrees), V(differs) or V(unverified).
          type: str
        certificates:
          description: Host certificates that the endpoint presents, one on each line. Empty if no certificates are expected.
          type: list
          elements: str
        error:
          description: Why the last failed attempt failed. Null if all attempts succeeded.
          type: str
"""

import traceback
import typing as t

from ansible.module_utils.basic import AnsibleModule, missing_required_lib
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._node.endpoint import options
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._node.endpoint.observe import observe
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._node.endpoint.result import result
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._node.run import read_node
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._ssh.public_key import HOST_KEY_TYPES

try:
    import paramiko  # noqa: F401  # pylint: disable=unused-import

    PARAMIKO_ERROR = None
except ImportError:
    PARAMIKO_ERROR = traceback.format_exc()

ENDPOINT_SPEC: dict[str, dict[str, t.Any]] = {
    "host": {"type": "str", "required": True},
    "port": {"type": "int", "default": 22},
    "name": {"type": "str"},
    "host_keys": {"type": "list", "elements": "str", "default": [], "no_log": False},
    "certificates": {"type": "list", "elements": "str", "default": []},
}
SPEC: dict[str, dict[str, t.Any]] = {
    "endpoints": {"type": "list", "elements": "dict", "options": ENDPOINT_SPEC, "required": True},
    "expected_host_keys": {"type": "list", "elements": "str", "default": [], "no_log": False},
    "types": {"type": "list", "elements": "str", "choices": list(HOST_KEY_TYPES), "default": list(HOST_KEY_TYPES)},
    "via": {"type": "str", "choices": ["paramiko", "keyscan"], "default": "paramiko"},
    "timeout": {"type": "int", "default": 5},
    "attempts": {"type": "int", "default": 1},
}


def read(module: t.Any) -> dict[str, t.Any]:
    if module.params["via"] == "paramiko" and PARAMIKO_ERROR:
        module.fail_json(msg=missing_required_lib("paramiko"), exception=PARAMIKO_ERROR)
    desired = options.desired(module.params)
    return result(desired, observe(desired))


def main() -> None:
    read_node(AnsibleModule(argument_spec=SPEC, supports_check_mode=True), read)


if __name__ == "__main__":
    main()
