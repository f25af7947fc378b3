# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""What of Kubernetes is Karpenter's: all of it, however many there are, and not that of a Karpenter that somebody runs himself."""

from __future__ import annotations

import typing as t

import pytest
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._karpenter.model import Inside
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._karpenter.observe import HYPERPOD, observe
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._kubernetes.client import PAGE, KubernetesError
from unit.module_utils._karpenter.proof.api_server import CLAIMS, Server, World

PODS, NODES = "/api/v1/namespaces/default/pods", "/api/v1/nodes"
THEIRS = {"group": "karpenter.k8s.aws", "kind": "EC2NodeClass", "name": "gpus"}


def looked(world: World) -> Inside:
    with Server(world) as kubernetes:
        return observe(kubernetes)


def test_more_than_a_page_of_each() -> None:
    world, names = World(), [f"x-{number}" for number in range(PAGE + 1)]
    for name in names:
        world.objects[f"{CLAIMS}/{name}"] = {"metadata": {"name": name}, "spec": {"nodeClassRef": {"group": HYPERPOD}}}
        world.objects[f"{NODES}/{name}"] = {"metadata": {"name": name}}
        world.objects[f"{PODS}/{name}"] = {"metadata": {"name": name, "namespace": "default"}, "spec": {"containers": []}}
    seen = looked(world)
    assert [[each.meta.name for each in found] for found in (seen.claims, seen.pods)] == [names, names] and list(seen.nodes) == names
    assert len(world.asked) == 10 and all(f"limit={PAGE}" in each for each in world.asked), world.asked


def test_kinds_that_are_not_known() -> None:
    class Bare(World):
        def answer(self, method: str, path: str, body: t.Any) -> tuple[int, t.Any]:
            return (404, {}) if "karpenter" in path else super().answer(method, path, body)

    seen = looked(Bare())
    assert (seen.defined, seen.classes, seen.pools, seen.claims, seen.launch_failures) == (False, (), (), (), ())
    assert looked(World()).defined


def test_who_may_not_look_has_not_seen_that_there_is_nothing() -> None:
    world = World()
    world.refusing["GET"] = [403]
    with pytest.raises(KubernetesError, match="was answered with 403"):
        looked(world)


def test_pools_and_claims_of_another_karpenter_are_not_hyperpods() -> None:
    """Its NodeClass may well have the same name: the group tells them apart."""
    world, meta = World(), {"name": "theirs", "labels": {"karpenter.sh/nodepool": "theirs"}}
    world.claim("Launched", node="n")
    spec: dict[str, t.Any] = {"template": {"spec": {"nodeClassRef": THEIRS, "requirements": []}}}
    world.objects["/apis/karpenter.sh/v1/nodepools/theirs"] = {"metadata": meta, "spec": spec}
    world.objects["/apis/karpenter.sh/v1/nodeclaims/theirs-1"] = {"metadata": meta, "spec": {"nodeClassRef": THEIRS}}
    found = looked(world)
    assert [each.meta.name for each in found.pools] == [each.meta.name for each in found.classes] == ["gpus"]
    assert [each.meta.name for each in found.claims] == ["gpus-1"] and found.defined


def test_the_kinds_of_another_karpenter_are_not_those_that_the_autoscaler_brings() -> None:
    world = World()
    world.refusing["GET"] = [404]  # HyperpodNodeClasses, which are asked for first
    found = looked(world)
    assert not found.defined and found.classes == ()
