# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Requested deep health checks: what is refused, and the requests to AWS."""

from __future__ import annotations

import typing as t

import pytest
from ansible_collections.mlfleet.hyperpod.plugins.plugin_utils._accelerators.remediation import checks

ALLOWED = "Allowed: instance IDs and instance groups of nodes that take jobs: cpus, gpus."


def host(iid: str, group: str) -> dict[str, str]:
    return {"hyperpod_instance_id": iid, "hyperpod_instance_group": group}


def variables(which: t.Any, nodes: t.Any) -> dict[str, t.Any]:
    """Two clusters; the second is not in the play's group."""
    clusters = {name: {"hyperpod_cluster_group": f"cluster_{name}"} for name in ("ml", "b")}
    hosts = {"head": host("i-1", "heads"), "login": host("i-2", "logins"), "one": host("i-3", "gpus"), "two": host("i-4", "cpus")}
    return {
        checks.WHICH: which,
        checks.OF_NODES: nodes,
        "ansible_play_hosts_all": ["ml", "b"],
        "hostvars": {**clusters, **hosts},
        "groups": {
            "cluster_ml": ["ml", "head", "login", "one"],
            "cluster_b": ["b", "two"],
            "node_type_controller": ["head"],
            "node_type_login": ["login"],
        },
    }


@pytest.mark.parametrize(
    ("which", "nodes"),
    [([], []), ("InstanceStress", "gpus"), (["InstanceStress", "InstanceConnectivity"], ["i-3", "cpus"]), ("MultiNodeTrainingValidation", "i-4, i-3")],
)
def test_valid_requests_are_accepted(which: t.Any, nodes: t.Any) -> None:
    assert checks.problems(variables(which, nodes)) == []


@pytest.mark.parametrize(
    ("which", "nodes", "expected"),
    [
        ("InstanceStress", "", "remediation_deep_check_nodes: missing. Set both remediation_deep_check_nodes and remediation_deep_checks, or neither."),
        ([], ["gpus"], "remediation_deep_checks: missing. Set both remediation_deep_checks and remediation_deep_check_nodes, or neither."),
        (
            "stress",
            "gpus",
            "remediation_deep_checks: 'stress' is not allowed. Allowed: InstanceStress, InstanceConnectivity, MultiNodeTrainingValidation.",
        ),
        ("InstanceStress", "i-9", f"remediation_deep_check_nodes: 'i-9' is not allowed. {ALLOWED}"),
        ("InstanceStress", "logins", f"remediation_deep_check_nodes: 'logins' is not allowed. {ALLOWED}"),
        ("InstanceStress", "i-1", f"remediation_deep_check_nodes: 'i-1' is not allowed. {ALLOWED}"),
    ],
)
def test_invalid_requests_are_refused(which: t.Any, nodes: t.Any, expected: str) -> None:
    assert checks.problems(variables(which, nodes)) == [expected]


def test_each_group_has_one_request() -> None:
    nodes = (("i-3", "gpus"), ("i-4", "cpus"), ("i-5", "gpus"))
    rows = [{"node": iid, "group": group, "checks": "InstanceStress,InstanceConnectivity"} for iid, group in nodes]
    assert checks.requested(rows) == [
        {"name": "gpus", "checks": ["InstanceStress", "InstanceConnectivity"], "node_ids": ["i-3", "i-5"]},
        {"name": "cpus", "checks": ["InstanceStress", "InstanceConnectivity"], "node_ids": ["i-4"]},
    ]
