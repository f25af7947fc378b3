# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Calls whose answers never arrive end in a sentence, too."""

from __future__ import annotations


def test_a_connection_that_always_breaks_is_one_sentence(lab):
    lab.fault(kind="refuse", operation="DescribeSecret")
    result = lab.run("client_vpn_pki", vpc_id="vpc-0123456789abcdef0", aws_config={"retries": {"max_attempts": 1}})
    assert result["failed"]
    assert result["msg"].startswith(
        "DescribeSecret for secret mlfleet/hyperpod/client-vpn/vpc-0123456789abcdef0/authority"
    )
