# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The result for a known and an unknown node."""

from __future__ import annotations

from dataclasses import replace

from ansible_collections.mlfleet.hyperpod.plugins.module_utils._eks.node.model import State
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._eks.node.result import result

from .reported import iid
from .test_model import INSTANCE, NODE

OF_INSTANCE = ("instance_id", "zone", "instance_type", "node_group", "efa_interfaces")


def test_values_come_from_ec2_or_are_unknown() -> None:
    liar = replace(NODE, instance_type="g5.8xlarge")
    stranger = replace(NODE, name="b", instance_id=iid(2))
    known, unknown = result(State("training", (liar, stranger), {iid(1): INSTANCE}))["eks_nodes"]
    assert [known[name] for name in OF_INSTANCE] == [iid(1), "us-west-2a", "p5.48xlarge", "gpus", 32]
    assert known["labels"] == {"instance_type": "g5.8xlarge", "node_group": "gpus"} and len(known["differences"]) == 1
    assert [unknown[name] for name in OF_INSTANCE] == [None] * 5
    assert (unknown["unknown"], unknown["differences"]) == (f"EC2 has no instance {iid(2)}.", [])
