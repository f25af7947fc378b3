# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Reports of ``verify_training``, built with its own code: a cluster that trains, and one whose storage is not shared."""

from __future__ import annotations

import json
import math
import typing as t

from ansible_collections.mlfleet.hyperpod.plugins.module_utils._training.model import Problem
from ansible_collections.mlfleet.hyperpod.plugins.plugin_utils._training.checks import Check
from ansible_collections.mlfleet.hyperpod.plugins.plugin_utils._training.compared import measured_before
from ansible_collections.mlfleet.hyperpod.plugins.plugin_utils._training.report import Cluster, document, of_cluster

CREATED, BEFORE = "2026-11-29T03:00:00Z", "2026-11-25T02:30:00Z"
TYPE = "ml.p5.48xlarge"
NODES = ("hyperpod-i-0a1b2c3d4e5f60718", "hyperpod-i-0f9e8d7c6b5a41302")
IMAGE = "public.ecr.aws/deep-learning-containers/pytorch@sha256:9f2c1f3ad0a5c2b5f1d9a0c7b64a6f24b3d5f5f3fb0d6f4f2a1c0e9d8b7a6c55"
NOT_SHARED = "Rank 8, phase share, step 20: the checkpoint of rank 0 is not visible. Use storage that all nodes share."


def job(name: str = "train", first: int = 0, last: int = 40, **changes: t.Any) -> dict[str, t.Any]:
    """Result of a job with 16 ranks, as the module returns it."""
    losses = [[step, round(6.4 * math.exp(-step / 16) + 0.05 + 0.04 * (step % 3), 4)] for step in range(first + 1, last + 1)]
    pods = [
        {"rank": rank, "pod": f"training-{name}-worker-{rank // 8}", "node": NODES[rank // 8], "host": "h"} for rank in range(16)
    ]
    return {
        "verdict": "passed", "failure": "", "text": f"Trained steps {first + 1} to {last} in 16 processes.", "problems": [],
        "kind": "PyTorchJob", "name": f"training-{name}", "namespace": "research", "nodes": list(NODES), "manifest": {"kind": "PyTorchJob"},
        "pods": pods, "first_step": first, "losses": losses, "first_loss": losses[2][1], "last_loss": losses[-3][1],
        "validation": round(6.4 * math.exp(-first / 16), 4) if first else None,
        "checkpoints": [[step, round(6.4 * math.exp(-step / 16), 4)] for step in range(first + 20, last + 1, 20)],
        "tokens_per_second": 283900.0, "tflops": 400.1, "parameters": 235_000_000, "weights": "equal", "carried_by": "EFA",
        "efa_traffic": [
            {"pod": f"training-{name}-worker-{number}", "node": node, "counters": "grew", "devices": 32, "sent_bytes": (57 + number) * 2**30}
            for number, node in enumerate(NODES)
        ],
        "evidence": ["NET/OFI Selected provider is efa, fabric is efa-direct (found 32 nics)"], "restarts": 0,
        "devices": ["NVIDIA H100 80GB HBM3"], "dtypes": ["bfloat16"], "image_digests": [IMAGE],
        "versions": {"torch": ["2.12.1"], "cuda": ["13.0"], "nccl": ["2.26.2"]},
        "checkpoints_removed": False, "write_mib_per_second": 1834.2, "read_mib_per_second": 2210.7 if first else None, **changes,
    }  # fmt: skip


def checks(bandwidth: float = 466.0) -> tuple[Check, ...]:
    return (
        Check("nodes", "passed", f"2 nodes of {TYPE}: 8 GPUs and 32 EFA devices each."),
        Check("health", "passed", "2 nodes: 2 fit."),
        Check(
            "nccl",
            "passed",
            f"{bandwidth:g} GB/s bus bandwidth over EFA; 302.9 GB/s or more is expected.",
            figures={"bus_gb_per_second": bandwidth},
        ),
    )


def cluster(*results: t.Mapping[str, t.Any], **changes: t.Any) -> Cluster:
    given = {"resumes": True, "before": checks(), "price": "about 132.10 USD an hour (2 x ml.p5.48xlarge 132.10)", **changes}
    return Cluster(
        "arn:aws:sagemaker:us-west-2:111111111111:cluster/abc123", "111111111111", "us-west-2", TYPE, tuple(results), **given
    )


def trained(**changes: t.Any) -> Cluster:
    """A cluster whose four jobs passed."""
    interrupted = (job("survive", 80, 120, restarts=1), job("recover", 120, 160, restarts=1))
    return cluster(job(), job("resume", 40, 80), *interrupted, survives=True, **changes)


def unshared() -> Cluster:
    """A cluster whose first job failed, and with a node of unknown health."""
    problem = {"code": "storage-not-shared", "text": NOT_SHARED}
    changes = {
        "losses": job()["losses"][:20],
        "checkpoints": [],
        "tokens_per_second": None,
        "tflops": None,
        "last_loss": None,
        "weights": "not_read",
    }
    failed = job(verdict="failed", text=NOT_SHARED, problems=[problem], write_mib_per_second=None, **changes)
    unknown = Check(
        "health",
        "not_run",
        "2 nodes: 1 fit, 1 unknown.",
        (Problem("health-unknown", "The health of i-0f9e is unknown: no Pod started."),),
    )
    return cluster(failed, before=(checks()[0], unknown, checks()[2]))


def report(
    clusters: t.Mapping[str, Cluster] | None = None, *, before: t.Any = None, not_read: t.Sequence[str] = ()
) -> dict[str, t.Any]:
    """A report as it is read from its file.

    :param before: the report of the last run.
    """
    given = {"production": trained(), "research": unshared()} if clusters is None else clusters
    known = measured_before(before)
    made = {key: of_cluster(each, created=CREATED, before=known.get(key)) for key, each in given.items()}
    found: dict[str, t.Any] = json.loads(json.dumps(document(made, created=CREATED, not_read=not_read, before=known)))
    return found


def slower() -> dict[str, t.Any]:
    """A report with lower figures of production than in the last run."""
    first = cluster(job(tokens_per_second=371_000.0, write_mib_per_second=1900.0), before=checks(480.0))
    before = report({"production": first})
    before["measured"]["production"]["created"] = BEFORE
    return report(before=before)
