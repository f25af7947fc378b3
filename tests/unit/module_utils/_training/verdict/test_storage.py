# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The storage rates of a job, and the checkpoints that it left."""

from __future__ import annotations

import pytest
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._training.model import Desired, Figures
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._training.verdict import judge

from ..logged import ATTEMPT, Job, line, trained

AGAIN = ATTEMPT + 5000
READY = {"step": 10, "parameters": 1000, "size": "large", "vocabulary": 8192, "validation": 2.0}


def figures(job: Job) -> Figures:
    return judge(Desired(nodes=2, processes=1, steps=20, deadline=60), job.logs()).figures


@pytest.mark.parametrize(
    ("seconds", "size", "expected"),
    [(2.0, 2**30, 512.0), (None, 2**30, None), (2.0, None, None), (0, 2**30, None), (1e-320, 2**53, None), (0.001, 2**20, 1000.0)],
)
def test_the_read_rate_is_computed(seconds: float | None, size: int | None, expected: float | None) -> None:
    """The first load, by rank 0: caches serve later ones."""
    job = trained(first=10)
    job.begin(20, AGAIN)
    job.end(20, AGAIN)
    first, *later = [number for number, each in enumerate(job.pods[0]) if '"ready"' in each]
    job.pods[0][first] = line("ready", **{**READY, "load_seconds": seconds, "load_bytes": size})
    job.pods[0][later[0]] = line("ready", attempt=AGAIN, **{**READY, "step": 20, "load_seconds": 1.0, "load_bytes": 2**40})
    found = figures(job).read_rate
    assert found == (expected if size is not None and seconds else 2.0**20)


def test_only_rank_0_measures_a_load() -> None:
    job = trained(first=10)
    job.add("ready", 1, **{**READY, "load_seconds": 1.0, "load_bytes": 2**40, "attempt": 1})
    assert figures(job).read_rate == 512.0


def test_the_write_rate_covers_all_checkpoints() -> None:
    job = trained()
    job.add("saved", 0, step=10, folder="step-00000010", validation=2.0, seconds=1.5, bytes=2**30)
    assert figures(job).write_rate == 1024.0
    assert figures(trained().without('"saved"')).write_rate is None


def test_removed_checkpoints_are_recognised() -> None:
    job = trained()
    job.add("removed", 0)
    assert figures(job).removed is True and figures(trained()).removed is False
