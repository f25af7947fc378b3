# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The nodes that a run can reach, and the account and key."""

from __future__ import annotations

import typing as t

import pytest
from ansible_collections.mlfleet.hyperpod.plugins.plugin_utils.run.fleet import NoCluster
from ansible_collections.mlfleet.hyperpod.plugins.plugin_utils.views import node_access

ACCESS = {
    "i-1": {"access": "ready", "reason": "", "configured": True},
    "i-2": {"access": "refused", "reason": "no trust record", "configured": False},
    "i-3": {"access": "gained", "reason": "", "configured": False},
}
CLUSTER = {
    "hyperpod_cluster_group": "cluster_ml",
    "hyperpod_cluster_arn": "arn:ml",
    "hyperpod_region": "eu-west-1",
    "hyperpod_state_dir": "~/state",
}


@pytest.fixture
def of_cluster(monkeypatch: pytest.MonkeyPatch) -> dict[str, t.Any]:
    """The variables of the cluster's host."""
    monkeypatch.setenv("HOME", "/home/ops")
    run = {"ready": True, "node_access": ACCESS, "nodes_behind": [], "access_account": {"user": "ops", "key": "ssh-ed25519 A"}}
    hosts: dict[str, dict[str, t.Any]] = {f"ml-{n}": {"hyperpod_instance_id": f"i-{n}", "hyperpod_run": {}} for n in (1, 2, 3)}
    ml = {**CLUSTER, "hyperpod_run": run}
    return {
        **ml,
        "groups": {
            "hyperpod_clusters": ["ml", "b"],
            "cluster_ml": ["ml", *hosts],
            "node_type_login": ["ml-1", "ml-2", "b-1"],
        },
        "group_names": ["cluster_ml"],
        "hostvars": {"ml": ml, "b": {}, "b-1": {"hyperpod_instance_id": "i-3"}, **hosts},
        "ansible_play_hosts": list(hosts),
        "ansible_check_mode": False,
        "inventory_hostname": "ml",
        "node_access_known_only": False,
        "node_access_operations_user": "hyperpod-ops",
        "node_access_scope": "all",
        "node_access_unknown_noted": False,
    }


def node(of_cluster: dict[str, t.Any], number: int, **given: t.Any) -> dict[str, t.Any]:
    """The variables of a node, which may contain any value."""
    common = {name: of_cluster[name] for name in ("groups", "group_names", "hostvars", "ansible_play_hosts")}
    lies = {"hyperpod_cluster_arn": "arn:b", "hyperpod_cluster_host": "b", "hyperpod_region": "x"}
    return {**common, **lies, "inventory_hostname": f"ml-{number}", "hyperpod_instance_id": f"i-{number}", **given}


@pytest.mark.parametrize(
    ("given", "include", "user"),
    [
        ({}, "all", "hyperpod-ops"),
        ({"node_access_scope": "changed"}, "new", "hyperpod-ops"),
        ({"node_access_known_only": True}, "all", ""),
        ({"ansible_check_mode": True}, "all", ""),
    ],
)
def test_runs_without_access_have_no_account(of_cluster: dict[str, t.Any], given: dict[str, t.Any], include: str, user: str) -> None:
    found = node_access.asked({**of_cluster, **given})
    assert (found.include, found.user, found.state_dir, found.node_types) == (include, user, "/home/ops/state", {})
    assert node_access.asked({**of_cluster, "hyperpod_node_types": {"a": "login"}}).node_types == {"a": "login"}


@pytest.mark.parametrize(
    ("given", "key", "file"),
    [
        ({}, None, "/home/ops/.ssh/id_ed25519.pub"),
        ({"hyperpod_operations_public_key": "a"}, "a", "/home/ops/.ssh/id_ed25519.pub"),
        ({"hyperpod_operations_public_key": "a", "run_operations_public_key": "b"}, "b", "/home/ops/.ssh/id_ed25519.pub"),
        ({"hyperpod_operations_public_key": ""}, "", "/home/ops/.ssh/id_ed25519.pub"),
        ({"hyperpod_operations_public_key_file": "~/k.pub"}, None, "/home/ops/k.pub"),
        ({"hyperpod_operations_public_key_file": "/k.pub", "run_operations_public_key_file": "r.pub"}, None, "r.pub"),
    ],
)
@pytest.mark.usefixtures("of_cluster")
def test_the_key_belongs_to_the_role_run(given: dict[str, t.Any], key: str | None, file: str) -> None:
    found = node_access.key(given)
    assert (found.given, found.file) == (key, file)


def test_unreached_login_nodes_are_reported(of_cluster: dict[str, t.Any]) -> None:
    away = {"node": "i-2", "reason": "no trust record"}
    next_step = {"reason": "no trust record. Run login_access to create one.", "says": "not-reached"}
    assert node_access.unreached(of_cluster) == [{**away, **next_step}]
    noted = {**of_cluster, "node_access_unknown_noted": True}
    assert node_access.unreached(noted) == [{**away, "says": "not-trusted-yet"}]
    of_cluster["hyperpod_run"]["node_access"] = {"i-2": {"access": "refused", "reason": "stopped"}, "i-3": ACCESS["i-2"]}
    assert node_access.unreached(noted) == [{"node": "i-2", "reason": "stopped", "says": "not-reached"}]
    assert node_access.unreached({**noted, "groups": {"cluster_ml": ["ml"]}}) == []


