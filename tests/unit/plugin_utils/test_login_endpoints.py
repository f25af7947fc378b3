# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Options for checking each login node, and the files for users."""

from __future__ import annotations

from pathlib import Path

import jinja2
import pytest
from ansible_collections.mlfleet.hyperpod.plugins.plugin_utils import login_endpoints

ROOT = Path(__file__).resolve().parents[3]
ONE = {"host_keys": ["ssh-ed25519 A", "ssh-rsa R"], "certificates": {"ed25519": "cert A"}}
TWO = {"host_keys": ["ssh-ed25519 B", "ssh-rsa R"], "certificates": {}}
THREE = {"host_keys": ["ssh-ed25519 C"], "certificates": {}}


def test_known_endpoints_get_their_host_keys():
    endpoints = [{"name": "i-1", "host": "10.1.1.1", "port": 22}, {"name": "i-9", "host": "10.1.1.9", "port": 22}]
    assert login_endpoints.identified_endpoints(endpoints, {"i-1": ONE, "i-2": TWO}) == [
        {"name": "i-1", "host": "10.1.1.1", "port": 22, "host_keys": ONE["host_keys"], "certificates": ["cert A"]}
    ]


@pytest.mark.parametrize(
    ("identities", "alike"),
    [({}, []), ({"i-1": ONE}, []), ({"i-1": ONE, "i-3": THREE}, []), ({"i-2": TWO, "i-3": THREE, "i-1": ONE}, ["i-1", "i-2"])],
)
def test_shared_keys_are_reported(identities, alike):
    assert login_endpoints.alike_identities(identities) == alike


@pytest.mark.parametrize(
    ("certified", "lines"),
    [
        (True, ["@cert-authority lb.example.com ssh-ed25519 CA", "@cert-authority login.example.com ssh-ed25519 CA"]),
        (False, ["lb.example.com ssh-ed25519 A", "lb.example.com ssh-ed25519 NEXT"]),
    ],
)
def test_known_hosts_is_written(certified, lines):
    text = (ROOT / "roles" / "login_nodes" / "templates" / "known_hosts.j2").read_text()
    template = jinja2.Environment(trim_blocks=True, undefined=jinja2.StrictUndefined).from_string(text)
    found = template.render(
        __login_nodes={"node": {"certified": certified}, "files": {"names": ["lb.example.com", "login.example.com"]}},
        hyperpod_run={
            "login_name": "lb.example.com",
            "host_ca": "ssh-ed25519 CA",
            "host_keys": ["ssh-ed25519 A"],
            "next_host_keys": ["ssh-ed25519 NEXT"],
        },
    )
    assert found.splitlines() == lines


LOGIN = {"instance_id": "i-1", "node_type": "login", "ip": "10.1.1.1", "status": "Running"}


@pytest.mark.parametrize("other", [{"node_type": "compute"}, {"node_type": None}, {"ip": None}, {"ip": ""}, {"status": "Pending"}])
def test_only_running_login_nodes_with_an_address_are_endpoints(other):
    found = login_endpoints.login_endpoints([{**LOGIN, **other, "instance_id": "i-2"}, LOGIN])
    assert found == [{"name": "i-1", "host": "10.1.1.1", "port": 22}]
    assert login_endpoints.login_endpoints([LOGIN], "222")[0]["port"] == 222
