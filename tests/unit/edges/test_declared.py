# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Wrong inputs, each on a separate cluster: the message names the variable, and no mutating call is made."""

from __future__ import annotations

import typing as t
from pathlib import Path

import pytest
from simulated import declared

pytestmark = pytest.mark.slow

SECRET = "-----BEGIN OPENSSH PRIVATE KEY-----\nTOPSECRET"
ALICE = {"name": "alice", "uid": 20001}

REFUSED: dict[str, tuple[dict[str, t.Any], str]] = {
    "key_as_text": (
        {"hyperpod_users": [{**ALICE, "authorized_keys": [declared.KEY]}]},
        'hyperpod_users[alice].authorized_keys[0]: a text is not allowed. Allowed: {key: "ssh-ed25519 …"}.',
    ),
    "uid_as_text": (
        {"hyperpod_users": [{"name": "bob", "uid": "x20001"}, {"name": "low", "uid": 5}]},
        "hyperpod_users[bob].uid: 'x20001' is not allowed. Allowed: whole numbers. hyperpod_users[low].uid: 5 is not allowed.",
    ),
    "field": (
        {"hyperpod_users": [{**ALICE, "expire": "2030-01-01"}]},
        "hyperpod_users[alice]: the field expire is not allowed: expires is a field of a key in authorized_keys.",
    ),
    "state": ({"hyperpod_users": [{**ALICE, "state": "abesnt"}]}, "hyperpod_users[alice].state: 'abesnt' is not allowed. Allowed: present, absent."),
    "as_dict": ({"hyperpod_users": {"alice": {"uid": 20001}}}, "hyperpod_users: a mapping is not allowed. Allowed: a list, with an entry"),
    "own_name": ({"accounts_users": ["alice"]}, "accounts_users[0]: a text is not allowed. Allowed: a mapping, as in {name: alice"),
    "kinds": (
        {"hyperpod_accounts_source": "ldap", "login_balancer_port": "ssh", "hyperpod_gate_port": "x"},
        "hyperpod_accounts_source: 'ldap' is not allowed. Allowed: local, external.",
    ),
    "no_key": (
        {"hyperpod_operations_public_key_file": "/no/such.pub"},
        "hyperpod_operations_public_key_file: /no/such.pub does not exist. Create the file with ssh-keygen -t ed25519, name a different file, or",
    ),
    "private_key": (
        {"hyperpod_operations_public_key": SECRET},
        "hyperpod_operations_public_key: -----BEGIN … is not allowed. Allowed: one line with a public key of type ssh-ed25519,",
    ),
    "program": (
        {"hyperpod_connection": "ssm"},
        "Sessions with nodes need a program on the control node: session-manager-plugin was not found on PATH; install the Session",
    ),
}
"""Wrong variables of clusters that do not exist, found without API calls, with the message of each."""

CHECKED_BY_AWS: dict[str, tuple[dict[str, t.Any], str]] = {
    "range": (
        {"login_nodes_confirm_timeout": 5, "hyperpod_gate_port": 70000, "hyperpod_operations_public_key": declared.KEY},
        "hyperpod_gate_port: 70000 is not allowed. Allowed: 1 to 511.",
    ),
    "port": ({"hyperpod_people_port": 223}, "Allowed: any port except 22 (the nodes' own sshd) and the value of hyperpod_people_port."),
    "value": ({"hyperpod_users": [{"name": "carol", "uid": 5}]}, "hyperpod_users[carol].uid: 5 is not allowed. Allowed: a whole number from 1000"),
    "subnet": (
        {"login_balancer_subnets": ["subnet-0123456789abcdef0"]},
        "login_balancer_subnets: subnet-0123456789abcdef0 is not allowed. Allowed: subnets of one VPC that exist in this account and Region.",
    ),
    "zone": ({}, "is not allowed: no subnet is in us-west-2a. Allowed: one subnet for each Availability Zone of the login nodes."),
    "group": (
        {"login_balancer_allowed_security_groups": ["sg-0123456789abcdef0"]},
        "login_balancer_allowed_security_groups: sg-0123456789abcdef0 is not allowed. Allowed: security groups that exist in this account",
    ),
}
"""Wrong variables of existing clusters, found with read-only API calls, with the message of each."""


@pytest.fixture(scope="module")
def here(tmp_path_factory: pytest.TempPathFactory) -> t.Iterator[declared.Controller]:
    with declared.controller(tmp_path_factory.mktemp("declared")) as made:
        yield made


