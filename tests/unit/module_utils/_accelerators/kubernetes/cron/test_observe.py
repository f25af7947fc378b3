# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""CronJobs as a new and an older API server return them."""

from __future__ import annotations

import contextlib

import pytest
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._accelerators.kubernetes.cron.apply import Applier
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._accelerators.kubernetes.cron.model import Node
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._accelerators.kubernetes.cron.observe import Observer
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._accelerators.kubernetes.cron.plan import plan
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._core.failure import Failure, Refused
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._kubernetes import namespace
from unit.module_utils._karpenter.proof.api_server import Server

from ..jobs.looked_at import NAMESPACE, iid, node
from .recurring import MAPS, NEW, OLD, SPACE, Recurring, desired


@pytest.mark.parametrize(("version", "minor", "recursive"), [(NEW, "32+", True), (NEW, "30", False), (OLD, "20", False), (NEW, "", False)])
def test_the_api_version_is_one_that_the_api_server_serves(version: str, minor: str, recursive: bool) -> None:
    world = Recurring(1, version=version, minor=minor)
    with Server(world) as kubernetes:
        state = Observer(kubernetes, desired(1))()
        assert (state.api_version, state.recursive, state.namespace) == (version, recursive, False)
        assert state.nodes == {f"hyperpod-{iid(1)}": Node("uid-1")}
        for step in plan(desired(1), state).steps:
            Applier(kubernetes)(step)
        after = Observer(kubernetes, desired(1))()
        assert len(after.cron_jobs) == len(after.config_maps) == 1 and after.namespace and plan(desired(1), after).steps == ()


def test_an_api_server_without_cron_jobs_is_refused() -> None:
    with Server(Recurring(1, version="batch/v2")) as kubernetes, pytest.raises(Failure, match="does not serve CronJobs in batch/v1 or batch/v1beta1"):
        Observer(kubernetes, desired(1))()


def test_only_objects_with_our_labels_are_ours() -> None:
    world = Recurring(1)
    world.nodes[2] = node(2, uid="uid-2", labels={"karpenter.sh/nodepool": "gpus"})
    world.there = {
        SPACE: namespace.definition(NAMESPACE),
        f"{world.cron_jobs}/backup": {"metadata": {"name": "backup"}},
        f"{MAPS}/other": {"metadata": {"name": "other", "labels": {"mlfleet.hyperpod/cron": "accelerator-health"}}},
    }
    with Server(world) as kubernetes:
        state = Observer(kubernetes, desired(1))()
    assert (state.cron_jobs, state.config_maps, state.of_others) == ({}, {}, ("backup",)) and state.nodes[f"hyperpod-{iid(2)}"].of_karpenter


def test_a_namespace_created_meanwhile_must_have_our_label() -> None:
    world = Recurring(1)
    with Server(world) as kubernetes:
        (first, *_others) = plan(desired(1), Observer(kubernetes, desired(1))()).steps
        unlabelled = {"metadata": {"name": NAMESPACE}}
        for found, message in ((namespace.definition(NAMESPACE), ""), (unlabelled, f"namespace: '{NAMESPACE}' is not allowed")):
            world.answer = lambda method, *_request, it=found: (200, it) if method == "GET" else (409, {})  # type: ignore[method-assign, misc]
            with pytest.raises(Refused, match=message) if message else contextlib.nullcontext():
                Applier(kubernetes)(first)


def test_in_an_unlabelled_namespace_nothing_is_created_but_old_objects_are_removed() -> None:
    world = Recurring(1)
    world.there = {SPACE: {"metadata": {"name": NAMESPACE, "labels": {"owner": "team-mallory"}}}}
    with Server(world) as kubernetes:
        with pytest.raises(Refused, match=f"namespace: '{NAMESPACE}' is not allowed: it exists without the label"):
            Observer(kubernetes, desired(1))()
        assert Observer(kubernetes, desired(present=False))().namespace
