# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Which nodes EC2 confirms, and where they differ."""

from __future__ import annotations

import typing as t
from dataclasses import replace

import pytest
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._eks.node.model import (
    Instance,
    Reported,
    State,
    differences,
    unknown,
)

from .reported import iid

NODE = Reported("a", f"aws:///us-west-2a/{iid(1)}", iid(1), "us-west-2a", "p5.48xlarge", "gpus")
INSTANCE = Instance(iid(1), "p5.48xlarge", "us-west-2a", "running", 32, "gpus", frozenset({"training"}))


def state(node: Reported, *others: Reported, **changes: t.Any) -> State:
    return State("training", (node, *others), {iid(1): replace(INSTANCE, **changes)})


def test_a_confirmed_node() -> None:
    assert unknown(NODE, state(NODE, replace(NODE, name="b", instance_id=iid(2)))) == ""
    assert differences(NODE, INSTANCE) == []


@pytest.mark.parametrize(
    ("node", "others", "changes", "why"),
    [
        (replace(NODE, instance_id="", provider_id="x"), (), {}, "The provider ID x does not identify an EC2 instance."),
        (replace(NODE, instance_id="", provider_id=""), (), {}, "The node has no provider ID."),
        (NODE, (replace(NODE, name="b"),), {}, f"Several nodes claim to be instance {iid(1)}."),
        (replace(NODE, instance_id=iid(2)), (), {}, f"EC2 has no instance {iid(2)}."),
        (NODE, (), {"clusters": frozenset({"other"})}, f"No tag of instance {iid(1)} names EKS cluster training."),
        (NODE, (), {"state": "terminated"}, f"Instance {iid(1)} is terminated."),
    ],
)
def test_nodes_that_ec2_does_not_confirm(node: Reported, others: tuple[Reported, ...], changes: dict[str, t.Any], why: str) -> None:
    assert unknown(node, state(node, *others, **changes)) == why


@pytest.mark.parametrize(
    ("changes", "expected"),
    [
        ({"instance_type": "g5.8xlarge"}, ["The label with the instance type contains g5.8xlarge, but the instance type in EC2 is p5.48xlarge."]),
        ({"node_group": "other"}, ["The label with the node group contains other, but the node group in EC2 is gpus."]),
        ({"zone": "us-west-2b"}, ["The provider ID contains us-west-2b, but the zone in EC2 is us-west-2a."]),
        ({"instance_type": "", "node_group": ""}, []),
    ],
)
def test_differences(changes: dict[str, str], expected: list[str]) -> None:
    assert differences(replace(NODE, **changes), INSTANCE) == expected


def test_a_label_without_a_tag_differs() -> None:
    (found,) = differences(NODE, replace(INSTANCE, node_group=""))
    assert found == "The label with the node group contains gpus, but the node group in EC2 is not set."
