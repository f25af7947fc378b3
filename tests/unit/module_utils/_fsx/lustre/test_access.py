# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""What rules of security groups allow."""

from __future__ import annotations

import typing as t

import pytest
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._fsx.lustre.access import Access, Peer, Rule, access

SELF = Peer("sg-1 or sg-2", ("sg-1", "sg-2"), ("10.1.1.0/24",))
CLIENTS = Peer("sg-c", ("sg-c",), ("10.1.0.0/16", "10.2.0.0/16"))
MISSING = "TCP 988 and 1018-1023"


def rule(*, egress: bool = False, protocol: str = "tcp", ports: tuple[int, int] = (988, 1023), **peer: str) -> Rule:
    return Rule("sgr-1", egress, protocol, *ports, **peer)


OUT = rule(egress=True, protocol="-1", ports=(-1, -1), network="0.0.0.0/0")
WITHIN = rule(group="sg-1")


def found(*rules: Rule, clients: t.Sequence[Peer] = (), efa: bool = False) -> Access:
    return access(rules, itself=SELF, clients=clients, efa=efa)


@pytest.mark.parametrize(
    "rules",
    [
        [WITHIN],
        [rule(group="sg-2")],
        [rule(group="sg-1", ports=(988, 988)), rule(group="sg-2", ports=(1018, 1023))],
        [rule(group="sg-1", ports=(900, 1019)), rule(network="10.0.0.0/8", ports=(1020, 2000))],
        [rule(group="sg-1", protocol="-1", ports=(-1, -1))],
        [rule(group="sg-1", protocol="6")],
        [rule(group="sg-1", ports=(-1, -1))],
        [rule(network="10.1.1.0/24")],
        [rule(network="0.0.0.0/0", ports=(0, 65535))],
    ],
)
def test_rules_that_are_sufficient(rules: list[Rule]) -> None:
    assert found(*rules, OUT) == Access()


@pytest.mark.parametrize(
    ("rules", "missing"),
    [
        ([], MISSING),
        ([rule(group="sg-3")], MISSING),
        ([rule(group="sg-1", protocol="udp")], MISSING),
        ([rule(group="sg-1", protocol="icmp", ports=(-1, -1))], MISSING),
        ([rule(egress=True, group="sg-1")], MISSING),
        ([rule(network="10.1.1.0/25")], MISSING),
        ([rule(network="::/0")], MISSING),
        ([rule(group="sg-1", ports=(988, 988))], "TCP 1018-1023"),
        ([rule(group="sg-1", ports=(1018, 1023))], "TCP 988"),
        ([rule(group="sg-1", ports=(988, 1022))], "TCP 1018-1023"),
    ],
)
def test_missing_ports_are_named(rules: list[Rule], missing: str) -> None:
    assert found(*rules, OUT) == Access((f"ingress {missing} from sg-1 or sg-2",))


def test_the_file_servers_also_need_egress() -> None:
    assert found(WITHIN) == Access((f"egress {MISSING} to sg-1 or sg-2",))
    assert found(WITHIN, rule(egress=True, group="sg-2")) == Access()


@pytest.mark.parametrize(
    ("rules", "lacks"),
    [
        ([], True),
        ([rule(group="sg-c")], False),
        ([rule(network="10.0.0.0/8")], False),
        ([rule(network="10.1.0.0/16")], True),
    ],
)
def test_clients_need_ingress_from_their_group_or_from_all_networks_of_the_vpc(rules: list[Rule], lacks: bool) -> None:
    expected = Access((f"ingress {MISSING} from sg-c",)) if lacks else Access()
    assert found(WITHIN, OUT, *rules, clients=[CLIENTS]) == expected


def test_a_peer_without_known_networks_needs_a_rule_for_its_group() -> None:
    assert found(WITHIN, OUT, rule(network="0.0.0.0/0"), clients=[Peer("sg-c", ("sg-c",))]).missing == (f"ingress {MISSING} from sg-c",)


def test_efa_needs_all_traffic_by_group_in_both_directions() -> None:
    both = [rule(protocol="-1", ports=(-1, -1), group="sg-1", egress=each) for each in (False, True)]
    assert found(*both, efa=True) == Access()
    assert found(WITHIN, OUT, efa=True).missing == ("ingress all traffic from sg-1 or sg-2", "egress all traffic to sg-1 or sg-2")
    of_clients = ("ingress all traffic from sg-c", "egress all traffic to sg-c")
    assert found(*both, clients=[CLIENTS], efa=True).missing == of_clients


def test_a_rule_for_a_prefix_list_may_allow_what_is_missing() -> None:
    listed = Rule("sgr-9", False, "tcp", 0, 65535, prefix_list="pl-1")
    assert found(listed, OUT) == Access((), ("sgr-9",))
    assert found(listed, WITHIN, OUT) == Access()
    assert found(listed).missing == (f"egress {MISSING} to sg-1 or sg-2",)
    assert found(Rule("sgr-9", False, "udp", 0, 65535, prefix_list="pl-1"), OUT).missing


def test_rules_are_read_from_the_reply_of_ec2() -> None:
    answer = {"SecurityGroupRuleId": "sgr-1", "IsEgress": False, "IpProtocol": "tcp", "FromPort": 988, "ToPort": 1023}
    assert Rule.from_api({**answer, "ReferencedGroupInfo": {"GroupId": "sg-1"}}) == WITHIN
    assert Rule.from_api({**answer, "CidrIpv6": "::/0"}) == rule(network="::/0")
    assert Rule.from_api({**answer, "PrefixListId": "pl-1"}) == rule(prefix_list="pl-1")
    everything = Rule.from_api({"SecurityGroupRuleId": "sgr-1", "IsEgress": True, "IpProtocol": "-1", "CidrIpv4": "0.0.0.0/0"})
    assert everything == OUT
