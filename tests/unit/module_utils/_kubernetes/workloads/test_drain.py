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
    """Node ``n`` with Pods.

    :param answers: statuses of the next evictions; 0 evicts.
    :param later: nodes that join with the first eviction.
    :param gone: nodes that are removed before they are cordoned.
    """

    def __init__(self, *pods: str, answers: t.Sequence[int] = (), later: t.Sequence[str] = (), gone: t.Sequence[str] = ()) -> None:
        self.pods, self.answers, self.later, self.gone = list(pods), list(answers), list(later), gone
        self.nodes = {"n": False}
        """Whether each node is cordoned."""

    def items(self, path: str, **_query: str) -> list[t.Any]:
        if path == NODES:
            labels = {"eks.amazonaws.com/nodegroup": "gpu"}
            return [{"metadata": {"name": each, "labels": labels}, "spec": {"unschedulable": cordoned}} for each, cordoned in self.nodes.items()]
        return [{"metadata": {"name": each, "namespace": "a"}, "spec": {"nodeName": "n"}} for each in self.pods]

    def merge(self, path: str, body: t.Any) -> None:
        assert body == {"spec": {"unschedulable": True}}
        name = path.removeprefix(f"{NODES}/").partition("?")[0]
        if name in self.gone:
            del self.nodes[name]
            raise KubernetesError(f"PATCH {path} was answered with 404", 404)
        self.nodes[name] = True

    def create(self, path: str, _body: t.Any) -> None:
        self.nodes.update(dict.fromkeys(self.later, False))
        self.later = []
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
    assert work.done() == [] and server.nodes == {"n": True} and server.pods == []
    assert [str(each.resource) for each in work.changes] == ["node n", "Pod a/b", "Pod a/a"]


def test_nodes_that_join_during_the_drain_are_cordoned() -> None:
    server = ApiServer("a", answers=[429, 0], later=["m", "left"], gone=["left"])
    work = drain(server)
    assert work.done() == [] and server.nodes == {"n": True, "m": True}
    assert [str(each.resource) for each in work.changes] == ["node n", "node m", "Pod a/a"]


def test_pods_that_stay_are_returned() -> None:
    (left,) = drain(ApiServer("a", answers=[429] * 99), seconds=30).done()
    assert left.described == "a/a"


def test_a_forbidden_eviction_fails() -> None:
    with pytest.raises(KubernetesError, match="403"):
        drain(ApiServer("a", answers=[403])).done()
