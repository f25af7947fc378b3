# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The verdict on nodes, and its texts."""

from __future__ import annotations

import typing as t
from dataclasses import replace

import pytest
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._kubernetes.nodes.devices import EFA, GPU, Node
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._kubernetes.nodes.model import KubernetesNode
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._training.nodes.model import (
    NODES,
    PLUGINS,
    SLICES,
    Described,
    Desired,
    Problem,
    State,
)
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._training.nodes.result import combined, result

TYPE = "ml.p5.48xlarge"
DLC = "public.ecr.aws/deep-learning-containers/pytorch:2.12-cu130-amzn2023"
NAMES = [f"n{number}" for number in range(10)]


def state(count: int = 2, gpus: int = 8, **more: t.Any) -> State:
    node = {name: Described(Node(KubernetesNode(name), gpus, 32, 5128 << 20), TYPE, "amd64", "580.159.03") for name in NAMES[:count]}
    plugins = {(name, resource): "" for name in node for resource in (GPU, EFA)}
    return State(node, plugins=plugins, **more)


@pytest.mark.parametrize(
    ("count", "gpus", "efa", "text"),
    [
        (2, 8, 32, "2 nodes of ml.p5.48xlarge: 8 GPUs and 32 EFA devices each."),
        (2, 1, 1, "2 nodes of ml.p5.48xlarge: 1 GPU and 1 EFA device each."),
        (1, 8, 0, "1 node of ml.p5.48xlarge: 8 GPUs."),
    ],
)
def test_nodes_without_problems_pass(count: int, gpus: int, efa: int, text: str) -> None:
    found = result(Desired(tuple(NAMES[:count]), TYPE, gpus, efa), state(count, gpus))
    assert (found["verdict"], found["text"], found["problems"], found["notes"]) == ("passed", text, [], [])
    assert found["nodes"][0] == {
        "name": "n0",
        "instance_type": TYPE,
        "gpus": gpus,
        "efa_devices": 32,
        "huge_pages_mib": 5128,
        "driver": "580.159.03",
        "architecture": "amd64",
        "plugins": {"gpu": "device-plugin", "efa": "device-plugin"},
    }


def test_requirements_of_images_are_returned() -> None:
    found = result(Desired(("n0",), TYPE, 8, 32, images=(DLC, "mine:1")), state(1))
    assert found["images"] == [
        {"name": DLC, "cuda": "13.0", "minimum_driver": "580", "architectures": ["amd64"]},
        {"name": "mine:1", "cuda": "", "minimum_driver": "", "architectures": []},
    ]
    assert (found["verdict"], [each["code"] for each in found["notes"]]) == ("passed", ["image-unknown"])


def busy(seen: State, name: str, **known: t.Any) -> State:
    node = replace(seen.nodes[name].node, known=KubernetesNode(name, **known))
    return replace(seen, nodes={**seen.nodes, name: replace(seen.nodes[name], node=node)})


def test_nodes_that_are_not_idle_are_left_out() -> None:
    desired = Desired((*NAMES[:3], "gone"), TYPE, 8, 32, idle=True)
    seen = busy(busy(state(3), "n0", pods=("ml/train-0",)), "n2", unschedulable=True)
    found = result(desired, seen)
    assert (found["verdict"], found["left_out"], [each["name"] for each in found["nodes"]]) == ("passed", ["n0", "n2", "gone"], ["n1"])
    assert found["text"].endswith("Nodes were left out because they are not idle: n0, n2, gone.")
    unread = result(desired, replace(seen, unread={PLUGINS: "403"}))
    assert (unread["verdict"], unread["left_out"]) == ("failed", [])
    none = result(replace(desired, nodes=("n0",)), seen)
    assert (none["verdict"], [each["code"] for each in none["problems"]]) == ("not_run", ["none-idle"])


def test_facts_that_could_not_be_read_do_not_pass() -> None:
    found = result(Desired(("n0",), TYPE, 8), State(unread={NODES: "GET /api/v1/nodes was answered with 403: no"}))
    text = "Nodes could not be read (GET /api/v1/nodes was answered with 403: no). Allow the caller to list them in all namespaces."
    assert (found["verdict"], found["problems"], found["nodes"]) == ("not_run", [{"code": "nodes-not-read", "text": text}], [])


def test_proven_problems_come_first() -> None:
    found = result(Desired(("n0", "gone"), TYPE, 8), state(1, unread={SLICES: "403"}))
    assert found["verdict"] == "failed" and [each["code"] for each in found["problems"]] == ["node-missing", "slices-not-read"]
    assert found["text"] == "Nodes do not exist in Kubernetes: gone. Check that they have joined the cluster."
    assert [each["name"] for each in found["nodes"]] == ["n0"]


def test_a_note_is_no_problem() -> None:
    node = Described(Node(KubernetesNode("n0"), 8, 32), TYPE)
    found = result(Desired(("n0",), TYPE, 8, 32), State({"n0": node}))
    assert (found["verdict"], found["problems"]) == ("passed", [])
    text = "Nodes offer less than 5120 MiB of huge pages: n0 (0 MiB). EFA works without huge pages."
    assert found["notes"] == [{"code": "huge-pages-missing", "text": text}]


def test_equal_problems_are_one_that_names_eight_nodes() -> None:
    found = result(Desired((*NAMES, "gone"), TYPE, 4), state(10))
    (differ, missing) = found["problems"]
    named = ", ".join(f"n{number} (8)" for number in range(8))
    text = f"Each node must offer 4 nvidia.com/gpu, but the kubelets report different numbers: {named} and 2 more."
    assert differ["text"] == f"{text} Read the log of NVIDIA's device plugin, which hides faulty GPUs and multiplies shared ones."
    assert missing["code"] == "node-missing"


def test_details_of_nodes_are_separate_in_one_text() -> None:
    problems = [Problem("code", "Nodes differ", "Step", node=name, detail=detail) for name, detail in (("a", "7"), ("b", "6"))]
    assert combined(problems) == [{"code": "code", "text": "Nodes differ: a (7), b (6). Step."}]


def test_problems_of_devices_of_two_kinds_are_two() -> None:
    found = result(Desired(("n0",), TYPE, 8, 16), State({"n0": Described(Node(KubernetesNode("n0")), TYPE)}))
    assert [each["code"] for each in found["problems"]] == ["plugin-missing", "plugin-missing"]
    assert ["NVIDIA" in each["text"] for each in found["problems"]] == [True, False]


def test_texts_are_short() -> None:
    problems = [Problem("code", "Nodes", "Step", node=f"n{number}", detail="x" * 10_000) for number in range(1024)]
    (text,) = [each["text"] for each in combined(problems)]
    assert text.endswith("and 1016 more. Step.") and len(text) < 8 * 220
