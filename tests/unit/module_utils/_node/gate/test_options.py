# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The options of readiness_gate."""

from __future__ import annotations

import pytest
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._core.failure import Refused
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._node.gate import options as gate_options
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._ssh.public_key import HOST_KEY_TYPES

ED = "ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAILasyqoyi7KmpC6pzKvPK49DNOORBt4sb+SRbAAjYkMm"
DEFAULTS = {
    "state": "open",
    "port": 223,
    "former_ports": [],
    "people_port": 222,
    "former_people_ports": [],
    "host_keys": [ED + " shared"],
    "host_certificates": [],
    "users": [{"name": "bob", "uid": None}, {"name": "alice", "uid": 20001}],
    "mounts": ["/fsx/"],
    "mount_timeout": 5,
    "silent_mounts": "warn",
    "instance": "i-0123456789abcdef0",
}


def desired(**options):
    return gate_options.desired({**DEFAULTS, **options})


@pytest.mark.parametrize(
    "option, value",
    [
        ("port", 0),
        ("port", 22),
        ("port", 512),
        ("port", 2022),
        ("people_port", 0),
        ("people_port", 22),
        ("people_port", 223),
        ("people_port", 512),
        ("former_ports", [65536]),
        ("former_people_ports", [22]),
        ("mount_timeout", 0),
        ("instance", "x\nExecStart=/bin/sh"),
        ("instance", "a b"),
        ("host_keys", ["nonsense"]),
        ("mounts", ["fsx"]),
        ("mounts", ["/fsx\n"]),
    ],
)
def test_invalid_options_are_refused(option, value):
    with pytest.raises(Refused, match=f"^{option}: .* is not allowed.*\\. Allowed: "):
        desired(**{option: value})


@pytest.mark.parametrize(
    ("ports", "words"),
    [
        ({"people_port": 223, "port": 222}, "people_port: 223 is not allowed: the load balancer still uses it for its health check"),
        ({"people_port": 333, "port": 222}, "port: 222 is not allowed: the load balancer still uses it for logins"),
    ],
)
def test_a_port_in_use_cannot_get_the_other_purpose(ports, words):
    with pytest.raises(Refused, match=words):
        desired(**ports, former_ports=[223], former_people_ports=[222])


def test_the_gate_expects_all_types_of_host_keys():
    assert desired().expected["key_types"] == list(HOST_KEY_TYPES)
