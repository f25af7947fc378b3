# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Declared groups of nodes against the nodes that train, and their findings."""

from __future__ import annotations

import typing as t

import pytest
from ansible_collections.mlfleet.hyperpod.plugins.plugin_utils.views.verify_training import nodes, report
from ansible_collections.mlfleet.hyperpod.plugins.plugin_utils.views.verify_training.jobs import cluster_of

from .given import CPU, G5, P5, UNKNOWN, group, iid, job, row, variables, without_hyperpod

TRN = {"name": "ml.trn1.32xlarge", "known": True, "gpus": 0, "efa_devices": 8, "neuron_devices": 16}
SEEN: list[dict[str, t.Any]] = [P5, G5, CPU, TRN]
MISSING = "1 of 3 nodes of gpu (missing)"


def of_hyperpod(*groups: dict[str, t.Any], **given: t.Any) -> dict[str, t.Any]:
    return variables(hyperpod_instance_groups=[*groups], __verify_training_types_seen=SEEN, **given)


def unverified(given: dict[str, t.Any]) -> list[str]:
    return [each.text for each in cluster_of(given).unverified]


@pytest.mark.parametrize(
    ("groups", "given", "expected"),
    [
        ([group("gpu", P5["name"], 2)], {}, []),
        ([group("gpu", P5["name"], 3, count=2)], {}, [MISSING]),
        ([group("gpu", P5["name"], 0, count=3)], {}, []),
        ([group("gpu", P5["name"], 2), group("spare", P5["name"], 0)], {}, ["spare (no nodes)"]),
        ([group("gpu", P5["name"], 2), group("trn", TRN["name"], 4)], {}, ["trn (Neuron devices)"]),
        ([group("gpu", P5["name"], 2), group("cpu", CPU["name"], 4)], {}, []),
        ([group("gpu", P5["name"], 2), group("odd", UNKNOWN["name"], 0)], {}, ["odd (no nodes)"]),
        ([group("gpu", P5["name"], 2), group("mixed", "", 0, instance_types=[CPU["name"], G5["name"]])], {}, ["mixed (no nodes)"]),
        ([group("gpu", P5["name"], 2), group("spare", P5["name"], 0)], {"verify_training_groups": ["gpu"]}, ["spare (not selected)"]),
        ([group("gpu", P5["name"], 3)], {"verify_training_nodes": [iid(1)]}, ["1 of 2 nodes of gpu (not selected or not idle)"]),
        ([group("gpu", P5["name"], 2)], {"__verify_training_left_out": [f"hyperpod-{iid(2)}"]}, ["1 of 2 nodes of gpu (not selected or not idle)"]),
    ],
)
def test_groups_of_hyperpod(groups: t.Any, given: dict[str, t.Any], expected: list[str]) -> None:
    assert unverified(of_hyperpod(*groups, **given)) == expected


def node_group(name: str, desired: int, types: t.Sequence[str] | None = ("p5.48xlarge",), ami: str = "CUSTOM") -> dict[str, t.Any]:
    """A node group as ``eks_nodegroup_info`` returns it."""
    return {"name": name, "instance_types": types and [*types], "ami_type": ami, "scaling": {"min": 0, "max": 9, "desired": desired}}


@pytest.mark.parametrize(
    ("groups", "expected"),
    [
        ([node_group("gpus", 2)], []),
        ([node_group("gpus", 3, None)], ["1 of 3 nodes of gpus (missing)"]),
        ([node_group("spare", 0, None, "AL2023_x86_64_NVIDIA")], ["spare (no nodes)"]),
        ([node_group("spare", 0, None, "AL2_x86_64_GPU")], ["spare (no nodes)"]),
        ([node_group("trn", 1, None, "AL2023_x86_64_NEURON")], ["trn (Neuron devices)"]),
        ([node_group("own", 1, None)], ["own (no nodes and an unknown instance type)"]),
        ([node_group("cpu", 1, None, "AL2023_x86_64_STANDARD")], []),
        ([node_group("cpu", 1, ["c5.2xlarge"])], []),
        (None, ["node groups of EKS (they could not be read)"]),
    ],
)
def test_node_groups_of_eks(groups: t.Any, expected: list[str]) -> None:
    seen = [{**each, "name": each["name"].removeprefix("ml.")} for each in SEEN]
    given = without_hyperpod(row(1), row(2), __verify_training_types_seen=seen, __verify_training_eks_groups=groups)
    assert unverified(given) == expected


def test_devices_of_groups_without_nodes_are_read() -> None:
    assert nodes.types(of_hyperpod(group("gpu", P5["name"], 2), group("spare", G5["name"], 0))) == [G5["name"], P5["name"]]


def test_a_missing_node_is_pending_and_an_empty_group_is_a_note() -> None:
    groups = (group("gpu", P5["name"], 3), group("spare", P5["name"], 0), group("trn", TRN["name"], 1))
    found = report.found(of_hyperpod(*groups, results=[job()]))
    made = [(each["kind"], each["text"]) for each in found if each["code"] == "training-group-unverified"]
    assert made == [
        ("pending", f"Not verified: {MISSING}. Find out why these nodes do not exist. Run this playbook again when they do."),
        ("note", "Not verified: spare (no nodes). Run this playbook again when the group has nodes."),
        ("note", "Not verified: trn (Neuron devices). The training jobs require GPUs."),
    ]
    others = report.found(of_hyperpod(*groups, results=[job()], verify_training_groups=["gpu"]))
    assert [each["text"] for each in others if each["code"] == "training-group-unverified"] == [made[0][1]]


def test_the_verdict_does_not_cover_nodes_that_do_not_train() -> None:
    given = of_hyperpod(group("gpu", P5["name"], 3), results=[job()])
    given["hostvars"]["ml"]["__verify_training_outcome"] = made = report.outcome(given)
    assert (made["verdict"], made["unverified"]) == ("passed", [MISSING])
    assert f"ml: Training works on the verified nodes. Not verified: {MISSING}" in report.report(given).lines
