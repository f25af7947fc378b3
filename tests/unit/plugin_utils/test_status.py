# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The status of a cluster, its findings, and its last run."""

from __future__ import annotations

import json
import typing as t
from pathlib import Path

import pytest
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._core.finding import pending, to_result
from ansible_collections.mlfleet.hyperpod.plugins.plugin_utils.last_runs import last_run
from ansible_collections.mlfleet.hyperpod.plugins.plugin_utils.status import Events, cluster_status
from ansible_collections.mlfleet.hyperpod.plugins.plugin_utils.status_page import page

NOW = "2026-11-21T12:00:00Z"
NODE = "i-0123456789abcdef0"
TARGET = {"instance_id": NODE, "ip": "10.1.1.11", "decision": "in", "reason": "running and verified", "health": "healthy"}
PKI = {
    "server": {"not_after": "2027-11-21T12:00:00Z"},
    "authority": {"not_after": "2036-11-21T12:00:00Z"},
    "crl": {"next_update": "2027-11-21T12:00:00Z"},
    "people": [{"name": "alice", "not_after": "2027-11-21T12:00:00Z", "state": "valid"}],
}
HOST: dict[str, t.Any] = {
    "hyperpod_cluster_key": "ml",
    "hyperpod_cluster_arn": "arn:aws:sagemaker:us-west-2:111111111111:cluster/abc123def456",
    "hyperpod_account_id": "111111111111",
    "hyperpod_region": "us-west-2",
    "__status_cluster": {"cluster": {"status": "InService"}},
    "__status_lock": {"holder": None, "holder_run": ""},
    "__status_records": {"records": {"drained": {}, "offboarded": {"mallory": {}}, "adopted": {}}},
    "__status_balancer": {"network_load_balancer": {"dns_name": "hp-ml.elb.us-west-2.amazonaws.com"}},
    "__status_targets": {"targets": [TARGET]},
    "__status_keys": {"host_keys": [{"fingerprint": "SHA256:x", "public_key": "ssh-ed25519 AAAA"}], "rotation": None},
    "__status_scripts": {"lifecycle_scripts": {"bucket": "sagemaker-x", "prefix": "ml/", "changed": []}},
    "hyperpod_run": {"vpn_status": {"endpoint": {"client_vpn_endpoint_id": "cvpn-1", "status": "available"}, "pki": PKI}},
}
HOLDER = {"owner": "ops@bastion", "generation": 7, "acquired": "2026-11-21T11:30:00Z", "expires": "2026-11-21T12:30:00Z"}
LAST = {"playbook": "reconcile", "ended": "2026-11-21T11:50:00Z", "controller": "ops@bastion", "status": "unchanged"}


def status(*, nodes: t.Sequence[t.Mapping[str, t.Any]] = (), **more: t.Any) -> dict[str, t.Any]:
    last = {"last": LAST, **more}["last"]
    return cluster_status({**HOST, **more}, nodes, now=NOW, last_run=last)


def test_a_cluster_in_order_has_no_finding() -> None:
    found = status()
    assert (found["findings"], found["in_service"], found["offboarded"]) == ([], 1, ["mallory"])
    assert json.loads(json.dumps(found)) == found
    shown = "\n".join(page(found))
    for words in (
        "ml (InService), account 111111111111, us-west-2",
        "hp-ml.elb.us-west-2.amazonaws.com",
        f"1 of 1 login nodes\n{'':12}{NODE}  10.1.1.11  healthy",
        "lock        free",
        "SHA256:x",
        "scripts     s3://sagemaker-x/ml/, as uploaded",
        "server certificate until 2027-11-21T12:00:00Z",
        "the first to expire: alice until 2027-11-21T12:00:00Z",
        "reconcile at 2026-11-21T11:50:00Z by ops@bastion: unchanged",
        "findings    none",
    ):
        assert words in shown, shown


def vpn(**parts: t.Any) -> dict[str, t.Any]:
    return {"hyperpod_run": {"vpn_status": {"endpoint": {}, "pki": {**PKI, **parts}}}}


ALICE = {"name": "alice", "not_after": "2026-12-01T12:00:00Z", "state": "due"}
CERTIFICATE = {"type": "ssh-ed25519", "ends": "2026-12-01T12:00:00Z"}


