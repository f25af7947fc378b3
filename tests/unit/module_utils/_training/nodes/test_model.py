# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""What provides the devices of a node."""

from __future__ import annotations

import typing as t

import pytest
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._kubernetes.nodes.devices import EFA, GPU, Node
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._kubernetes.nodes.model import KubernetesNode
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._training.nodes.model import PLUGINS, SLICES, Described, State

PLUGGED, SLICED = {("a", GPU): ""}, frozenset({("a", GPU)})


@pytest.mark.parametrize(
    ("gpus", "state", "expected"),
    [
        (8, {"plugins": PLUGGED}, "device-plugin"),
        (8, {}, "device-plugin"),
        (0, {"plugins": PLUGGED}, "device-plugin"),
        (0, {"plugins": {("a", GPU): "CrashLoopBackOff"}}, "device-plugin"),
        (0, {"plugins": {("b", GPU): "", ("a", EFA): ""}, "slices": frozenset({("b", GPU), ("a", EFA)})}, "none"),
        (0, {"slices": SLICED}, "dra"),
        (0, {"slices": SLICED, "unread": {PLUGINS: "403"}}, "dra"),
        (8, {"slices": SLICED}, "both"),
        (0, {"slices": SLICED, "plugins": PLUGGED}, "both"),
        (8, {"plugins": PLUGGED, "unread": {SLICES: "403"}}, "not-read"),
        (0, {"unread": {PLUGINS: "403"}}, "not-read"),
        (8, {"unread": {PLUGINS: "403"}}, "device-plugin"),
    ],
)
def test_the_provider_of_gpus_is_recognised(gpus: int, state: dict[str, t.Any], expected: str) -> None:
    found = State({"a": Described(Node(KubernetesNode("a"), gpus, efa=8 - gpus))}, **state)
    assert found.provider("a", GPU) == expected
