# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""kubernetes_permission_info without an API server, and with one that does not reply."""

from __future__ import annotations

import json

import pytest

LIST = [{"verb": "list", "resource": "pods"}]


@pytest.mark.parametrize(
    ("given", "message"),
    [
        ({"user": ""}, "user: '' is not allowed. Allowed: the user name in Kubernetes."),
        ({"permissions": []}, "permissions: missing; list at least one permission to check."),
        ({"eks_cluster": "a/b"}, "eks_cluster: 'a/b' is not allowed. Allowed: the name or the ARN of an EKS cluster."),
        (
            {"eks_cluster": "arn:aws:eks:eu-west-1:111111111111:cluster/one"},
            "Allowed: an EKS cluster in us-west-2.",
        ),
        (
            {"eks_cluster": "one", "context": "two"},
            "eks_cluster: 'one' is not allowed: kubeconfig or context already selects the API server. Allowed: no value together with",
        ),
        ({"kubeconfig": "/nonexistent"}, "kubeconfig: /nonexistent is unusable: "),
    ],
)
def test_bad_input_is_refused_before_any_request(simulator, given, message):
    refused = simulator.run("kubernetes_permission_info", **{"user": "alice", "permissions": LIST, **given})
    assert refused["failed"] and message in refused["msg"], refused


def test_an_unknown_eks_cluster(simulator):
    failed = simulator.run("kubernetes_permission_info", user="alice", permissions=LIST, eks_cluster="none")
    assert failed["failed"] and "DescribeCluster for EKS cluster none failed" in failed["msg"], failed


def test_an_api_server_that_does_not_reply(simulator, tmp_path):
    """Nothing listens on port 1."""
    config = {
        "apiVersion": "v1",
        "kind": "Config",
        "clusters": [{"name": "a", "cluster": {"server": "http://127.0.0.1:1"}}],
        "users": [{"name": "a", "user": {"token": "secret-of-alice"}}],
        "contexts": [{"name": "a", "context": {"cluster": "a", "user": "a"}}],
        "current-context": "a",
    }
    (tmp_path / "config").write_text(json.dumps(config))
    failed = simulator.run("kubernetes_permission_info", user="alice", permissions=LIST, kubeconfig=str(tmp_path / "config"))
    assert "POST /apis/authorization.k8s.io/v1/subjectaccessreviews got no reply from http://127.0.0.1:1" in failed["msg"], failed
    assert "secret-of-alice" not in json.dumps(failed)
