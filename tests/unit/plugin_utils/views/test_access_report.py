# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Who can log in to which cluster: the content of the report, and its files."""

from __future__ import annotations

import json
import typing as t

import pytest
from ansible_collections.mlfleet.hyperpod.plugins.plugin_utils.views import access_report

Variables = dict[str, t.Any]


def answer(*names: str) -> Variables:
    rest = {"closed": False, "password_login": False, "authorized_keys": [], "last_login": None}
    return {"accounts": [{"name": name, "uid": 1001, **rest} for name in names], "history_since": None, "unread": ["no /fsx"]}


@pytest.fixture
def variables() -> Variables:
    nodes = {f"ml-{each}": {"hyperpod_instance_id": f"i-{each}"} for each in (1, 2)}
    nodes["ml-1"][access_report.SEEN] = answer("alice", "hyperpod-ops", "mallory", "carol")
    part = {"people": [], "nodes_read": ["i-1"], "nodes_not_read": [], "logins_known_since": {}, "unread": []}
    return {
        "access_report_csv": "new/report.csv",
        "access_report_json": "report.json",
        "access_report_operations_user": "hyperpod-ops",
        "access_report_users": [{"name": "alice", "uid": 1001}],
        "access_report_users_files": [],
        "ansible_play_hosts_all": ["c", "ml", "k8s"],
        "groups": {
            "cluster_ml": ["ml", "ml-1", "ml-2"],
            "hyperpod_clusters": ["ml", "b", "c", "k8s"],
            "node_type_login": ["ml-1"],
            "orchestrator_slurm": ["ml", "ml-1", "ml-2", "b", "c"],
        },
        "hostvars": {
            "ml": {access_report.PART: part},
            "b": {access_report.PART: part},
            "c": {},
            "k8s": {access_report.PART: part},
            **nodes,
        },
        "hyperpod_cluster_group": "cluster_ml",
        "hyperpod_run": {"records": {"offboarded": {"carol": {"since": "2026-11-01", "owner": "ops"}}}},
        "inventory_hostname": "ml",
    }


@pytest.mark.parametrize(("host", "is_login"), [("ml-1", True), ("ml-2", False)])
def test_login_nodes_read_shared_homes(variables: Variables, host: str, is_login: bool) -> None:
    assert access_report.is_login({**variables, "inventory_hostname": host}) is is_login
    assert not access_report.is_login({**variables, "inventory_hostname": host, "groups": {}})


def test_accounts_are_compared_with_declarations_and_records(variables: Variables) -> None:
    found = access_report.cluster_access(variables)
    assert (found["nodes_read"], found["nodes_not_read"], found["unread"]) == (["i-1"], ["i-2"], ["i-1: no /fsx"])
    assert {each["name"]: each["status"] for each in found["people"]} == {
        "alice": "declared",
        "carol": "offboarded",
        "hyperpod-ops": "operations",
        "mallory": "not declared",
    }


@pytest.mark.parametrize("run", [{}, {"records": {}}, {"records": None}])
def test_without_offboarded_users_the_report_is_complete(variables: Variables, run: Variables) -> None:
    people = access_report.cluster_access({**variables, "hyperpod_run": run})["people"]
    assert [each["status"] for each in people if each["name"] == "carol"] == ["not declared"]


def test_the_report_covers_all_clusters_of_the_run_including_failed_ones(variables: Variables) -> None:
    found = access_report.report({**variables, "hyperpod_inventory_failures": ["us-east-1: no access"]})
    as_json, as_csv = (each["content"] for each in found.files)
    document = json.loads(as_json)
    assert (list(document["clusters"]), document["clusters_not_read"]) == (["ml"], ["c"])
    assert document["inventory_failures"] == ["us-east-1: no access"]
    assert [line.split(",")[1] for line in as_csv.splitlines()[1:]] == ["c", ""]
    assert found.table[0].startswith("PERSON") and any("us-east-1: no access" in line for line in found.table)


def test_without_inventory_failures_none_are_reported(variables: Variables) -> None:
    assert json.loads(access_report.report(variables).files[0]["content"])["inventory_failures"] == []


def test_files_with_an_empty_path_are_not_written(variables: Variables) -> None:
    paths = {"access_report_csv": "", "access_report_json": "~/a/report.json"}
    assert [each["path"] for each in access_report.report({**variables, **paths}).files] == ["~/a/report.json"]
