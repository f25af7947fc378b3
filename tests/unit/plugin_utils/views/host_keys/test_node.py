# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""A login node and the host keys that it presents."""

from __future__ import annotations

import typing as t

import pytest
from ansible_collections.mlfleet.hyperpod.plugins.plugin_utils.views.host_keys import node

Known = t.Callable[..., dict[str, t.Any]]
OWN = {"host_keys": ["ssh-ed25519 own"], "certificates": {"ed25519": "cert"}}
CERTIFIED = {"host_keys_identity": "certificates", "__host_keys_identity": OWN, "__host_keys_installed": {"skipped": True}}
MADE = [
    {"type": "ed25519", "certificate": "cert", "valid_until": "2027-01-01T00:00:00Z"},
    {"type": "rsa", "certificate": "(known after apply)", "valid_until": None},
]


@pytest.mark.parametrize(
    ("given", "planning", "predicts"),
    [
        ({}, False, False),
        ({"host_keys_planning": True}, True, True),
        ({"host_keys_planning": False, "ansible_check_mode": True}, False, True),
    ],
)
@pytest.mark.parametrize("step", ["", "start", "finish"])
def test_the_properties_of_a_node_in_a_run_are_derived(on_node: Known, given: dict[str, t.Any], planning: bool, predicts: bool, step: str) -> None:
    found = node.node({**on_node(), **given, "host_keys_rotation": step, "hyperpod_cluster_key": "b"})
    assert (found.cluster_host, found.planning, found.predicts) == ("ml", planning, predicts)
    assert found.asks_logins is (predicts and step == "finish")


@pytest.mark.parametrize(("changes", "changed"), [([], False), ([{"action": "update"}], True)])
@pytest.mark.parametrize("planning", [False, True])
def test_shared_host_keys_are_selected(on_node: Known, changes: list[t.Any], changed: bool, planning: bool) -> None:
    given = {**on_node(), "__host_keys_installed": {"changes": changes}, "host_keys_planning": planning}
    assert node.identity(given) == node.Identity(changed, changed and not planning, ["ssh-ed25519 A"], {}, [])


def test_own_host_keys_are_used_with_certificates(on_node: Known) -> None:
    signed = {"__host_keys_signed": {"changes": [1], "host_certificates": MADE}}
    found = node.identity({**on_node(), **CERTIFIED, **signed})
    assert (found.changed, found.foreseen) == (True, False)
    assert (found.host_keys, found.certificates) == (OWN["host_keys"], OWN["certificates"])
    assert found.valid_certificates == [{"certificate": "cert", "valid_until": "2027-01-01T00:00:00Z"}]


@pytest.mark.parametrize("signed", [{}, {"__host_keys_signed": {"skipped": True}}])
def test_certificates_of_a_future_ca_are_unknown(on_node: Known, signed: dict[str, t.Any]) -> None:
    found = node.identity({**on_node(), **CERTIFIED, **signed})
    assert (found.changed, found.valid_certificates) == (False, [])
