# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Which DaemonSets are device plugins, and on which instance types they run."""

from __future__ import annotations

import typing as t

import pytest
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._kubernetes.device_plugins.known import instance_types, plugins_of

from .cluster import Object, daemon_set, limited

SOCKETS = {"volumes": [{"name": "plugins", "hostPath": {"path": "/var/lib/kubelet/device-plugins/"}}]}
ECR = "602401143452.dkr.ecr.us-west-2.amazonaws.com"


@pytest.mark.parametrize(
    ("container", "image", "spec", "expected"),
    [
        ("nvidia-device-plugin-ctr", "", {}, ["nvidia"]),
        ("nvidia-device-plugin", "mirror.example.com/x", {}, ["nvidia"]),
        ("aws-efa-k8s-device-plugin", "", {}, ["efa"]),
        ("gpus", "nvcr.io/nvidia/k8s-device-plugin:v0.17.0", SOCKETS, ["nvidia"]),
        ("gpus", "mirror.example.com:5000/nvidia/k8s-device-plugin@sha256:00", SOCKETS, ["nvidia"]),
        ("fabric", f"{ECR}/eks/aws-efa-k8s-device-plugin:v0.5.4", SOCKETS, ["efa"]),
        ("gpu-feature-discovery-ctr", "nvcr.io/nvidia/k8s-device-plugin:v0.20.0", {}, []),
        ("mps-control-daemon-ctr", "nvcr.io/nvidia/k8s-device-plugin:v0.20.0", {"volumes": [{"name": "plugins", "hostPath": {"path": "/mps"}}]}, []),
        ("amdgpu", "docker.io/rocm/k8s-device-plugin:1.2", SOCKETS, []),
        ("neuron-device-plugin", "public.ecr.aws/neuron/neuron-device-plugin:2", SOCKETS, []),
        ("nvidia-sandbox-device-plugin-ctr", "nvcr.io/nvidia/kubevirt-gpu-device-plugin:v1", SOCKETS, []),
    ],
)
def test_device_plugins_are_recognized(container: str, image: str, spec: Object, expected: list[str]) -> None:
    assert [each.key for each in plugins_of(daemon_set("x", container, image=image, **spec))] == expected


def terms(*each: list[tuple[str, str, list[str]]]) -> Object:
    made = [{"matchExpressions": [{"key": key, "operator": by, "values": values} for key, by, values in term]} for term in each]
    return {"affinity": {"nodeAffinity": {"requiredDuringSchedulingIgnoredDuringExecution": {"nodeSelectorTerms": made}}}}


TYPE = "node.kubernetes.io/instance-type"


@pytest.mark.parametrize(
    ("spec", "expected"),
    [
        ({}, None),
        ({"nodeSelector": {"nvidia.com/gpu.present": "true"}}, None),
        ({"nodeSelector": {TYPE: "a.b"}}, {"a.b"}),
        (limited("a.b", "c.d"), {"a.b", "c.d"}),
        ({**limited("a.b", "c.d"), "nodeSelector": {TYPE: "c.d"}}, {"c.d"}),
        (limited("true", key="nvidia.com/gpu.present"), None),
        (terms([(TYPE, "In", ["a.b"])], [(TYPE, "In", ["c.d"])]), {"a.b", "c.d"}),
        (terms([(TYPE, "In", ["a.b"])], [("other", "In", ["c.d"])]), None),
        (terms([(TYPE, "In", ["a.b", "c.d"]), (TYPE, "In", ["c.d"]), ("other", "Exists", [])]), {"c.d"}),
        (terms([(TYPE, "NotIn", ["a.b"])]), None),
    ],
)
def test_the_instance_types_of_a_daemon_set(spec: Object, expected: t.Any) -> None:
    assert instance_types(daemon_set("x", **spec)) == expected


def test_an_object_without_a_specification() -> None:
    assert (plugins_of({}), instance_types({})) == ([], None)
