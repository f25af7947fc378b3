# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Declared ScaledObjects of KEDA."""

from __future__ import annotations

import typing as t

import pytest
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._core.failure import Refused
from ansible_collections.mlfleet.hyperpod.plugins.plugin_utils._karpenter.scaled_objects import scaled_objects

QUEUE = {"type": "aws-sqs-queue", "metadata": {"queueURL": "https://sqs/q", "queueLength": 5, "awsRegion": "us-west-2"}}
WORKERS = {"name": "workers", "namespace": "team-a", "target": {"name": "workers"}, "triggers": [QUEUE]}


def test_the_object_is_built() -> None:
    (found,) = scaled_objects("x", [WORKERS])
    assert found["definition"]["spec"] == {
        "scaleTargetRef": {"apiVersion": "apps/v1", "kind": "Deployment", "name": "workers"},
        "minReplicaCount": 0,
        "maxReplicaCount": 10,
        "pollingInterval": 30,
        "cooldownPeriod": 300,
        "triggers": [
            {
                "type": "aws-sqs-queue",
                "metadata": {
                    "queueURL": "https://sqs/q",
                    "queueLength": "5",
                    "awsRegion": "us-west-2",
                    "identityOwner": "operator",
                },
            }
        ],
    }


def test_triggers_without_aws_need_no_identity() -> None:
    prometheus = {
        "type": "prometheus",
        "metadata": {"serverAddress": "http://p", "query": "q", "threshold": "1"},
        "authentication": "own",
    }
    (found,) = scaled_objects("x", [{**WORKERS, "triggers": [prometheus]}])
    (trigger,) = found["definition"]["spec"]["triggers"]
    assert "identityOwner" not in trigger["metadata"] and trigger["authenticationRef"] == {"name": "own"}


@pytest.mark.parametrize(
    ("given", "message"),
    [
        ({"namespace": ""}, "x[0].namespace: missing."),
        ({"name": "a/b"}, "x[0].name: 'a/b' is not allowed."),
        ({"target": None}, "x[0].target: None is not allowed."),
        ({"target": {"kind": "Job", "name": "a"}}, "x[0].target.kind: 'Job' is not allowed."),
        ({"min_replicas": -1}, "x[0].min_replicas: -1 is not allowed."),
        ({"min_replicas": 5, "max_replicas": 4}, "x[0].min_replicas: 5 is not allowed."),
        ({"max_replicas": 0}, "x[0].max_replicas: 0 is not allowed."),
        ({"polling_interval": 0}, "x[0].polling_interval: 0 is not allowed."),
        ({"cooldown_period": "5m"}, "x[0].cooldown_period: '5m' is not allowed."),
        ({"triggers": []}, "x[0].triggers: missing; define at least one trigger of type aws-cloudwatch, "),
        ({"triggers": [{"type": "cron"}]}, "x[0].triggers[0].type: 'cron' is not allowed."),
        ({"triggers": [{"type": "prometheus"}]}, "x[0].triggers[0].metadata: None is not allowed."),
        ({"triggers": [{**QUEUE, "metadata": {"queueURL": "q"}}]}, "x[0].triggers[0].metadata.queueLength: missing"),
        ({"triggers": [{**QUEUE, "authentication": "A"}]}, "x[0].triggers[0].authentication: 'A' is not allowed."),
        ({"minReplicaCount": 0}, "x[0].minReplicaCount: unknown; did you mean min_replicas? Allowed: "),
    ],
)
def test_invalid_scaled_objects_are_refused(given: dict[str, t.Any], message: str) -> None:
    with pytest.raises(Refused) as refused:
        scaled_objects("x", [{**WORKERS, **given}])
    assert message in str(refused.value)


def test_a_duplicate_is_refused() -> None:
    with pytest.raises(Refused, match="team-a/workers"):
        scaled_objects("x", [WORKERS, WORKERS])
    assert len(scaled_objects("x", [WORKERS, {**WORKERS, "namespace": "team-b"}])) == 2
