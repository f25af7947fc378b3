# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Adoption of a cluster that others set up, and its report."""

from __future__ import annotations

import base64
import typing as t

import pytest
from ansible_collections.mlfleet.hyperpod.plugins.plugin_utils.views import adoption

from .login_balancer.conftest import ADOPTED, PORTS, READ, texts

FOUND = {"__adoption_balancer_read": {"balancer_adoption": READ}}


def line(letter: str) -> str:
    kind = b"ssh-ed25519"
    blob = len(kind).to_bytes(4, "big") + kind + (32).to_bytes(4, "big") + letter.encode() * 32
    return f"ssh-ed25519 {base64.b64encode(blob).decode()}"


def here(number: int, key: str = "A", refused: str = "", **more: t.Any) -> dict[str, t.Any]:
    return {"instance_id": f"i-{number}", "host_keys": [line(key)], "accounts": {}, "results": [], "refused": refused, **more}


@pytest.fixture
def variables() -> dict[str, t.Any]:
    hosts = {f"ml-i-{number}": {"hyperpod_instance_id": f"i-{number}"} for number in (1, 2, 3)}
    hosts["ml-i-1"]["__adoption_here"] = here(1)
    hosts["ml-i-2"]["__adoption_here"] = here(2)
    return {
        "inventory_hostname": "ml",
        "hyperpod_cluster_key": "ml",
        "hyperpod_cluster_arn": "arn:ml",
        "hyperpod_cluster_group": "cluster_ml",
        "ansible_check_mode": False,
        "groups": {"cluster_ml": ["ml", *hosts]},
        "hostvars": {"ml": {}, **hosts},
        "hyperpod_run": {"node_access": {"i-1": {"node_type": "login"}, "i-2": {"node_type": "login"}, "i-3": {"node_type": "compute"}}},
        "accounts_users": [],
        "accounts_users_files": [],
        "accounts_operations_user": "hyperpod-ops",
        "accounts_source": "local",
        "adoption_from": "",
        "adoption_host_keys": True,
        "adoption_mode": "adopt",
        "host_keys_identity": "shared",
        "host_keys_types": ["ed25519"],
        "host_keys_vaulted": {},
        "login_balancer_adopt_load_balancer": "foreign",
        "login_balancer_adopted": {"load_balancer": {"name": "foreign"}, "target_group": {"name": "foreign-tg"}},
    }


def found(variables: dict[str, t.Any], *nodes: dict[str, t.Any]) -> dict[str, t.Any]:
    hosts = dict(variables["hostvars"])
    for node in nodes:
        host = f"ml-{node['instance_id']}"
        hosts[host] = {**hosts[host], "__adoption_here": node}
    return {**variables, "hostvars": hosts}


def test_unreached_login_nodes_are_checked_from_the_controller(variables: dict[str, t.Any]) -> None:
    listed = [{"instance_id": f"i-{each}", "node_type": "login", "ip": f"10.1.1.{each}", "status": "Running"} for each in (2, 3)]
    read = {"__adoption_addresses": {"nodes": listed}, "login_nodes_ssh_port": "2222"}
    assert adoption.unreached({**variables, **read}) == [{"name": "i-3", "host": "10.1.1.3", "port": 2222}]


@pytest.mark.parametrize(
    ("given", "records", "refused"),
    [
        ({}, {}, True),
        ({}, {"host_keys": {}}, True),
        ({}, {"balancer": {}}, False),
        ({"adopt_load_balancer": ""}, {"host_keys": {}}, False),
    ],
)
def test_a_cluster_that_was_not_adopted_is_not_enforced(variables: dict[str, t.Any], given: dict[str, t.Any], records: dict[str, t.Any], refused: bool) -> None:
    run = {"records": {"adopted": records}}
    assert bool(adoption.asked({**variables, **given, "hyperpod_run": run}).refusals) is refused


