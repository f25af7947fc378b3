# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""training_lease and the modules of its run, on an API server in memory."""

from __future__ import annotations

import pytest
from unit.module_utils._accelerators.kubernetes.jobs.looked_at import NAMESPACE as LOOKS, LookedAt, iid
from unit.module_utils._accelerators.kubernetes.nccl.tested import NAMESPACE as TESTS, Measured
from unit.module_utils._karpenter.proof.api_server import Server, kubeconfig
from unit.module_utils._kubernetes.leased import HELD, OURS, Leased, held, holder_of
from unit.module_utils._training.job.trained import LEASE, SPACE, Trained
from unit.module_utils._training.logged import trained

OF_JOB = {"nodes": ["a", "b"], "gpus": 1, "image": "pytorch:2", "program": "print(1)", "steps": 20, "poll_interval": 1}
OF_HEALTH = {"nodes": [{"instance_id": iid(1)}], "namespace": LOOKS, "poll_interval": 1}
OF_NCCL = {"instance_ids": [iid(1), iid(2)], "instance_type": "ml.p5.48xlarge", "gpus": 8, "image": "p:2", "namespace": TESTS, "poll_interval": 1}


@pytest.mark.parametrize(
    ("given", "message"),
    [
        ({"namespace": "A"}, "namespace: 'A' is not allowed"),
        ({"namespace": "hyperpod-ns-vision"}, "submitters of the team may write to it"),
        ({"state": "absent"}, "holder: missing; state=absent requires it."),
        ({"holder": "a\nb"}, "is not allowed. Allowed: 1 to 200 printable characters."),
        ({"kubeconfig": "/nonexistent"}, "kubeconfig: /nonexistent is unusable: "),
    ],
)
@pytest.mark.slow
def test_bad_input_is_refused_before_any_request(simulator, given, message):
    refused = simulator.run("training_lease", **given)
    assert refused["failed"] and message in refused["msg"], refused


@pytest.fixture
def world():
    world = Trained()
    world.logs = ["\n".join(lines) + "\n" for lines in trained().without('"saved"').pods]
    return world


@pytest.fixture
def server(world, tmp_path):
    with Server(world) as kubernetes:
        yield {"kubeconfig": kubeconfig(kubernetes, tmp_path)}


def test_a_run_holds_its_lease_from_the_first_module_to_the_last(simulator, world, server):
    del world.there[SPACE]
    planned = simulator.run("training_lease", check=True, **server)
    assert planned["changed"] is False and world.there == {} and {method for method, _target in world.requests} == {"GET"}, planned
    first = simulator.run("training_lease", **server)
    holder = first["training_lease"]["holder"]
    assert first["changed"] is True and holder_of(world) == holder and holder.startswith("run-"), first
    again = simulator.run("training_lease", holder=holder, **server)
    assert again["changed"] is False and again["training_lease"] == first["training_lease"] and holder_of(world) == holder, again

    for run in ("training_lease", "training_job"):
        second = simulator.run(run, **server, **(OF_JOB if run == "training_job" else {}))
        text = second["msg"] if second.get("failed") else second["training_job"]["text"]
        assert text.startswith(f"Another verification ({holder}) holds Lease mlfleet-training/mlfleet-training since "), second
        assert "its Lease expires at 2026-11-29T03:02:00Z." in text and world.left == [LEASE]
    assert simulator.run("training_lease", check=True, **server)["failed"]

    job = simulator.run("training_job", lease_holder=holder, **OF_JOB, **server)
    assert job["training_job"]["verdict"] == "passed" and world.left == [LEASE] and holder_of(world) == holder, job
    simulator.run("training_lease", state="absent", holder=holder, check=True, **server)
    assert world.left == [LEASE]
    released = simulator.run("training_lease", state="absent", holder=holder, **server)
    assert released["changed"] is False and world.left == [], released
    assert not simulator.run("training_lease", state="absent", holder=holder, **server).get("failed")


@pytest.mark.parametrize("module", ["accelerator_jobs", "nccl_jobs"])
def test_the_checks_before_the_jobs_keep_the_lease_of_their_run(simulator, tmp_path, module):
    world, given = {"accelerator_jobs": (LookedAt(1), OF_HEALTH), "nccl_jobs": (Measured(1, 2), OF_NCCL)}[module]
    leased, lease = Leased(world), {"namespace": "mlfleet-training", "holder": OURS}
    with Server(leased) as kubernetes:
        options = {**given, "lease": lease, "kubeconfig": kubeconfig(kubernetes, tmp_path)}
        held(leased.leases)
        lost = simulator.run(module, **options)
        assert lost["failed"] and lost["msg"] == HELD and "POST" not in {method for method, _path in world.asked}, lost
        held(leased.leases, holder=OURS)
        done = simulator.run(module, **options)
        assert not done.get("failed") and world.there == {} and holder_of(leased.leases) == OURS, done
        assert leased.leases.there[LEASE]["spec"]["renewTime"] == "2026-11-29T03:00:00.000000Z"
        planned = simulator.run(module, check=True, **{**options, "lease": {**lease, "holder": "another"}})
        assert not planned.get("failed") and holder_of(leased.leases) == OURS, planned
