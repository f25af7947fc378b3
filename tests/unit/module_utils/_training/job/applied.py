# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Runs a job on the in-memory API server, with a clock that never blocks."""

from __future__ import annotations

import typing as t
from dataclasses import replace
from pathlib import Path

from ansible_collections.mlfleet.hyperpod.plugins.module_utils._core.wait import Clock
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._core.waits import Progress
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._kubernetes.nodes.devices import Node, State as Nodes
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._kubernetes.nodes.model import KubernetesNode
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._training.job.apply import Runner
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._training.job.model import KINDS, Outcome, Planned, State
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._training.job.plan import plan

from ..._karpenter.proof.api_server import Server
from .described import RUN, desired
from .trained import Trained

NAME = f"training-{RUN}"
SHARED = {"spec": {"accessModes": ["ReadWriteMany"]}}
PULL = {"phase": "Pending", "containerStatuses": [{"state": {"waiting": {"reason": "ImagePullBackOff", "message": "no\nway"}}}]}
STARTING = {"phase": "Pending", "containerStatuses": [{"state": {"waiting": {"reason": "ContainerCreating"}}}]}


class Time:
    def __init__(self) -> None:
        self.now = 0.0

    def sleep(self, seconds: float) -> None:
        self.now += seconds


def nodes(*names: str) -> State:
    return State(Nodes({name: Node(KubernetesNode(name), gpus=8) for name in names}), KINDS)


def runner(
    kubernetes: t.Any, kind: str = "PyTorchJob", *, run: str = RUN, time: Time | None = None, progress: Path | None = None, **given: t.Any
) -> Runner:
    time = time or Time()
    clock = Clock(now=lambda: time.now, sleep=time.sleep, jitter=lambda: 0.0)
    shown = Progress(str(progress) if progress else None, now=lambda: time.now)
    wanted = desired(kind=kind, **given)
    planned = plan(wanted, replace(nodes("a", "b"), claim=SHARED if wanted.claim else None), run)
    assert isinstance(planned, Planned)
    return Runner(kubernetes, wanted, planned, progress=shown, interval=5, clock=clock)


def run(world: Trained, kind: str = "PyTorchJob", **given: t.Any) -> Outcome:
    with Server(world) as kubernetes:
        job = runner(kubernetes, kind, **given)
        outcome = job()
    assert (job.runner.made.left, world.left) == ([], [])
    return outcome