@pytest.mark.parametrize(
    ("more", "words"),
    [
        ({"__status_cluster": {"cluster": None}}, "the cluster is gone"),
        ({"__status_cluster": {"msg": "AccessDenied"}}, "could not be read: the cluster (AccessDenied)"),
        ({"__status_cluster": {"cluster": {"status": "Updating"}}}, "the cluster is Updating"),
        ({"__status_balancer": {"msg": "no", "hyperpod_failure": {"code": "no-such-load-balancer"}}}, "there is no load balancer"),
        ({"__status_balancer": {"msg": "AccessDenied"}}, "could not be read: the load balancer (AccessDenied)"),
        ({"__status_targets": {"targets": [{**TARGET, "health": "unhealthy"}]}}, "no login node is in service"),
        ({"__status_targets": {"targets": [{**TARGET, "health": None}]}}, f"{NODE} is not in service (not registered): running"),
        ({"__status_records": {"msg": "Parameter x is no record"}}, "the records of operators' decisions (Parameter x is no record)"),
        ({"__status_lock": {"holder": HOLDER, "holder_run": "ended"}}, "the run of ops@bastion ended without releasing the lock"),
        (vpn(server={"not_after": "2026-12-01T12:00:00Z"}), "the VPN's server certificate expires in 10 days, at 2026-12-01"),
        (vpn(crl={"next_update": "2026-11-20T12:00:00Z"}), "the VPN's CRL expired at 2026-11-20"),
        (vpn(people=[ALICE]), "the VPN certificate of alice expires in 10 days"),
        ({"__status_not_read": [{"part": "the client VPN", "reason": "no"}]}, "could not be read: the client VPN (no)"),
        ({"nodes": [{"hyperpod_instance_id": NODE, "__status_silent": "silence"}]}, f"login node {NODE}: silence"),
        (
            {"nodes": [{"hyperpod_instance_id": NODE, "__status_certificates": [CERTIFICATE]}]},
            f"the host certificate (ssh-ed25519) of {NODE} expires in 10 days",
        ),
        ({"last": {**LAST, "status": "degraded", "findings": [{"kind": "pending", "code": "unknown", "text": "x waits"}]}}, "left the cluster degraded"),
        ({"last": {**LAST, "status": "degraded", "findings": [{"kind": "pending", "code": "unknown", "text": "x waits"}]}}, "last run: x waits"),
    ],
)
def test_problems_are_findings(more: dict[str, t.Any], words: str) -> None:
    found = status(**more)
    assert any(words in each["text"] for each in found["findings"]), found["findings"]
    assert any(words in line for line in page(found))


def test_changed_lifecycle_scripts_are_findings() -> None:
    changed = pending("lifecycle-script-changed", "The lifecycle script s3://sagemaker-x/ml/a was changed", subject="s3://sagemaker-x/ml/a")
    scripts = {"bucket": "sagemaker-x", "prefix": "ml/", "changed": ["a"]}
    found = status(__status_scripts={"lifecycle_scripts": scripts, **to_result([changed])})
    assert [each["code"] for each in found["findings"]] == ["lifecycle-script-changed"] and found["unknown"] == []
    assert "s3://sagemaker-x/ml/, 1 changed since the upload" in "\n".join(page(found))


def test_missing_records_and_unreadable_scripts_are_distinguished() -> None:
    without = status(__status_scripts={"lifecycle_scripts": None})
    unread = status(__status_scripts={"failed": True, "msg": "S3 denies access."})
    assert (without["findings"], without["unknown"]) == ([], [])
    assert [each["subject"] for each in unread["unknown"]] == ["the lifecycle scripts (S3 denies access.)"]
    assert all("not compared: no recorded digests were read" in "\n".join(page(found)) for found in (without, unread))


def test_a_node_during_a_port_move_counts_once() -> None:
    """It has a row for each port; users still connect on one of them."""
    moving = [{**TARGET, "port": 22}, {**TARGET, "port": 222, "health": None, "decision": "hold", "reason": "not verified yet"}]
    for targets in (moving, moving[::-1]):
        found = status(__status_targets={"targets": targets})
        assert (found["in_service"], len(found["login_nodes"]), found["findings"]) == (1, 1, [])


