# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Nodes on which a test does not start."""

from __future__ import annotations

import typing as t
from dataclasses import replace

import pytest
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._accelerators.kubernetes.nccl.plan import refusal
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._kubernetes.nodes.devices import Node, State
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._kubernetes.nodes.model import KubernetesNode

from .tested import desired, name


def state(**second: t.Any) -> State:
    known = KubernetesNode(name(2), pods=second.pop("pods", ()))
    nodes = (Node(KubernetesNode(name(1)), gpus=8, efa=32), Node(known, **{"gpus": 8, "efa": 32, **second}))
    return State({each.known.name: each for each in nodes})


@pytest.mark.parametrize(
    ("seen", "failure"),
    [(State(), "allocation"), (state(pods=("ns/a",)), "jobs"), (state(gpus=7), "devices"), (state(efa=0), "devices")],
)
def test_busy_or_incomplete_nodes_are_refused(seen: State, failure: str) -> None:
    found = refusal(desired(), seen)
    assert found is not None and (found.verdict, found.failure, found.nodes) == ("not_run", failure, (name(1), name(2))), found


def test_idle_nodes_are_tested() -> None:
    without = desired()
    assert refusal(without, state()) is None
    assert refusal(replace(without, test=replace(without.test, efa=False)), state(efa=0)) is None
