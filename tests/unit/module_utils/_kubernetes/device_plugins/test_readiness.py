# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Nodes on which a plugin does not work, and why."""

from __future__ import annotations

import copy
import dataclasses
import typing as t

import pytest
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._kubernetes.device_plugins.known import AWS_EFA, NVIDIA, PLUGINS
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._kubernetes.device_plugins.manifest import bare, daemon_set
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._kubernetes.device_plugins.model import Machine, PluginPod, State
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._kubernetes.device_plugins.readiness import (
    awaited,
    current,
    lacking,
    machines,
    named,
    progress,
)
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._kubernetes.objects.model import Found, Kind

from .cluster import EFA, GPU, IMAGE, OTHER_TYPE, TYPE

LIVE = daemon_set(NVIDIA, IMAGE, [TYPE], []).definition
HASH = LIVE["spec"]["template"]["metadata"]["annotations"]["mlfleet.hyperpod/specification"]
POD = PluginPod("a", HASH)
GOOD = Machine("a", TYPE, {GPU: 8, EFA: 32})


def state(*pods: PluginPod, machine: Machine = GOOD, more: t.Sequence[Machine] = ()) -> State:
    live = copy.deepcopy(LIVE)
    ours = {each.key: Found(bare(each), Kind("daemonsets", namespaced=True), live if each == NVIDIA else None) for each in PLUGINS}
    return State(ours, {}, (machine, *more), {"nvidia": pods})


@pytest.mark.parametrize(
    ("found", "why"),
    [
        (state(POD), ""),
        (state(PluginPod("a", HASH, False, "old"), POD), ""),
        (state(), "it has no Pod of DaemonSet mlfleet-nvidia-device-plugin"),
        (state(PluginPod("b", HASH)), "it has no Pod of DaemonSet mlfleet-nvidia-device-plugin"),
        (state(PluginPod("a", "old")), "it has only an outdated Pod of DaemonSet mlfleet-nvidia-device-plugin"),
        (state(PluginPod("a", "old"), POD), ""),
        (state(PluginPod("a", HASH, False, "ImagePullBackOff: no")), "ImagePullBackOff: no"),
        (state(PluginPod("a", HASH, False)), "its Pod is not ready"),
        (state(POD, machine=Machine("a", TYPE, {EFA: 32})), "its Pod is ready, but its kubelet offers no nvidia.com/gpu"),
        (state(POD, machine=Machine("a", TYPE, {GPU: 0})), "its Pod is ready, but its kubelet offers no nvidia.com/gpu"),
        (state(POD, machine=dataclasses.replace(GOOD, not_ready="it is being deleted")), "it is being deleted"),
    ],
)
def test_a_node(found: State, why: str) -> None:
    assert lacking(found, NVIDIA) == ({"a": why} if why else {})
    assert lacking(found, AWS_EFA) == {}
    waits = [f"a: {why}"] if why and not found.machines[0].not_ready else []
    assert awaited(found) == waits


def test_nodes_of_other_types_need_no_pod() -> None:
    found = state(POD, more=[Machine("b", OTHER_TYPE)])
    assert [each.name for each in machines(found, NVIDIA)] == ["a"] and machines(found, AWS_EFA) == []
    assert awaited(found) == []


def test_a_daemon_set_that_is_being_deleted_needs_no_pods() -> None:
    found = state()
    live = found.ours["nvidia"].live
    assert live is not None and machines(found, NVIDIA)
    live["metadata"] = {**live["metadata"], "deletionTimestamp": "x"}
    assert machines(found, NVIDIA) == []


def test_progress() -> None:
    found = state(POD, more=[Machine("b", TYPE), Machine("c", TYPE)])
    assert progress(found) == (
        "not complete (nvidia.com/gpu on 1 of 3 nodes; b: it has no Pod of DaemonSet mlfleet-nvidia-device-plugin)"
    )
    assert progress(state()).startswith("not complete (nvidia.com/gpu on 0 of 1 node; a: ")


def test_many_nodes_are_not_all_named() -> None:
    assert named(["x"] * 8) == "; ".join(["x"] * 8)
    assert named(["x"] * 10).endswith("x; and 2 more") and named([]) == ""


def test_pods_of_the_current_template() -> None:
    assert current(state(PluginPod("a", "old"), POD), NVIDIA) == [POD]
    assert current(state(), AWS_EFA) == []