def test_a_drained_node_is_no_finding() -> None:
    record = {"owner": "ops", "since": "2026-11-20", "reason": "fans \x1b[2J"}
    records = {"records": {"drained": {NODE: record}, "offboarded": {}, "adopted": {}}}
    two = [{**TARGET, "health": "draining"}, {**TARGET, "instance_id": "i-0123456789abcdef1"}]
    found = status(__status_records=records, __status_targets={"targets": two})
    assert found["findings"] == [] and f"{NODE} by ops, since 2026-11-20: fans ?[2J" in "\n".join(page(found))


def test_an_unreadable_cluster_is_reported() -> None:
    nothing = {name: {"msg": "no credentials"} for name in HOST if name.startswith("__status")}
    found = status(last=None, hyperpod_run={}, **nothing)
    assert len(found["not_read"]) == 7 and page(found)
    assert [(each["kind"], each["text"]) for each in found["unknown"]] == [
        ("failure", f"this part of the status could not be read: {each}") for each in found["not_read"]
    ]


def test_a_single_unreadable_part_is_unknown() -> None:
    (found,) = status(__status_records={"msg": "no permission"})["unknown"]
    assert (found["kind"], found["text"]) == ("pending", "this part of the status could not be read: the records of operators' decisions (no permission)")


def test_a_silent_node_is_unknown() -> None:
    found = status(nodes=[{"hyperpod_instance_id": NODE, "__status_silent": "its host certificates could not be read"}])
    assert [each["text"] for each in found["unknown"]] == [f"login node {NODE}: its host certificates could not be read"]
    assert status()["unknown"] == []


def _report(path: Path, *, playbook: str, check: bool = False, reads: bool = False, clusters: t.Sequence[str] = ("ml",)) -> None:
    path.parent.mkdir(exist_ok=True)
    found = [{"kind": kind, "code": "home-waits", "text": kind} for kind in ("failure", "pending", "note")]
    own = {key: {"status": "changed", "findings": found} for key in clusters}
    content = {"playbook": playbook, "check_mode": check, "reads_only": reads, "ended": path.stem, "clusters": own}
    path.write_text(json.dumps(content))


def test_the_last_run_is_the_last_one_that_makes_changes(tmp_path: Path) -> None:
    assert last_run(str(tmp_path), "ml") is None
    (tmp_path / "report.json").write_text(json.dumps({"clusters": {"ml": {"status": "degraded"}}}))
    assert last_run(str(tmp_path), "ml")["status"] == "degraded"  # type: ignore[index]
    _report(tmp_path / "reports/1.json", playbook="login_access")
    _report(tmp_path / "reports/2.json", playbook="reconcile", clusters=["other"])
    _report(tmp_path / "reports/3.json", playbook="reconcile", check=True)
    _report(tmp_path / "reports/4.json", playbook="weekly", reads=True)
    (tmp_path / "reports/5.json").write_text("cut off {")
    found = last_run(str(tmp_path), "ml")
    assert found is not None and (found["playbook"], found["ended"]) == ("login_access", "1")
    assert [each["text"] for each in found["findings"]] == ["failure", "pending"]


QUEUE = {
    "name": "events",
    "active": True,
    "rule": {"exists": True, "enabled": True, "queue_arn": "arn"},
    "queue": {"exists": True, "messages": 2, "oldest_message_age": 1000},
    "dead_letter_queue": {"name": "events-dead", "exists": True, "messages": 1},
    "problems": [],
}


def with_events(found: dict[str, t.Any] | None, **more: t.Any) -> dict[str, t.Any]:
    return cluster_status({**HOST, **more}, [], Events(found, 15), now=NOW, last_run=LAST)


def test_findings_about_events_are_in_one_cluster_of_the_account_and_region() -> None:
    first = with_events(QUEUE, __status_events={"event_queue": QUEUE})
    assert [each["code"] for each in first["findings"]] == ["events-not-received", "events-dead-letters"]
    assert "account 111111111111, Region us-west-2" in first["findings"][0]["text"]
    other = with_events(QUEUE, __status_events={"skipped": True})
    assert other["findings"] == [] and other["events"] == first["events"] == QUEUE
    for each in (first, other):
        assert "events      on, messages: 2 (the oldest 1000 s), dead letters: 1" in page(each)


def test_events_that_could_not_be_read_are_unknown() -> None:
    found = with_events(None, __status_events={"failed": True, "msg": "wrong account"})
    assert found["not_read"] == ["the events of the account and Region (wrong account)"]
    assert "events      not read" in page(found)
