# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Values that the shared checks of options allow and refuse."""

from __future__ import annotations

import pytest
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._core import checks
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._core.failure import Refused

ID = "subnet-0123456789abcdef0"


@pytest.mark.parametrize(
    ("check", "value", "more"),
    [
        (checks.check_number, 60, (60, 6000)),
        (checks.check_number, 6000, (60, 6000)),
        (checks.check_port, 1, ()),
        (checks.check_port, 65535, ()),
        (checks.check_length, "é" * 255, (255,)),
        (checks.check_id, ID, ("subnet",)),
        (checks.check_id, "i-01234567", ("i",)),
        (checks.check_ipv4, "10.1.2.3", ()),
        (checks.check_network, "10.1.0.0/16", ()),
        (checks.check_network, "fd00::/64", ()),
        (checks.check_ipv4_network, "10.1.0.0/16", ()),
    ],
)
def test_allowed_values_are_returned_unchanged(check, value, more):
    assert check("option", value, *more) == value


@pytest.mark.parametrize(
    ("check", "value", "more", "words"),
    [
        (checks.check_number, 59, (60, 6000), "60 to 6000"),
        (checks.check_number, 6001, (60, 6000), "60 to 6000"),
        (checks.check_port, 0, (), "1 to 65535"),
        (checks.check_length, "secret " * 9, (62,), "'secret secret secret…' is not allowed: it has 63 characters. Allowed: at most 62 characters"),
        (checks.check_id, ID, ("vpc",), "an ID such as vpc-0123456789abcdef0"),
        (checks.check_id, "subnet-1", ("subnet",), "subnet-0123456789abcdef0"),
        (checks.check_id, f"{ID}\n", ("subnet",), "subnet-0123456789abcdef0"),
        (checks.check_ipv4, "10.1.1", (), "IPv4 address"),
        (checks.check_ipv4, "fd00::1", (), "IPv4 address"),
        (checks.check_network, "10.1.1.1/16", (), "no bits set beyond its prefix"),
        (checks.check_network, "everyone", (), "a network"),
        (checks.check_ipv4_network, "fd00::/64", (), "an IPv4 network"),
        (checks.check_ipv4_network, "10.1.1.1/16", (), "no bits set beyond its prefix"),
    ],
)
def test_refusals_name_the_option_and_the_allowed_values(check, value, more, words):
    with pytest.raises(Refused) as caught:
        check("some.option", value, *more)
    assert str(caught.value).startswith("some.option: ") and words in str(caught.value)


def test_repeated_values_are_refused():
    checks.check_unique("ports", [22, 222])
    with pytest.raises(Refused, match="^ports: 22 is not allowed: it is given more than once. Allowed: each value once.$"):
        checks.check_unique("ports", [22, 222, 22])
