# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The driver and the architecture of nodes against the images of the jobs."""

from __future__ import annotations

import dataclasses
import typing as t

import pytest
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._kubernetes.nodes.devices import Node
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._kubernetes.nodes.model import KubernetesNode
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._training.nodes.judge import judge
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._training.nodes.model import FAILED, NOTE, Described, Desired, State

TYPE = "ml.p5.48xlarge"
REGISTRY = "public.ecr.aws/deep-learning-containers/"
CUDA_13, MINE = f"{REGISTRY}pytorch:2.12-cu130-amzn2023", "registry.example.com/mine:1"
GOOD = Described(Node(KubernetesNode("a"), gpus=8), TYPE, "amd64", "580.159.03")


@pytest.mark.parametrize(
    ("images", "changes", "expected"),
    [
        ((CUDA_13,), {}, []),
        ((), {"driver": "470.1", "architecture": "arm64"}, []),
        ((CUDA_13,), {"driver": "570.211.01"}, [("driver-too-old", FAILED, "570.211.01")]),
        ((CUDA_13,), {"architecture": "arm64"}, [("architecture-differs", FAILED, "arm64")]),
        ((CUDA_13,), {"driver": ""}, [("driver-unknown", NOTE, "")]),
        ((CUDA_13,), {"architecture": ""}, [("architecture-unknown", NOTE, "")]),
        ((MINE,), {"driver": "470.1", "architecture": "arm64"}, [("image-unknown", NOTE, "")]),
        ((MINE, CUDA_13), {"driver": "570.1"}, [("image-unknown", NOTE, ""), ("driver-too-old", FAILED, "570.1")]),
    ],
)
def test_nodes_are_compared_with_images(images: tuple[str, ...], changes: dict[str, t.Any], expected: list[t.Any]) -> None:
    state = State({"a": dataclasses.replace(GOOD, **changes)})
    assert [(each.code, each.status, each.detail) for each in judge(Desired(("a",), TYPE, 8, images=images), state)] == expected
