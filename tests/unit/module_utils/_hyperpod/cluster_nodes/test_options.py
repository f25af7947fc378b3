# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Valid and invalid options for adding, removing, rebooting and replacing nodes."""

from __future__ import annotations

import dataclasses
import typing as t

import pytest
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._core.failure import Refused
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._hyperpod.cluster_nodes.model import Addition, Desired
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._hyperpod.cluster_nodes.options import desired

ARN = "arn:aws:sagemaker:us-west-2:111111111111:cluster/abc123def456"
NODE = "i-0123456789abcdef0"
PARAMS: dict[str, t.Any] = {
    "cluster_arn": ARN,
    "state": "replaced",
    "node_ids": [NODE],
    "instance_groups": None,
    "node_types": {},
    "route": "api",
}


def wanted(**given: t.Any) -> Desired:
    return desired({**PARAMS, **given})


def group(**more: t.Any) -> dict[str, t.Any]:
    return {"name": "a", "count": 1, "availability_zones": None, "instance_types": None, **more}


def adds(*groups: dict[str, t.Any]) -> dict[str, t.Any]:
    return {"state": "added", "node_ids": None, "instance_groups": list(groups)}


@pytest.mark.parametrize(
    ("given", "expected"),
    [
        ({}, Desired(ARN, "replaced", (NODE,))),
        ({"route": "orchestrator"}, Desired(ARN, "replaced", (NODE,), route="orchestrator")),
        ({"state": "rebooted", "route": "orchestrator"}, Desired(ARN, "rebooted", (NODE,), route="orchestrator")),
        (adds(group(count=50)), Desired(ARN, "added", (), (Addition("a", 50),))),
        (
            adds(group(availability_zones=["us-west-2a"], instance_types=["ml.m5.large"])),
            Desired(ARN, "added", (), (Addition("a", 1, ("us-west-2a",), ("ml.m5.large",)),)),
        ),
    ],
)
def test_valid_options_are_accepted(given: dict[str, t.Any], expected: Desired) -> None:
    assert wanted(**given) == dataclasses.replace(expected, node_types={})


REFUSED = [
    ({"node_ids": []}, "node_ids", "node_ids: missing; state: replaced requires it"),
    ({"state": "added"}, "instance_groups", "instance_groups: missing; state: added requires it"),
    ({"instance_groups": [group()]}, "instance_groups", "no value with state: replaced"),
    ({**adds(group()), "node_ids": [NODE]}, "node_ids", "no value with state: added"),
    ({"state": "absent", "route": "orchestrator"}, "route", "api with state: absent"),
    ({"node_ids": ["node-1"]}, "node_ids", "node_ids: 'node-1' is not allowed"),
    ({"node_ids": [NODE, NODE]}, "node_ids", "given more than once"),
    (adds(group(), group()), "instance_groups", "given more than once"),
    (adds(group(count=0)), "instance_groups.a.count", "instance_groups.a.count: 0"),
    (adds(group(count=51)), "instance_groups.a.count", "instance_groups.a.count: 51"),
]


@pytest.mark.parametrize(("given", "option", "message"), REFUSED)
def test_invalid_options_are_refused(given: dict[str, t.Any], option: str, message: str) -> None:
    with pytest.raises(Refused, match=message) as refused:
        wanted(**given)
    assert refused.value.option == option
