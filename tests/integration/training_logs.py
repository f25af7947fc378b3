# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Logs of Pods on hollow nodes: of health checks, of NCCL tests, and of training jobs that succeed."""

from __future__ import annotations

import os
import sys
import typing as t
from pathlib import Path

from eks_looks import Runs
from kubernetes_world import KubernetesWorld
from lab.accelerators.nccl import AllReduce
from lab.accelerators.story import Story

UNIT = Path(__file__).resolve().parents[1] / "unit" / "module_utils" / "_training"
TYPE, GPUS, EFA_DEVICES, STEPS = "ml.p5.48xlarge", 8, 32, 20
LOOK, NCCL, TRAINING = "mlfleet.hyperpod/look", "mlfleet.hyperpod/nccl-test", "mlfleet.hyperpod/training"


def import_logged() -> None:
    """Make the module ``logged`` of the unit tests importable, and the collection that it imports."""
    sys.path[:0] = [str(UNIT), *os.environ["ANSIBLE_COLLECTIONS_PATH"].split(":")]


class Node:
    """Logs of the Pods of a node.

    :param bandwidth: of the NCCL test, in GB/s.
    :param rate: of the training, in tokens per second.
    :param sent: the bytes that the EFA devices of each node sent during the training.
    """

    def __init__(
        self, pods: KubernetesWorld, story: Story, folder: Path, *, bandwidth: float = 466.0, rate: float = 200.0, sent: int = 2**33
    ) -> None:
        self.pods = pods
        self.health = Runs(pods, story, folder)
        self.bandwidth = bandwidth
        self.rate = rate
        self.sent = sent

    def __call__(self, pod: dict[str, t.Any]) -> str:
        labels, (container,) = pod["metadata"]["labels"], pod["spec"]["containers"]
        if LOOK in labels:
            return self.health(pod)
        if NCCL in labels:
            return nccl(container["args"], self.bandwidth)
        path, run = f"/api/v1/namespaces/{pod['metadata']['namespace']}/pods", labels[TRAINING]
        count = len(self.pods.api.get(f"{path}?labelSelector={TRAINING}={run}")["items"])
        return _trained(pod["metadata"]["name"], container["args"], count, self.rate, self.sent)


def nccl(args: t.Sequence[str], bandwidth: float = 466.0) -> str:
    """The log of a Pod of an NCCL test over EFA.

    :param args: those of its container.
    """
    gpus, number, count, _begin, end = map(int, args[4:9])
    return "" if number else AllReduce(label=False, nodes=count, gpus=gpus, bytes=end, bandwidth=bandwidth).text()


def _trained(name: str, args: t.Sequence[str], node_count: int, rate: float, sent: int) -> str:
    from logged import trained

    (steps,) = (int(each.removeprefix("--steps=")) for each in args if each.startswith("--steps="))
    job = trained(steps=steps, first=steps - STEPS, nodes=node_count, processes=GPUS, rate=rate, efa=(EFA_DEVICES, sent))
    return "\n".join(job.pods[int(name.rpartition("-")[2])]) + "\n"
