# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Valid and invalid options of nodes that are cordoned or repaired."""

from __future__ import annotations

import typing as t

import pytest
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._core.failure import Refused
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._kubernetes.nodes.model import Desired
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._kubernetes.nodes.options import LONGEST, desired

NODE, OTHER = "i-0123456789abcdef0", "i-0123456789abcdef1"
PARAMS: dict[str, t.Any] = {
    "state": "cordoned",
    "node_ids": [NODE],
    "reason": "repair: unfit for work",
    "asks_for": None,
    "pods": "wait",
    "wait_for": "idle",
    "wait_timeout": 0,
    "poll_interval": 10,
}


def wanted(**given: t.Any) -> Desired:
    return desired({**PARAMS, **given})


@pytest.mark.parametrize(
    ("given", "expected"),
    [
        ({}, Desired("cordoned", (NODE,), "repair: unfit for work", "", False, False)),
        ({"pods": "refuse"}, Desired("cordoned", (NODE,), "repair: unfit for work", "", True, False)),
        ({"wait_for": "ready", "reason": "x" * LONGEST}, Desired("cordoned", (NODE,), "x" * LONGEST, "", False, True)),
        ({"state": "uncordoned", "node_ids": [OTHER, NODE]}, Desired("uncordoned", (OTHER, NODE), "repair: unfit for work", "", False, False)),
        ({"state": "asked", "asks_for": "reboot", "reason": ""}, Desired("asked", (NODE,), "", "reboot", False, False)),
        ({"wait_timeout": 86400, "poll_interval": 300}, Desired("cordoned", (NODE,), "repair: unfit for work", "", False, False)),
    ],
)
def test_valid_options_are_accepted(given: dict[str, t.Any], expected: Desired) -> None:
    assert wanted(**given) == expected


REFUSED = [
    ({"state": "asked"}, "asks_for", "asks_for: required with state=asked, and not allowed with other states. Allowed: reboot, replace"),
    ({"asks_for": "reboot"}, "asks_for", "asks_for: required with state=asked, and not allowed with other states"),
    ({"reason": ""}, "reason", "one line of printable text"),
    ({"reason": "a\nb"}, "reason", "one line of printable text"),
    ({"reason": "x" * (LONGEST + 1)}, "reason", "reason"),
    ({"node_ids": ["node-1"]}, "node_ids", "node-1"),
    ({"node_ids": [NODE, NODE]}, "node_ids", "given more than once"),
    ({"wait_timeout": -1}, "wait_timeout", "wait_timeout: -1"),
    ({"wait_timeout": 86401}, "wait_timeout", "wait_timeout: 86401"),
    ({"poll_interval": 0}, "poll_interval", "poll_interval: 0"),
    ({"poll_interval": 301}, "poll_interval", "poll_interval: 301"),
]


@pytest.mark.parametrize(("given", "option", "message"), REFUSED)
def test_invalid_options_are_refused(given: dict[str, t.Any], option: str, message: str) -> None:
    with pytest.raises(Refused, match=message) as refused:
        wanted(**given)
    assert refused.value.option == option
