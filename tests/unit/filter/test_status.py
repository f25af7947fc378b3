# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Expiry of host certificates."""

from __future__ import annotations

import datetime
import json
import typing as t

import pytest
from ansible_collections.mlfleet.hyperpod.plugins.filter.status import FilterModule
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._host_keys import keys
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._host_keys.certificate import options
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._host_keys.certificate.signing import authority_key, sign

NOW = datetime.datetime(2026, 11, 21, 12, tzinfo=datetime.timezone.utc)
ends = FilterModule().filters()["certificate_ends"]


def certificate(days: int) -> str:
    ca, node = (json.loads(keys.generate(["ed25519"], now=NOW))["keys"]["ed25519"] for _each in range(2))
    desired = options.desired(
        {
            "authority": ca["public"],
            "public_keys": [node["public"]],
            "principals": ["login.example.com"],
            "key_id": "i-0123456789abcdef0",
            "valid_days": days,
            "renew_before_days": 1,
        },
        now=NOW,
    )
    return sign(desired, desired.keys[0], authority_key(ca["private"], desired.authority)).line


def test_each_certificate_is_returned_with_its_end_and_missing_ones_are_skipped() -> None:
    host_keys = [{"certificate": None}, {"certificate": certificate(30)}, {}]
    assert ends(host_keys) == ends(tuple(host_keys)) == [{"type": "ed25519", "ends": "2026-12-21T12:00:00Z"}]


@pytest.mark.parametrize("value", [None, "text", 7, {}, [], ["text"], [{"certificate": "ssh-ed25519 AAAA"}]])
def test_a_value_without_a_certificate_has_no_end(value: t.Any) -> None:
    assert ends(value) == []
