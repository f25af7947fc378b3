# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Why a check has no result."""

from __future__ import annotations

import pytest
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._accelerators.kubernetes.jobs.model import Answer
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._accelerators.kubernetes.jobs.unanswered import of_job, of_pod
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._kubernetes.pod_runner.pods import Pod

from ...._kubernetes.pod_runner.test_pods import ended, pod, waiting

IMAGE = "Use an image with Python 3.9 or newer that the node can pull."


@pytest.mark.parametrize(
    ("found", "why"),
    [
        (pod("Failed", reason="DeadlineExceeded", message="b"), "The check did not end within 60 s. A tool may hang in the driver."),
        (pod("Pending", waiting("InvalidImageName")), f"The Pod can't be started (InvalidImageName). {IMAGE}"),
        (pod("Failed", ended("OOMKilled")), "The Pod ended without a result (OOMKilled)."),
        (pod("Succeeded"), "The Pod ended without a result."),
        (pod("Running"), "The Pod is still Running after 60 s."),
        (pod("", waiting("A")), "The Pod is still unknown after 60 s (A)."),
    ],
)
def test_a_pod_without_a_result_has_a_reason(found: Pod, why: str) -> None:
    assert of_pod(found, 60) == why


@pytest.mark.parametrize(
    ("job", "reason"),
    [
        (None, "no reason was returned"),
        ({"status": {"conditions": [{"message": "a\n"}, {"reason": "b"}]}}, "a?; b"),
    ],
)
def test_a_job_without_a_pod_has_the_reason_of_its_condition(job: dict[str, object] | None, reason: str) -> None:
    assert of_job("look-1", job, 90) == f"Kubernetes created no Pod for Job look-1 within 90 s ({reason})."


def test_an_answer_is_empty_by_default() -> None:
    assert Answer() == Answer(health=None, why="", ran=False)
