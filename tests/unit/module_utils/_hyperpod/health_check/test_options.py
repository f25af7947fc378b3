# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Valid and invalid options of deep health checks."""

from __future__ import annotations

import typing as t

import pytest
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._core.failure import Refused
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._hyperpod.health_check.model import Check
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._hyperpod.health_check.options import checks

NODE = "i-0123456789abcdef0"
NODES = [f"i-{number:017x}" for number in range(501)]


def group(name: str = "a", **more: t.Any) -> dict[str, t.Any]:
    return {"name": name, "checks": ["InstanceStress"], "node_ids": None, **more}


def wanted(*groups: dict[str, t.Any]) -> tuple[Check, ...]:
    return checks({"instance_groups": list(groups)})


def test_valid_options_are_accepted() -> None:
    assert wanted(group(), group("b", node_ids=[NODE])) == (Check("a", ("InstanceStress",)), Check("b", ("InstanceStress",), (NODE,)))
    assert len(wanted(*(group(str(number)) for number in range(99)))) == 99
    assert len(wanted(group(node_ids=NODES[:500]))[0].node_ids) == 500


@pytest.mark.parametrize(
    ("groups", "option", "message"),
    [
        ([], "instance_groups", "instance_groups: missing"),
        ([group(str(number)) for number in range(100)], "instance_groups", "at most 99 groups"),
        ([group(), group()], "instance_groups", "given more than once"),
        ([group(checks=[])], "instance_groups.a.checks", "at least one check"),
        ([group(node_ids=NODES)], "instance_groups.a.node_ids", "at most 500 nodes"),
        ([group(node_ids=["node-1"])], "instance_groups.a.node_ids", "node-1"),
    ],
)
def test_invalid_options_are_refused(groups: list[dict[str, t.Any]], option: str, message: str) -> None:
    with pytest.raises(Refused, match=message) as refused:
        wanted(*groups)
    assert refused.value.option == option