@pytest.mark.parametrize(
    ("given", "host_keys", "balancer"),
    [
        ({}, True, True),
        ({"adoption_host_keys": False}, False, True),
        ({"host_keys_vaulted": {"ed25519": {}}}, False, True),
        ({"host_keys_identity": "certificates"}, False, True),
        ({"login_balancer_adopt_load_balancer": ""}, True, False),
    ],
)
def test_the_variables_become_a_request(variables: dict[str, t.Any], given: dict[str, t.Any], host_keys: bool, balancer: bool) -> None:
    request = adoption.asked({**variables, **given})
    assert (request.host_keys, request.balancer) == (host_keys, balancer)


@pytest.mark.parametrize(
    ("read", "refusals"),
    [
        ({"msg": "load_balancer: x is not allowed.", "hyperpod_failure": {"subject": "load_balancer"}}, ["adopt_load_balancer: x is not allowed."]),
        ({"msg": "target_group: x is not allowed.", "hyperpod_failure": {"subject": "target_group"}}, ["adopt_target_group: x is not allowed."]),
        ({"msg": "AccessDenied", "failed": True}, []),
    ],
)
def test_refusals_of_the_module_refer_to_variables(variables: dict[str, t.Any], read: dict[str, t.Any], refusals: list[str]) -> None:
    found = adoption.balancer({**variables, "__adoption_balancer_read": read})
    assert (texts(found.refusals), found.record) == (refusals, {})


@pytest.mark.parametrize(
    ("recorded", "refusals"),
    [
        ({}, []),
        (ADOPTED, []),
        (
            {"load_balancer": {"name": "first", "arn": "arn:first"}},
            ["adopt_load_balancer: foreign is not allowed: cluster ml has already adopted a different load balancer. Allowed: first."],
        ),
    ],
)
def test_a_cluster_adopts_a_single_load_balancer(variables: dict[str, t.Any], recorded: dict[str, t.Any], refusals: list[str]) -> None:
    assert texts(adoption.balancer({**variables, **FOUND, "login_balancer_adopted": recorded}).refusals) == refusals


@pytest.mark.parametrize(("used", "port"), [([], 22), ([22, 2222], 22), ([2223, 2222], 2222)])
def test_the_record_contains_the_state_to_restore(variables: dict[str, t.Any], used: list[int], port: int) -> None:
    found = adoption.balancer({**variables, **FOUND, "login_balancer_adopted": {}, "__login_targets_read": {**PORTS, "ports": used}}).record
    assert found["target_group"].pop("port") == port
    assert found == {
        "load_balancer": ADOPTED["load_balancer"],
        "target_group": {name: value for name, value in ADOPTED["target_group"].items() if name != "port"},
    }


def test_unreached_nodes_are_listed(variables: dict[str, t.Any]) -> None:
    nodes = adoption.nodes(variables)
    assert (nodes.reached, nodes.unseen, nodes.login_unseen) == (["i-1", "i-2"], ["i-3"], False)
    hosts = {**variables["hostvars"], "ml-i-1": {}}
    assert adoption.nodes({**variables, "hostvars": hosts}).login_unseen is True


def test_host_keys_are_adopted_from_a_login_node(variables: dict[str, t.Any]) -> None:
    keys = adoption.host_keys(variables)
    assert (keys.refusals, keys.source, keys.source_host, keys.public_keys) == ([], "i-1", "ml-i-1", [line("A")])


def test_different_host_keys_are_refused(variables: dict[str, t.Any]) -> None:
    keys = adoption.host_keys(found(variables, here(2, "B")))
    assert [each["code"] for each in keys.refusals] == ["keys-not-adoptable"]
    assert (keys.source, keys.source_host, keys.public_keys) == ("", "ml", [])


def codes(variables: dict[str, t.Any]) -> list[str]:
    return [each["code"] for each in adoption.report(variables)]


