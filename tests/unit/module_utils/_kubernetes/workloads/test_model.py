# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Pods that count, and volumes."""

from __future__ import annotations

import typing as t

from ansible_collections.mlfleet.hyperpod.plugins.module_utils._kubernetes.workloads.model import Pod, Volume, pods_of


def item(name: str, *, owner: str = "", phase: str = "Running", controller: bool = True) -> dict[str, t.Any]:
    owners = [{"kind": owner, "name": "x", "controller": controller}] if owner else []
    meta = {"name": name, "namespace": "a", "ownerReferences": owners}
    volumes = [{"persistentVolumeClaim": {"claimName": "data"}}, {"emptyDir": {}}]
    return {"metadata": meta, "spec": {"nodeName": "n", "volumes": volumes}, "status": {"phase": phase}}


def test_pods_of_nodes_and_pods_that_ended_do_not_count() -> None:
    items = [item("bare"), item("job", owner="Job"), item("set", owner="DaemonSet"), item("static", owner="Node")]
    found = pods_of([*items, item("over", phase="Failed"), item("owned", owner="Node", controller=False)], {"n": "gpu"})
    assert [each.name for each in found] == ["bare", "job", "owned"]
    assert found[1] == Pod("a", "job", "n", "gpu", "Job x", ("a/data",)) and found[1].described == "a/job"
    assert found[1].to_result()["claims"] == ["a/data"]


def test_a_volume_without_a_driver_has_no_handle() -> None:
    found = Volume.from_api({"metadata": {"name": "v"}, "spec": {"hostPath": {}}})
    assert found == Volume("v", "", "", "", False)
