# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Actions of HyperPod on a node, recognised from its own texts only."""

from __future__ import annotations

import typing as t

import pytest
from ansible_collections.mlfleet.hyperpod.plugins.plugin_utils._accelerators.service import acting
from ansible_collections.mlfleet.hyperpod.plugins.plugin_utils.slurm_states import State

from .fleets import CREATED, node, of

LATER, LATEST = "2026-11-25T04:00:00Z", "2026-11-25T05:00:00Z"
CHECKS = "HyperPod runs deep health checks on the node"
UPDATES = "HyperPod reports status SystemUpdating"


def acted(hyperpod: str = "Running", **slurm: t.Any) -> str:
    return acting(hyperpod, State(**slurm))


@pytest.mark.parametrize(
    ("given", "does"),
    [
        ({}, ""),
        ({"hyperpod": "SystemUpdating"}, UPDATES),
        ({"hyperpod": "DeepHealthCheckInProgress", "reason": "Action:Reboot"}, "HyperPod reports status DeepHealthCheckInProgress"),
        ({"hyperpod": "Pending"}, "HyperPod reports status Pending"),
        ({"hyperpod": "ShuttingDown"}, "HyperPod reports status ShuttingDown"),
        ({"hyperpod": "DetachInProgress"}, "HyperPod reports status DetachInProgress"),
        ({"hyperpod": "AttachInProgress"}, "HyperPod reports status AttachInProgress"),
        ({"hyperpod": "AStatusThatNoListNames"}, "HyperPod reports status AStatusThatNoListNames"),
        ({"reason": "Action:Replace"}, "HyperPod acts on Slurm's reason Action:Replace"),
        ({"reason": "Action:Reboot", "partitions": ("hyperpod-system-maintenance",)}, "HyperPod acts on Slurm's reason Action:Reboot"),
        ({"reservations": ("x", "hyperpod-deep-health-check")}, CHECKS),
        ({"partitions": ("dev", "hyperpod-system-maintenance")}, CHECKS),
        ({"features": ("SageMakerDeepHealthCheck:InProgress",)}, CHECKS),
    ],
)
def test_actions_of_hyperpod_are_recognised(given: dict[str, t.Any], does: str) -> None:
    assert acted(**given) == does


@pytest.mark.parametrize(
    "given",
    [
        {"hyperpod": "Failure"},
        {"hyperpod": "not listed"},
        {"hyperpod": "NotFound"},
        {"hyperpod": ""},
        {"reason": "Action:Replace, please"},
        {"reason": "action:replace"},
        {"reason": "mlfleet.hyperpod: memory errors"},
        {"reservations": ("hyperpod-deep-health-check-not",)},
        {"partitions": ("my-hyperpod-system-maintenance",)},
        {"features": ("SageMakerDeepHealthCheck:Passed",)},
    ],
)
def test_other_texts_are_no_actions(given: dict[str, t.Any]) -> None:
    assert acted(**given) == ""


@pytest.mark.parametrize(
    ("labels", "does"),
    [
        ({}, ""),
        ({"health_status": "Schedulable", "deep_health_check": "Passed"}, ""),
        ({"health_status": "Unschedulable", "deep_health_check": "Failed"}, ""),
        ({"health_status": "UnschedulablePendingReboot"}, "HyperPod acts on the node's label node-health-status=UnschedulablePendingReboot"),
        (
            {"health_status": "UnschedulablePendingReplacement", "deep_health_check": "InProgress"},
            "HyperPod acts on the node's label node-health-status=UnschedulablePendingReplacement",
        ),
        ({"health_status": "Unschedulable", "deep_health_check": "InProgress"}, CHECKS),
        ({"health_status": "unschedulablependingreboot", "deep_health_check": "In Progress"}, ""),
    ],
)
def test_labels_that_trigger_an_action_are_recognised(labels: dict[str, str], does: str) -> None:
    assert acting("Running", State(), labels) == does
    assert acting("SystemUpdating", State(), labels) == UPDATES


def test_the_start_of_an_action_is_kept_between_runs() -> None:
    def service(document: dict[str, t.Any]) -> dict[str, str]:
        (one,) = document["clusters"]["ml"]["nodes"].values()
        return dict(one["service"])

    first = of(node(1, service=UPDATES))
    assert service(first) == {"does": UPDATES, "since": CREATED}
    again = of(node(1, service=UPDATES), created=LATER, before=first)
    assert service(again) == {"does": UPDATES, "since": CREATED}
    other = of(node(1, service=CHECKS), created=LATEST, before=again)
    assert service(other) == {"does": CHECKS, "since": LATEST}
    over = of(node(1), created=LATEST, before=other)
    assert service(over) == {"does": "", "since": ""}
    assert service(of(node(1, service=CHECKS), created=LATEST, before=over)) == {"does": CHECKS, "since": LATEST}


def test_an_earlier_report_may_lack_the_action_or_the_node() -> None:
    older = of(node(1))
    del older["clusters"]["ml"]["nodes"][f"i-{1:017x}"]["service"]
    for before in (older, of(node(2)), {**older, "clusters": {}}):
        found = of(node(1, service=UPDATES), created=LATER, before=before)
        assert found["clusters"]["ml"]["nodes"][f"i-{1:017x}"]["service"]["since"] == LATER
