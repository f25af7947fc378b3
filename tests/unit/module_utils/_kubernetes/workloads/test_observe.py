# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Pods, jobs and volumes that are read, and those that are omitted."""

from __future__ import annotations

import typing as t

import pytest
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._kubernetes.client import KubernetesError
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._kubernetes.workloads.observe import (
    NODES,
    PODS,
    SERVICES,
    VOLUMES,
    Observer,
)


class ApiServer:
    """Listings; those in ``failed`` fail with a status."""

    def __init__(self, listed: dict[str, list[t.Any]], **failed: int) -> None:
        self.listed, self.failed = listed, failed

    def items(self, path: str, **_query: str) -> list[t.Any]:
        status = self.failed.get(path.rpartition("/")[2])
        if status is not None:
            raise KubernetesError(f"GET {path} was answered with {status}: no.", status)
        return self.listed.get(path, [])


def named(name: str, space: str = "a", **spec: t.Any) -> dict[str, t.Any]:
    return {"metadata": {"name": name, "namespace": space}, "spec": spec}


LISTED = {
    NODES: [{"metadata": {"name": "n", "labels": {"eks.amazonaws.com/nodegroup": "gpu"}}}],
    PODS: [named("train", nodeName="n"), named("dns", "kube-system", nodeName="n")],
    SERVICES: [named("board", type="LoadBalancer"), named("inner")],
    "/apis/batch/v1/jobs": [named("train")],
    VOLUMES: [],
}


def test_pods_of_the_system_and_inner_services_are_left_out() -> None:
    found = Observer(t.cast(t.Any, ApiServer(LISTED)))()
    assert [(each.name, each.node_group) for each in found.pods] == [("train", "gpu")]
    assert (found.load_balancers, found.unread) == (("a/board",), ())
    assert found.to_result()["unfinished_jobs"] == [{"api_version": "batch/v1", "kind": "Job", "namespace": "a", "name": "train"}]


def test_a_denied_listing_is_unknown_and_an_absent_api_server_an_error() -> None:
    found = Observer(t.cast(t.Any, ApiServer(LISTED, persistentvolumes=403)))()
    assert found.unread == ("PersistentVolumes: GET /api/v1/persistentvolumes was answered with 403: no",) and len(found.pods) == 1
    found = Observer(t.cast(t.Any, ApiServer(LISTED, jobs=500)))()
    assert found.unread == () and found.to_result()["unread_jobs"] == ["Jobs: GET /apis/batch/v1/jobs was answered with 500: no"]
    for status in (0, 401, 500):
        with pytest.raises(KubernetesError):
            Observer(t.cast(t.Any, ApiServer(LISTED, nodes=status)))()
