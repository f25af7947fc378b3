# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# This module util is private to the collection.
"""The Lease that a run holds from its first check to the end of its last job."""

from __future__ import annotations

import uuid

from .._core.failure import Failure
from .._core.text import printable
from .._core.wait import Clock
from .._core.waits import Progress
from .._kubernetes.client import Kubernetes
from .._kubernetes.lease import LEASE, LONGEST_NAME, SECONDS, Lease, LeaseLost
from .._kubernetes.namespace import BASELINE, check_own
from .._kubernetes.pod_runner.mark import Mark
from .._kubernetes.pod_runner.runner import PodRunner
from .._lock.claim import own_name
from .job.free import free_nodes
from .job.model import TRAINING
from .job.options import SPEC

NAMESPACE = str(SPEC["namespace"]["default"])
NO_JOB = ""
"""The run of a mark that no object has, so that the objects of all jobs count as those of other runs."""
INTERVAL = 5.0
"""Seconds between two reads of the Pods that killed runs left."""


def new_holder() -> str:
    """A name for this run, which also names the user and the host for people."""
    return printable(f"run-{uuid.uuid4().hex[:8]} of {own_name()}")[:LONGEST_NAME]


class RunLease:
    def __init__(self, kubernetes: Kubernetes, namespace: str, *, holder: str, own: bool, clock: Clock = Clock()) -> None:
        """:param own: whether the namespace must be ours."""
        self.kubernetes = kubernetes
        self.namespace = namespace
        self.own = own
        self.name = LEASE
        self.lease = Lease(kubernetes, namespace, LEASE, holder=holder, seconds=SECONDS, clock=clock, shared=True)
        self.left: list[str] = []
        """Sentences about what could not be removed."""
        self._clock = clock

    def check(self) -> None:
        """
        :raises LeaseLost: if another run holds the Lease.
        :raises Refused: if the namespace must be ours and has another owner.
        :raises KubernetesError: if the API server refuses a request.
        """
        if self.own:
            check_own(self.kubernetes, self.namespace, BASELINE)
        other = self.lease.other()
        if other:
            raise LeaseLost(self.lease.held_by(other))

    def acquire(self) -> None:
        """Acquire or renew the Lease, and remove what killed runs left in the namespace.

        :raises Failure: as ``check``, and if Pods of killed runs do not end. This run then does not hold the Lease.
        """
        runner = PodRunner(
            self.kubernetes,
            self.namespace,
            Mark(TRAINING, NO_JOB),
            progress=Progress(None),
            interval=INTERVAL,
            clock=self._clock,
            level=BASELINE if self.own else None,
            lease=self.lease,
        )

        def work() -> str:
            self.lease.require(runner.made.create_unregistered)
            return free_nodes(runner, self.namespace)

        held = False
        try:
            why = runner.run(work)
            if why:
                raise Failure(why)
            held = True
        finally:
            self.left += runner.made.left
            if not held:
                self._drop(self.lease.release())

    def release(self) -> None:
        self._drop(self.lease.remove())

    def _drop(self, why: str) -> None:
        if why:
            self.left.append(why)
