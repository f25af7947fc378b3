# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Networks that may connect to the login balancer."""

from __future__ import annotations

import typing as t

import pytest
from ansible_collections.mlfleet.hyperpod.plugins.plugin_utils import admission

VPC = ["10.1.0.0/16", "10.2.0.0/16"]
WORLD = ["0.0.0.0/0"]


def judged(
    cidrs: t.Any, *, groups: t.Sequence[str] = (), public: bool = True, confirmed: bool = False, **more: bool
) -> dict[str, list[str]]:
    scheme = "internet-facing" if public else "internal"
    return admission.judged(cidrs, groups, scheme=scheme, confirmed=confirmed, cluster="ml", **more)


@pytest.mark.parametrize("cidrs", [WORLD, "0.0.0.0/0", ["192.0.2.0/24", "128.0.0.0/1", "0.0.0.0/1"], ["192.0.2.7/0"]])
def test_the_whole_internet_is_admitted_only_if_confirmed(cidrs: t.Any) -> None:
    (problem,) = judged(cidrs)["problems"]
    assert problem.startswith("login_balancer_allowed_cidrs: ") and problem.endswith("login_balancer_public_confirm: true.")
    confirmed = judged(cidrs, confirmed=True)
    assert confirmed["problems"] == [] and "The whole internet may connect" in confirmed["notes"][0]
    assert judged(cidrs, public=False) == {"problems": [], "notes": []}


@pytest.mark.parametrize("cidrs", [None, ["192.0.2.0/24"], ["0.0.0.0/1"]])
def test_parts_of_the_internet_and_the_vpc_need_no_confirmation(cidrs: t.Any) -> None:
    assert judged(cidrs) == {"problems": [], "notes": []}


@pytest.mark.parametrize("cidrs", [None, [], ["192.0.2.0/24"]])
def test_without_security_groups_ranges_have_no_effect(cidrs: t.Any) -> None:
    """An adopted load balancer may have none, and security groups cannot be added to it."""
    (problem,) = judged(cidrs, without_groups=True)["problems"]
    assert problem.startswith("login_balancer_scheme: ") and problem.endswith("login_balancer_public_confirm: true.")
    confirmed = judged(cidrs, without_groups=True, confirmed=True)
    assert confirmed["problems"] == [] and "The whole internet may connect" in confirmed["notes"][0]
    assert judged(cidrs, without_groups=True, public=False) == {"problems": [], "notes": []}


@pytest.mark.parametrize("wrong", ["10.0.0.0/33", "10.0.0.0", "10.0.0.0/255.0.0.0", "300.0.0.0/8", "::/0", "vpc", ""])
def test_invalid_ranges_are_refused(wrong: str) -> None:
    assert judged(["10.0.0.0/8", wrong])["problems"] == [
        f"login_balancer_allowed_cidrs: {wrong} is not allowed. Allowed: IPv4 ranges, as in 10.40.0.0/16."
    ]


@pytest.mark.parametrize(("groups", "who"), [([], "only users of a Client VPN"), (["sg-1"], "only members of sg-1")])
def test_an_empty_list_is_noted(groups: list[str], who: str) -> None:
    (note,) = judged([], groups=groups)["notes"]
    assert note == f"login_balancer_allowed_cidrs is empty, so {who} may connect to the login balancer of ml."


@pytest.mark.parametrize(
    ("cidrs", "groups", "vpn", "peers"),
    [
        (None, [], [], {"cidr_ip": VPC}),
        (None, [], ["sg-vpn"], {"cidr_ip": VPC, "group_id": ["sg-vpn"]}),
        (None, ["sg-a"], ["sg-a"], {"group_id": ["sg-a"]}),
        (["192.0.2.0/24"], ["sg-a"], [], {"cidr_ip": ["192.0.2.0/24"], "group_id": ["sg-a"]}),
        ([], [], ["sg-vpn"], {"group_id": ["sg-vpn"]}),
        ([], [], [], None),
    ],
)
def test_an_unset_list_admits_the_vpc_and_an_empty_one_nothing(
    cidrs: t.Any, groups: list[str], vpn: list[str], peers: dict[str, list[str]] | None
) -> None:
    rule = {"proto": "tcp", "ports": [22], "rule_desc": "People log in"}
    made = admission.rules(cidrs, groups, vpn_groups=vpn, vpc_cidrs=VPC, port=22)
    assert made == ([] if peers is None else [{**rule, **peers}])
