# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
from __future__ import annotations

import pytest
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._topology.job.model import PodAt, Workload
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._topology.job.pods import belongs, pod_at

JOB = {"metadata": {"name": "mnist", "uid": "1"}}
LABEL = "jobset.sigs.k8s.io/jobset-name"


def pod(owner: dict | None = None, **meta: object) -> dict:
    return {"metadata": {"name": "p", "ownerReferences": [owner] if owner else [], **meta}}


BY_JOB, BY_OTHER = ({"uid": "2", "kind": kind, "controller": True} for kind in ("Job", "PyTorchJob"))


@pytest.mark.parametrize(
    ("there", "expected"),
    [
        (pod({"uid": "1"}), True),
        (pod({"uid": "2"}), False),
        (pod(annotations={"kueue.x-k8s.io/workload": "w"}), True),
        (pod(annotations={"kueue.x-k8s.io/workload": "other"}), False),
        (pod(BY_JOB, labels={LABEL: "mnist"}), True),
        (pod(BY_JOB, labels={LABEL: "other"}), False),
        (pod(BY_OTHER, labels={LABEL: "mnist"}), False),
        (pod(labels={LABEL: "mnist"}), False),
    ],
)
def test_pods_are_matched_with_their_job(there, expected):
    assert belongs(there, JOB, LABEL, Workload("w")) is expected


def test_without_a_label_or_a_workload_no_pod_matches():
    assert not belongs(pod(BY_JOB, labels={"": "mnist"}), JOB, "", None)


@pytest.mark.parametrize(
    ("labels", "podset"),
    [
        ({"kueue.x-k8s.io/podset": "a", "training.kubeflow.org/replica-type": "b"}, "a"),
        ({"training.kubeflow.org/replica-type": "Worker", "training.kubeflow.org/job-role": "master"}, "worker"),
        ({"jobset.sigs.k8s.io/replicatedjob-name": "node"}, "node"),
        ({"training.kubeflow.org/job-role": "launcher"}, "launcher"),
        ({}, "main"),
    ],
)
def test_the_pod_set_of_a_pod_is_read_from_its_labels(labels, podset):
    found = pod(labels=labels) | {"spec": {"nodeName": "n\x1b"}, "status": {"phase": "Running"}}
    assert pod_at(found) == PodAt("p", podset, "n?", "Running")


def test_a_pod_may_have_no_node():
    assert pod_at(pod()) == PodAt("p", "main", "", "")
