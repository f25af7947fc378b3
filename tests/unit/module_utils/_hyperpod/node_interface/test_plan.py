# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Available interfaces are attached; EC2 may return an attachment without its node."""

from __future__ import annotations

import pytest
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._core.failure import Refused
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._core.plan import KNOWN_AFTER_APPLY, Change, Step
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._hyperpod.node_interface.model import Desired, State
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._hyperpod.node_interface.plan import plan

ARN = "arn:aws:sagemaker:us-west-2:111111111111:cluster/abc123def456"
NODE, OTHER, INTERFACE = "i-00000001", "i-00000002", "eni-00000001"
DESIRED = Desired(ARN, NODE, INTERFACE)


def state(status: str = "in-use", holder: str = "", attachment_id: str = "") -> State:
    return State("ml", frozenset({NODE, OTHER}), status, holder, attachment_id)


def test_an_available_interface_is_attached() -> None:
    planned = plan(DESIRED, state("available"))
    arguments = {"ClusterName": ARN, "NodeId": NODE, "NetworkInterfaceId": INTERFACE}
    change = Change("update", f"network interface {INTERFACE}", "node", None, NODE)
    assert planned.steps == (Step("AttachClusterNodeNetworkInterface", arguments, (change,)),)
    assert planned.after(state("available")) == state("in-use", NODE, KNOWN_AFTER_APPLY)
    assert not plan(DESIRED, plan(DESIRED, state("available")).after(state("available")))


def test_an_attachment_without_a_known_node_is_kept() -> None:
    found = plan(DESIRED, state(attachment_id="eni-attach-00000001"))
    assert not found and "EC2 does not return the ID of its node" in str(found.notes[0])


@pytest.mark.parametrize(("found", "words"), [(state(holder=OTHER), f"attached to {OTHER}"), (state("pending"), "it is pending")])
def test_an_interface_of_another_node_is_refused(found: State, words: str) -> None:
    with pytest.raises(Refused, match=words):
        plan(DESIRED, found)
