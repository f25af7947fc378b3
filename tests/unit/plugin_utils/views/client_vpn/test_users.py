# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Users from all clusters of a VPC that this run covers."""

from __future__ import annotations

import typing as t

import pytest
from ansible_collections.mlfleet.hyperpod.plugins.plugin_utils.views.client_vpn import users

from .conftest import HERE

OTHERS = {
    "same": {**HERE, "hyperpod_users": [{"name": "bob"}], "hyperpod_run": {"records": {"offboarded": {"carol": {}}}}},
    "unread": {**HERE, "hyperpod_run": {}},
    "elsewhere": {**HERE, "hyperpod_region": "eu-west-1", "hyperpod_run": {"records": {"offboarded": {"alice": {}}}}},
    "eks": {**HERE, "hyperpod_run": {"records": {"offboarded": {"alice": {}}}}},
}
DECLARED = [{"name": "alice"}, {"name": "bob", "state": "absent"}, {"name": "carol"}, {"name": "dave", "state": "absent"}]


@pytest.fixture
def several(variables: dict[str, t.Any]) -> dict[str, t.Any]:
    clusters = ["ml", *OTHERS]
    slurm = [name for name in clusters if name != "eks"]
    groups = {"hyperpod_clusters": clusters, "orchestrator_slurm": slurm}
    hostvars = {**variables["hostvars"], **OTHERS}
    return {**variables, "groups": groups, "hostvars": hostvars, "client_vpn_users": DECLARED}


def test_clusters_of_one_account_and_region_count(several: dict[str, t.Any]) -> None:
    found = users.users(several)
    assert (found.present, found.revoked, found.offboarded) == (["alice"], ["carol", "dave"], ["carol"])


@pytest.mark.parametrize(("reads", "unread"), [(["endpoint", "users"], ["unread"]), (["connections"], [])])
def test_required_records_are_read(several: dict[str, t.Any], reads: list[str], unread: list[str]) -> None:
    assert users.unread_neighbours({**several, "client_vpn_reads": reads}) == unread


def test_records_of_other_clusters_count(several: dict[str, t.Any]) -> None:
    read = {"results": [{"records": {"offboarded": {"alice": {}}}}, {"skipped": True}]}
    found = users.users({**several, "__client_vpn_beside_read": read})
    assert found.present == [] and found.revoked == ["alice", "carol", "dave"]


def test_own_records_count(several: dict[str, t.Any]) -> None:
    found = users.users({**several, "hyperpod_run": {"records": {"offboarded": {"alice": {}}}}})
    assert "alice" in found.revoked and "alice" not in found.present


@pytest.mark.parametrize(("way", "names"), [("certificate", (["alice"], ["alice"])), ("directory", ([], []))])
def test_only_users_of_the_vpn_get_certificates(variables: dict[str, t.Any], way: str, names: tuple[list[str], list[str]]) -> None:
    found = users.users({**variables, "client_vpn_authentication": [{"type": way}], "client_vpn_revoke": ["alice"]})
    assert (found.certified, found.lost) == names and found.present == ["alice"]
