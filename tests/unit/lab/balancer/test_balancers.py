# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Traffic that security groups block, as routing rules."""

from __future__ import annotations

import pytest
from lab.balancer.balancers import routing_rules
from lab.balancer.view import ListenerView, LoadBalancerView, TargetGroupView, TargetView


@pytest.mark.parametrize(
    ("clients", "target", "expected"),
    [
        (None, TargetView("10.1.1.11", 22, 2022), set()),
        ((), TargetView("10.1.1.11", 22, 2022), {"ipproto tcp sport 22 pref 2000 blackhole"}),
        (
            ("10.0.0.0/8",),
            TargetView("10.1.1.11", 22, 2022),
            {
                "ipproto tcp sport 22 pref 2000 blackhole",
                "ipproto tcp sport 22 to 10.0.0.0/8 pref 1000 lookup main",
            },
        ),
        (
            None,
            TargetView("10.1.1.11", 22, 2022, open=False),
            {"ipproto tcp dport 22 to 10.1.1.11 pref 500 unreachable"},
        ),
        (
            None,
            TargetView("10.1.1.11", 22, 2022, probe_open=False),
            {"ipproto tcp dport 2022 to 10.1.1.11 pref 500 unreachable"},
        ),
    ],
)
def test_routing_rules(clients: tuple[str, ...] | None, target: TargetView, expected: set[str]) -> None:
    listener = ListenerView("l", 22, TargetGroupView("g", targets=(target,)), clients=clients)
    assert routing_rules(LoadBalancerView("a", "n", "d", "v", (("10.1.1.250", 24),), (listener,))) == expected
