# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The sentence that refuses a value."""

from __future__ import annotations

import pytest
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._core.failure import Refused, not_allowed, refuse_option


@pytest.mark.parametrize(
    ("value", "shown"),
    [
        ("x", "'x'"),
        (7, "7"),
        (None, "None"),
        ("a\n\x1b[31m\u202eb", r"'a\n\x1b[31m\u202eb'"),
        ("x" * 118, f"'{'x' * 118}'"),
        ("x" * 119, f"'{'x' * 119}…"),
        ("-----BEGIN OPENSSH PRIVATE KEY-----\nb3Bl", "'a private key'"),
        (["-----BEGIN PRIVATE KEY-----\nMIIE"], "'a private key'"),
        ("x" * 200 + "-----BEGIN PRIVATE KEY-----", "'a private key'"),
    ],
)
def test_the_shown_value_is_short_printable_and_no_private_key(value, shown):
    assert not_allowed("users[2].name", value, "a name") == f"users[2].name: {shown} is not allowed. Allowed: a name."


def test_the_reason_precedes_the_allowed_values():
    text = not_allowed("subnets", "a", "subnets of the VPC", "it is in another")
    assert text == "subnets: 'a' is not allowed: it is in another. Allowed: subnets of the VPC."


def test_a_refused_option_is_the_subject_of_the_finding():
    with pytest.raises(Refused, match=r"port: 80 is not allowed\. Allowed: 443\.") as refused:
        refuse_option("port", 80, "443")
    assert refused.value.finding().subject == "port"
