# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The hash of a declaration: every effective change alters it, and of keys it contains only the public part."""

from __future__ import annotations

import typing as t
from pathlib import Path

import pytest
from ansible_collections.mlfleet.hyperpod.plugins.plugin_utils import declaration

USERS = [{"name": "alice", "uid": 20001, "authorized_keys": [{"key": "ssh-ed25519 AAAA"}]}]


@pytest.fixture
def cluster(tmp_path: Path) -> dict[str, t.Any]:
    (tmp_path / "users.txt").write_text("carol,20003,/fsx/carol\n")
    (tmp_path / "ops.pub").write_text("ssh-ed25519 AAAA ops\n")
    return {
        "hyperpod_users": USERS,
        "hyperpod_users_files": [str(tmp_path / "users.txt")],
        "hyperpod_operations_public_key_file": str(tmp_path / "ops.pub"),
        "hyperpod_account_id": "111111111111",
        "host_keys_vaulted": {"ed25519": {"private": "one", "public": "ssh-ed25519 BBBB"}},
        "client_vpn_authority": {"certificate": "PEM", "private_key": "one"},
        "client_vpn_client_cidr": "172.20.0.0/20",
        "ansible_connection": "local",
    }


NODES = {"ml-i-1": {"login_nodes_user_keys": "allow", "hyperpod_instance_id": "i-1"}}


def hashes(cluster: dict[str, t.Any], nodes: t.Any = None, neighbours: t.Any = ()) -> dict[str, str]:
    return declaration.hashes(cluster, nodes or NODES, neighbours)


def other(before: dict[str, str], after: dict[str, str]) -> set[str]:
    return {part for part in before if before[part] != after[part] and part != "settings"}


@pytest.mark.parametrize(
    ("change", "part"),
    [
        ({"hyperpod_users": [*USERS, {"name": "bob", "uid": 20002}]}, {"variables", "people of the client VPN"}),
        ({"login_balancer_allowed_cidrs": ["10.0.0.0/8"]}, {"variables"}),
        ({"vpn_urgent": "true"}, {"variables"}),  # with -e
        ({"host_keys_rotation": "start"}, {"variables"}),
        ({"hyperpod_uers": []}, {"variables"}),  # a full look refuses it
        ({"hyperpod_database_pin": "1234"}, {"variables"}),
        ({"host_keys_vaulted": {"ed25519": {"private": "one", "public": "ssh-ed25519 CCCC"}}}, {"variables"}),
        ({"host_keys_vaulted": {"ed25519": {"private": "two", "public": "ssh-ed25519 BBBB"}}}, set()),
        ({"client_vpn_authority": {"certificate": "PEM", "private_key": "two"}}, set()),
        ({"client_vpn_authority": {"certificate": "MEP", "private_key": "one"}}, {"variables"}),
        ({"hyperpod_inventory_failures": ["another account"]}, set()),
        ({"hyperpod_only": "ml"}, set()),
        ({"__run_read": {"changed": True}}, set()),
        ({"ansible_connection": "ssh"}, set()),
    ],
)
def test_cluster_variables_change_the_hash(cluster, change, part):
    assert other(hashes(cluster), hashes({**cluster, **change})) == part


def test_unused_secrets_are_not_part_of_the_hash(cluster, tmp_path):
    """Neither a short secret among other variables nor the content of a file that it names is in the record."""
    (tmp_path / "pin").write_text("1234")
    mine = {"hyperpod_database_pin": "1234", "hyperpod_vault_password_file": str(tmp_path / "pin")}
    before = hashes({**cluster, **mine})
    (tmp_path / "pin").write_text("4321")
    assert before == hashes({**cluster, **mine, "hyperpod_database_pin": "4321"})


def test_no_file_is_read_for_a_key_given_as_text(cluster):
    """Such as on AWX, whose container has no key file."""
    nowhere = {**cluster, "hyperpod_operations_public_key_file": "/srv/none.pub"}
    with pytest.raises(declaration.Unreadable, match="/srv/none.pub can't be read"):
        hashes(nowhere)
    given = {"hyperpod_operations_public_key": "ssh-ed25519 AAAA"}
    assert other(hashes({**nowhere, **given}), hashes({**nowhere, "hyperpod_operations_public_key": "ssh-ed25519 BBBB"})) == {
        "variables"
    }


@pytest.mark.parametrize(("value", "requested"), [("alice", True), ([], False), ("", False)])
def test_requests_are_no_declaration(cluster, value, requested):
    assert not declaration.asks_for_more(cluster)
    assert declaration.asks_for_more({**cluster, "vpn_revoke": value}) is requested


@pytest.mark.parametrize("name", ["hyperpod_users_files", "hyperpod_operations_public_key_file"])
def test_contents_of_files_change_the_hash(cluster, name):
    before = hashes(cluster)
    path = Path(cluster[name][0] if isinstance(cluster[name], list) else cluster[name])
    path.write_text(path.read_text().replace("carol", "karol").replace("AAAA", "BBBB"))
    assert "files" in other(before, hashes(cluster))


def test_files_of_node_variables_change_the_hash(cluster, tmp_path):
    path = tmp_path / "of_a_group.txt"
    nodes = {"ml-i-1": {**NODES["ml-i-1"], "hyperpod_users_files": [str(path)]}}
    path.write_text("dave,20004,/fsx/dave\n")
    before = declaration.hashes(cluster, nodes)
    path.write_text("dave,20004,/fsx/david\n")
    assert other(before, declaration.hashes(cluster, nodes)) == {"files"}


