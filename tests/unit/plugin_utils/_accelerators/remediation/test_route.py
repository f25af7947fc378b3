# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""How a repair is requested: through AWS's API, or through a reason in Slurm."""

from __future__ import annotations

import dataclasses
import typing as t

import pytest
from ansible_collections.mlfleet.hyperpod.plugins.plugin_utils._accelerators.remediation import route
from ansible_collections.mlfleet.hyperpod.plugins.plugin_utils.slurm_states import NOTHING

OURS, OTHERS = "mlfleet.hyperpod: repair: unfit for work", "cooling"
REFUSAL = "The node's reason in Slurm (cooling) was not set by a repair, and a request to HyperPod would overwrite it."


def variables(way: str, **more: t.Any) -> dict[str, t.Any]:
    return {"remediation_route": way, **more}


@pytest.mark.parametrize(
    ("way", "expected"),
    [
        ("api", []),
        ("orchestrator", []),
        ("both", ["remediation_route: 'both' is not allowed. Allowed: api, orchestrator."]),
    ],
)
def test_the_route_is_checked(way: str, expected: list[str]) -> None:
    assert route.problems(variables(way)) == expected
    assert route.by_orchestrator(variables(way)) is (way == "orchestrator")


@pytest.mark.parametrize(
    ("way", "recovery", "refused"),
    [("api", "None", False), ("orchestrator", "Automatic", False), ("orchestrator", "", False), ("orchestrator", "None", True)],
)
def test_the_orchestrator_route_is_refused_without_node_recovery(way: str, recovery: str, refused: bool) -> None:
    found = route.not_supported(variables(way, hyperpod_run={"cluster": {"node_recovery": recovery}}))
    why = "remediation_route: 'orchestrator' is not allowed: the cluster's NodeRecovery is None, so HyperPod ignores reasons and labels. Allowed: api."
    assert found == ([why] if refused else [])


@pytest.mark.parametrize(
    ("reason", "refusal"),
    [("", ""), (OURS, ""), ("mlfleet.hyperpod: accelerators: hot", ""), ("mlfleet.hyperpod: update", "x"), (OTHERS, REFUSAL)],
)
def test_a_foreign_reason_is_kept(reason: str, refusal: str) -> None:
    found = route.foreign(reason)
    assert bool(found) == bool(refusal) and (refusal in ("", "x") or found == refusal)
    state = dataclasses.replace(NOTHING, reason=reason)
    assert route.not_requestable(variables("orchestrator"), state) == found
    assert route.not_requestable(variables("api"), state) == ""


GROUPS = {"node_type_controller": ["other", "head", "second"], "cluster_ml": ["ml", "second", "head"]}


@pytest.mark.parametrize(
    ("groups", "hostvars", "expected"),
    [
        (GROUPS, {"head": {}}, (True, "head", "auto")),
        (GROUPS, {"head": {"ansible_python_interpreter": "/usr/bin/python3"}}, (True, "head", "/usr/bin/python3")),
        ({**GROUPS, "node_type_controller": ["other"]}, {}, (False, "ml", "auto")),
        ({"cluster_ml": ["ml"]}, {}, (False, "ml", "auto")),
    ],
)
def test_the_host_for_slurm_queries_is_selected(groups: t.Any, hostvars: t.Any, expected: tuple[bool, str, str]) -> None:
    own = {"hyperpod_cluster_group": "cluster_ml", "inventory_hostname": "ml", "groups": groups, "hostvars": hostvars}
    assert tuple(route.controller(variables("api", **own))) == expected
