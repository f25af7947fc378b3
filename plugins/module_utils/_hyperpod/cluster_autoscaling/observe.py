# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# This module util is private to the collection.
"""Reads the autoscaler of a cluster, and waits until AWS has finished changing it."""

from __future__ import annotations

import typing as t

from ..._core.waits import Waits
from ..api import HyperPod
from .model import Desired, State


class Observer:
    """Reads one cluster."""

    def __init__(self, api: HyperPod, desired: Desired, *, waits: Waits | None) -> None:
        self.api = api
        self.desired = desired
        self.waits = waits
        """None if the module does not wait."""

    def __call__(self) -> State:
        """The current state. If the module waits, it first waits until an earlier run's operation has ended."""
        return self.until(lambda state: not state.under_way)

    def look(self) -> State:
        arn = self.desired.cluster_arn
        return State.from_api(self.api.call("DescribeCluster", about=f"cluster {arn}", ClusterName=arn))

    def until(self, done: t.Callable[[State], bool], *, failed: t.Callable[[State], str | None] = lambda state: None) -> State:
        """The state once ``done``, or immediately if the module does not wait.

        :raises WaitFailed: with the reason from ``failed``.
        """
        if self.waits is None:
            return self.look()
        subject = f"autoscaler of cluster {self.desired.cluster_arn}"
        return self.waits.until(self.look, done=done, failed=failed, subject=subject, state=_described)


def _described(state: State) -> str:
    return f"{state.status or 'not present'} (the cluster is {state.cluster.status})"