@pytest.fixture(scope="module")
def refused(here: declared.Controller) -> declared.Run:
    here.declare({name: {**here.host(name, exists=False), **variables} for name, (variables, _sentence) in REFUSED.items()})
    return here.playbook("mlfleet.hyperpod.login_access")


@pytest.fixture(scope="module")
def checked(here: declared.Controller) -> declared.Run:
    clusters = {name: {**here.host(name), **variables} for name, (variables, _sentence) in CHECKED_BY_AWS.items()}
    clusters["zone"]["login_balancer_subnets"] = [here.make_subnet("10.1.2.0/24", "b")]
    here.declare(clusters)
    return here.playbook("mlfleet.hyperpod.login_access")


def check(run: declared.Run, name: str, sentence: str) -> None:
    assert len(run.failures[name]) == 1 and sentence in run.failures[name][0], run.output
    assert run.output.count(sentence[:40]) <= 3  # twice by Ansible, once by the report


@pytest.mark.parametrize("name", REFUSED)
def test_a_wrong_variable_is_named_once(refused: declared.Run, name: str) -> None:
    check(refused, name, REFUSED[name][1])
    assert refused.rc == 2 and refused.changes == [] and "TOPSECRET" not in refused.output


def test_check_mode_reports_the_same(here: declared.Controller, refused: declared.Run) -> None:
    run = here.playbook("mlfleet.hyperpod.login_access", "--check", "--limit", "program")
    assert run.failures == {"program": refused.failures["program"]}, run.output


@pytest.mark.parametrize("name", CHECKED_BY_AWS)
def test_values_that_do_not_exist_in_the_account_are_refused_before_any_change(checked: declared.Run, name: str) -> None:
    check(checked, name, CHECKED_BY_AWS[name][1])
    assert set(checked.failures) == set(CHECKED_BY_AWS) and checked.changes == []


def test_a_cluster_without_users_is_noted(checked: declared.Run) -> None:
    assert checked.notes["zone"] == ["hyperpod_users: no users are declared, so no accounts are created."]


VPN = {
    "overlap": (
        {"client_vpn_client_cidr": "10.1.0.0/20"},
        "client_vpn_client_cidr: 10.1.0.0/20 is not allowed. Allowed: ranges that do not overlap 10.1.0.0/16 of",
    ),
    "vpnnet": (
        {"client_vpn_subnets": ["subnet-0123456789abcdef0"]},
        "client_vpn_subnets: subnet-0123456789abcdef0 is not allowed. Allowed: subnets that exist in this account and Region.",
    ),
    "revoked": ({"vpn_revoke": 7}, "vpn_revoke: 7 is not allowed. Allowed: names of declared users."),
    "servers": ({"client_vpn_dns_servers": ["10.1.0.2", "10.1.0.3", "10.1.0.4"]}, "client_vpn_dns_servers: 10.1.0.2, 10.1.0.3, 10.1.0.4 is not"),
    "route": (
        {"client_vpn_routes": [{"cidr": "10.9.0.0/16", "subnet": "subnet-0123456789abcdef0"}]},
        "client_vpn_routes.subnet: 'subnet-0123456789abcdef0' is not allowed. Allowed: target networks of the endpoint.",
    ),
    "person": ({"hyperpod_users": [{**ALICE, "uid": "x"}]}, "hyperpod_users[alice].uid: 'x' is not allowed. Allowed: whole numbers."),
}


def test_wrong_variables_of_a_vpn_are_refused_before_any_change(here: declared.Controller) -> None:
    """The VPN does not need the operations key, so a wrong one does not matter."""
    own = {"client_vpn_client_cidr": "172.20.0.0/20", "hyperpod_operations_public_key_file": "/no/such.pub"}
    here.declare({name: {**here.host(name), **own, **variables} for name, (variables, _sentence) in VPN.items()})
    run = here.playbook("mlfleet.hyperpod.client_vpn")
    missing = {name: run.failures.get(name) for name, (_variables, sentence) in VPN.items() if sentence not in str(run.failures.get(name))}
    assert (missing, run.changes) == ({}, []), run.output


