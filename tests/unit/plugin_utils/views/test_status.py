# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The readings for the status of a cluster, and the file of all clusters."""

from __future__ import annotations

import json
import typing as t
from pathlib import Path

import pytest
from ansible_collections.mlfleet.hyperpod.plugins.plugin_utils.views import status

ARN = "arn:aws:sagemaker:us-west-2:111111111111:cluster/abc123def456"
PLACE = {"hyperpod_cluster_arn": ARN, "inventory_hostname": "ml", "ansible_play_hosts_all": ["ml"], "hostvars": {"ml": {"hyperpod_cluster_arn": ARN}}}
OWN = {"status_balancer_name": "hp-ml", "status_client_vpn": False, "status_host_certificates": False, **PLACE}
ADOPTED = {"load_balancer": {"name": "foreign"}, "target_group": {"name": "foreign-tg"}}


@pytest.mark.parametrize(
    ("given", "expected"),
    [
        ({}, ("hp-ml", "hp-ml", [], [])),
        ({"hyperpod_run": {"records": {}}}, ("hp-ml", "hp-ml", [], [])),
        (
            {"hyperpod_run": {"records": {"adopted": {"balancer": ADOPTED}, "drained": {"i-1": {}}}}},
            ("foreign", "foreign-tg", ["i-1"], []),
        ),
        ({"status_client_vpn": True}, ("hp-ml", "hp-ml", [], ["cluster/vpn.yml"])),
        ({"status_client_vpn": True, "status_host_certificates": True}, ("hp-ml", "hp-ml", [], ["cluster/vpn.yml", "cluster/known.yml"])),
    ],
)
def test_existing_resources_are_read(given: dict[str, t.Any], expected: tuple[t.Any, ...]) -> None:
    found = status.names({**OWN, **given})
    assert (found.load_balancer, found.target_group, found.drained, found.more) == expected


def test_one_host_reads_the_events_of_its_account_and_region() -> None:
    play = {"ansible_play_hosts_all": ["other", "ml"], "hostvars": {name: {"hyperpod_cluster_arn": ARN} for name in ("other", "ml")}}
    assert status.names(OWN).reads_events and status.names(OWN).events == "mlfleet-hyperpod-events"
    assert status.names({**OWN, "events_queue_name": "another"}).events == "another"
    assert not status.names({**OWN, **play}).reads_events and status.names({**OWN, **play, "inventory_hostname": "other"}).reads_events


def test_unreadable_parts_are_added() -> None:
    before = {"part": "a", "reason": "b"}
    found = status.unread({"__status_not_read": [before], "ansible_failed_result": {"msg": "AccessDenied"}})
    assert found.host_certificates == [before, {"part": "host certificates", "reason": "AccessDenied"}]
    assert found.client_vpn == [before, {"part": "the client VPN", "reason": "AccessDenied"}]


@pytest.mark.parametrize(("run", "ready"), [({}, False), ({"hyperpod_run": {}}, False), ({"hyperpod_run": {"ready": True}}, True)])
def test_nodes_are_read_if_their_cluster_is_ready(run: dict[str, t.Any], ready: bool) -> None:
    groups = {"hyperpod_clusters": ["ml"], "cluster_ml": ["ml", "node"]}
    known = {"group_names": ["cluster_ml"], "groups": groups, "hostvars": {"ml": run}, "hyperpod_run": {"ready": not ready}}
    assert status.ready(known) is ready


@pytest.mark.parametrize(
    ("run", "hosts", "found"),
    [
        ({}, [[]], {}),
        ({"hyperpod_run": {"vpn_status": {"pki": {"authority": {"not_after": "2036-11-21T12:00:00Z"}}}}}, [], {"vpn-ca": "2036-11-21T12:00:00Z"}),
        ({}, [["2027-02-01T00:00:00Z"], ["2027-03-01T00:00:00Z", "2027-01-01T00:00:00Z"]], {"host": "2027-01-01T00:00:00Z"}),
    ],
)
def test_the_report_of_the_run_has_the_first_expiry(run: dict[str, t.Any], hosts: list[list[str]], found: dict[str, str]) -> None:
    nodes = [{"certificates": [{"ends": end} for end in ends]} for ends in hosts]
    assert status.certificates({**run, "__status_reported": {"login_nodes": nodes}}) == found


def test_the_file_contains_all_clusters_that_were_read() -> None:
    hostvars = {"ml": {"__status_reported": {"cluster": "ml", "state": "fine"}}, "failed": {}}
    found = status.file({"hostvars": hostvars, "ansible_play_hosts": ["ml", "failed"]})
    assert json.loads(found)["clusters"] == {"ml": {"cluster": "ml", "state": "fine"}}


def test_the_status_contains_the_login_nodes_of_the_cluster(tmp_path: Path) -> None:
    groups = {"cluster_ml": ["ml", "ml-i-1", "ml-i-2"], "node_type_login": ["ml-i-1", "b-i-3"]}
    node = {"hyperpod_instance_id": "i-1", "__status_silent": "silence"}
    seen = {"__status_targets": {"targets": [{"instance_id": "i-1", "health": "healthy"}]}}
    hostvars = {"ml": {"hyperpod_cluster_key": "ml", "hyperpod_cluster_arn": ARN, **seen}, "ml-i-1": node}
    known = {**PLACE, "groups": groups, "hostvars": hostvars, "hyperpod_cluster_group": "cluster_ml"}
    found = status.status({**known, "hyperpod_state_dir": str(tmp_path), "hyperpod_cluster_key": "ml"})
    assert "i-1" in json.dumps(found) and "silence" in json.dumps(found)


def test_the_status_contains_the_events_that_another_host_has_read(tmp_path: Path) -> None:
    queue = {"name": "events", "problems": []}
    first = {"hyperpod_cluster_arn": ARN, "__status_events": {"event_queue": queue}}
    own = {"hyperpod_cluster_key": "ml", "hyperpod_cluster_arn": ARN, "__status_events": {"skipped": True}}
    play = {"ansible_play_hosts_all": ["first", "ml"], "hostvars": {"first": first, "ml": own}, "groups": {"cluster_ml": ["ml"]}}
    known = {**PLACE, **play, "hyperpod_cluster_group": "cluster_ml", "hyperpod_state_dir": str(tmp_path)}
    assert status.status({**known, "hyperpod_cluster_key": "ml"})["events"] == queue
