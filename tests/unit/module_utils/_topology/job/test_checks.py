# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
from __future__ import annotations

import dataclasses
import typing as t

import pytest
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._core.failure import Refused
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._kubernetes.kueue import TopologyAware
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._topology.job.checks import check
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._topology.job.model import Facts, Wish

from .jobs import LAYER, LEVELS, QUEUE, hyperpod_job, job, mpi_job, pytorch_job, rendered

REQUIRED = Wish("required", f"{LAYER}3")
FRAMEWORKS = ("batch/job", "kubeflow.org/mpijob", "jobset.x-k8s.io/jobset", "trainer.kubeflow.org/trainjob", "HyperPodPyTorchJob.v1.sagemaker.amazonaws.com")
FINE = Facts(
    kueue=("v1beta2", "v1beta1"),
    local_queue={"spec": {"clusterQueue": "all"}},
    queues=(QUEUE,),
    cluster_queue={"spec": {}},
    flavors={"gpus": "nodes"},
    levels={"nodes": LEVELS},
    priorities=("high-priority",),
    frameworks=FRAMEWORKS,
    topology_aware=TopologyAware(True, "on"),
)


def facts(**given: t.Any) -> Facts:
    return dataclasses.replace(FINE, **given)


@pytest.mark.parametrize("manifest", [job(), mpi_job(), hyperpod_job()], ids=lambda each: each["kind"])
def test_a_valid_job_is_accepted(manifest):
    assert check(rendered(manifest, REQUIRED, priority="high-priority"), FINE) == ()


def inactive(status: str) -> dict:
    return {"spec": {"clusterQueue": "all"}, "status": {"conditions": [{"type": "Active", "status": status, "message": "no\nquota"}]}}


@pytest.mark.parametrize(
    ("given", "message"),
    [
        ({"namespace": "missing"}, "namespace: hyperpod-ns-a does not exist. Task governance creates it with the compute quota of a team."),
        ({"namespace": "leaving"}, "namespace: hyperpod-ns-a is being deleted."),
        ({"kind_served": False}, "The API server has no kind Job of batch/v1."),
        ({"kueue": ()}, "Kueue is not installed"),
        ({"local_queue": None}, f"queue: '{QUEUE}' is not allowed. Allowed: a LocalQueue of hyperpod-ns-a: {QUEUE}."),
        ({"local_queue": None, "queues": ()}, ": none exists."),
        ({"local_queue": {"spec": {"stopPolicy": "Hold"}}}, f"queue: LocalQueue {QUEUE} is stopped (Hold)"),
        ({"cluster_queue": {"spec": {"stopPolicy": "HoldAndDrain"}}}, f"queue: ClusterQueue all of {QUEUE} is stopped (HoldAndDrain)"),
        ({"priorities": ("low-priority",)}, "priority_class: 'high-priority' is not allowed. Allowed: low-priority."),
        ({"priorities": ()}, "Allowed: no value, because no WorkloadPriorityClass exists."),
        (
            {"frameworks": ("pod",)},
            "Kueue does not manage kind Job in this cluster, so the job would run on any nodes and without a queue: batch/job is not in",
        ),
        ({"topology_aware": TopologyAware(False, "feature gate X is false")}, "Kueue does not schedule by topology in this cluster: feature gate X is false."),
        ({"flavors": {"gpus": ""}}, f"queue: no ResourceFlavor of {QUEUE} names a Topology (flavors: gpus)"),
        ({"levels": {"nodes": ("rack",)}}, f"required_topology: '{LAYER}3' is not allowed. Allowed: a level of the Topology of the queue: rack."),
        ({"levels": {}}, "none, because the Topology does not exist."),
    ],
)
def test_invalid_jobs_are_refused(given, message):
    with pytest.raises(Refused) as refused:
        check(rendered(job(), REQUIRED, priority="high-priority"), facts(**given))
    assert message in str(refused.value)


def test_the_refusal_of_a_job_without_a_queue_lists_the_queues():
    with pytest.raises(Refused) as refused:
        check(rendered(job(), queue=None), FINE)
    assert f"queue: missing; Kueue ignores a job without a LocalQueue. LocalQueues of hyperpod-ns-a: {QUEUE}." in str(refused.value)


def test_pytorch_jobs_are_refused_if_kueue_does_not_manage_them():
    with pytest.raises(Refused) as refused:
        check(rendered(pytorch_job(), REQUIRED), FINE)
    assert "kubeflow.org/pytorchjob is not in integrations.frameworks of ConfigMap kueue-manager-config (batch/job, " in str(refused.value)
    check(rendered(pytorch_job(), REQUIRED), facts(frameworks=(*FRAMEWORKS, "kubeflow.org/pytorchjob")))


def test_the_kind_of_hyperpod_may_be_managed_without_being_configured():
    (note,) = check(rendered(hyperpod_job(), REQUIRED), facts(frameworks=("batch/job",)))
    assert "Kueue's configuration does not name HyperPodPyTorchJob" in note


def test_an_inactive_queue_is_reported():
    (note,) = check(rendered(), facts(local_queue=inactive("False")))
    assert note == f"LocalQueue {QUEUE} is not active (no?quota), so the job waits until the queue is active."
    assert check(rendered(), facts(local_queue=inactive("True"))) == ()


def test_facts_that_the_caller_cannot_read_are_reported_and_not_refused():
    blind = Facts(namespace="unseen", kueue=("v1beta2",), unseen=("LocalQueues of the namespace", "ConfigMap x"))
    notes = check(rendered(job(), REQUIRED, priority="high-priority"), blind)
    assert notes == (
        "LocalQueues of the namespace could not be read, so a check was skipped.",
        "ConfigMap x could not be read, so a check was skipped.",
    )


def test_without_a_topology_request_topology_is_not_checked():
    assert check(rendered(), facts(topology_aware=TopologyAware(False, "off"), flavors={"gpus": ""}, levels={})) == ()


@pytest.mark.parametrize(
    ("outer", "inner", "right"),
    [(1, 3, True), (3, 3, True), (3, 1, False), ("", 3, True)],
)
def test_slices_must_be_below_the_layer_of_the_job(outer, inner, right):
    wish = Wish("preferred" if outer else "", f"{LAYER}{outer}" if outer else "", f"{LAYER}{inner}", 2)
    if right:
        check(rendered(job(), wish), FINE)
        return
    with pytest.raises(Refused) as refused:
        check(rendered(job(), wish), FINE)
    assert f"slice_topology: '{LAYER}{inner}' is not allowed: this level is above {LAYER}{outer}, the level of the whole job" in str(refused.value)


def test_one_flavor_with_the_layer_is_sufficient():
    check(rendered(job(), REQUIRED), facts(flavors={"a": "short", "b": "nodes"}, levels={"short": ("rack",), "nodes": LEVELS}))
