# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""topology_job_info on an API server in memory: which jobs it lists, and the verdict on each placement."""

from __future__ import annotations

import pytest
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._topology.job.model import Wish
from unit.module_utils._karpenter.proof.api_server import Server, kubeconfig
from unit.module_utils._topology.job.api_server import World
from unit.module_utils._topology.job.jobs import LAYER, QUEUE, SPACE, UID, job, pytorch_job, rendered

OTHER = "hyperpod-ns-b"
REQUIRED = "kueue.x-k8s.io/podset-required-topology"


@pytest.mark.parametrize(
    ("given", "message"),
    [
        ({"namespace": "A b"}, "namespace: 'A b' is not allowed. Allowed: the name of a namespace"),
        ({"kubeconfig": "/nonexistent"}, "kubeconfig: /nonexistent is unusable: "),
        ({"eks_cluster": "one", "context": "a"}, "eks_cluster: 'one' is not allowed"),
    ],
)
def test_bad_input_is_refused_before_any_request(simulator, given, message):
    refused = simulator.run("topology_job_info", **given)
    assert refused["failed"] and message in refused["msg"], refused


@pytest.fixture
def world():
    return World()


@pytest.fixture
def run(simulator, world, tmp_path):
    with Server(world) as kubernetes:
        path = kubeconfig(kubernetes, tmp_path)
        yield lambda **options: simulator.run("topology_job_info", kubeconfig=path, **options)


def submitted(world, at, **meta):
    manifest = rendered(job(2), Wish("required", f"{LAYER}3"))
    world.put(world.job_path, {**manifest.manifest, "metadata": {**manifest.manifest["metadata"], "uid": UID, **meta}})
    world.admit("n1", "n2")
    world.run(*at)


def verdicts(found):
    return [(each["namespace"], each["name"], each["placement"]["verdict"]) for each in found["jobs"]]


def test_a_cluster_without_such_jobs(run, world):
    world.put(world.job_path, job(2))
    found = run()
    assert (found["changed"], found["jobs"], found["unseen"]) == (False, [], []), found


@pytest.mark.slow
@pytest.mark.parametrize(
    ("at", "verdict", "text"),
    [
        (("n1", "n2"), "kept", "the main Pods are in aaa (2)"),
        (("n1", "n3"), "left", "the main Pods are not within one domain of"),
        (("n1", "n1"), "differs", "are not on the nodes that Kueue assigned"),
    ],
)
def test_a_managed_job(run, world, at, verdict, text):
    submitted(world, at)
    found = run()
    (one,) = found["jobs"]
    assert one["placement"]["verdict"] == verdict and text in one["placement"]["told"], one
    assert [each["node"] for each in one["placement"]["rows"]] == list(at) and len(one["placement"]["table"]) == 3
    assert {name: one[name] for name in ("kind", "queue", "ours", "state", "pods", "at_work", "workload", "problem")} == {
        "kind": "Job", "queue": QUEUE, "ours": True, "state": "running", "pods": 2, "at_work": 2, "workload": "job-mnist", "problem": "",
    }
    assert one["hash"].startswith("sha256:") and world.changes == []


@pytest.mark.slow
def test_jobs_that_moved_or_were_admitted_again_have_the_reason(run, world):
    submitted(world, ("n1", "n1"))
    del world.objects["/api/v1/nodes/n2"]
    (moved,) = run()["jobs"]
    assert moved["placement"]["verdict"] == "moved", moved
    assert moved["placement"]["told"] == "the main Pods are in aaa (2) as requested; some moved there because their nodes are lost"
    over = {"type": "Evicted", "status": "False", "reason": "QuotaReserved", "message": "Previously: n2 is lost"}
    world.workload({"type": "Admitted", "status": "True"}, over, {"type": "Requeued", "status": "True", "reason": "NodeFailures"}, nodes=["n1"] * 2)
    (back,) = run()["jobs"]
    reason = "the job has been admitted again after an eviction: some of its nodes failed, and no replacement was free (n2 is lost)"
    assert back["placement"]["told"] == f"the main Pods are in aaa (2); {reason}", back


@pytest.mark.slow
def test_foreign_jobs_and_all_namespaces(run, world):
    submitted(world, ("n1", "n2"))
    manifest = pytorch_job(1)
    manifest["spec"]["pytorchReplicaSpecs"]["Worker"]["template"]["metadata"] = {"annotations": {REQUIRED: f"{LAYER}3"}}
    world.put(f"/apis/kubeflow.org/v1/namespaces/{OTHER}/pytorchjobs/theirs", {**manifest, "metadata": {"uid": "2"}})
    assert verdicts(run()) == [(SPACE, "mnist", "kept"), (OTHER, "theirs", "")]
    assert verdicts(run(namespace=OTHER)) == [(OTHER, "theirs", "")]
    assert run(namespace=OTHER)["jobs"][0]["ours"] is False


def test_unreadable_objects_are_named(run, world):
    submitted(world, ("n1", "n2"))
    world.refusing = {"GET /apis/kubeflow.org/v1/pytorchjobs": [403], "GET /api/v1/nodes": [403]}
    found = run()
    assert found["unseen"] == ["PyTorchJobs", "Nodes"] and verdicts(found) == [(SPACE, "mnist", "unknown")], found


def test_a_missing_reply_is_a_failure(run, world):
    submitted(world, ("n1", "n2"))
    world.refusing = {"GET /api/v1/pods": [500]}
    failed = run()
    assert failed["failed"] and "GET /api/v1/pods" in failed["msg"], failed
