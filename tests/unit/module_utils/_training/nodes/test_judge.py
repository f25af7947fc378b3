# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Problems of nodes, each from what the cluster reports."""

from __future__ import annotations

import dataclasses
import typing as t

import pytest
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._kubernetes.job_kinds import known_kind
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._kubernetes.nodes.devices import EFA, GPU, Node, Share
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._kubernetes.nodes.model import KubernetesNode
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._training.job import manifest
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._training.nodes.judge import judge
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._training.nodes.model import (
    FAILED,
    NODES,
    NOT_VERIFIED,
    NOTE,
    PLUGINS,
    SLICES,
    Described,
    Desired,
    State,
)
from unit.module_utils._training.job.described import desired as job

TYPE = "ml.p5.48xlarge"
WANTED = Desired(("a",), TYPE, 8, 32)
READY = {("a", GPU): "", ("a", EFA): ""}
SETS = {GPU: ("kube-system/nvdp",), EFA: ("kube-system/efa",)}
NO_GPUS: dict[str, t.Any] = {"gpus": 0}
DRA_GPUS, DRA_EFA = frozenset({("a", GPU)}), frozenset({("a", EFA)})


def state(node: t.Mapping[str, t.Any] | None = None, known: t.Mapping[str, t.Any] | None = None, kind: str = TYPE, **more: t.Any) -> State:
    """One node without problems, except for the changes of a test."""
    offered = {"gpus": 8, "efa": 32, "huge_pages": 5128 << 20, **(node or {})}
    described = Described(Node(KubernetesNode("a", **(known or {})), **offered), kind, "amd64")
    return State(**{"nodes": {"a": described}, "plugins": READY, "daemon_sets": SETS, **more})


def found(seen: State, desired: Desired = WANTED) -> list[tuple[str, str, str]]:
    return [(each.code, each.status, each.detail) for each in judge(desired, seen)]


@pytest.mark.parametrize(
    ("seen", "desired"),
    [
        (state(), WANTED),
        (state(), dataclasses.replace(WANTED, instance_type="p5.48xlarge")),
        (state(kind="p5.48xlarge"), WANTED),
        (state(plugins={}, daemon_sets={}), WANTED),  # a plugin in the node's image
        (state({"efa": 0, "huge_pages": 0}, plugins={("a", GPU): ""}, daemon_sets={}), dataclasses.replace(WANTED, efa=0)),
        (state({"efa": 33}), WANTED),
        (state({"efa": 16}, plugins={("a", EFA): "Error", ("a", GPU): ""}), dataclasses.replace(WANTED, efa=0)),
        (state({"efa": 0}, slices=DRA_EFA, plugins={("a", GPU): ""}), dataclasses.replace(WANTED, efa=0)),
        (state(known={"taints": ("nvidia.com/gpu:NoSchedule", f"{EFA}=yes:NoExecute", "team=x:PreferNoSchedule")}), WANTED),
    ],
)
def test_good_nodes_have_no_problem(seen: State, desired: Desired) -> None:
    assert found(seen, desired) == []


