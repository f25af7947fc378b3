# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Security groups between a client, a load balancer and a node."""

from __future__ import annotations

import pytest
from lab.net.security import Endpoint, Group, Rule, client_networks, passes

EVERYWHERE = Rule("-1", cidr="0.0.0.0/0")
BALANCER = Group("sg-lb", ingress=(Rule("tcp", 22, 22, cidr="10.0.0.0/8"),), egress=(EVERYWHERE,))
NODES_SELF = Group("sg-nodes", ingress=(Rule("-1", group="sg-nodes"),), egress=(Rule("-1", group="sg-nodes"),))


def nodes(*rules: Rule) -> Endpoint:
    return Endpoint(("10.1.1.11",), (Group("sg-nodes", ingress=rules, egress=(EVERYWHERE,)),))


def balancer(*egress: Rule) -> Endpoint:
    return Endpoint(("10.1.1.250", "10.1.2.250"), (Group("sg-lb", egress=egress),))


WITHOUT_GROUPS = Endpoint(("10.1.1.250", "10.1.2.250"))
TO_TARGET = {
    "reference to the balancer's group": (balancer(EVERYWHERE), nodes(Rule("tcp", 22, 22, group="sg-lb")), True),
    "reference to another group": (balancer(EVERYWHERE), nodes(Rule("tcp", 22, 22, group="sg-other")), False),
    "only the gate's port": (balancer(EVERYWHERE), nodes(Rule("tcp", 2022, 2022, group="sg-lb")), False),
    "a range that includes the port": (balancer(EVERYWHERE), nodes(Rule("tcp", 1, 1024, group="sg-lb")), True),
    "protocol by number": (balancer(EVERYWHERE), nodes(Rule("6", 22, 22, group="sg-lb")), True),
    "udp is not tcp": (balancer(EVERYWHERE), nodes(Rule("udp", 22, 22, group="sg-lb")), False),
    "every protocol": (balancer(EVERYWHERE), nodes(Rule("-1", group="sg-lb")), True),
    "addresses of the balancer": (balancer(EVERYWHERE), nodes(Rule("tcp", 22, 22, cidr="10.1.0.0/16")), True),
    "one of two subnets": (balancer(EVERYWHERE), nodes(Rule("tcp", 22, 22, cidr="10.1.1.0/24")), False),
    "a rule for each of two subnets": (
        WITHOUT_GROUPS,
        nodes(Rule("tcp", 22, 22, cidr="10.1.1.0/24"), Rule("tcp", 22, 22, cidr="10.1.2.0/24")),
        True,
    ),
    "client's addresses do not help": (balancer(EVERYWHERE), nodes(Rule("tcp", 22, 22, cidr="10.9.0.0/16")), False),
    "an IPv6 rule": (balancer(EVERYWHERE), nodes(Rule("tcp", 22, 22, cidr="::/0")), False),
    "no outbound rule": (balancer(), nodes(Rule("tcp", 22, 22, group="sg-lb")), False),
    "outbound to the nodes' group": (
        balancer(Rule("tcp", 22, 22, group="sg-nodes")),
        nodes(Rule("tcp", 22, 22, group="sg-lb")),
        True,
    ),
    "outbound to another port": (
        balancer(Rule("tcp", 2022, 2022, group="sg-nodes")),
        nodes(Rule("tcp", 22, 22, group="sg-lb")),
        False,
    ),
    "nodes that only talk to themselves": (balancer(EVERYWHERE), Endpoint(("10.1.1.11",), (NODES_SELF,)), False),
    "balancer without groups, nodes by address": (
        WITHOUT_GROUPS,
        nodes(Rule("tcp", 22, 22, cidr="10.1.0.0/16")),
        True,
    ),
    "balancer without groups, nodes by group": (WITHOUT_GROUPS, nodes(Rule("tcp", 22, 22, group="sg-lb")), False),
    "no interface, nothing filters": (balancer(EVERYWHERE), Endpoint(("10.1.1.99",)), True),
}


@pytest.mark.parametrize(("source", "target", "expected"), TO_TARGET.values(), ids=TO_TARGET)
def test_balancer_to_target(source: Endpoint, target: Endpoint, expected: bool) -> None:
    assert passes(source, target, 22) is expected


@pytest.mark.parametrize(
    ("client", "port", "expected"),
    [
        (Endpoint(("10.9.0.5",)), 22, True),
        (Endpoint(("192.0.2.5",)), 22, False),
        (Endpoint(("10.9.0.5",)), 2022, False),
    ],
)
def test_client_to_balancer(client: Endpoint, port: int, expected: bool) -> None:
    assert passes(client, Endpoint(("10.1.1.250",), (BALANCER,)), port) is expected


@pytest.mark.parametrize(
    ("groups", "expected"),
    [
        (None, None),
        ((), ()),
        ((BALANCER,), ("10.0.0.0/8",)),
        ((Group("a", ingress=(Rule("tcp", 22, 22, group="sg-vpn"),)),), ("10.1.1.77/32", "10.1.2.77/32")),
        ((Group("a", ingress=(Rule("tcp", 443, 443, cidr="10.0.0.0/8"),)),), ()),
        ((BALANCER, Group("b", ingress=(Rule("-1", cidr="192.0.2.0/24"),))), ("10.0.0.0/8", "192.0.2.0/24")),
    ],
)
def test_client_networks(groups: tuple[Group, ...] | None, expected: tuple[str, ...] | None) -> None:
    members = {"sg-vpn": ("10.1.2.77", "10.1.1.77")}
    assert client_networks(Endpoint(("10.1.1.250",), groups), 22, lambda group: members.get(group, ())) == expected
