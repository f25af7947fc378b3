# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The nodes that train."""

from __future__ import annotations

import typing as t

import pytest
from ansible_collections.mlfleet.hyperpod.plugins.plugin_utils.views.verify_training import jobs, nodes as views, report

from .given import CPU, G5, P5, UNKNOWN, iid, row, variables, without_hyperpod


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


def test_types_are_derived_from_the_nodes() -> None:
    assert views.types(variables(("a", P5["name"]), ("b", G5["name"]), hyperpod_instance_groups=[])) == ["ml.g5.8xlarge", "ml.p5.48xlarge"]


def test_devices_are_derived_from_the_type() -> None:
    assert views.devices(variables(__verify_training_types={"instance_types": [P5]})) == [P5]
    assert views.devices(variables(__verify_training_types={"skipped": True})) == []


EC2_P5, EC2_CPU = ({**each, "name": str(each["name"]).removeprefix("ml.")} for each in (P5, CPU))


def plain(*rows: dict[str, t.Any], **given: t.Any) -> dict[str, t.Any]:
    return without_hyperpod(*rows, __verify_training_types_seen=[EC2_P5, EC2_CPU, {**G5, "name": "g5.8xlarge"}], **given)


@pytest.mark.parametrize(
    ("rows", "given", "names", "efa"),
    [
        ((row(1), row(2), row(3, instance_type="c5.2xlarge")), {}, ["ip-1", "ip-2"], 32),
        ((row(1), row(2, node_group="b")), {"verify_training_groups": ["b"]}, ["ip-2"], 32),
        ((row(1), row(2)), {"verify_training_nodes": [iid(1)]}, ["ip-1"], 32),
        ((row(1), row(2, efa_interfaces=16)), {}, ["ip-1", "ip-2"], 32),
        ((row(1, efa_interfaces=0), row(2, efa_interfaces=0)), {}, ["ip-1", "ip-2"], 32),
        ((row(1, efa_interfaces=0),), {}, ["ip-1"], 0),
        ((row(1, instance_type="g5.8xlarge", efa_interfaces=0), row(2, instance_type="g5.8xlarge", efa_interfaces=0)), {}, ["ip-1", "ip-2"], 0),
        ((row(1, instance_type="g5.8xlarge", efa_interfaces=1),), {}, ["ip-1"], 1),
        ((row(1), row(2, unknown="EC2 has no instance.")), {}, ["ip-1"], 32),
        ((row(1), row(2)), {"__verify_training_left_out": ["ip-2"]}, ["ip-1"], 32),
    ],
)
def test_nodes_of_a_cluster_without_hyperpod_are_chosen(rows: t.Any, given: dict[str, t.Any], names: list[str], efa: int) -> None:
    made = views.chosen(plain(*rows, **given))
    assert (made.why, made.names, made.efa_devices) == ("", names, efa)


@pytest.mark.parametrize(
    ("rows", "given", "why"),
    [
        ((row(1),), {"verify_training_groups": ["b"]}, "No node is in the node group b."),
        ((row(1),), {"verify_training_nodes": [iid(9)]}, f"not in the chosen node groups: {iid(9)}."),
        ((row(1), row(2, instance_type="g5.8xlarge")), {}, "different instance types (g5.8xlarge, p5.48xlarge)"),
        ((row(1, unknown="EC2 has no instance i-1."),), {}, "The instances of these nodes are unknown: ip-1 (EC2 has no instance i-1)."),
        ((), {"__verify_training_eks_nodes": []}, "A group without nodes is not verified."),
    ],
)
def test_unsuitable_nodes_of_a_cluster_without_hyperpod_are_refused(rows: t.Any, given: dict[str, t.Any], why: str) -> None:
    assert why in views.chosen(plain(*rows, **given)).why
