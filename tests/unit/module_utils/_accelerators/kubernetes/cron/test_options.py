# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Valid and invalid options of scheduled accelerator checks."""

from __future__ import annotations

import typing as t

import pytest
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._accelerators.kubernetes.cron.model import Desired
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._accelerators.kubernetes.cron.options import desired
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._core.failure import Refused

NODE = {
    "instance_id": "i-0123456789abcdef0",
    "instance_type": "ml.p5.48xlarge",
    "expected_gpus": None,
    "expected_efa_devices": None,
    "expected_neuron_devices": None,
}
PARAMS: dict[str, t.Any] = {
    "state": "present",
    "schedule": "",
    "nodes": [NODE],
    "pod_timeout": 300,
    "image": "python:3.12-slim",
    "namespace": "mlfleet-hyperpod",
    "health_profile": None,
    "dcgm": True,
    "timeout": 30,
}


def wanted(**given: t.Any) -> Desired:
    return desired({**PARAMS, **given})


def test_valid_options_are_accepted() -> None:
    found = wanted()
    assert (found.present, found.schedule, found.checks.seconds, found.checks.batch) == (True, "", 300, 1)
    assert (wanted(pod_timeout=10).checks.seconds, wanted(pod_timeout=3600).checks.seconds) == (10, 3600)
    for schedule in ("@hourly", "@daily", "@weekly", "17 * * * *", "*/5 0-6 1,15 * MON"):
        assert wanted(schedule=schedule).schedule == schedule


def test_objects_in_the_namespace_of_a_team_can_be_removed() -> None:
    assert wanted(state="absent", namespace="hyperpod-ns-a").present is False


REFUSED = [
    ({"schedule": "@yearly"}, "schedule", "five fields as in a crontab"),
    ({"schedule": "17 * * *"}, "schedule", "five fields as in a crontab"),
    ({"schedule": "17 * * * *\n"}, "schedule", "five fields as in a crontab"),
    ({"pod_timeout": 9}, "pod_timeout", "pod_timeout: 9"),
    ({"pod_timeout": 3601}, "pod_timeout", "pod_timeout: 3601"),
    ({"namespace": "hyperpod-ns-a"}, "namespace", "namespace: 'hyperpod-ns-a' is not allowed"),
]


@pytest.mark.parametrize(("given", "option", "message"), REFUSED)
def test_invalid_options_are_refused(given: dict[str, t.Any], option: str, message: str) -> None:
    with pytest.raises(Refused, match=message) as refused:
        wanted(**given)
    assert refused.value.option == option
