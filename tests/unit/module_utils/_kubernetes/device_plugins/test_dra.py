# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Devices that DRA offers."""

from __future__ import annotations

import pytest
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._kubernetes.client import KubernetesError
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._kubernetes.device_plugins import dra
from unit.module_utils._karpenter.proof.api_server import Server

from .cluster import EFA, GPU, Cluster, Object, resource_slice

OF_EFA = {"dra.net/pciDevice": {"string": "Elastic Fabric Adapter (EFA)"}}
OF_ENA = {"dra.net/pciDevice": {"string": "Elastic Network Adapter (ENA)"}}
GPUS = resource_slice("gpu.nvidia.com", "a")


@pytest.mark.parametrize(
    ("version", "slices", "expected"),
    [
        ("v1", [GPUS], {("a", GPU)}),
        ("v1beta1", [resource_slice("dra.net", "a", {"basic": {"attributes": OF_EFA}})], {("a", EFA)}),
        ("v1", [resource_slice("dra.net", "a", {"attributes": OF_ENA}, {"attributes": OF_EFA})], {("a", EFA)}),
        ("v1", [resource_slice("dra.net", "a", {"attributes": OF_ENA})], set()),
        ("v1", [resource_slice("compute-domain.nvidia.com", "a")], set()),
        ("v1alpha3", [GPUS], set()),
    ],
)
def test_slices(version: str, slices: list[Object], expected: set[tuple[str, str]]) -> None:
    cluster = Cluster()
    cluster.serve("resourceslices", *slices, version=version)
    with Server(cluster) as kubernetes:
        assert dra.slices(kubernetes) == expected


def test_device_classes() -> None:
    cluster = Cluster()
    with Server(cluster) as kubernetes:
        assert dra.device_classes(kubernetes) == frozenset()
        cluster.serve("deviceclasses", {"metadata": {"name": "gpu.nvidia.com"}}, version="v1beta2")
        assert dra.device_classes(kubernetes) == {"gpu.nvidia.com"}


def test_a_refused_list_is_an_error() -> None:
    cluster = Cluster()
    cluster.serve("deviceclasses")
    cluster.refused["deviceclasses"] = 403
    with Server(cluster) as kubernetes, pytest.raises(KubernetesError, match="403"):
        dra.device_classes(kubernetes)
