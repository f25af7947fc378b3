# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# This module util is private to the collection.
"""The settings of a test."""

from __future__ import annotations

from dataclasses import dataclass

from ...._kubernetes.nodes import labels
from ...._kubernetes.nodes.model import node_name
from ...node.nccl.model import Desired as Test

TEST = labels.NCCL
"""The label of all objects of a test. Its value identifies the run."""


@dataclass(frozen=True)
class Desired:
    test: Test
    image: str
    namespace: str
    queue_timeout: int
    """Seconds within which all Pods must have a node."""
    start_timeout: int
    """Seconds within which all Pods must run, counted from the time when all have a node."""
    names: tuple[str, ...] = ()
    """The names of the nodes in Kubernetes; empty for HyperPod's names."""

    @property
    def nodes(self) -> tuple[str, ...]:
        """The names of the nodes in Kubernetes."""
        return self.names or tuple(node_name(each) for each in self.test.addresses)

    @property
    def seconds(self) -> int:
        """The time limit of the whole test, in seconds."""
        return self.queue_timeout + self.start_timeout + self.test.timeout
