# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""What people run in the cluster, as texts."""

from __future__ import annotations

import typing as t

from ansible_collections.mlfleet.hyperpod.plugins.plugin_utils.views.training_cluster.workloads import workloads

from .given import seen, variables

JOB = {"api_version": "kubeflow.org/v1", "kind": "PyTorchJob", "namespace": "b", "name": "check"}
POD = {"namespace": "a", "name": "train\x1b", "node": "n", "node_group": "gpu", "owner": "Job train", "claims": ["a/data"]}


def found(**parts: t.Any) -> t.Any:
    return workloads(variables(**seen(**parts)))


def test_a_cluster_that_was_not_read_has_no_workloads() -> None:
    assert workloads(variables()) is None and workloads(variables(__training_cluster_workloads={"skipped": True})) is None


def test_pods_are_named_by_group() -> None:
    made = found(pods=[POD, {**POD, "name": "web", "node_group": "", "owner": ""}])
    assert made.pods_on(["gpu"], everywhere=False) == ["Pod a/train? (Job train, node group gpu)"]
    assert made.pods_on([], everywhere=True)[1:] == ["Pod a/web"] and made.pods_on(["other"], everywhere=False) == []


def test_jobs_are_options_and_dynamic_volumes_are_left() -> None:
    volume = {"name": "v", "driver": "ebs.csi.aws.com", "handle": "vol-1", "claim": "a/logs", "dynamic": True}
    made = found(jobs=[JOB], load_balancers=["a/board"], volumes=[volume, {**volume, "handle": "fs-1", "claim": "a/data", "dynamic": False}])
    assert made.our_jobs == [{"apiVersion": "kubeflow.org/v1", "kind": "PyTorchJob", "metadata": {"namespace": "b", "name": "check"}}]
    assert made.left == ["the load balancer of Service a/board", "vol-1 (claim a/logs, ebs.csi.aws.com)"]
    assert made.using([POD], ["fs-1"]) and not made.using([POD], ["vol-1"])


def test_unfinished_jobs_are_named_by_kind() -> None:
    made = found(unfinished_jobs=[JOB, {**JOB, "kind": "JobSet", "name": "set\x1b"}])
    assert made.unfinished() == ["PyTorchJob b/check", "JobSet b/set?"] and made.unfinished("JobSet") == ["JobSet b/set?"]
    assert made.our_jobs == []
