# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# This module util is private to the collection.
"""Plans the objects of a job, or returns why no job is started. No I/O."""

from __future__ import annotations

import typing as t

from ..._core.text import printable
from ..._kubernetes.job_kinds import known_kind
from ..._kubernetes.nodes.devices import share
from ..._kubernetes.nodes.idle import BUSY as NOT_IDLE, FEWER_DEVICES, UNAVAILABLE, why_not_idle
from ..._kubernetes.nodes.layers import layers_of
from ..model import named
from . import manifest, volume
from .model import (
    ALLOCATION,
    AUTO,
    BUSY,
    CLAIM,
    DEVICES,
    KIND,
    KINDS,
    LAUNCHERS,
    RUNTIME,
    Desired,
    NotRun,
    Planned,
    State,
)
from .options import INTERRUPTIONS, not_interrupted
from .priority import priority_class, set_priority

FAILURES = {UNAVAILABLE: ALLOCATION, NOT_IDLE: BUSY, FEWER_DEVICES: DEVICES}


def plan(desired: Desired, state: State, run: str) -> Planned | NotRun:
    """
    :param run: identifies the run in the names of its objects.
    :raises Refused: if the kind does not support the queue's options.
    """
    refused = _nodes_refused(desired, state) or (_claim_refused(desired, state) if desired.claim else None)
    name = refused or _kind(desired, state.served)
    if isinstance(name, NotRun):
        return name
    kind = known_kind(name)
    body = manifest.job(run, desired, kind, share([state.nodes.nodes[each] for each in desired.nodes]))
    service = manifest.service(run, desired) if name == "Job" else None
    priority = priority_class(manifest.name(run), run, desired, kind)
    if priority:
        set_priority(body, kind, manifest.name(run))
    layers = {each: layers_of(state.nodes.nodes[each].labels) for each in desired.nodes}
    return Planned(kind, run, manifest.program(run, desired), service, body, not state.namespace, priority, layers)


def _nodes_refused(desired: Desired, state: State) -> NotRun | None:
    reason = why_not_idle(desired.nodes, state.nodes, gpus=desired.gpus, efa=desired.efa)
    return NotRun(FAILURES[reason.kind], reason.text) if reason else None


def _kind(desired: Desired, served: t.Collection[str]) -> str | NotRun:
    if desired.kind == AUTO:
        kind = next(kind for kind in KINDS if kind in served and kind not in LAUNCHERS)
        interruptions = (option for option in INTERRUPTIONS if getattr(desired.program, option))
        refusal = "".join(not_interrupted(option, kind) for option in interruptions)
        return NotRun(KIND, refusal) if refusal else kind
    if desired.kind in served:
        return desired.kind
    runtime = f" with the ClusterTrainingRuntime {RUNTIME}" if desired.kind == "TrainJob" else ""
    others = " or ".join(kind for kind in KINDS if kind in served)
    return NotRun(KIND, f"The cluster does not have the kind {desired.kind}{runtime}. Install its operator, or choose {others}.")


def _claim_refused(desired: Desired, state: State) -> NotRun | None:
    claim, where = state.claim, f"{desired.namespace}/{desired.claim}"
    if claim is None:
        return NotRun(CLAIM, f"PersistentVolumeClaim {where} does not exist. Name an existing claim.")
    if (claim.get("status") or {}).get("phase") == "Lost":
        return NotRun(CLAIM, f"PersistentVolumeClaim {where} is Lost, because its volume no longer exists. Name a different claim.")
    modes = [printable(each) for each in (claim.get("spec") or {}).get("accessModes") or ()]
    if len(desired.nodes) > 1 and "ReadWriteMany" not in modes:
        lacks = f"lacks the access mode ReadWriteMany (its modes: {', '.join(modes) or 'none'})"
        text = f"PersistentVolumeClaim {where} {lacks}, so several nodes cannot write to it. Name a different claim."
        return NotRun(CLAIM, text)
    return _volume_refused(desired, state, where) if state.volume else None


def _volume_refused(desired: Desired, state: State, where: str) -> NotRun | None:
    labels = {name: state.nodes.nodes[name].labels for name in desired.nodes}
    without = volume.unusable_on(state.volume or {}, labels)
    if not without:
        return None
    usable = f"is bound to a volume that only nodes with {volume.described(state.volume or {})} can use"
    text = f"PersistentVolumeClaim {where} {usable}, unlike these nodes: {named(without)}."
    return NotRun(CLAIM, f"{text} Name a different claim, or choose other nodes.")


def dropped(sent: t.Any, returned: t.Any, path: str = "") -> list[str]:
    """The fields of an object that the API server discarded, such as fields that an old release does not support."""
    if isinstance(sent, dict) and isinstance(returned, dict):
        missing = [f"{path}{name}" for name, value in sent.items() if name not in returned and value not in (None, "", [], {})]
        below = [(value, returned[name], f"{path}{name}.") for name, value in sent.items() if name in returned]
        return [*missing, *(each for one in below for each in dropped(*one))]
    if isinstance(sent, list) and isinstance(returned, list):
        return [each for one, other in zip(sent, returned) for each in dropped(one, other, path)]
    return []
