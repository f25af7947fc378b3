# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""kubernetes_objects where there is no API server: what it refuses."""

from __future__ import annotations

import pytest

CLASS = {
    "apiVersion": "karpenter.sagemaker.amazonaws.com/v1",
    "kind": "HyperpodNodeClass",
    "metadata": {"name": "gpus"},
    "spec": {"instanceGroups": ["g5-a"]},
}


@pytest.mark.parametrize(
    ("given", "said"),
    [
        ({"definitions": [{}]}, "definitions[0].apiVersion: missing"),
        ({"definitions": [{**CLASS, "metadata": {"name": "A"}}]}, "definitions[0].metadata.name: 'A' is not allowed"),
        ({"definitions": [CLASS, CLASS]}, "HyperpodNodeClass gpus"),
        ({"definitions": [{**CLASS, "status": {}}]}, "definitions[0].status: not allowed"),
        ({"state": "gone"}, "value of state must be one of: present, absent"),
        ({"wait_timeout": 0}, "wait_timeout: 0 is not allowed"),
        ({"kubeconfig": "/nonexistent"}, "kubeconfig: /nonexistent is of no use: "),
        ({"eks_cluster": "one", "context": "two"}, "eks_cluster: 'one' is not allowed: they say where the API server is. Allowed: none with"),
        ({"eks_cluster": "none"}, "DescribeCluster for EKS cluster none failed"),
    ],
)
def test_refused_before_anybody_is_asked(simulator, given, said):
    refused = simulator.run("kubernetes_objects", **{"definitions": [CLASS], **given})
    assert refused["failed"] and said in refused["msg"], refused
