# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Invalid names and values of records."""

from __future__ import annotations

import pytest
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._core.failure import Refused
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._hyperpod.records import options

NODE = "i-0123456789abcdef0"


def desired(value, name=NODE, kind="drained", state="present"):
    params = {"state": state, "kind": kind, "name": name, "value": value, "owner": None}
    return options.desired(params, owner="bob@two", now="2026-11-21T00:00:00Z")


@pytest.mark.parametrize(
    ("value", "name", "words"),
    [
        ({}, "a/b", "name: 'a/b' is not allowed"),
        ({}, f"ml-{NODE}", "name: 'ml-i-.*' is not allowed: the record is of kind drained. Allowed: the instance ID"),
        ({"owner": "me"}, NODE, "all fields except owner and since"),
        ({"reason": "x" * 5000}, NODE, "a record of 5.* characters is not allowed. Allowed: at most 4096 characters"),
    ],
)
def test_invalid_names_and_values_are_refused(value, name, words):
    with pytest.raises(Refused, match=words):
        desired(value, name)


@pytest.mark.parametrize(
    ("kind", "name", "allowed"), [("offboarded", "Mallory", "a user name"), ("adopted", "vpn", "balancer or host_keys")]
)
def test_a_name_is_checked_by_kind(kind, name, allowed):
    with pytest.raises(Refused, match=f"name: '{name}' is not allowed: .*{allowed}"):
        desired({}, name, kind)


def test_an_invalid_record_can_be_removed():
    assert desired({}, "Mallory", "offboarded", state="absent").name == "Mallory"
    with pytest.raises(Refused, match="name: 'a/b' is not allowed. Allowed: 1 to 128 letters"):
        desired({}, "a/b", "offboarded", state="absent")
