# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""A Job has a deadline, and its pod has its labels."""

from __future__ import annotations

from ansible_collections.mlfleet.hyperpod.plugins.module_utils._kubernetes.pod_runner.manifest import job

METADATA = {"name": "a", "labels": {"b": "c"}, "annotations": {"d": "e"}}


def test_a_job_runs_once_with_a_deadline() -> None:
    spec = job(METADATA, {"restartPolicy": "Never"}, seconds=90)["spec"]
    assert (spec["backoffLimit"], spec["activeDeadlineSeconds"], spec["ttlSecondsAfterFinished"]) == (0, 150, 600)
    assert spec["template"] == {"metadata": {"labels": {"b": "c"}}, "spec": {"restartPolicy": "Never"}}


def test_annotations_of_the_pod_are_separate_from_those_of_the_job() -> None:
    made = job(METADATA, {}, seconds=90, annotations={"f": "g"})
    assert made["spec"]["template"]["metadata"] == {"labels": {"b": "c"}, "annotations": {"f": "g"}}
    assert made["metadata"] == METADATA
