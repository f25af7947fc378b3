# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# This module util is private to the collection.
"""The runtime of a TrainJob, which has the job's Pod templates and may grant any right to its Pods. No I/O.

Administrators create a ClusterTrainingRuntime, and users of the namespace create a TrainingRuntime. Source of the defaults:
kubeflow/trainer ``pkg/apis/trainer/v1alpha1/trainjob_types.go``.
"""

from __future__ import annotations

from dataclasses import dataclass

from ..._core.failure import refuse_option
from ..._core.text import printable
from ..._kubernetes.client import Object
from ..._kubernetes.job_kinds import Kind, mapping

_GROUP, _OF_CLUSTER = "trainer.kubeflow.org", "ClusterTrainingRuntime"


@dataclass(frozen=True)
class Runtime:
    kind: str
    """The kind, with its API group unless the group is that of Kubeflow's trainer."""
    name: str

    @property
    def right(self) -> str:
        """The right to use the runtime; empty for a runtime of the cluster."""
        return "" if self.kind == _OF_CLUSTER else f"runtimeRef={self.kind}/{self.name}"


def runtime_of(kind: Kind, manifest: Object) -> Runtime | None:
    """The job's runtime; None if the kind has its own Pod templates."""
    if not kind.runtime:
        return None
    reference = mapping(manifest, "spec", kind.runtime)
    group, named = _given(reference, "apiGroup", _GROUP), _given(reference, "kind", _OF_CLUSTER)
    return Runtime(named if group == _GROUP else f"{group}/{named}", printable(reference.get("name")))


def _given(reference: Object, field: str, default: str) -> str:
    value = reference.get(field)
    return default if value is None else printable(value)


def check_reference(kind: Kind, manifest: Object, source: str) -> None:
    """:raises Refused: for a reference without a name."""
    name = mapping(manifest, "spec", kind.runtime).get("name") if kind.runtime else "its own"
    if not isinstance(name, str) or not name:
        value = mapping(manifest, "spec").get(kind.runtime)
        refuse_option(f"{source}.spec.{kind.runtime}", value, "an object with the name of a runtime")


def note(job: str, runtime: Runtime | None) -> str:
    """A warning about a runtime that needs no right; empty otherwise.

    :param job: the kind, the namespace and the name of the job.
    """
    if runtime is None or runtime.right:
        return ""
    return f"Pods of {job} have the rights that {runtime.kind} {runtime.name} gives them. This module does not read these rights."
