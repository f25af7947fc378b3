# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""kubernetes_objects: bad input without an API server, and objects that are being deleted on one in memory."""

from __future__ import annotations

import pytest
from unit.module_utils._karpenter.proof.api_server import Server, kubeconfig
from unit.module_utils._kubernetes.objects.api_server import FINALIZER, Pools, pool

CLASS = {
    "apiVersion": "karpenter.sagemaker.amazonaws.com/v1",
    "kind": "HyperpodNodeClass",
    "metadata": {"name": "gpus"},
    "spec": {"instanceGroups": ["g5-a"]},
}


@pytest.mark.parametrize(
    ("given", "message"),
    [
        ({"definitions": [{}]}, "definitions[0].apiVersion: missing"),
        ({"definitions": [{**CLASS, "metadata": {"name": "A"}}]}, "definitions[0].metadata.name: 'A' is not allowed"),
        ({"definitions": [CLASS, CLASS]}, "HyperpodNodeClass gpus"),
        ({"definitions": [{**CLASS, "status": {}}]}, "definitions[0].status: not allowed"),
        ({"state": "gone"}, "value of state must be one of: present, absent"),
        ({"wait_timeout": 0}, "wait_timeout: 0 is not allowed"),
        ({"kubeconfig": "/nonexistent"}, "kubeconfig: /nonexistent is unusable: "),
        (
            {"eks_cluster": "one", "context": "two"},
            "eks_cluster: 'one' is not allowed: kubeconfig or context already selects the API server. Allowed: no value together with",
        ),
        ({"eks_cluster": "none"}, "DescribeCluster for EKS cluster none failed"),
    ],
)
def test_bad_input_is_refused_before_any_request(simulator, given, message):
    refused = simulator.run("kubernetes_objects", **{"definitions": [CLASS], **given})
    assert refused["failed"] and message in refused["msg"], refused


@pytest.fixture
def leaving():
    """A NodePool that equals its definition, but is being deleted."""
    pools = Pools(pool(meta={"labels": {"app.kubernetes.io/managed-by": "mlfleet.hyperpod"}}, weight=1))
    pools.leaving("gpus", FINALIZER)
    return pools


@pytest.fixture
def options(leaving, tmp_path):
    with Server(leaving) as kubernetes:
        yield {"kubeconfig": kubeconfig(kubernetes, tmp_path), "definitions": [pool(weight=1)], "poll_interval": 1}


def test_an_object_that_is_being_deleted_is_created_again_afterwards(simulator, leaving, options):
    foreseen = simulator.run("kubernetes_objects", check=True, **options)
    late = simulator.run("kubernetes_objects", **options, wait_timeout=1)
    assert late["failed"] and f"waiting for the deletion of NodePool gpus (blocked by its finalizers {FINALIZER})" in late["msg"], late
    refused = simulator.run("kubernetes_objects", **options, wait=False)
    assert refused["failed"] and "NodePool gpus is being deleted" in refused["msg"] and leaving.changes == [], refused
    leaving.looks_left = 1
    done = simulator.run("kubernetes_objects", **options)
    assert done["changed"] and done["changes"] == foreseen["changes"], (done, foreseen)
    assert [(each["action"], each["resource"]) for each in done["changes"]] == [("create", "NodePool gpus")]
    assert foreseen["objects"] == done["objects"] and leaving.changes == [("PATCH", "gpus")], (done, foreseen)
    assert not simulator.run("kubernetes_objects", **options)["changed"]
