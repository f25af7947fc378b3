# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Runtimes of TrainJobs: a namespaced runtime is a right, one of the cluster is reported."""

from __future__ import annotations

import typing as t

import pytest
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._core.failure import Refused
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._topology.job.model import State
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._topology.job.plan import plan
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._topology.job.result import result

from .jobs import Object, desired, job, rendered, train_job

GROUP = "trainer.kubeflow.org"
NOTE = "Pods of TrainJob hyperpod-ns-a/mnist have the rights that ClusterTrainingRuntime torch-distributed gives them. This module does not read these rights."


def with_runtime(reference: t.Any) -> Object:
    made = train_job()
    made["spec"]["runtimeRef"] = reference
    return made


@pytest.mark.parametrize(
    ("reference", "right"),
    [
        ({"kind": "TrainingRuntime", "name": "a"}, "runtimeRef=TrainingRuntime/a"),
        ({"apiGroup": GROUP, "kind": "TrainingRuntime", "name": "a"}, "runtimeRef=TrainingRuntime/a"),
        ({"kind": "trainingruntime", "name": "a"}, "runtimeRef=trainingruntime/a"),
        ({"kind": "", "name": "a"}, "runtimeRef=/a"),
        ({"kind": "NewRuntime", "name": "a"}, "runtimeRef=NewRuntime/a"),
        ({"apiGroup": "example.com", "name": "a"}, "runtimeRef=example.com/ClusterTrainingRuntime/a"),
        ({"kind": "TrainingRuntime", "name": "a" * 200}, f"runtimeRef=TrainingRuntime/{'a' * 200}"),
    ],
)
def test_a_namespaced_runtime_is_a_right(reference: Object, right: str) -> None:
    for allowed in ((), (right[:-1],), ("runtimeRef",)):
        with pytest.raises(Refused) as refused:
            rendered(with_runtime(reference), allowed=allowed)
        assert f"manifest: {right} is not allowed: the runtime decides what the Pods may do, and this module does not read the runtime. Allowed: " in str(
            refused.value
        )
        assert f'"{right}"' in str(refused.value)
    made = rendered(with_runtime(reference), allowed=(right,))
    assert made.rights == (right,) and made.runtime == ""
    assert made.reach == f"Pods of TrainJob hyperpod-ns-a/mnist have rights beyond their containers: {right}."


@pytest.mark.parametrize(
    "reference",
    [
        {"name": "torch-distributed"},
        {"name": "torch-distributed", "kind": None, "apiGroup": None},
        {"name": "torch-distributed", "kind": "ClusterTrainingRuntime", "apiGroup": GROUP},
    ],
)
def test_a_runtime_of_the_cluster_is_accepted_and_reported(reference: Object) -> None:
    wanted = desired(with_runtime(reference))
    assert wanted.rendered.rights == () and wanted.rendered.runtime == NOTE
    assert NOTE in plan(wanted, State()).notes
    assert NOTE in result(wanted, State())["notes"]


def test_a_job_with_its_own_templates_has_no_runtime() -> None:
    manifest = job()
    manifest["spec"]["runtimeRef"] = {"kind": "TrainingRuntime", "name": "a"}
    assert rendered(manifest).runtime == "" and rendered(manifest).rights == ()


@pytest.mark.parametrize("reference", [None, "a", [], {}, {"kind": "ClusterTrainingRuntime"}, {"name": 1}, {"name": ""}])
def test_a_reference_without_a_name_is_refused(reference: t.Any) -> None:
    with pytest.raises(
        Refused, match=r"manifest.spec.runtimeRef: .* is not allowed. Allowed: an object with the name of a runtime."
    ):
        rendered(with_runtime(reference))


def test_the_refusal_names_all_rights_with_their_reasons() -> None:
    manifest = with_runtime({"kind": "TrainingRuntime", "name": "a"})
    jobs = [{"name": "node", "template": {"spec": {"template": {"spec": {"serviceAccountName": "admin"}}}}}]
    manifest["spec"]["runtimePatches"] = [{"manager": "a", "trainingRuntimeSpec": {"template": {"spec": {"replicatedJobs": jobs}}}}]
    with pytest.raises(Refused) as refused:
        rendered(manifest)
    assert str(refused.value) == (
        "manifest: runtimeRef=TrainingRuntime/a, serviceAccountName=admin is not allowed: the runtime decides what the Pods may do, and this "
        "module does not read the runtime; such rights reach beyond the Pod. Allowed: Pods without these rights, or the option "
        'pod_rights: ["runtimeRef=TrainingRuntime/a", "serviceAccountName=admin"].'
    )
