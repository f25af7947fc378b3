# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""What of Kubernetes is Karpenter's: that of HyperPod, and not that of a Karpenter that somebody runs himself."""

from __future__ import annotations

import typing as t

from ansible_collections.mlfleet.hyperpod.plugins.module_utils._karpenter.model import Inside
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._karpenter.observe import observe
from unit.module_utils._karpenter.proof.api_server import Server, World

THEIRS = {"group": "karpenter.k8s.aws", "kind": "EC2NodeClass", "name": "gpus"}


def seen(world: World) -> Inside:
    with Server(world) as kubernetes:
        return observe(kubernetes)


def test_pools_and_claims_of_another_karpenter_are_not_hyperpods() -> None:
    """Its NodeClass may well have the same name: the group tells them apart."""
    world, meta = World(), {"name": "theirs", "labels": {"karpenter.sh/nodepool": "theirs"}}
    world.claim("Launched", node="n")
    spec: dict[str, t.Any] = {"template": {"spec": {"nodeClassRef": THEIRS, "requirements": []}}}
    world.objects["/apis/karpenter.sh/v1/nodepools/theirs"] = {"metadata": meta, "spec": spec}
    world.objects["/apis/karpenter.sh/v1/nodeclaims/theirs-1"] = {"metadata": meta, "spec": {"nodeClassRef": THEIRS}}
    found = seen(world)
    assert [each.meta.name for each in found.pools] == [each.meta.name for each in found.classes] == ["gpus"]
    assert [each.meta.name for each in found.claims] == ["gpus-1"] and found.defined


def test_the_kinds_of_another_karpenter_are_not_those_that_the_autoscaler_brings() -> None:
    world = World()
    world.refusing["GET"] = [404]  # HyperpodNodeClasses, which are asked for first
    found = seen(world)
    assert not found.defined and found.classes == ()
