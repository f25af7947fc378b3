# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The observations before a proof, including whether the API server would accept the pod."""

from __future__ import annotations

import typing as t

import pytest
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._aws.network import Network
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._hyperpod.api import HyperPod
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._karpenter.proof.model import State
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._karpenter.proof.observe import Observer
from unit.module_utils._karpenter.proof.api_server import Aws, Server, World
from unit.module_utils._karpenter.proof.proof_states import DESIRED, G5

NAMESPACE = "/api/v1/namespaces/default"


def observed(world: World) -> State:
    aws = Aws(world)
    with Server(world) as kubernetes:
        return Observer(HyperPod(aws), Network(aws), None, lambda arn: kubernetes, DESIRED)()


@pytest.fixture
def world() -> World:
    found = World()
    found.objects[NAMESPACE] = {"metadata": {"name": "default", "labels": {"team": "a"}}}
    return found


def test_types_are_read_with_their_prices(world: World) -> None:
    found = observed(world)
    assert [(each.instance_type, each.groups, each.cost.price) for each in found.candidates] == [(G5, ("g5-a",), 3.06)]
    assert (found.namespace, found.denied, found.proof) == ({"team": "a"}, "", None) and world.made == []


def test_a_missing_namespace_is_none(world: World) -> None:
    del world.objects[NAMESPACE]
    assert observed(world).namespace is None


@pytest.mark.parametrize(
    ("refusing", "message"),
    [
        ({"DRY": [403]}, "was answered with 403: denied by admission webhook"),
        ({"DRY": [422]}, "was answered with 422"),
        ({"DRY": [409]}, ""),
        ({"DRY": [400]}, ""),
        ({"REVIEW": [1]}, "The caller may not delete Pods in namespace default"),
    ],
    ids=["denied", "invalid", "one is there", "a webhook without dry runs", "no right to delete"],
)
def test_a_dry_run_shows_whether_the_pod_would_be_accepted(world: World, refusing: t.Any, message: str) -> None:
    world.refusing.update(refusing)
    denied = observed(world).denied
    assert (message in denied and bool(denied) is bool(message)) and world.made == []
