# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Refused variables of the role, and the names derived from them."""

from __future__ import annotations

import typing as t

import pytest
from ansible_collections.mlfleet.hyperpod.plugins.plugin_utils.views.login_balancer import declared

from .conftest import ADOPTED, texts


def test_valid_variables_are_accepted(variables: dict[str, t.Any]) -> None:
    assert texts(declared.refusals(variables)) == []


@pytest.mark.parametrize(
    ("given", "refusals"),
    [
        (
            {"login_balancer_port": 0, "login_balancer_gate_port": 70000},
            [
                "login_balancer_port: 0 is not allowed. Allowed: 1 to 65535.",
                "login_balancer_gate_port: 70000 is not allowed. Allowed: 1 to 511.",
            ],
        ),
        (
            {"login_balancer_people_port": 22},
            ["login_balancer_people_port: 22 is not allowed. Allowed: any port except 22 (the nodes' own sshd)."],
        ),
        (
            {"login_balancer_gate_port": 222},
            [
                "login_balancer_gate_port: 222 is not allowed. Allowed: any port except 22 (the nodes' own sshd) and the value of "
                "login_balancer_people_port."
            ],
        ),
        (
            {"login_balancer_name": "internal-x"},
            [
                "login_balancer_name: internal-x is not allowed. Allowed: 1 to 32 letters, digits and hyphens, without a hyphen at "
                "either end and not beginning with internal-."
            ],
        ),
        (
            {"login_balancer_subnets": ["subnet-a", "subnet-x"], "login_balancer_allowed_security_groups": ["x"]},
            [
                "login_balancer_subnets: subnet-x is not allowed. Allowed: subnet IDs, as in subnet-0123456789abcdef0.",
                "login_balancer_allowed_security_groups: x is not allowed. Allowed: security group IDs, as in sg-0123456789abcdef0.",
            ],
        ),
    ],
)
def test_an_invalid_value_is_refused(variables: dict[str, t.Any], given: dict[str, t.Any], refusals: list[str]) -> None:
    assert texts(declared.refusals({**variables, **given})) == refusals


def test_a_variable_is_refused_under_the_name_that_was_set(variables: dict[str, t.Any]) -> None:
    given = {"login_balancer_gate_port": 22, "hostvars": {**variables["hostvars"], "ml": {"hyperpod_gate_port": 22}}}
    (refusal,) = texts(declared.refusals({**variables, **given}))
    assert refusal.startswith("hyperpod_gate_port: 22 is not allowed.")


def test_login_nodes_must_have_the_ports_of_the_cluster(variables: dict[str, t.Any]) -> None:
    hostvars = {**variables["hostvars"], "ml-i-1": {"hyperpod_people_port": 300}}
    (refusal,) = texts(declared.refusals({**variables, "hostvars": hostvars}))
    assert refusal.startswith("hyperpod_people_port: the load balancer uses port 222, ") and "300 for ml-i-1." in refusal


@pytest.mark.parametrize(
    ("given", "refused", "noted"),
    [
        ({}, False, False),
        ({"login_balancer_allowed_cidrs": []}, False, True),
        ({"login_balancer_allowed_cidrs": ["0.0.0.0/0"], "login_balancer_scheme": "internet-facing"}, True, False),
        (
            {"login_balancer_allowed_cidrs": ["0.0.0.0/0"], "login_balancer_scheme": "internet-facing", "login_balancer_public_confirm": "yes"},
            False,
            True,
        ),
        ({"login_balancer_adopted": ADOPTED, "login_balancer_scheme": "internet-facing"}, False, False),
        (
            {"login_balancer_adopted": {"load_balancer": {"security_groups": []}}, "login_balancer_scheme": "internet-facing"},
            True,
            False,
        ),
    ],
)
def test_allowed_networks_are_computed(variables: dict[str, t.Any], given: dict[str, t.Any], refused: bool, noted: bool) -> None:
    found = declared.admission({**variables, **given})
    assert (bool(found.refusals), bool(found.notes), found.client_vpn) == (refused, noted, False)


def test_users_of_a_client_vpn_are_admitted(variables: dict[str, t.Any]) -> None:
    assert declared.admission({**variables, "client_vpn_client_cidr": "172.20.0.0/20"}).client_vpn is True


def test_names_are_ours_or_adopted(variables: dict[str, t.Any]) -> None:
    own, foreign = declared.names(variables), declared.names({**variables, "login_balancer_adopted": ADOPTED})
    assert (own.load_balancer, own.target_group, own.own_load_balancer, own.own_target_group) == ("hp-ml", "hp-ml", True, True)
    assert (foreign.load_balancer, foreign.target_group, foreign.own_load_balancer) == ("foreign", "foreign-tg", True)
    taken = declared.names({**variables, "login_balancer_adopted": ADOPTED, "login_balancer_name": "foreign"})
    assert (taken.own_load_balancer, taken.own_target_group) == (False, True)
    assert own.tags == {"Team": "ml", "mlfleet.hyperpod/cluster": "arn:ml", "mlfleet.hyperpod/component": "login_balancer"}
