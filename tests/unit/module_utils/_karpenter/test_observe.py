# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""All of it is seen, however many there are, and what the API server does not know is told apart from what there is none of."""

from __future__ import annotations

import typing as t

import pytest
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._karpenter.observe import observe
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._kubernetes.client import PAGE, KubernetesError
from unit.module_utils._karpenter.proof.api_server import CLAIMS, Server, World

PODS, NODES = "/api/v1/namespaces/default/pods", "/api/v1/nodes"


def looked(world: World) -> t.Any:
    with Server(world) as kubernetes:
        return observe(kubernetes)


def test_more_than_a_page_of_each() -> None:
    world, names = World(), [f"x-{number}" for number in range(PAGE + 1)]
    for name in names:
        world.objects[f"{CLAIMS}/{name}"] = {"metadata": {"name": name}}
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
