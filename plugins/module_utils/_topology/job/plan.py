# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# This module util is private to the collection.
"""Plans the change to the desired job. No I/O."""

from __future__ import annotations

import dataclasses

from ..._core.failure import Refused, refuse_shown
from ..._core.plan import Change, Plan, Step
from ..._kubernetes.client import Object
from .checks import check
from .difference import difference, masked
from .model import HASH, Desired, Rendered, State
from .render import without_suspend

SUBMIT, DELETE = "Submit", "Delete"


def plan(desired: Desired, state: State) -> Plan:
    """:raises Refused: if a different job has the name, or the cluster does not meet the job's requirements."""
    return _present(desired, state) if desired.present else _absent(desired, state)


def _present(desired: Desired, state: State) -> Plan:
    job = desired.rendered
    if state.job is not None and state.hash == job.hash and not state.leaving:
        return Plan()
    steps = []
    if state.leaving and not desired.replace:
        raise Refused(f"{job.described} is being deleted. Run again after the deletion, or set replace=true, which waits for it.")
    if state.job is not None and not state.leaving:
        _check_owned(desired, state, "replace=true with force=true, which deletes the job")
        if not desired.replace:
            refuse_shown(
                "manifest",
                f"a manifest that differs from that of the existing {job.described}",
                "the original manifest, a different name, or replace=true, which first deletes the job with its Pods",
                difference(_submitted(job), state.job),
            )
        steps.append(_delete(job, state))
    notes = check(job, state.facts) if state.facts is not None else ()
    notes += tuple(filter(None, (job.reach, job.runtime, desired.vanishing)))
    made = Change("create", job.described, None, None, masked(job.manifest))
    steps.append(Step(SUBMIT, {}, (made,), lambda before: State(job.manifest, facts=before.facts)))
    return Plan(tuple(steps), notes=notes)


def _absent(desired: Desired, state: State) -> Plan:
    if state.job is None or state.leaving:
        return Plan()
    _check_owned(desired, state, "force=true, which deletes the job anyway")
    return Plan((_delete(desired.rendered, state),))


def _check_owned(desired: Desired, state: State, way: str) -> None:
    if not state.hash and not desired.force:
        job = desired.rendered.described
        raise Refused(f"{job} already exists, and this module did not create it. Allowed: a different name, or {way}.")


def _delete(job: Rendered, state: State) -> Step:
    change = Change("delete", job.described)
    return Step(DELETE, {"uid": state.uid}, (change,), lambda before: dataclasses.replace(before, job=None, workload=None, pods=()))


def _submitted(job: Rendered) -> Object:
    """The manifest without fields that this module adds."""
    bare = without_suspend(job.kind, job.manifest)
    annotations = {name: value for name, value in bare["metadata"]["annotations"].items() if name != HASH}
    return {**bare, "metadata": {**bare["metadata"], "annotations": annotations}}
