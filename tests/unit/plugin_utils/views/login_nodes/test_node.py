# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The host keys that a node presents, and the configuration of its sshd and readiness gate."""

from __future__ import annotations

import typing as t

import pytest
from ansible_collections.mlfleet.hyperpod.plugins.plugin_utils.views.login_nodes import node

Known = t.Callable[..., dict[str, t.Any]]
OWN = {"changed": True, "foreseen": True, "host_keys": ["own"], "certificates": {"ed25519": "c"}, "valid_certificates": ["c"]}
DRAINED = {"owner": "ops", "since": "2026-11-20", "reason": "disk"}


@pytest.mark.parametrize(("host", "is_login"), [("ml-1", True), ("ml-3", False)])
def test_the_role_of_a_node_follows_from_its_groups(variables: dict[str, t.Any], host: str, is_login: bool) -> None:
    found = node.node({**variables, "inventory_hostname": host, "hyperpod_cluster_key": "b"})
    assert (found.cluster_host, found.is_login, found.certified, found.planning) == ("ml", is_login, False, False)


def test_certification_and_planning_are_recognised(of_cluster: Known) -> None:
    found = node.node({**of_cluster(host_ca="ca"), "login_nodes_planning": True})
    assert (found.certified, found.planning) == (True, True)


def test_a_cluster_without_a_run_state_is_not_certified(variables: dict[str, t.Any]) -> None:
    found = node.node({**variables, "hostvars": {"ml": {}}, "groups": {**variables["groups"], "node_type_login": []}})
    assert (found.certified, found.is_login) == (False, False)


def test_the_record_of_a_drained_node_is_read(of_cluster: Known) -> None:
    given = of_cluster(records={"drained": {"i-ml-1": DRAINED}})
    assert node.drain_record(given) == DRAINED
    assert node.drain_record({**given, "hyperpod_instance_id": "i-ml-2"}) == {}
    del given["hyperpod_instance_id"]
    assert node.drain_record(given) == {} == node.drain_record(of_cluster())


def test_a_node_with_unmanaged_keys_presents_the_shared_ones(of_cluster: Known) -> None:
    found = node.identity(of_cluster(host_keys=["shared"]))
    assert (found.host_keys, found.certificates, found.valid_certificates, found.foreseen) == (["shared"], {}, [], False)


def test_a_node_presents_its_own_keys(of_cluster: Known) -> None:
    found = node.identity({**of_cluster(), "hyperpod_run": {"identity": OWN}})
    assert (found.host_keys, found.certificates, found.valid_certificates, found.foreseen) == (["own"], {"ed25519": "c"}, ["c"], True)


def test_next_key_types_are_limited_to_types_in_use(of_cluster: Known) -> None:
    found = node.sshd(of_cluster(host_key_types=["ed25519", "rsa"], next_host_key_types=["rsa", "ecdsa"]))
    assert (found.host_key_types, found.next_host_key_types, found.refusal) == (["ed25519", "rsa"], ["rsa"], "")


def test_sshd_accepts_the_key_of_the_run(of_cluster: Known) -> None:
    account = {"user": "ops", "key": "ssh-ed25519 A"}
    found = node.sshd(of_cluster(host_key_types=[], next_host_key_types=[], access_account=account))
    assert found.operations_key == "ssh-ed25519 A"


def test_a_drained_node_refuses_logins(of_cluster: Known) -> None:
    given = {**of_cluster(host_key_types=[], next_host_key_types=[]), "login_nodes_drained": DRAINED}
    assert node.sshd(given).refusal.startswith("This login node (i-ml-1) takes no new logins: disk.")
    assert node.gate(given).state == "closed"


def test_the_gate_works_without_a_load_balancer(variables: dict[str, t.Any]) -> None:
    found = node.gate(variables)
    assert (found.state, found.former_ports, found.former_people_ports, found.users_foreseen) == ("open", [], [], False)
    assert node.gate({**variables, "login_nodes_gate_state": "closing"}).state == "closing"


def test_ports_of_the_load_balancer_stay_open(of_cluster: Known) -> None:
    found = node.gate({**of_cluster(balancer_ports={"health": 2022, "targets": ["22", 222, 2222, 222]}), "login_nodes_ssh_port": "2222"})
    assert (found.former_ports, found.former_people_ports) == ([2022], [222])
    assert node.gate(of_cluster(balancer_ports={"targets": [22]})).former_ports == []


@pytest.mark.parametrize(("changed", "planning", "foreseen"), [(True, False, True), (True, True, False), (False, False, False)])
def test_check_mode_predicts_users(variables: dict[str, t.Any], changed: bool, planning: bool, foreseen: bool) -> None:
    given = {**variables, "hyperpod_run": {"accounts": {"changed": changed}}, "login_nodes_planning": planning}
    assert node.gate(given).users_foreseen is foreseen
