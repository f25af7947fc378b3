# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""kubernetes_drain with an API server in memory."""

from __future__ import annotations

import typing as t
from pathlib import Path

import pytest
from modules.fixtures.workloads import Cluster, Object
from unit.module_utils._karpenter.proof.api_server import Server, kubeconfig


@pytest.fixture
def cluster() -> Cluster:
    return Cluster()


@pytest.fixture
def options(cluster: Cluster, tmp_path: Path) -> t.Iterator[Object]:
    with Server(t.cast(t.Any, cluster)) as kubernetes:
        yield {"kubeconfig": kubeconfig(kubernetes, tmp_path)}


def test_a_group_is_drained_after_check_mode_named_its_pods(simulator: t.Any, cluster: Cluster, options: Object) -> None:
    given = {**options, "node_groups": ["gpu"], "poll_interval": 1, "wait_timeout": 30}
    cluster.blocked = {"dns": 1}
    foreseen = simulator.run("kubernetes_drain", check=True, **given)
    assert [each["name"] for each in foreseen["remaining_pods"]] == ["train", "dns"] and cluster.cordoned == [] == cluster.evicted, foreseen
    done = simulator.run("kubernetes_drain", **given)
    assert done["changed"] and done["remaining_pods"] == [], done
    assert (cluster.cordoned, cluster.evicted) == (["gpu-1"], ["train", "dns"])
    assert {str(each) for each in done["changes"]} == {str(each) for each in foreseen["changes"]}
    assert not simulator.run("kubernetes_drain", **given)["changed"]


def test_pods_of_the_system_stay_if_asked_for(simulator: t.Any, cluster: Cluster, options: Object) -> None:
    done = simulator.run("kubernetes_drain", **options, node_groups=["gpu"], system_pods=False, poll_interval=1)
    assert done["remaining_pods"] == [] and cluster.evicted == ["train"], done


def test_protected_pods_are_returned_after_the_timeout(simulator: t.Any, cluster: Cluster, options: Object) -> None:
    cluster.blocked = {"train": 99}
    done = simulator.run("kubernetes_drain", **options, node_groups=["gpu"], system_pods=False, wait_timeout=0)
    (left,) = done["remaining_pods"]
    assert not done.get("failed") and (left["name"], left["claims"], left["owner"]) == ("train", ["research/data"], "Job train-owner"), done


def test_bad_input_is_refused(simulator: t.Any) -> None:
    for given, message in (({"wait_timeout": -1}, "wait_timeout: -1"), ({"poll_interval": 0}, "poll_interval: 0")):
        refused = simulator.run("kubernetes_drain", node_groups=["gpu"], **given)
        assert refused["failed"] and message in refused["msg"], refused
