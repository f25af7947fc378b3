# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""A document about a fleet with one cluster in each standing, all sections, and sources that could not be used."""

from __future__ import annotations

import json
import typing as t
from pathlib import Path

from ansible_collections.mlfleet.hyperpod.plugins.module_utils._topology.model import Place
from ansible_collections.mlfleet.hyperpod.plugins.plugin_utils._topology import document as of_topology
from ansible_collections.mlfleet.hyperpod.plugins.plugin_utils.fleet_report import document as of_fleet, sources
from ansible_collections.mlfleet.hyperpod.plugins.plugin_utils.fleet_report.standing import Limits
from ansible_collections.mlfleet.hyperpod.plugins.plugin_utils.report_store.place import Folder
from ansible_collections.mlfleet.hyperpod.plugins.plugin_utils.reports import access, vpn
from simulated.accelerator_report import report as health
from simulated.fleet_store import ACCOUNT, NOW, add, arn, cluster, finding, of_cluster

CLUSTERS = {"fine": "good", "late": "old", "waits": "pending", "broken": "unknown", "none": "unknown", "bad": "person"}
"""The standing of each cluster."""
AT = "2026-11-29T10:00:00Z"


def _places(key: str) -> of_topology.Cluster:
    states = (("used", ("research/wide",)), ("free", ()))
    places = (
        Place(f"n-{each}", ("a", f"b{each % 2}"), f"i-{each}", "t", "g", "z", "", state, "", jobs)
        for each in range(6)
        for state, jobs in (states[each > 1],)
    )
    return of_topology.Cluster(key, arn(key), ACCOUNT, "us-west-2", tuple(places))


def _files(*keys: str) -> dict[str, dict[str, t.Any]]:
    """The report files by verb."""
    nodes = next(iter(health(8)["clusters"].values()))
    found = {**health(8), "clusters": {key: {**nodes, "arn": arn(key)} for key in keys}}
    person = {"name": "eve", "uids": [1], "status": "not declared", "source": "", "keys": [], "nodes": ["i-1"], "closed_on": []}
    people = [
        {**person, "last_login": {"time": "2026-11-26T12:00:00Z", "node": "i-1", "with": "ssh"}, "password_on": ["i-1"]},
        {**person, "name": "oscar", "status": "offboarded", "last_login": None, "password_on": []},
    ]
    users = {key: {"people": people, "nodes_read": ["i-1"], "nodes_not_read": [], "logins_known_since": {}, "unread": []} for key in keys}
    price = {"failure": "", "nodes": 2, "per_hour": 6.12, "currency": "USD", "without_price": [], "waiting_pods": 1}
    use = {"state": "read", "why": "", "pending_workloads": 3, "reserving_workloads": 1, "admitted_workloads": 1}
    efa = {"flavor": "ml.p5.48xlarge", "resource": "vpc.amazonaws.com/efa", "quota": 64, "used": 32, "borrowed": 0, "reserved": 32}
    gpus = {**efa, "resource": "nvidia.com/gpu", "quota": 16, "used": 24, "borrowed": 8, "reserved": 24}
    quota = {"status": "Created", "activation_state": "Enabled", "quota": [{"instance_type": "ml.p5.48xlarge", "count": 2, "vcpu": 384}]}
    off = {**quota, "activation_state": "Disabled", "quota": []}
    teams = [
        {"team": "research", **quota, "use": {**use, "resources": [efa, gpus]}},
        {"team": "tests", **off, "use": {**use, "pending_workloads": 0, "admitted_workloads": None, "resources": []}},
        {"team": "vision", **quota, "use": {"state": "not read", "why": "GET was answered with 403"}},
        {"team": "late", **quota, "use": {"state": "no queue", "why": ""}},
    ]
    governance = {key: {"arn": arn(key), "failure": "", "teams": teams} for key in keys}
    people_of_vpn = [
        {"name": name, "serial": name, "not_after": f"2026-12-{day}T00:00:00Z", "state": "valid"}
        for name, day in (("alice", "05"), ("eve", "06"), ("mallory", "07"))
    ]
    log = {"alice": {"last_connected": "2026-11-29T08:00:00Z"}}
    of_vpn = {"people": ["alice"], "offboarded": ["eve"], "log": log, "connected": ["alice"]}
    vpcs = [vpn.of_vpc("vpc-1", pki={"people": people_of_vpn}, **of_vpn)]
    return {
        "vpn_report": {"vpn_report.json": json.loads(vpn.to_json(vpcs, created=AT, clusters={"bad": {"arn": arn("bad"), "vpc": "vpc-1"}}))},
        "verify": {"accelerators.json": found},
        "topology": {"topology.json": of_topology.document([_places(key) for key in keys], created=AT)},
        "access_report": {"access_report.json": json.loads(access.to_json(users, created=AT))},
        "karpenter_status": {"karpenter.json": {"schema": 1, "karpenter": {key: {"arn": arn(key), **price} for key in keys}}},
        "task_governance": {"governance.json": {"schema": 1, "governance": governance}},
    }


def document(folder: Path) -> dict[str, t.Any]:
    """The document, from a store in the folder."""
    place = Folder(str(folder))
    for verb, files in _files("fine", "bad").items():
        add(place, AT, verb, of_cluster("fine"), of_cluster("bad"), files=files)
    for hour, status in (("08", "unchanged"), ("09", "degraded"), ("11", "failed")):
        findings = [finding(node="i-0123456789abcdef0", next_step="Run login_access.")] if status == "failed" else []
        ends = {"vpn-ca": "2026-12-03T00:00:00Z", "host": "2027-12-03T00:00:00Z"}
        serving = {"login_nodes": 2, "login_nodes_in_service": 0, "certificates": ends}
        add(place, f"2026-11-29T{hour}:30:00Z", "reconcile", of_cluster("bad", status, *findings, **serving))
    add(place, "2026-11-29T11:00:00Z", "reconcile", of_cluster("fine"), of_cluster("waits", "degraded", finding("pending", "home-waits")))
    add(place, "2026-11-29T11:05:00Z", "reconcile", of_cluster("fine"), check=True)
    add(place, "2026-11-29T11:10:00Z", "drift", {**of_cluster("waits", "changed"), "changes": [{}, {}]}, of_cluster("fine"), check=True)
    add(place, "2026-11-20T11:00:00Z", "reconcile", of_cluster("late"), of_cluster("left"))
    add(place, AT, "reconcile", of_cluster("broken", account="222222222222"))
    clusters = [cluster(key, "eks" if key == "fine" else "slurm", nodes={"Running": 5, "Pending": 1}) for key in CLUSTERS]
    read = sources.read(place, NOW, list(CLUSTERS), list(CLUSTERS))
    inventory = of_fleet.Inventory(clusters, list(CLUSTERS), ["profile research, region eu-west-1: access was denied"])
    return json.loads(json.dumps(of_fleet.document(inventory, read, Limits(NOW, 24))))