def test_a_node_is_recorded_once_it_is_configured(of_cluster: dict[str, t.Any]) -> None:
    found = node_access.configured(of_cluster)
    assert (found.due, found.instance_ids) == (False, [])
    for host in ("ml-1", "ml-3"):
        of_cluster["hostvars"][host]["hyperpod_run"] = {"configured": True}
    found = node_access.configured(of_cluster)
    assert (found.due, found.instance_ids) == (True, ["i-3"])


def test_outdated_records_of_nodes_are_renewed(of_cluster: dict[str, t.Any]) -> None:
    of_cluster["hyperpod_run"]["nodes_behind"] = ["i-1"]
    found = node_access.configured(of_cluster)
    assert (found.due, found.instance_ids) == (True, [])


@pytest.mark.parametrize(("number", "included"), [(1, True), (2, False), (3, True), (4, False)])
def test_nodes_with_access_are_included(of_cluster: dict[str, t.Any], number: int, included: bool) -> None:
    found = node_access.node(node(of_cluster, number))
    assert (found.cluster_host, found.included) == ("ml", included)


@pytest.mark.parametrize("run", [{}, {"node_access": ACCESS}, {"ready": False, "node_access": ACCESS}, {"ready": True}])
def test_no_node_is_included_before_its_cluster_is_ready(of_cluster: dict[str, t.Any], run: dict[str, t.Any]) -> None:
    of_cluster["hostvars"]["ml"]["hyperpod_run"] = run
    assert node_access.node(node(of_cluster, 1)).included is False


def test_a_node_without_a_cluster_is_an_error(of_cluster: dict[str, t.Any]) -> None:
    with pytest.raises(NoCluster):
        node_access.node(node(of_cluster, 1, group_names=["node_type_login"]))


def test_the_cluster_follows_from_the_groups(of_cluster: dict[str, t.Any]) -> None:
    found = node_access.cluster(node(of_cluster, 1))
    assert (found.arn, found.region, found.profile, found.node_types) == ("arn:ml", "eu-west-1", None, {})
    assert (found.user, found.key, found.state_dir) == ("ops", "ssh-ed25519 A", "/home/ops/state")
    of_cluster["hostvars"]["ml"].update(hyperpod_profile="prod", hyperpod_node_types={"a": "login"})
    found = node_access.cluster(node(of_cluster, 1))
    assert (found.profile, found.node_types) == ("prod", {"a": "login"})


@pytest.mark.parametrize(
    ("playing", "number", "user", "asking"),
    [([1, 2, 3], 2, "ops", True), ([1, 2, 3], 3, "ops", False), ([1, 3], 3, "ops", True), ([1, 2, 3], 2, "", False), ([1], 2, "ops", False)],
)
def test_one_node_reports_all_nodes_that_refuse_the_run(
    of_cluster: dict[str, t.Any], playing: list[int], number: int, user: str, asking: bool
) -> None:
    for host in ("ml-2", "ml-3"):
        of_cluster["hostvars"][host]["hyperpod_run"] = {"locked_out": True}
    of_cluster["hyperpod_run"]["access_account"]["user"] = user
    of_cluster["ansible_play_hosts"] = [f"ml-{each}" for each in playing]
    found = node_access.locked_out(node(of_cluster, number))
    assert found.asking is asking
    assert found.instance_ids == [f"i-{each}" for each in (2, 3) if each in playing]


SSH = "Failed to connect to the host via ssh: "
EXPIRED = "Your account has expired; please contact your system administrator."


@pytest.mark.parametrize(
    ("result", "locked_out"),
    [
        ({"ping": "pong"}, False),
        ({"unreachable": True, "msg": f"{SSH}Host key verification failed."}, True),
        ({"unreachable": True, "msg": f"{SSH}hyperpod-ops@i-1: Permission denied (publickey)."}, True),
        ({"unreachable": True, "msg": f"{SSH}Access denied by pam_slurm_adopt: you have no active jobs on this node"}, True),
        ({"unreachable": True, "msg": f"{SSH}Connection closed by 10.1.1.11 port 22"}, True),
        ({"unreachable": True, "msg": f"{SSH}Connection closed by UNKNOWN port 65535"}, False),
        ({"unreachable": True, "msg": f"{SSH}{EXPIRED}\nConnection closed by UNKNOWN port 65535"}, True),
        ({"unreachable": True, "msg": f"{SSH}Password change required but no TTY available."}, True),
        ({"unreachable": True, "msg": f"{SSH}Connection timed out during banner exchange"}, False),
        ({"unreachable": True}, False),
        ({"ping": "pong", "msg": "Host key verification failed"}, False),
        ({"msg": "Missing sudo password"}, True),
        ({"module_stdout": "lies"}, True),
    ],
)
def test_nodes_that_refuse_the_account_are_recognised(result: dict[str, t.Any], locked_out: bool) -> None:
    assert node_access.ping_locked_out({"__node_access_ping": result}) is locked_out


def test_a_new_reading_replaces_the_old_state(of_cluster: dict[str, t.Any]) -> None:
    seen = {"i-2": {"access": "gained", "reason": "", "configured": False}}
    found = node_access.relooked(node(of_cluster, 2, __node_access_look={"nodes": seen}))
    assert found == {**ACCESS, **seen}
