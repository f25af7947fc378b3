# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Which pods fit on which nodes, and how many nodes may be removed."""

from __future__ import annotations

import typing as t

import pytest
from lab.karpenter.placing import Offer, allowed, meets, quantity, requested, seconds, takes, within

TYPE, ZONE = "node.kubernetes.io/instance-type", "topology.kubernetes.io/zone"
LABELS = {TYPE: "ml.g5.8xlarge", ZONE: "a", "team": "x"}
TAINT = {"key": "gpu", "value": "yes", "effect": "NoSchedule"}


def pod(**spec: t.Any) -> dict[str, t.Any]:
    return {"spec": {"containers": [], **spec}}


def affinity(*expressions: dict[str, t.Any]) -> dict[str, t.Any]:
    terms = [{"matchExpressions": [each]} for each in expressions]
    return {"nodeAffinity": {"requiredDuringSchedulingIgnoredDuringExecution": {"nodeSelectorTerms": terms}}}


@pytest.mark.parametrize(
    ("spec", "taints", "expected"),
    [
        ({}, [], True),
        ({"nodeSelector": {TYPE: "ml.g5.8xlarge"}}, [], True),
        ({"nodeSelector": {TYPE: "ml.p5.48xlarge"}}, [], False),
        ({"nodeSelector": {"other": "x"}}, [], False),
        ({"affinity": affinity({"key": ZONE, "operator": "In", "values": ["b", "a"]})}, [], True),
        ({"affinity": affinity({"key": ZONE, "operator": "NotIn", "values": ["a"]})}, [], False),
        ({"affinity": affinity({"key": "none", "operator": "Exists"}, {"key": "team", "operator": "Exists"})}, [], True),
        ({}, [TAINT], False),
        ({}, [{**TAINT, "effect": "PreferNoSchedule"}], True),
        ({"tolerations": [{"key": "gpu", "operator": "Exists"}]}, [TAINT], True),
        ({"tolerations": [{"key": "gpu", "value": "yes", "effect": "NoSchedule"}]}, [TAINT], True),
        ({"tolerations": [{"key": "gpu", "value": "no"}]}, [TAINT], False),
        ({"tolerations": [{"operator": "Exists"}]}, [TAINT], True),
    ],
)
def test_which_pods_fit_on_a_node(spec: dict[str, t.Any], taints: list[dict[str, str]], expected: bool) -> None:
    assert takes(Offer("gpus", LABELS, taints, {}), pod(**spec)) is expected


@pytest.mark.parametrize(
    ("requirement", "expected"),
    [
        ({"key": TYPE, "operator": "Exists"}, True),
        ({"key": TYPE, "operator": "DoesNotExist"}, False),
        ({"key": "none", "operator": "DoesNotExist"}, True),
        ({"key": "none", "operator": "NotIn", "values": ["a"]}, True),
        ({"key": "none", "operator": "In", "values": ["a"]}, False),
    ],
)
def test_requirements(requirement: dict[str, t.Any], expected: bool) -> None:
    assert meets(LABELS, [requirement]) is expected


def test_requested_resources_and_whether_they_fit() -> None:
    resources = [{"requests": {"cpu": "500m"}, "limits": {"cpu": "2", "nvidia.com/gpu": "1"}}, {"limits": {"nvidia.com/gpu": 2}}, {}]
    wanted = requested(pod(containers=[{"resources": each} for each in resources]))
    assert wanted == {"pods": 1, "cpu": 0.5, "nvidia.com/gpu": 3}
    assert within(wanted, {"pods": 1, "cpu": 1, "nvidia.com/gpu": 3})
    assert not within(wanted, {"pods": 1, "cpu": 1, "nvidia.com/gpu": 2}) and not within(wanted, {"pods": 1, "cpu": 1})


def test_quantities_and_durations() -> None:
    assert [quantity(each) for each in ("2", "500m", "1k", "2Ti", 3)] == [2, 0.5, 1000, 2 * 2**40, 3]
    assert [seconds(each) for each in ("0s", "1h30m", "90s", "Never")] == [0, 5400, 90, None]


@pytest.mark.parametrize(
    ("budgets", "nodes", "expected"),
    [
        ([], 20, 2),
        ([], 1, 1),
        ([{"nodes": "0"}], 5, 0),
        ([{"nodes": "3"}, {"nodes": "100%"}], 5, 3),
        ([{"nodes": "0", "reasons": ["Drifted"]}], 5, 5),
        ([{"nodes": "0", "reasons": ["Empty", "Drifted"]}], 5, 0),
        ([{"nodes": "9"}], 5, 5),
    ],
)
def test_how_many_nodes_may_be_removed(budgets: list[dict[str, t.Any]], nodes: int, expected: int) -> None:
    assert allowed(budgets, nodes, "Empty") == expected
