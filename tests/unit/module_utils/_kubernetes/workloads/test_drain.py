# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Evictions that fail, and how a drain ends."""

from __future__ import annotations

import typing as t

import pytest
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._core.wait import Clock
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._core.waits import Waits
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._kubernetes.client import KubernetesError
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._kubernetes.workloads.drain import Drain
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._kubernetes.workloads.observe import NODES


class ApiServer:
    """One node with Pods. ``answers``: statuses of the next evictions; 0 evicts."""

    def __init__(self, *pods: str, answers: t.Sequence[int] = ()) -> None:
        self.pods, self.answers, self.cordoned = list(pods), list(answers), False

    def items(self, path: str, **_query: str) -> list[t.Any]:
        if path == NODES:
            return [{"metadata": {"name": "n", "labels": {"eks.amazonaws.com/nodegroup": "gpu"}}, "spec": {"unschedulable": self.cordoned}}]
        return [{"metadata": {"name": each, "namespace": "a"}, "spec": {"nodeName": "n"}} for each in self.pods]

    def merge(self, path: str, body: t.Any) -> None:
        assert path.startswith(f"{NODES}/n?") and body == {"spec": {"unschedulable": True}}
        self.cordoned = True

    def create(self, path: str, _body: t.Any) -> None:
        status = self.answers.pop(0) if self.answers else 0
        if status:
            raise KubernetesError(f"POST {path} was answered with {status}", status)
        self.pods.remove(path.split("/")[-2])


def drain(server: ApiServer, seconds: float = 60) -> Drain:
    now = [0.0]
    clock = Clock(now=lambda: now[0], sleep=lambda pause: now.__setitem__(0, now[0] + pause), jitter=lambda: 0.0)
    return Drain(t.cast(t.Any, server), ["gpu"], system=True, waits=Waits(timeout=seconds, interval=10, clock=clock))


def test_a_refused_eviction_is_repeated() -> None:
    server = ApiServer("a", "b", answers=[429, 0, 404])
    work = drain(server)
    assert work.done() == [] and server.cordoned and server.pods == []
    assert [str(each.resource) for each in work.changes] == ["node n", "Pod a/b", "Pod a/a"]


def test_pods_that_stay_are_returned() -> None:
    (left,) = drain(ApiServer("a", answers=[429] * 99), seconds=30).done()
    assert left.described == "a/a"


def test_a_forbidden_eviction_fails() -> None:
    with pytest.raises(KubernetesError, match="403"):
        drain(ApiServer("a", answers=[403])).done()
