# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The options of sshd_config."""

from __future__ import annotations

import pytest
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._core.failure import Refused
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._node.sshd.config import options

DEFAULTS = {
    "state": "present",
    "client_alive_interval": 60,
    "client_alive_count_max": 3,
    "max_startups": "100:30:200",
    "authorized_keys_dir": "/etc/ssh/authorized_keys.d",
    "user_keys": "allow",
    "operations_user": "hyperpod-ops",
    "people_port": None,
    "host_key_types": None,
    "next_host_key_types": [],
    "host_certificates": {},
    "password_authentication": None,
    "source_penalties": None,
    "refuse_logins": "",
}


@pytest.mark.parametrize(
    "option, value",
    [
        ("client_alive_interval", -1),
        ("client_alive_count_max", 0),
        ("max_startups", "100"),
        ("max_startups", "300:30:200"),
        ("max_startups", "10:0:20"),
        ("authorized_keys_dir", "authorized_keys.d"),
        ("authorized_keys_dir", "/etc/ssh/with space"),
        ("authorized_keys_dir", "/etc/ssh/../tmp"),
        ("operations_user", "root\nPermitRootLogin yes"),
        ("operations_user", "Ops"),
        ("next_host_key_types", ["rsa"]),
        ("refuse_logins", "a\x1b[2Jb"),
        ("refuse_logins", "a\u2028b"),
        ("refuse_logins", "x" * 2001),
    ],
)
def test_invalid_options_are_refused(option, value):
    with pytest.raises(Refused, match=f"^{option}: .* is not allowed.*\\. Allowed: "):
        options.desired({**DEFAULTS, option: value})
