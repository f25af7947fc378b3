# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Errors of a declared endpoint, by variable name."""

from __future__ import annotations

import pytest
from ansible_collections.mlfleet.hyperpod.plugins.plugin_utils._declared import endpoint

DEFAULTS = {
    "client_vpn_client_cidr": "172.20.0.0/20",
    "client_vpn_dns_servers": ["resolver"],
    "client_vpn_authentication": [{"type": "certificate"}],
    "client_vpn_banner": "",
    "client_vpn_server_certificate_arn": "",
    "client_vpn_port": 443,
    "client_vpn_routes": [],
    "client_vpn_tags": {},
    "client_vpn_window": "Sun 02:00-04:00",
}


def test_the_defaults_are_valid():
    assert endpoint.problems(DEFAULTS) == []


@pytest.mark.parametrize(
    "variables, sentence",
    [
        ({"client_vpn_dns_servers": ["resolver", "10.1.0.3", "10.1.0.4"]}, "client_vpn_dns_servers: resolver, 10.1.0.3, 10.1.0.4 is not"),
        ({"client_vpn_banner": "x" * 1401}, "client_vpn_banner: "),
        ({"client_vpn_port": 80}, "client_vpn_port: 80 is not allowed. Allowed: 443, 1194."),
        ({"client_vpn_authentication": []}, "client_vpn_authentication: "),
        (
            {"client_vpn_authentication": [{"type": "directory"}]},
            "client_vpn_authentication.type: 'directory' is not allowed. Allowed: directory together with directory_id.",
        ),
        (
            {"client_vpn_authentication": [{"type": "certifcate"}]},
            "client_vpn_authentication.type: certifcate is not allowed. Allowed: certificate, directory, federated.",
        ),
        ({"client_vpn_authentication": [{}]}, "missing required arguments: type found in client_vpn_authentication."),
        ({"client_vpn_routes": [{"cidr": "10.9.0.0/16"}]}, "missing required arguments: subnet found in client_vpn_routes."),
        ({"client_vpn_authorization_rules": [{"cidr": "10.9.0.0/33"}]}, "client_vpn_authorization_rules.cidr: '10.9.0.0/33' is not allowed."),
        ({"client_vpn_tags": {"aws:x": "y"}}, "client_vpn_tags: 'aws:x' is not allowed."),
        ({"client_vpn_server_certificate_arn": "arn:aws:iam::1:x"}, "client_vpn_server_certificate_arn: 'arn:aws:iam::1:x' is not allowed."),
    ],
)
def test_errors_are_reported_by_variable(variables, sentence):
    found = endpoint.problems({**DEFAULTS, **variables})
    assert len(found) == 1 and sentence in found[0], found


def test_an_unknown_field_is_reported():
    wrong = {"cidr": "10.9.0.0/16", "subnet": "subnet-0123456789abcdef0", "vpc": "x"}
    assert endpoint.problems({**DEFAULTS, "client_vpn_routes": [wrong]}) == [
        "client_vpn_routes: vpc is not allowed. Allowed: cidr, description, subnet."
    ]


@pytest.mark.parametrize(
    "option, message, sentence",
    [
        (
            "client_cidr",
            "client_cidr: '10.1.0.0/20' is not allowed: x has '10.0.0.0/20', and AWS cannot change that. Allowed: any with recreate, which",
            "client_vpn_client_cidr: '10.1.0.0/20' is not allowed: x has '10.0.0.0/20', and AWS cannot change that. Allowed: any with "
            "vpn_recreate, which",
        ),
        (
            "routes.cidr",
            "routes.cidr: '0.0.0.0/0' is not allowed: with split_tunnel it would",
            "client_vpn_routes.cidr: '0.0.0.0/0' is not allowed: with client_vpn_split_tunnel it would",
        ),
        (
            "subnets",
            "subnets: 'a' is not allowed. Allowed: one a zone, and purge_subnets takes away",
            "client_vpn_subnets: 'a' is not allowed. Allowed: one a zone, and client_vpn_purge takes away",
        ),
        ("tags.a.b", "tags.a.b: 'x' is not allowed", "client_vpn_tags.a.b: 'x' is not allowed"),
        ("endpoint_quota", "endpoint_quota: 5 is not allowed", ""),
        ("", "routes: CreateClientVpnEndpoint failed", ""),
    ],
)
def test_a_refusal_of_the_module_is_translated_to_variables(option, message, sentence):
    assert endpoint.refusal(option, message) == sentence