@pytest.mark.parametrize(
    ("seen", "expected"),
    [
        (state(nodes={}), ("node-missing", FAILED, "")),
        (state(known={"unschedulable": True}), ("takes-no-pods", FAILED, "it is cordoned")),
        (
            state({"gpus": 0}, known={"not_ready": "its kubelet is not ready", "taints": ("node.kubernetes.io/not-ready:NoExecute",)}),
            ("takes-no-pods", FAILED, "its kubelet is not ready"),
        ),
        (
            state(
                known={
                    "health_status": "UnschedulablePendingReboot",
                    "taints": ("sagemaker.amazonaws.com/node-health-status=Unschedulable:NoSchedule",),
                }
            ),
            ("takes-no-pods", FAILED, "HyperPod labels it UnschedulablePendingReboot"),
        ),
        (state(kind="ml.p4d.24xlarge"), ("instance-type-differs", FAILED, "ml.p4d.24xlarge")),
        (state(kind=""), ("instance-type-unknown", NOT_VERIFIED, "")),
        (state({"gpus": 7}), ("gpus-differ", FAILED, "7")),
        (state({"gpus": 0}), ("gpus-differ", FAILED, "0")),
        (state({"gpus": 32}), ("gpus-differ", FAILED, "32")),
        (state({"efa": 31}), ("efa-differ", FAILED, "31")),
        (state({"huge_pages": 5119 << 20}), ("huge-pages-missing", NOTE, "5119 MiB")),
        (
            state(known={"taints": ("team=x:NoSchedule", "node.kubernetes.io/disk-pressure:NoExecute")}),
            ("taint-not-tolerated", FAILED, "team=x:NoSchedule, node.kubernetes.io/disk-pressure:NoExecute"),
        ),
        (state(known={"taints": ("nvidia.com/gpus:NoSchedule",)}), ("taint-not-tolerated", FAILED, "nvidia.com/gpus:NoSchedule")),
        (state(known={"taints": ("x" * 300,)}), ("taint-not-tolerated", FAILED, "x" * 300)),
        (state(NO_GPUS, plugins={("a", EFA): ""}), ("plugin-missing", FAILED, "")),
        (state({"efa": 0}, plugins={("a", GPU): ""}, daemon_sets={}), ("plugin-missing", FAILED, "")),
        (state(plugins={**READY, ("a", GPU): "CrashLoopBackOff"}), ("plugin-not-ready", FAILED, "CrashLoopBackOff")),
        (state({"efa": 0}, plugins={**READY, ("a", EFA): "ErrImagePull"}), ("plugin-not-ready", FAILED, "ErrImagePull")),
        (state(slices=DRA_GPUS), ("two-providers", FAILED, "")),
        (state(NO_GPUS, slices=DRA_GPUS), ("two-providers", FAILED, "")),
        (state(slices=DRA_GPUS, plugins={}), ("two-providers", FAILED, "")),
        (state(slices=DRA_EFA), ("two-providers", FAILED, "")),
        (state(NO_GPUS, slices=DRA_GPUS, plugins={("a", EFA): ""}), ("dra-only", NOT_VERIFIED, "")),
        (state({"efa": 0}, slices=DRA_EFA, plugins={("a", GPU): ""}), ("dra-only", NOT_VERIFIED, "")),
        (state(mpi_clash="two operators"), ("mpijobs-clash", NOTE, "")),
        (State(unread={NODES: "403"}), ("nodes-not-read", NOT_VERIFIED, "")),
        (state(plugins={}, unread={PLUGINS: "403"}), ("plugins-not-read", NOT_VERIFIED, "")),
        (state(unread={SLICES: "403"}), ("slices-not-read", NOT_VERIFIED, "")),
        (state({"gpus": 0}, plugins={("a", EFA): ""}, unread={SLICES: "403"}), ("slices-not-read", NOT_VERIFIED, "")),
    ],
)
def test_a_problem_is_found_once(seen: State, expected: tuple[str, str, str]) -> None:
    assert found(seen) == [expected]


def test_independent_problems_of_one_node_are_all_reported() -> None:
    seen = state({"gpus": 7, "efa": 0}, {"unschedulable": True, "taints": ("team=x:NoSchedule",)}, "", plugins={("a", GPU): ""})
    codes = [code for code, _status, _detail in found(seen)]
    assert codes == ["takes-no-pods", "instance-type-unknown", "taint-not-tolerated", "gpus-differ", "plugin-missing"]


def test_facts_that_could_not_be_read_do_not_count_as_good() -> None:
    seen = state(plugins={}, unread={PLUGINS: "403", SLICES: "403"})
    assert {status for _code, status, _detail in found(seen)} == {NOT_VERIFIED}


def test_the_next_step_depends_on_whether_the_plugin_is_installed() -> None:
    (selected,) = judge(WANTED, state(NO_GPUS, plugins={("a", EFA): ""}))
    (absent,) = judge(WANTED, state(NO_GPUS, plugins={("a", EFA): ""}, daemon_sets={EFA: ("kube-system/efa",)}))
    assert "kube-system/nvdp" in selected.text and "tolerations" in selected.step
    assert "not installed" in absent.text and absent.step.startswith("Install the plugin")


def test_the_job_tolerates_the_taints_of_its_devices() -> None:
    template = manifest.job("1", job(), known_kind("Job"), Share())["spec"]["template"]
    assert template["spec"]["tolerations"] == [{"key": key, "operator": "Exists"} for key in (GPU, EFA)]
