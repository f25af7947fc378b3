# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The findings that represent a repair plan."""

from __future__ import annotations

import typing as t

import pytest
from ansible_collections.mlfleet.hyperpod.plugins.plugin_utils._accelerators.remediation import words
from ansible_collections.mlfleet.hyperpod.plugins.plugin_utils._accelerators.remediation.plan import Plan, Row
from ansible_collections.mlfleet.hyperpod.plugins.plugin_utils.findings.made import finding

REBOOT, REPLACE, CHECK = (
    Row("i-1", "gpus", "reboot", "It broke."),
    Row("i-2", "gpus", "replace", "It is lost."),
    Row("i-3", "gpus", "check", "Requested."),
)


def nodes(**verdicts: str) -> dict[str, t.Any]:
    return {f"i-{name[1:]}": {"verdict": verdict} for name, verdict in verdicts.items()}


def planned(node: str, does: str, why: str) -> list[dict[str, str]]:
    return finding("remediation-planned", node=node, does=does, why=why)


NOTHING = finding("remediation-nothing", cluster="ml")
BLIND = finding("remediation-blind", cluster="ml", count=2)


@pytest.mark.parametrize(
    ("rows", "of", "expected"),
    [
        ((), nodes(i1="fit"), NOTHING),
        ((), {}, NOTHING),
        (
            (REBOOT, CHECK),
            nodes(i1="unfit-reboot", i3="fit"),
            [*planned("i-1", "reboot", "It broke."), *planned("i-3", "check", "Requested.")],
        ),
        ((Row("i-1", "gpus", "wait", "Busy."),), nodes(i1="unfit-reboot"), []),
        ((Row("i-1", "gpus", "wait", "Busy."),), nodes(i1="unknown"), []),
        ((), nodes(i1="unknown", i2="unknown", i9=""), BLIND),
        (
            (),
            nodes(i1="unknown", i2="fit", i3="watch", i9=""),
            [
                *finding("remediation-nothing-of-read", cluster="ml", read=2, count=3),
                *finding("remediation-unread", unknown=1, count=3, nodes=["i-1"]),
            ],
        ),
        (
            (REBOOT,),
            nodes(i1="unfit-reboot", i2="unknown"),
            [*finding("remediation-unread", unknown=1, count=2, nodes=["i-2"]), *planned("i-1", "reboot", "It broke.")],
        ),
    ],
)
def test_planned_repairs_become_findings(rows: tuple[Row, ...], of: dict[str, t.Any], expected: list[dict[str, str]]) -> None:
    assert words.planned("ml", Plan(rows), of) == expected


def test_postponed_repairs_become_findings_with_their_reason() -> None:
    rows = (
        REBOOT,
        Row("i-4", "gpus", "later", "No budget."),
        Row("i-5", "gpus", "stop", "Same fault."),
        Row("i-6", "gpus", "stop", "Same fault."),
        Row("i-7", "gpus", "stop", "A fault."),
        Row("i-8", "gpus", "escalate", "Twice."),
        Row("i-9", "gpus", "wait", "Busy."),
        Row("i-a", "gpus", "later", "No budget.", checks="InstanceStress"),
        Row("i-b", "gpus", "wait", "Busy.", checks="InstanceStress"),
    )
    assert words.not_done(Plan(rows)) == [
        *finding("remediation-stop", why="A fault."),
        *finding("remediation-stop", why="Same fault."),
        *finding("remediation-later", node="i-4", why="No budget."),
        *finding("remediation-escalate", node="i-8", why="Twice."),
        *finding("remediation-wait", node="i-9", why="Busy."),
        *finding("remediation-unchecked", node="i-a", why="No budget."),
        *finding("remediation-wait", node="i-b", why="Busy."),
    ]


@pytest.mark.parametrize(
    ("given", "others"),
    [("", []), (None, []), ("other:1", []), ("ml:1", ["ml:1"]), (["ml:1", "b:2", "ml:3"], ["ml:1", "ml:3"]), ("mlx:1", [])],
)
def test_an_unapproved_plan_becomes_a_finding(given: t.Any, others: list[str]) -> None:
    made = Plan((REBOOT, Row("i-4", "gpus", "later", "No budget."), REPLACE))
    acts = "reboot i-1, replace i-2"
    expected = (
        finding("remediation-other-plan", approved=others, number="ml:9", planned=acts)
        if others
        else finding("remediation-unapproved", number="ml:9", planned=acts)
    )
    assert words.unapproved("ml", made, "ml:9", given) == expected
