# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The findings that report a plan."""

from __future__ import annotations

import typing as t

from ansible_collections.mlfleet.hyperpod.plugins.module_utils._accelerators.node.health.problem import UNKNOWN
from ansible_collections.mlfleet.hyperpod.plugins.plugin_utils._accelerators.document import NONE
from ansible_collections.mlfleet.hyperpod.plugins.plugin_utils.findings.made import Findings, finding
from ansible_collections.mlfleet.hyperpod.plugins.plugin_utils.given_names import given_names

from . import plan as plans

TEXTS = {plans.WAITS: "remediation-wait", plans.LATER: "remediation-later", plans.ESCALATES: "remediation-escalate"}
CHECKED_LATER = "remediation-unchecked"


def planned(key: str, made: plans.Plan, nodes: t.Mapping[str, t.Any]) -> Findings:
    """The findings about planned actions. ``nodes``: as in the report's document."""
    unknown = _unknown(made, nodes)
    if unknown:
        return [*_unread(key, made, nodes, unknown), *_acts(made)]
    return _acts(made) if made.rows else finding("remediation-nothing", cluster=key)


def _acts(made: plans.Plan) -> Findings:
    return [one for row in made.acts for one in finding("remediation-planned", node=row.node, does=row.does, why=row.why)]


def _unknown(made: plans.Plan, nodes: t.Mapping[str, t.Any]) -> list[str]:
    """The nodes whose health could not be read and that have no row in the plan."""
    planned_for = {row.node for row in made.rows}
    return [iid for iid, node in nodes.items() if node["verdict"] == UNKNOWN and iid not in planned_for]


def _unread(key: str, made: plans.Plan, nodes: t.Mapping[str, t.Any], unknown: t.Sequence[str]) -> Findings:
    count = sum(node["verdict"] != NONE for node in nodes.values())
    read = count - len(unknown)
    if not read:
        return finding("remediation-blind", cluster=key, count=count)
    nothing = [] if made.rows else finding("remediation-nothing-of-read", cluster=key, read=read, count=count)
    return [*nothing, *finding("remediation-unread", unknown=len(unknown), count=count, nodes=unknown)]


def not_done(made: plans.Plan) -> Findings:
    stops = {row.why for row in made.rows if row.does == plans.STOPS}
    rest = [row for row in made.rows if row.does in (plans.WAITS, plans.LATER, plans.ESCALATES)]
    return [
        *(one for why in sorted(stops) for one in finding("remediation-stop", why=why)),
        *(one for row in rest for one in finding(_text_of(row), node=row.node, why=row.why)),
    ]


def unapproved(key: str, made: plans.Plan, number: str, given: t.Any) -> Findings:
    """The finding about a plan that is not approved. ``given``: the value of ``remediation_approve``."""
    acts = ", ".join(f"{row.does} {row.node}" for row in made.acts)
    others = [each for each in given_names(given) if each.startswith(f"{key}:")]
    if others:
        return finding("remediation-other-plan", approved=others, number=number, planned=acts)
    return finding("remediation-unapproved", number=number, planned=acts)


def _text_of(row: plans.Row) -> str:
    return CHECKED_LATER if row.checks and row.does == plans.LATER else TEXTS[row.does]