@pytest.mark.parametrize(
    ("playbook", "arguments", "sentence"),
    [
        ("offboard", ("offboard_name=mallory", "offboard_jobs=kill", "offboard_uid=x"), "offboard_jobs: 'kill' is not allowed. Allowed: report, cancel."),
        (
            "vpn_profiles",
            ("client_vpn_client_cidr=172.20.0.0/20", "vpn_client=tunnelblick"),
            "vpn_client: 'tunnelblick' is not allowed. Allowed: openvpn, aws.",
        ),
        ("drain", ("drain_nodes=",), "drain_nodes: missing. Allowed: instance IDs or hosts of login nodes in this run,"),
    ],
)
def test_a_wrong_extra_variable_is_named(here: declared.Controller, playbook: str, arguments: tuple[str, ...], sentence: str) -> None:
    here.declare({"ml": here.host("ml", exists=False)})
    run = here.playbook(f"mlfleet.hyperpod.{playbook}", *(word for each in arguments for word in ("-e", each)))
    assert run.rc == 2 and sentence in str(run.failures["ml"]) and run.changes == [], run.output


RECORDS: dict[str, tuple[dict[str, t.Any], str]] = {
    "no_node": ({"entry": "forget_node"}, "forget_nodes: missing. Allowed: instance IDs or hosts of nodes with a trust record,"),
    "number": ({"entry": "forget_node", "forget_nodes": 5, "forget_confirm": 5}, "forget_nodes: 5 is not allowed. Allowed: instance IDs or hosts of"),
    "lock": ({"entry": "unlock", "unlock_confirm": 5}, "unlock_confirm: '5' is not allowed: it names no cluster of this run. Allowed: the locks of lock, "),
    "no_name": ({"entry": "readmit", "readmit_reason": "back"}, "readmit_name: missing. Allowed: the user name of an offboarded"),
    "odd_name": ({"entry": "readmit", "readmit_name": "a b"}, "readmit_name: a b is not allowed. Allowed: the user name of an offboarded"),
    "no_reason": ({"entry": "readmit", "readmit_name": "eve"}, "readmit_reason: missing. Give the reason to readmit eve, which"),
}
BY_HAND = """
- hosts: hyperpod_clusters
  gather_facts: false
  module_defaults:
    group/mlfleet.hyperpod.aws: {region: "{{ hyperpod_region }}"}
    group/mlfleet.hyperpod.cluster: {cluster_arn: "{{ hyperpod_cluster_arn }}"}
    group/mlfleet.hyperpod.lock: {lock: true}
  tasks:
    - ansible.builtin.include_role: {name: mlfleet.hyperpod.records, tasks_from: "{{ entry }}"}
"""


def test_wrong_variables_of_the_record_playbooks_are_named(here: declared.Controller, tmp_path: Path) -> None:
    play = tmp_path / "by_hand.yml"
    play.write_text(BY_HAND)
    here.declare({name: {**here.host(name), **variables} for name, (variables, _sentence) in RECORDS.items()})
    run = here.playbook(str(play))
    wrong = {name: run.failures.get(name) for name, (_variables, sentence) in RECORDS.items() if sentence not in str(run.failures.get(name))}
    assert (wrong, run.changes) == ({}, []), run.output


def test_a_load_balancer_that_does_not_exist_is_named(here: declared.Controller) -> None:
    here.declare({"ml": here.host("ml")})
    run = here.playbook("mlfleet.hyperpod.adopt", "-e", "adopt_load_balancer=by-hand", "-e", "adopt_host_keys=false")
    assert run.rc == 2 and "adopt_load_balancer: 'by-hand' is not allowed." in str(run.failures["ml"]), run.output
    assert run.changes == []


def test_a_cluster_that_cannot_be_read_fails_and_has_no_status(here: declared.Controller) -> None:
    """The other clusters are reported; the run fails."""
    here.declare({"ml": here.host("ml"), "unread": {**here.host("unread", exists=False), "hyperpod_profile": "nobody"}})
    run = here.playbook("mlfleet.hyperpod.status")
    assert run.rc == 2 and "unread  failed" in run.output and "ml      failed" not in run.output, run.output
    assert [each for each in run.failures["unread"] if each.startswith("this part of the status could not be read: the cluster (")], run.failures


def test_an_unknown_user_is_reported_once(here: declared.Controller) -> None:
    """The failure is reported where the run stopped, and not again at its end."""
    here.declare({"ml": here.host("ml")})
    run = here.playbook("mlfleet.hyperpod.offboard", "--check", "-e", "offboard_name=malory")
    assert run.rc == 2 and len(run.failures["ml"]) == 1, run.failures
    assert "offboard_name: 'malory' is not allowed: no declaration, record or reached node has it" in run.failures["ml"][0]
