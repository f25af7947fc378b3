# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""A report store with reports of runs, as the report callback adds them, and the inventory's clusters that they are about."""

from __future__ import annotations

import json
import typing as t
from pathlib import Path

from ansible_collections.mlfleet.hyperpod.plugins.plugin_utils.fleet_report import document as of_fleet, sources
from ansible_collections.mlfleet.hyperpod.plugins.plugin_utils.fleet_report.standing import Limits
from ansible_collections.mlfleet.hyperpod.plugins.plugin_utils.report_store.documents import documents
from ansible_collections.mlfleet.hyperpod.plugins.plugin_utils.report_store.place import Folder, Place
from ansible_collections.mlfleet.hyperpod.plugins.plugin_utils.report_store.store import store

NOW = "2026-11-29T12:00:00Z"
ACCOUNT = "111111111111"
Found = t.Mapping[str, t.Any]


def arn(key: str) -> str:
    return f"arn:aws:sagemaker:us-west-2:{ACCOUNT}:cluster/{key}"


def finding(kind: str = "failure", code: str = "no-login-service", **more: str) -> dict[str, str]:
    severity = {"failure": "error", "pending": "warning"}.get(kind, "info")
    return {"kind": kind, "code": code, "severity": severity, "node": "", "subject": "", "text": "it failed", "next_step": "", **more}


def of_cluster(key: str, /, status: str = "unchanged", *findings: Found, **more: t.Any) -> dict[str, t.Any]:
    """The part of a report about one cluster."""
    about = {"account": ACCOUNT, "arn": arn(key), "region": "us-west-2", "login_name": None, "people_files": None, "full_look": None}
    numbers = {"nodes": 3, "nodes_looked_at": 3, "login_nodes": None, "login_nodes_in_service": None, "certificates": None}
    return {"status": status, **about, **numbers, "changes": [], "findings": list(findings), **more}


def report(started: str, verb: str, clusters: Found, *, check: bool = False, **more: t.Any) -> dict[str, t.Any]:
    about = {"schema": 3, "status": "unchanged", "started": started, "ended": started, "playbook": verb, "check_mode": check}
    return {**about, "reads_only": False, "controller": "ops@control", "awx_job": None, "clusters": dict(clusters), **more}


def add(place: Place, started: str, verb: str, *clusters: Found, files: Found | None = None, **more: t.Any) -> str:
    """Add a run, and return its ``TIME-ID``. Its ID is a hash of its time and verb.

    :param clusters: results of ``of_cluster``; the key of a cluster is the end of its ARN, or ``key``.
    """
    by_key = {each.get("key") or str(each["arn"]).rpartition("/")[2]: {**each} for each in clusters}
    for each in by_key.values():
        each.pop("key", None)
    run_id = f"{abs(hash((started, verb, *by_key))) % 16**16:016x}"
    made = documents(report(started, verb, by_key, **more), run_id, {name: json.dumps(each) for name, each in (files or {}).items()})
    store(place, made)
    return made[-1].key.rpartition("/")[2].removesuffix(".json")


def cluster(key: str, orchestrator: str = "slurm", **more: t.Any) -> of_fleet.Cluster:
    return of_fleet.Cluster(key, **{"arn": arn(key), "account": ACCOUNT, "region": "us-west-2", **more}, orchestrator=orchestrator)


def inventory(*keys: str, not_read: t.Sequence[str] = ()) -> of_fleet.Inventory:
    return of_fleet.Inventory([cluster(key) for key in keys], keys, not_read)


def fleet(folder: Path, *keys: str, now: str = NOW, **more: t.Any) -> dict[str, t.Any]:
    """The document about these clusters, as a program reads it."""
    read = sources.read(Folder(str(folder)), now, keys, keys)
    return json.loads(json.dumps(of_fleet.document(inventory(*keys, **more), read, Limits(now, 24))))
