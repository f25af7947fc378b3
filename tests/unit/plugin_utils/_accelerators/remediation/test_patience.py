# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""How long HyperPod may work on a node before it is escalated."""

from __future__ import annotations

import datetime

import pytest
from ansible_collections.mlfleet.hyperpod.plugins.plugin_utils._accelerators.remediation.patience import DEFAULT, patience_for
from ansible_collections.mlfleet.hyperpod.plugins.plugin_utils._accelerators.service import acting
from ansible_collections.mlfleet.hyperpod.plugins.plugin_utils.slurm_states import State

STATES = [
    ("DeepHealthCheckInProgress", State(), {}, 180),
    ("SystemUpdating", State(), {}, 180),
    ("Pending", State(), {}, 90),
    ("DetachInProgress", State(), {}, 90),
    ("AttachInProgress", State(), {}, 90),
    ("ShuttingDown", State(), {}, 40),
    ("ANewStatus", State(), {}, 90),
    ("Running", State(reservations=("hyperpod-deep-health-check",)), {}, 180),
    ("Running", State(reason="Action:Replace"), {}, 90),
    ("Running", State(reason="Action:Reboot"), {}, 40),
    ("Running", State(), {"health_status": "UnschedulablePendingReplacement"}, 90),
    ("Running", State(), {"health_status": "UnschedulablePendingReboot"}, 40),
]


@pytest.mark.parametrize(("status", "slurm", "labels", "minutes"), STATES)
def test_each_action_of_hyperpod_has_the_duration_documented_by_aws(status: str, slurm: State, labels: dict[str, str], minutes: int) -> None:
    does = acting(status, slurm, labels)
    assert does and patience_for(does) == datetime.timedelta(minutes=minutes)


def test_unknown_texts_of_earlier_reports_have_the_default_duration() -> None:
    assert patience_for("HyperPod thinks about it") == DEFAULT
