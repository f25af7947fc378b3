# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""task_governance_info where there is no API server, and by a kubeconfig on one in memory."""

from __future__ import annotations

import pytest
from unit.module_utils._karpenter.proof.api_server import Server, kubeconfig


class Empty:
    """Without Kueue, and without any namespace."""

    def answer(self, method, path, _body):
        assert method == "GET"
        return (200, {"items": []}) if path.startswith("/apis/apps/v1/deployments?") else (404, {})


@pytest.mark.parametrize(
    ("wrong", "said"),
    [
        ({"teams": ["Research"]}, "teams: 'Research' is not allowed. Allowed: names of teams"),
        ({"priority_classes": ["a", "a"]}, "priority_classes: 'a' is not allowed"),
        ({"wait_for": "soon"}, "value of wait_for must be one of: none, kueue, teams, got: soon"),
        ({"wait_for": "teams"}, "teams: missing;"),
        ({"wait_timeout": 0}, "wait_timeout: 0 is not allowed."),
        ({"eks_cluster": "one", "context": "two"}, "eks_cluster: 'one' is not allowed"),
    ],
)
def test_refused_before_anybody_is_asked(simulator, wrong, said):
    refused = simulator.run("task_governance_info", **wrong)
    assert refused["failed"] and said in refused["msg"] and not simulator.calls(), refused


def test_an_eks_cluster_that_is_not_there(simulator):
    failed = simulator.run("task_governance_info", eks_cluster="none")
    assert failed["failed"] and "DescribeCluster for EKS cluster none failed" in failed["msg"], failed


def test_without_kueue(simulator, tmp_path):
    with Server(Empty()) as kubernetes:
        options = {"kubeconfig": kubeconfig(kubernetes, tmp_path), "teams": ["research"]}
        told = simulator.run("task_governance_info", **options)
        assert not told["changed"] and told["kueue"] == {"installed": False, "available": False, "image": "", "elsewhere": []}, told
        assert "namespace hyperpod-ns-research" in told["missing"] and told["teams"][0]["has_local_queue"] is False
        waited = {**options, "wait_for": "kueue", "wait_timeout": 1, "poll_interval": 1}
        late = simulator.run("task_governance_info", **waited)
        assert late["failed"] and "without an available manager of Kueue" in late["msg"], late
        assert not simulator.run("task_governance_info", check=True, **waited).get("failed")
