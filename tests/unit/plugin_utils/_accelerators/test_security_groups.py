# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Security groups that allow EFA traffic."""

from __future__ import annotations

import typing as t

import pytest
from ansible_collections.mlfleet.hyperpod.plugins.plugin_utils._accelerators.document import document
from ansible_collections.mlfleet.hyperpod.plugins.plugin_utils._accelerators.findings import findings
from ansible_collections.mlfleet.hyperpod.plugins.plugin_utils._accelerators.security_groups import lacking

from .fleets import CREATED, cluster, node

ANYWHERE = {"ip_protocol": "-1", "ip_ranges": [{"cidr_ip": "0.0.0.0/0"}], "user_id_group_pairs": []}
BOTH = ["inbound", "outbound"]


def rule(group: str, protocol: str = "-1") -> dict[str, t.Any]:
    return {"ip_protocol": protocol, "user_id_group_pairs": [{"group_id": group, "user_id": "1"}]}


def group(name: str, inbound: t.Sequence[t.Any] = (), outbound: t.Sequence[t.Any] = ()) -> dict[str, t.Any]:
    return {"group_id": name, "ip_permissions": list(inbound), "ip_permissions_egress": list(outbound)}


@pytest.mark.parametrize(
    ("groups", "expected"),
    [
        ([group("a", [rule("a")], [rule("a")])], []),
        ([group("a", [rule("a")], [ANYWHERE])], ["outbound"]),
        ([group("a", [ANYWHERE], [rule("a")])], ["inbound"]),
        ([group("a", [rule("a", "tcp")], [rule("a", "tcp")])], BOTH),
        ([group("a", [rule("x")], [rule("x")])], BOTH),
        ([group("a"), group("b", [rule("a")], [rule("a")])], []),
        ([group("a", [rule("b")]), group("b", [], [rule("a")])], []),
        ([group("a"), group("x", [rule("a")], [rule("a")])], BOTH),
        ([], BOTH),
    ],
)
def test_the_rules_of_all_groups_of_a_node_are_combined(groups: list[dict[str, t.Any]], expected: list[str]) -> None:
    assert lacking(["a", "b"], groups) == expected


def test_blocked_efa_traffic_is_a_setup_action() -> None:
    found = document([cluster(node(1), node(2), set_up={"EFA does not pass.": ("gpus",)})], created=CREATED)
    assert [(each["action"], len(each["nodes"]), each["text"]) for each in found["actions"]] == [("set-up", 2, "EFA does not pass.")]
    found_findings = [(each.kind, each.code, each.text) for each in findings(found, "ml", "fail")]
    assert ("note", "efa-security-groups", "EFA does not pass.") in found_findings
