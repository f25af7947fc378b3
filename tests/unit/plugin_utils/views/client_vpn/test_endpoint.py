# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The endpoint, and the certificates of its users."""

from __future__ import annotations

import typing as t

import pytest
from ansible_collections.mlfleet.hyperpod.plugins.plugin_utils.views.client_vpn import endpoint

from .conftest import texts

END = "2027-01-01T00:00:00Z"
PKI = {"authority": None, "server": None, "crl": None, "people": []}


def pki(**parts: t.Any) -> dict[str, t.Any]:
    return {"__client_vpn_pki": {"client_vpn_pki": {**PKI, **parts}}}


def test_without_an_endpoint_nothing_is_associated(variables: dict[str, t.Any]) -> None:
    found = endpoint.endpoint({**variables, "__client_vpn_found": {"client_vpn_endpoints": []}})
    assert (found.found, found.id, found.associated) == ({}, "", [])


def test_values_of_later_steps_are_known_later(variables: dict[str, t.Any]) -> None:
    found = endpoint.configuration(variables)
    later = "(known after apply)"
    assert (found.server_certificate_arn, found.security_groups) == (later, [later])
    assert found.authentication == [{"type": "certificate", "client_root_certificate_arn": later}]
    assert found.connection_log == {"log_group": "/mlfleet/hyperpod/client-vpn/vpc-1"}


def test_created_resources_are_used(variables: dict[str, t.Any]) -> None:
    made = {
        "__client_vpn_certificate": {"client_vpn_certificate": {"certificate_arn": "arn:own"}},
        "__client_vpn_group_made": {"group_id": "sg-1"},
        "client_vpn_connection_log": False,
    }
    found = endpoint.configuration({**variables, **made})
    assert (found.server_certificate_arn, found.security_groups, found.connection_log) == ("arn:own", ["sg-1"], {})
    assert endpoint.configuration({**variables, **made, "client_vpn_server_certificate_arn": "arn:given"}).server_certificate_arn == "arn:given"


@pytest.mark.parametrize(
    ("made", "refusals", "cost"),
    [
        (
            {"msg": "vpn_port: 1 is not allowed. Allowed: 443.", "failed": True, "hyperpod_failure": {"subject": "vpn_port"}},
            ["client_vpn_port: 1 is not allowed. Allowed: 443."],
            "",
        ),
        ({"msg": "vpn_port: denied", "failed": True, "hyperpod_failure": {"subject": ""}}, [], ""),
        ({"msg": "AccessDenied", "failed": True}, [], ""),
        ({"client_vpn_endpoint": {"subnets": ["subnet-a"]}}, [], "Client VPN of vpc-1. A month costs 73.00 USD for 1 association "),
    ],
)
def test_refusals_name_the_variable(variables: dict[str, t.Any], made: dict[str, t.Any], refusals: list[str], cost: str) -> None:
    found = endpoint.outcome({**variables, "__client_vpn_made": made})
    assert texts(found.refusals) == refusals and found.cost.startswith(cost) and bool(found.cost) is bool(cost)


@pytest.mark.parametrize(
    ("parts", "until"),
    [
        ({}, []),
        ({"authority": {"not_after": END}}, [END]),
        ({"server": {"not_after": END}}, [END]),
        ({"crl": {"next_update": END}}, [END]),
        ({"server": {"not_after": END}, "crl": {"next_update": END}}, [END]),
        ({"people": [{"name": "alice", "state": "valid", "not_after": END}]}, [END]),
        ({"people": [{"name": "alice", "state": "revoked", "not_after": END}]}, []),
        ({"people": [{"name": "who-left", "state": "valid", "not_after": END}]}, []),
    ],
)
def test_the_expiry_of_each_certificate_is_recorded(variables: dict[str, t.Any], parts: dict[str, t.Any], until: list[str]) -> None:
    assert endpoint.certificates({**variables, **pki(**parts)}).ends == [{"until": each, "days": 30} for each in until]


def test_users_without_a_certificate_are_recorded(variables: dict[str, t.Any]) -> None:
    found = endpoint.certificates({**variables, **pki(nothing_to_revoke=["zoe", "x"]), "client_vpn_revoke": ["zoe", "bob"]})
    assert found.not_revoked == ["zoe"]


@pytest.mark.parametrize(("imported", "waits"), [({"waiting": True}, True), ({"waiting": False}, False), ({"skipped": True}, False)])
def test_a_crl_may_wait(variables: dict[str, t.Any], imported: dict[str, t.Any], waits: bool) -> None:
    assert endpoint.crl_waits({**variables, "__client_vpn_list": imported}) is waits
