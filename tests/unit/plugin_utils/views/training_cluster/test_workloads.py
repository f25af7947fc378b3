# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""What people run in the cluster, as texts."""

from __future__ import annotations

import typing as t

from ansible_collections.mlfleet.hyperpod.plugins.plugin_utils.views.training_cluster.workloads import workloads

from .given import variables

NONE: dict[str, t.Any] = {"pods": [], "jobs": [], "load_balancers": [], "volumes": [], "unread": []}
POD = {"namespace": "a", "name": "train\x1b", "node": "n", "node_group": "gpu", "owner": "Job train", "claims": ["a/data"]}


def found(**parts: t.Any) -> t.Any:
    return workloads(variables(__training_cluster_workloads={"kubernetes_workloads": {**NONE, **parts}}))


def test_a_cluster_that_was_not_read_has_no_workloads() -> None:
    assert workloads(variables()) is None and workloads(variables(__training_cluster_workloads={"skipped": True})) is None


def test_pods_are_named_by_group() -> None:
    seen = found(pods=[POD, {**POD, "name": "web", "node_group": "", "owner": ""}])
    assert seen.pods_on(["gpu"], everywhere=False) == ["Pod a/train? (Job train, node group gpu)"]
    assert seen.pods_on([], everywhere=True)[1:] == ["Pod a/web"] and seen.pods_on(["other"], everywhere=False) == []


def test_jobs_are_options_and_dynamic_volumes_are_left() -> None:
    volume = {"name": "v", "driver": "ebs.csi.aws.com", "handle": "vol-1", "claim": "a/logs", "dynamic": True}
    seen = found(jobs=["b/check"], load_balancers=["a/board"], volumes=[volume, {**volume, "handle": "fs-1", "claim": "a/data", "dynamic": False}])
    assert seen.our_jobs == [{"apiVersion": "batch/v1", "kind": "Job", "metadata": {"namespace": "b", "name": "check"}}]
    assert seen.left == ["the load balancer of Service a/board", "vol-1 (claim a/logs, ebs.csi.aws.com)"]
    assert seen.using([POD], ["fs-1"]) and not seen.using([POD], ["vol-1"])