def test_the_report_is_complete(variables: dict[str, t.Any]) -> None:
    change = {"action": "create", "resource": "user alice", "field": None, "before": None, "after": {}}
    given = found(variables, here(1, refused="It is LDAP's."), here(2, results=[{"node": "i-2", "changes": [change]}]))
    given["__adoption_secret"] = {"host_keys": [{"fingerprint": "SHA256:x"}]}
    given["hyperpod_run"] = {**given["hyperpod_run"], "balancer_foreseen": ["enforce would create listener 22."]}
    sentences = [each["text"] for each in adoption.report(given)]
    assert sentences[:4] == [
        "Load balancer foreign and target group foreign-tg is adopted.",
        "The host keys of i-1 (SHA256:x) are adopted.",
        "These nodes were not checked, because they could not be reached or did not answer: i-3.",
        "enforce would be refused on i-1: It is LDAP's.",
    ]
    assert sentences[4:6] == ["enforce would create listener 22.", "enforce would create user alice on i-2."] and len(sentences) == 7


@pytest.mark.parametrize(
    ("given", "beginning"),
    [
        ({"adoption_host_keys": False}, "No host keys are adopted. "),
        ({"host_keys_vaulted": {"ed25519": {}}}, "No host keys are adopted, because host_keys_vaulted"),
        ({"host_keys_identity": "certificates"}, "No host keys are adopted, because each node keeps its own."),
        ({"ansible_check_mode": True}, "The host keys of i-1 (none) would be adopted."),
        ({"adoption_mode": "plan"}, "The host keys of i-1 (none) would be adopted."),
        ({"adoption_from": "i-9"}, "login_access_mode=adopt would be refused: adopt_from: 'i-9'"),
    ],
)
def test_the_handling_of_host_keys_is_reported(variables: dict[str, t.Any], given: dict[str, t.Any], beginning: str) -> None:
    texts = [each["text"] for each in adoption.report({**variables, **given}) if each["code"] == "host-keys-adopted"]
    assert len(texts) == 1 and texts[0].startswith(beginning)


def test_replaced_keys_of_nodes_are_reported(variables: dict[str, t.Any]) -> None:
    given = {**found(variables, here(2, "B")), "adoption_from": "i-1"}
    assert "enforce would install the adopted host keys on i-2." in [each["text"] for each in adoption.report(given)]


@pytest.mark.parametrize(("source", "codes_of_accounts"), [("local", ["accounts-differ"]), ("external", [])])
def test_local_accounts_are_compared(variables: dict[str, t.Any], source: str, codes_of_accounts: list[str]) -> None:
    accounts = {"alice": ["x", "2000", "2000", "", "/fsx/alice", "/bin/bash"]}
    given = {**found(variables, here(1, accounts=accounts)), "accounts_users": [{"name": "alice", "uid": 3000}], "accounts_source": source}
    assert [each for each in codes(given) if each == "accounts-differ"] == codes_of_accounts


def test_changes_of_all_tasks_are_predicted(variables: dict[str, t.Any]) -> None:
    def made(resource: str) -> dict[str, t.Any]:
        return {"changes": [{"action": "create", "resource": resource, "field": None, "before": None, "after": {}}]}

    results = {
        "__login_balancer_nodes": {"nodes": [{"instance_id": "i-1", "status": "Running"}, {"instance_id": "i-2", "status": "Pending"}]},
        "__login_balancer_group_planned": {"changed": True},
        "__login_balancer_rules": {"results": [made("rule 1"), made("rule 2")]},
        "__login_balancer_made": made("listener 22"),
        "__login_targets_health_check_made": {"skipped": True},
    }
    found = adoption.foreseen({**variables, **results})
    assert found.running == ["i-1"] and found.changes[0].startswith("enforce would create security group mlfleet-hyperpod-ml")
    assert found.changes[1:] == [f"enforce would create {each}." for each in ("rule 1", "rule 2", "listener 22")]
