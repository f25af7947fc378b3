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


def test_what_is_made_later_is_known_later(variables: dict[str, t.Any]) -> None:
    found = endpoint.configuration(variables)
    later = "(known after apply)"
    assert (found.server_certificate_arn, found.security_groups) == (later, [later])
    assert found.authentication == [{"type": "certificate", "client_root_certificate_arn": later}]
    assert found.connection_log == {"log_group": "/mlfleet/hyperpod/client-vpn/vpc-1"}


def test_what_was_made_is_used(variables: dict[str, t.Any]) -> None:
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
def test_each_end_is_known(variables: dict[str, t.Any], parts: dict[str, t.Any], until: list[str]) -> None:
    assert endpoint.certificates({**variables, **pki(**parts)}).ends == [{"until": each, "days": 30} for each in until]


def test_a_certificate_that_is_due_is_valid(variables: dict[str, t.Any]) -> None:
    states = {"dave": "due", "bob": "valid", "carol": "revoked"}
    people = [{"name": name, "state": state, "not_after": END} for name, state in states.items()]
    found = endpoint.certificates({**variables, **pki(people=people, nothing_to_revoke=["zoe", "x"]), "client_vpn_revoke": ["zoe", "bob"]})
    assert (found.valid, found.not_revoked) == (["bob", "dave"], ["zoe"])


@pytest.mark.parametrize(
    ("imported", "waiting"),
    [({"changed": True}, []), ({"waiting": True, "hyperpod_findings": [{"text": "CRL"}]}, ["CRL"]), ({"skipped": True}, [])],
)
def test_evidence_of_a_revocation(variables: dict[str, t.Any], imported: dict[str, t.Any], waiting: list[str]) -> None:
    entries = [{"name": "bob", "serial": "5"}, {"name": "carol", "serial": "6"}]
    state = {**pki(crl={"entries": entries}, nothing_to_revoke=[]), "__client_vpn_list": imported, "__client_vpn_ended": {"connections": [{}, {}]}}
    found = endpoint.revoked({**variables, **state})
    told = {"vpc": "vpc-1", "serials": ["5"], "without_certificate": False, "connections": 2, "waiting": waiting}
    assert (found.evidence, found.notes, endpoint.crl({**variables, **state}).waits) == (told, [], bool(waiting))


def test_evidence_of_nothing_to_revoke(variables: dict[str, t.Any]) -> None:
    found = endpoint.revoked({**variables, **pki(crl={"entries": []}, nothing_to_revoke=["bob"])})
    assert (found.evidence["serials"], found.evidence["without_certificate"], found.evidence["connections"]) == ([], True, 0)
    assert texts(found.notes) == ["Client VPN of vpc-1: no valid certificate of bob is known, so none was revoked"]
