# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# This module util is private to the collection.
"""Applies one step of a plan: submits a job, or deletes a job with its Pods. An existing job is never changed."""

from __future__ import annotations

from ..._core.failure import Refused
from ..._core.plan import Step
from ..._core.waits import Waits
from ..._kubernetes.client import CONFLICT, Kubernetes, KubernetesError, Object
from .deletion import until_deleted
from .model import HASH, NONE, Desired
from .plan import DELETE

WITH_PODS: Object = {"apiVersion": "v1", "kind": "DeleteOptions", "propagationPolicy": "Foreground"}


class Applier:
    """:param waits: for waits for a deletion. A replacement always waits until the earlier job is deleted."""

    def __init__(self, kubernetes: Kubernetes, desired: Desired, *, waits: Waits) -> None:
        self.kubernetes = kubernetes
        self.desired = desired
        self.waits = waits

    def __call__(self, step: Step) -> None:
        """:raises Failure: if the API server refuses the step, or a deletion times out."""
        if step.operation == DELETE:
            self._delete(step.arguments["uid"])
        else:
            self._submit()

    def _submit(self) -> None:
        """Submit the job. If a job with the same manifest exists, the reply to an earlier attempt was lost."""
        job = self.desired.rendered
        try:
            self.kubernetes.create(job.kind.path(job.namespace), job.manifest)
        except KubernetesError as error:
            if error.status == CONFLICT:
                self._check_same(error)
            elif error.passes and self._is_there():
                return
            else:
                raise

    def _check_same(self, error: KubernetesError) -> None:
        if not self._is_there():
            job = self.desired.rendered.described
            raise Refused(f"{job}: a different job with this name was created concurrently. Run again.") from error

    def _is_there(self) -> bool:
        found = self.kubernetes.find(self.desired.rendered.path) or {}
        annotations = (found.get("metadata") or {}).get("annotations") or {}
        return bool(annotations.get(HASH) == self.desired.rendered.hash)

    def _delete(self, uid: str) -> None:
        job = self.desired.rendered
        self.kubernetes.delete(job.path, {**WITH_PODS, "preconditions": {"uid": uid}})
        if not self.desired.present and self.desired.stage == NONE:
            return
        until_deleted(self.kubernetes, job, uid, self.waits)