def test_a_key_given_as_text_needs_no_file(cluster, tmp_path, monkeypatch):
    monkeypatch.setenv("HOME", str(tmp_path))
    del cluster["hyperpod_operations_public_key_file"]
    with pytest.raises(declaration.Unreadable, match="id_ed25519.pub can't be read"):
        hashes(cluster)
    as_text = {**cluster, "hyperpod_operations_public_key": "ssh-ed25519 AAAA ops"}
    assert other(hashes(as_text), hashes({**as_text, "hyperpod_operations_public_key": "ssh-ed25519 BBBB ops"})) == {"variables"}
    assert hashes({**as_text, "hyperpod_operations_public_key_file": "/no/such.pub"})["files"] == hashes(as_text)["files"]


def test_node_variables_change_the_hash(cluster):
    denied = {"ml-i-1": {**NODES["ml-i-1"], "login_nodes_user_keys": "deny"}}
    assert other(hashes(cluster), hashes(cluster, denied)) == {"variables of nodes"}


def test_the_version_of_the_collection_changes_the_hash(cluster, monkeypatch):
    before = hashes(cluster)
    monkeypatch.setattr(declaration, "COLLECTION_VERSION", "9.9.9")
    assert other(before, hashes(cluster)) == {"version"}


@pytest.mark.parametrize(
    ("change", "differs"),
    [
        ({"login_balancer_allowed_cidrs": ["10.0.0.0/8"]}, True),
        ({"hyperpod_users": [*USERS, {"name": "bob", "uid": 20002}]}, True),
        ({"hyperpod_profile": "of-another-machine", "hyperpod_state_dir": "/srv/state"}, False),
        ({"hyperpod_report_store": "/srv/reports"}, False),
        ({"hyperpod_only": "ml"}, False),
        ({"host_keys_vaulted": {"ed25519": {"private": "two", "public": "ssh-ed25519 BBBB"}}}, False),
    ],
)
def test_settings_are_the_same_on_each_control_node(cluster, change, differs):
    before, after = (declaration.settings(each, NODES.values()) for each in (cluster, {**cluster, **change}))
    assert (before != after) is differs


def test_settings_have_the_content_of_files_and_not_their_paths(cluster, tmp_path):
    before = declaration.settings(cluster, NODES.values())
    for name in ("users.txt", "ops.pub"):
        (tmp_path / name).rename(tmp_path / f"moved-{name}")
    moved = {
        **cluster,
        "hyperpod_users_files": [str(tmp_path / "moved-users.txt")],
        "hyperpod_operations_public_key_file": str(tmp_path / "moved-ops.pub"),
    }
    assert declaration.settings(moved, NODES.values()) == before
    (tmp_path / "moved-users.txt").write_text("karol,20003,/fsx/carol\n")
    assert declaration.settings(moved, NODES.values()) != before
    with pytest.raises(declaration.Unreadable, match=r"(users\.txt|ops\.pub) can't be read"):
        declaration.settings(cluster, NODES.values())


def test_a_replaced_node_does_not_change_the_settings(cluster):
    before = declaration.settings(cluster, NODES.values())
    replaced = [{**NODES["ml-i-1"], "hyperpod_instance_id": "i-2"}]
    assert declaration.settings(cluster, replaced) == before
    assert declaration.settings(cluster, [{**replaced[0], "login_nodes_user_keys": "deny"}]) != before


def test_variables_of_a_play_are_no_settings(cluster):
    of_play = {**cluster, "hyperpod_scope": "all"}
    with_host = [declaration.hashes(each, NODES, host=cluster)["settings"] for each in (cluster, of_play)]
    assert with_host[0] == with_host[1] != declaration.hashes(of_play, NODES)["settings"]


def test_users_of_neighbours_count_for_the_vpn_only(cluster):
    absent = {**cluster, "hyperpod_users": [{**USERS[0], "state": "absent"}]}
    there = [{"hyperpod_users": USERS, "login_nodes_user_keys": "deny"}]
    assert other(hashes(absent), hashes(absent, None, there)) == {"people of the client VPN"}
    assert other(hashes(cluster), hashes(cluster, None, [{"hyperpod_users": [{"name": "bob", "uid": 1}]}])) == set()
    without = {name: value for name, value in absent.items() if name != "client_vpn_client_cidr"}
    assert hashes(without) == hashes(without, None, there)


class Undefined(dict):
    def __getitem__(self, name: str) -> t.Any:
        raise KeyError("'team' is undefined")


def test_unreadable_declarations_are_named(cluster):
    with pytest.raises(declaration.Unreadable, match="hyperpod_users can't be evaluated"):
        hashes(Undefined(hyperpod_users="{{ team }}"))
    with pytest.raises(declaration.Unreadable, match="/srv/none.txt can't be read"):
        hashes({**cluster, "hyperpod_users_files": ["/srv/none.txt"]})


def test_one_node_of_each_group_represents_all():
    groups = {
        "node_type_login": ["ml-i-1", "ml-i-2"],
        "instance_group_workers": ["ml-i-5", "ml-i-4", "ml-i-3"],
        "type_p5": ["ml-i-4"],
        "hyperpod_nodes": ["ml-i-1", "ml-i-2", "ml-i-3", "ml-i-4", "ml-i-5"],
    }
    nodes = groups["hyperpod_nodes"]
    login = set(groups["node_type_login"])
    assert declaration.standing_for_all(nodes, groups, login) == ["ml-i-1", "ml-i-2", "ml-i-3", "ml-i-4"]
