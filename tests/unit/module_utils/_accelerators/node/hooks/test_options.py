# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Valid and invalid options of Slurm's health hooks."""

from __future__ import annotations

import json
import typing as t

import pytest
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._accelerators.node.hooks.model import Desired
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._accelerators.node.hooks.options import desired
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._core.failure import Refused

PARAMS: dict[str, t.Any] = {
    "state": "present",
    "health_check": True,
    "prolog": True,
    "interval": 240,
    "controller": True,
    "folder": "/var/lib/mlfleet-hyperpod",
    "instance_type": "ml.p5.48xlarge",
    "instance_id": "",
    "expected_gpus": 8,
    "expected_efa_devices": None,
    "expected_neuron_devices": None,
    "profile": None,
}


def wanted(**given: t.Any) -> Desired:
    return desired({**PARAMS, **given}, b"program")


@pytest.mark.parametrize(
    ("given", "health_check", "prolog"),
    [
        ({}, True, True),
        ({"health_check": False}, False, True),
        ({"prolog": False}, True, False),
        ({"state": "absent"}, False, False),
    ],
)
def test_options_select_the_hooks(given: dict[str, t.Any], health_check: bool, prolog: bool) -> None:
    found = wanted(**given)
    assert (found.health_check, found.prolog, found.archive, found.controller) == (health_check, prolog, b"program", True)
    assert (found.interval, found.folder) == (240, "/var/lib/mlfleet-hyperpod")


def test_the_settings_are_those_of_the_health_check() -> None:
    names = ("instance_type", "instance_id", "expected_gpus", "expected_efa_devices", "expected_neuron_devices", "profile")
    assert json.loads(wanted().settings) == {name: PARAMS[name] for name in names}


@pytest.mark.parametrize("given", [{"interval": 60}, {"interval": 3600}, {"folder": "/a/b"}, {"controller": False}])
def test_valid_options_are_accepted(given: dict[str, t.Any]) -> None:
    ((name, value),) = given.items()
    assert getattr(wanted(**given), name) == value


REFUSED = [
    *(
        ({"folder": folder}, "folder", "an absolute path at least two levels deep")
        for folder in ("/a", "a/b", "/a/../b", "/a/.", "/a b/c", "/a/b/")
    ),
    ({"interval": 59}, "interval", "interval: 59"),
    ({"interval": 3601}, "interval", "interval: 3601"),
    ({"expected_gpus": -1}, "expected_gpus", "a number from 0"),
]


@pytest.mark.parametrize(("given", "option", "message"), REFUSED)
def test_invalid_options_are_refused(given: dict[str, t.Any], option: str, message: str) -> None:
    with pytest.raises(Refused, match=message) as refused:
        wanted(**given)
    assert refused.value.option == option
