# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Findings that a role reports, and failures of its task."""

from __future__ import annotations

import typing as t

import pytest
from ansible.parsing.dataloader import DataLoader
from ansible.template import Templar, trust_as_template
from ansible_collections.mlfleet.hyperpod.plugins.action.finding import ActionModule
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._core.finding import failure, note

STAYS = {"says": "vpn-stays", "values": {"vpc": "vpc-1", "clusters": ["a", "b"]}}
UNKNOWN = {"says": "vpn-people-unknown", "values": {"unknown": "eve", "known": ["alice"]}}
NOTED = note("key-shared", "It opens two.", subject="SHA256:x").to_result()
FAILED = failure("no-login-service", "Nobody can log in.").to_result()


def reported(action: t.Callable[..., t.Any], arguments: dict[str, t.Any], *, holds: bool = False) -> dict[str, t.Any]:
    reporting, node = action(ActionModule, arguments)
    reporting._templar = Templar(DataLoader(), variables={"x": 2 if holds else 0, "y": True})
    result = reporting.run(task_vars={})
    assert node.calls == [], "it must run on the controller only"
    return result


@pytest.mark.parametrize(
    ("arguments", "codes"),
    [
        (STAYS, ["vpn-stays"]),
        ({"code": "sessions-open", "texts": ["one", "two"]}, ["sessions-open"] * 2),
        ({"code": "sessions-open", "texts": []}, []),
        ({"findings": [NOTED, {"no": "finding"}]}, ["key-shared"]),
        ({"findings": [FAILED], "fail": False}, ["no-login-service"]),
    ],
)
def test_notes_and_pending_findings_do_not_fail_the_task(action, arguments, codes):
    result = reported(action, arguments)
    assert ([each["code"] for each in result["hyperpod_findings"]], result["changed"], "failed" in result) == (codes, False, False)


@pytest.mark.parametrize(
    ("arguments", "msg", "subject"),
    [
        (UNKNOWN, "vpn_people: eve is not allowed. Allowed: users with a certificate: alice.", "vpn_people"),
        ({"code": "option-refused", "texts": ["One.", "Two."]}, "One. Two.", ""),
        ({"findings": [NOTED, FAILED]}, "Nobody can log in.", ""),
    ],
)
def test_a_failure_fails_the_task_with_its_code(action, arguments, msg, subject):
    result = reported(action, arguments)
    assert (result["failed"], result["msg"], result["hyperpod_failure"]["subject"]) == (True, msg, subject)
    assert result["hyperpod_failure"]["kind"] == "failure" and "hyperpod_findings" not in result


@pytest.mark.parametrize("that", [trust_as_template("x > 1"), [trust_as_template("y"), trust_as_template("x > 1")]])
@pytest.mark.parametrize("holds", [True, False])
def test_nothing_is_reported_if_the_conditions_hold(action, that, holds):
    result = reported(action, {**UNKNOWN, "that": that}, holds=holds)
    assert ("failed" in result, "hyperpod_findings" in result) == (not holds, False)


@pytest.mark.parametrize(
    ("arguments", "part"),
    [({"says": "none-such"}, "none-such"), ({**STAYS, "values": {"vpc": "vpc-1"}}, "clusters"), ({"code": "none-such", "texts": ["x"]}, "none-such")],
)
def test_an_unknown_code_or_a_missing_value_fails(action, arguments, part):
    result = reported(action, arguments)
    assert result["failed"] is True and part in result["msg"]
