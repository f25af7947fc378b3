# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# This module util is private to the collection.
"""Reads one extension of a cluster, and waits until AWS has finished changing it."""

from __future__ import annotations

import typing as t

from ..._aws.client import AwsError
from ..._core.waits import Waits
from ..api import NOT_FOUND, HyperPod
from ..statuses import EXTENSION
from .model import Desired, Extension, State


class Observer:
    """Reads an extension by its name."""

    def __init__(self, api: HyperPod, desired: Desired, *, waits: Waits | None) -> None:
        self.api = api
        self.desired = desired
        self.waits = waits
        """None if the module does not wait."""

    def __call__(self) -> State:
        """The current state. If the module waits, it first waits until an earlier run's operation has ended."""
        return State(self.until(lambda found: found is None or not EXTENSION.is_busy(found.status)))

    def look(self) -> Extension | None:
        arn, about = self.desired.cluster_arn, f"{self.desired.resource} of cluster {self.desired.cluster_arn}"
        listed = self.api.pages("ListClusterExtensions", "Extensions", about=about, ClusterArn=arn)
        matching = [each["ExtensionArn"] for each in listed if each["ExtensionName"] == self.desired.name]
        if not matching:
            return None
        try:
            return Extension.from_api(
                self.api.call("DescribeClusterExtension", about=about, ClusterArn=arn, ExtensionArn=matching[0])
            )
        except AwsError as error:
            if error.code in NOT_FOUND:
                return None
            raise

    def until(
        self,
        done: t.Callable[[Extension | None], bool],
        *,
        failed: t.Callable[[Extension | None], str | None] = lambda found: None,
    ) -> Extension | None:
        """The state once ``done``, or immediately if the module does not wait.

        :raises WaitFailed: with the reason from ``failed``.
        """
        if self.waits is None:
            return self.look()
        return self.waits.until(self.look, done=done, failed=failed, subject=self.desired.resource, state=_described)


def _described(found: Extension | None) -> str:
    if found is None:
        return "missing"
    nodes = f", active on {found.active_nodes} of {found.nodes} nodes" if found.nodes else ""
    return f"{found.status}{nodes}"
