# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The nodes that train."""

from __future__ import annotations

import typing as t

import pytest
from ansible_collections.mlfleet.hyperpod.plugins.plugin_utils.views.verify_training import jobs, nodes as views, report

from .given import CPU, G5, P5, UNKNOWN, iid, variables


@pytest.mark.parametrize(
    ("given", "numbers"),
    [
        (variables(("a", P5["name"]), ("b", CPU["name"])), [1]),
        (variables(("a", P5["name"]), ("b", G5["name"]), verify_training_groups=["b"]), [2]),
        (variables(("a", P5["name"]), ("a", P5["name"]), verify_training_nodes=[iid(2)]), [2]),
    ],
)
def test_suitable_nodes_are_chosen(given: dict[str, t.Any], numbers: list[int]) -> None:
    assert views.chosen(given).names == [f"hyperpod-{iid(number)}" for number in numbers]


def test_only_types_with_all_their_efa_devices_must_prove_it() -> None:
    made = views.chosen(variables(("a", G5["name"])))
    assert (made.gpus, made.efa_devices, made.efa) == (1, None, False)
    assert views.chosen(variables()).efa is True


@pytest.mark.parametrize(
    ("given", "why"),
    [
        (variables(("a", P5["name"]), ("b", G5["name"])), "different instance types (ml.g5.8xlarge, ml.p5.48xlarge)"),
        (variables(("a", CPU["name"])), "No node with GPUs exists"),
        (variables(verify_training_groups=["empty"]), "No node with GPUs exists"),
        (variables(verify_training_groups=["gpu", "none"]), "The cluster has no instance group none."),
        (variables(("a", P5["name"]), ("b", CPU["name"]), verify_training_nodes=[iid(1), iid(2)]), f"have no GPUs: {iid(2)}."),
        (variables(("a", UNKNOWN["name"])), "The number of GPUs of ml.p9.48xlarge is unknown."),
        (variables(verify_training_nodes=[iid(9)]), f"not in the chosen instance groups: {iid(9)}."),
    ],
)
def test_unsuitable_nodes_are_refused(given: dict[str, t.Any], why: str) -> None:
    assert why in views.chosen(given).why and jobs.coming(given) is None
    (found,) = report.found(given)
    assert found["code"] == "training-not-verified" and why in found["text"]
    assert report.outcome(given)["verdict"] == "not_run" and why in report.outcome(given)["why"]


def test_types_and_checkpoint_directory_are_derived() -> None:
    assert views.types(variables(("a", P5["name"]), ("b", G5["name"]))) == ["ml.g5.8xlarge", "ml.p5.48xlarge"]
    assert views.checkpoint(variables()).startswith("abc-20") and ":" not in views.checkpoint(variables())


def test_devices_are_derived_from_the_type() -> None:
    assert views.devices(variables(__verify_training_types={"instance_types": [P5]})) == [P5]
    assert views.devices(variables(__verify_training_types={"skipped": True})) == []


def test_the_api_server_is_reached_as_configured() -> None:
    given = variables(hyperpod_run={"cluster": {"eks_cluster_arn": "arn:eks"}})
    assert views.server(given).eks_cluster == "arn:eks"
    assert views.server({**given, "verify_training_kubeconfig": "/k"}).kubeconfig == "/k"
