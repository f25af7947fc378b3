# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Karpenter's objects are read completely, without those of a Karpenter that the user installed."""

from __future__ import annotations

import typing as t

import pytest
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._karpenter.model import Inside
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._karpenter.observe import HYPERPOD, observe
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._kubernetes.client import PAGE, KubernetesError
from unit.module_utils._karpenter.proof.api_server import CLAIMS, Server, World

PODS, NODES = "/api/v1/namespaces/default/pods", "/api/v1/nodes"
FOREIGN_CLASS = {"group": "karpenter.k8s.aws", "kind": "EC2NodeClass", "name": "gpus"}


def observed(world: World) -> Inside:
    with Server(world) as kubernetes:
        return observe(kubernetes)


def test_all_pages_of_each_kind_are_read() -> None:
    world, names = World(), [f"x-{number}" for number in range(PAGE + 1)]
    for name in names:
        world.objects[f"{CLAIMS}/{name}"] = {"metadata": {"name": name}, "spec": {"nodeClassRef": {"group": HYPERPOD}}}
        world.objects[f"{NODES}/{name}"] = {"metadata": {"name": name}}
        world.objects[f"{PODS}/{name}"] = {"metadata": {"name": name, "namespace": "default"}, "spec": {"containers": []}}
    seen = observed(world)
    assert [[each.meta.name for each in found] for found in (seen.claims, seen.pods)] == [names, names] and list(seen.nodes) == names
    assert len(world.requests) == 10 and all(f"limit={PAGE}" in each for each in world.requests), world.requests


def test_missing_kinds_are_tolerated() -> None:
    class Bare(World):
        def answer(self, method: str, path: str, body: t.Any) -> tuple[int, t.Any]:
            return (404, {}) if "karpenter" in path else super().answer(method, path, body)

    seen = observed(Bare())
    assert (seen.defined, seen.classes, seen.pools, seen.claims, seen.launch_failures) == (False, (), (), (), ())
    assert observed(World()).defined


def test_denied_access_does_not_count_as_nothing_found() -> None:
    world = World()
    world.refusing["GET"] = [403]
    with pytest.raises(KubernetesError, match="was answered with 403"):
        observed(world)


def test_pools_and_claims_of_another_karpenter_are_ignored() -> None:
    """Its NodeClass may have the same name; the API group distinguishes them."""
    world, meta = World(), {"name": "foreign", "labels": {"karpenter.sh/nodepool": "foreign"}}
    world.claim("Launched", node="n")
    spec: dict[str, t.Any] = {"template": {"spec": {"nodeClassRef": FOREIGN_CLASS, "requirements": []}}}
    world.objects["/apis/karpenter.sh/v1/nodepools/foreign"] = {"metadata": meta, "spec": spec}
    world.objects["/apis/karpenter.sh/v1/nodeclaims/foreign-1"] = {"metadata": meta, "spec": {"nodeClassRef": FOREIGN_CLASS}}
    found = observed(world)
    assert [each.meta.name for each in found.pools] == [each.meta.name for each in found.classes] == ["gpus"]
    assert [each.meta.name for each in found.claims] == ["gpus-1"] and found.defined


def test_the_kinds_of_another_karpenter_do_not_count() -> None:
    world = World()
    world.refusing["GET"] = [404]  # HyperpodNodeClasses, which are read first
    found = observed(world)
    assert not found.defined and found.classes == ()
