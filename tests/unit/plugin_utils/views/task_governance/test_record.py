# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The file with quotas and their use. A number that was not read is never 0."""

from __future__ import annotations

import json
import typing as t

from ansible_collections.mlfleet.hyperpod.plugins.plugin_utils.views.task_governance.record import NOT_READ, quota_files

from .governed import P5, quota

USE = {"pending_workloads": 0, "reserving_workloads": 1, "admitted_workloads": 1, "resources": []}


def governance(**hosts: dict[str, t.Any]) -> dict[str, t.Any]:
    """What the file has about these hosts. One more cluster is not in the run."""
    known = {key: {"hyperpod_cluster_arn": f"arn:{key}", **each} for key, each in {**hosts, "other": {}}.items()}
    variables = {"task_governance_json": "g.json", "hyperpod_state_dir": "/s", "hostvars": known, "groups": {"hyperpod_clusters": [*known]}}
    (file,) = quota_files({**variables, "ansible_play_hosts_all": [*hosts]})
    found = json.loads(file["content"])
    assert (file["path"], found["schema"], {*found["governance"]}) == ("/s/g.json", 1, {*hosts})
    return dict(found["governance"])


def read(*quotas: dict[str, t.Any], usage: t.Sequence[t.Any] | None = ()) -> dict[str, t.Any]:
    use = {"msg": "denied"} if usage is None else {"usage": list(usage)}
    return {"__task_governance_quotas_after": {"compute_quotas": list(quotas)}, "__task_governance_use": use}


def test_teams_with_their_quotas_and_their_use() -> None:
    deleted, off = quota("gone", 1, status="Deleted"), quota("b", 0, activation_state="Disabled")
    off.pop("compute_quota_resources")
    found = governance(ml=read(off, deleted, quota("a", 2, activation_state="Enabled"), usage=[{"team": "a", **USE}, {"team": "x", **USE}]))
    about = {"status": "Created", "activation_state": "Enabled", "quota": [{"instance_type": P5, "count": 2}]}
    none = {"status": "Created", "activation_state": "Disabled", "quota": []}
    assert found["ml"] == {
        "arn": "arn:ml",
        "failure": "",
        "teams": [
            {"team": "a", **about, "use": {"state": "read", "why": "", **USE}},
            {"team": "b", **none, "use": {"state": "no queue", "why": ""}},
        ],
    }


def test_use_that_could_not_be_read() -> None:
    (team,) = governance(ml=read(quota("a", 2), usage=None))["ml"]["teams"]
    assert team["quota"] == [{"instance_type": P5, "count": 2}] and team["use"] == {"state": "not read", "why": "denied"}


def test_clusters_whose_quotas_were_not_read() -> None:
    found = governance(ended={}, denied={"__task_governance_quotas_after": {"failed": False, "msg": "denied"}}, ml=read())
    assert {key: (each["failure"], each["teams"]) for key, each in found.items()} == {
        "ended": (NOT_READ, []),
        "denied": ("denied", []),
        "ml": ("", []),
    }


def test_no_file_without_a_path() -> None:
    assert quota_files({"task_governance_json": ""}) == []
