# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# This module util is private to the collection.
"""The settings of a test."""

from __future__ import annotations

from dataclasses import dataclass

from ...._kubernetes.nodes.model import node_name
from ...node.nccl.model import Desired as Test

TEST = "mlfleet.hyperpod/nccl-test"
"""Label of all objects of a test; its value is the run."""


@dataclass(frozen=True)
class Desired:
    test: Test
    image: str
    namespace: str
    queue_timeout: int
    """Seconds until all pods have a node."""
    start_timeout: int
    """Seconds until all pods run after that."""

    @property
    def nodes(self) -> tuple[str, ...]:
        """Their names in Kubernetes."""
        return tuple(node_name(each) for each in self.test.addresses)

    @property
    def seconds(self) -> int:
        """Time limit of the whole test."""
        return self.queue_timeout + self.start_timeout + self.test.timeout
