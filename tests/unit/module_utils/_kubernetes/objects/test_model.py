# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The API path of an object, its owner, and its result."""

from __future__ import annotations

import typing as t

import pytest
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._kubernetes.objects.model import Declared, Found, Kind, State
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._kubernetes.objects.result import result


def declared(version: str = "v1", kind: str = "Pod", **meta: str) -> Declared:
    return Declared({"apiVersion": version, "kind": kind, "metadata": {"name": "a", **meta}})


@pytest.mark.parametrize(
    ("version", "namespaced", "meta", "path"),
    [
        ("v1", True, {"namespace": "ns"}, "/api/v1/namespaces/ns/things/a"),
        ("v1", True, {}, "/api/v1/namespaces/default/things/a"),
        ("v1", False, {"namespace": "ns"}, "/api/v1/things/a"),
        ("batch/v1", True, {"namespace": "ns"}, "/apis/batch/v1/namespaces/ns/things/a"),
        ("karpenter.sh/v1", False, {}, "/apis/karpenter.sh/v1/things/a"),
    ],
)
def test_paths_are_built(version: str, namespaced: bool, meta: dict[str, str], path: str) -> None:
    assert Kind("things", namespaced).path(declared(version, **meta)) == path


def test_an_object_is_described() -> None:
    assert (declared(namespace="ns").described, declared().described) == ("Pod ns/a", "Pod a")


@pytest.mark.parametrize(
    ("meta", "ours", "leaving"),
    [
        ({"labels": {"app.kubernetes.io/managed-by": "mlfleet.hyperpod"}}, True, False),
        ({"labels": {"app.kubernetes.io/managed-by": "Helm"}}, False, False),
        ({"labels": None, "deletionTimestamp": "2026-10-04T09:00:00Z"}, False, True),
        ({}, False, False),
        (None, False, False),
    ],
)
def test_ownership_follows_from_the_label(meta: dict[str, t.Any] | None, ours: bool, leaving: bool) -> None:
    found = Found(declared(), Kind("pods", True), None if meta is None else {"metadata": meta})
    assert (found.ours, found.leaving) == (ours, leaving)


def test_kinds_that_the_server_lacks_are_named_once() -> None:
    pod, job = declared(), declared("batch/v1", "Job")
    found = (Found(pod, None), Found(job, None), Found(pod, None), Found(declared(kind="Secret"), Kind("secrets", True)))
    assert State(found).undefined == ["Pod of v1", "Job of batch/v1"]


def test_the_result_contains_the_objects() -> None:
    live = {"kind": "Pod", "metadata": {"name": "a", "managedFields": [1]}, "spec": {}}
    found = (Found(declared(), Kind("pods", True), live), Found(declared(), Kind("pods", True)))
    assert result(State(found)) == {"objects": [{"kind": "Pod", "metadata": {"name": "a"}, "spec": {}}]}
