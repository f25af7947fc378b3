# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Jobs that fail in different ways: the module succeeds and returns the code and the next step, and nothing is left."""

from __future__ import annotations

import copy

import pytest
from unit.module_utils._karpenter.proof.api_server import Server, kubeconfig
from unit.module_utils._training.job.trained import READ, RUNNING, Trained, ended
from unit.module_utils._training.logged import SOCKETS, Job, trained

NODES = "/api/v1/nodes"
GIVEN = {"nodes": ["a", "b"], "gpus": 1, "image": "pytorch:2", "program": "print(1)", "steps": 20, "poll_interval": 1}
UNREACHED = "[c10d] The client socket has timed out after 60000ms while trying to connect to (train-0, 29500)."
JOINED = "torch/distributed/elastic/agent/server/api.py:707] [default] Rendezvous'ing worker group"
PULL = {"reason": "ImagePullBackOff", "message": 'Back-off pulling image "pytorch:2"'}
UNPULLED = {"phase": "Pending", "containerStatuses": [{"state": {"waiting": PULL}}]}

pytestmark = pytest.mark.slow


def stagnant():
    job = Job()
    job.begin()
    job.train(1, 20, loss=lambda step: 9.0)
    job.save(20)
    job.end()
    return Trained(), job


def different():
    """The processes end themselves after the comparison, so the launchers fail."""
    job = Job()
    job.begin()
    job.train(1, 20)
    job.save(20, hashes={0: "a" * 64, 1: "b" * 64})
    for rank in job.ranks():
        job.add("error", rank, type="RuntimeError", message="Replicas of the weights differ after step 20.", phase="compare", step=20)
    return Trained(ended(1), ended(1)), job.without('"saved"')


def over_sockets():
    return Trained(), trained(network=SOCKETS)


def unmet():
    """The Pods run for some time, until the second launcher gives up."""

    def gives_up(world):
        world.statuses[1] = ended(1)

    world, job = Trained(RUNNING, RUNNING), Job(network=())
    world.turns = [lambda world: None] * 3 + [gives_up]
    job.pods = [[JOINED], [UNREACHED]]
    return world, job


def unpulled():
    return Trained(RUNNING, UNPULLED), Job(network=())


@pytest.mark.parametrize(
    ("made", "codes", "text"),
    [
        (stagnant, ["loss-not-falling", "loss-above-bound"], "The loss did not fall: from 9 to 9. Compare the loss of each step, and check the GPUs."),
        (different, ["weights-differ"], "After step 20, ranks 0, 1 have different values of shard 0. Check the health of their GPUs."),
        (over_sockets, ["carried-by-sockets"],
         "Sockets, not EFA, carried the traffic between nodes. Check the EFA devices, the security group and the image."),
        (unmet, ["rendezvous-failed", "pod-failed"],
         "No process started, because launchers could not connect to train-0:29500: {name}-worker-1 on b. Check that DNS resolves the name of the "
         "first Pod, and that NetworkPolicies and security groups allow port 29500."),
        (unpulled, [], "Pod {name}-worker-1 cannot start (ImagePullBackOff: Back-off pulling image \"pytorch:2\"). Name an image that the nodes can pull."),
    ],
)  # fmt: skip
def test_the_code_and_the_next_step_are_returned(simulator, tmp_path, made, codes, text):
    world, logged = made()
    world.logs = ["\n".join(lines) + "\n" for lines in logged.pods]
    world.read[NODES] = copy.deepcopy(READ[NODES])
    for node in world.read[NODES]["items"]:
        node["status"]["allocatable"]["vpc.amazonaws.com/efa"] = "32"
    with Server(world) as kubernetes:
        done = simulator.run("training_job", **GIVEN, efa=True, kubeconfig=kubeconfig(kubernetes, tmp_path))
    assert (done.get("failed"), done["changed"], done.get("warnings"), world.left) == (None, False, None, []), done
    job = done["training_job"]
    assert (job["verdict"], job["failure"]) == (("failed", "") if codes else ("not_run", "image")), job
    assert ([each["code"] for each in job["problems"]], job["text"]) == (codes, text.format(name=job["name"])), job
