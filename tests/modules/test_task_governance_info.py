# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""task_governance_info without an API server, and and a kubeconfig of one in memory."""

from __future__ import annotations

import pytest
from unit.module_utils._karpenter.proof.api_server import Server, kubeconfig


class Empty:
    """An API server without Kueue and without namespaces."""

    def answer(self, method, path, _body):
        assert method == "GET"
        return (200, {"items": []}) if path.startswith("/apis/apps/v1/deployments?") else (404, {})


@pytest.mark.parametrize(
    ("wrong", "message"),
    [
        ({"teams": ["Research"]}, "teams: 'Research' is not allowed. Allowed: names of teams"),
        ({"priority_classes": ["a", "a"]}, "priority_classes: 'a' is not allowed"),
        ({"wait_for": "soon"}, "value of wait_for must be one of: none, kueue, teams, got: soon"),
        ({"wait_for": "teams"}, "teams: missing;"),
        ({"wait_timeout": 0}, "wait_timeout: 0 is not allowed."),
        ({"eks_cluster": "one", "context": "two"}, "eks_cluster: 'one' is not allowed"),
    ],
)
def test_bad_input_is_refused_before_any_request(simulator, wrong, message):
    refused = simulator.run("task_governance_info", **wrong)
    assert refused["failed"] and message in refused["msg"] and not simulator.calls(), refused


def test_an_unknown_eks_cluster(simulator):
    failed = simulator.run("task_governance_info", eks_cluster="none")
    assert failed["failed"] and "DescribeCluster for EKS cluster none failed" in failed["msg"], failed


def test_without_kueue(simulator, tmp_path):
    with Server(Empty()) as kubernetes:
        options = {"kubeconfig": kubeconfig(kubernetes, tmp_path), "teams": ["research"]}
        result = simulator.run("task_governance_info", **options)
        assert not result["changed"] and result["kueue"] == {"installed": False, "available": False, "image": "", "elsewhere": []}, result
        assert "usage" not in result and simulator.run("task_governance_info", **options, usage=True)["usage"] == []
        assert "namespace hyperpod-ns-research" in result["missing"] and result["teams"][0]["has_local_queue"] is False
        waited = {**options, "wait_for": "kueue", "wait_timeout": 1, "poll_interval": 1}
        late = simulator.run("task_governance_info", **waited)
        assert late["failed"] and "without an available manager of Kueue" in late["msg"], late
        assert not simulator.run("task_governance_info", check=True, **waited).get("failed")
