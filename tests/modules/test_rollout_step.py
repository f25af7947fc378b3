# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""rollout_step against the simulated API."""

from __future__ import annotations

import datetime
import time
import typing as t

import pytest
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._aws.client import COLLECTION_VERSION
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._core.times import iso_now, iso_seconds
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._hyperpod.rollout.model import Head, Member, Wave

RECORD = "/mlfleet/hyperpod/rollouts/keys"
STEP: dict[str, t.Any] = {
    "name": "keys",
    "verb": "reconcile",
    "fleet": {"canary": "1", "ml": "2"},
    "waves": [{"clusters": ["canary"], "soak_minutes": 30}, {}],
}


def put(account: t.Any, **texts: str) -> None:
    """Write parameters of the record. For a moment, AWS's replies may be older."""
    ssm = account.client("ssm")
    for name, text in texts.items():
        path = f"{RECORD}/{name.replace('_', '/')}"
        ssm.put_parameter(Name=path, Value=text, Type="String")
        deadline = time.monotonic() + 60
        while not _is_there(ssm, path):
            assert time.monotonic() < deadline
            time.sleep(0.05)


def _is_there(ssm: t.Any, name: str) -> bool:
    try:
        return bool(ssm.get_parameter(Name=name))
    except ssm.exceptions.ParameterNotFound:
        return False


def test_check_mode_predicts_the_first_step(account: t.Any) -> None:
    foreseen = account.run("rollout_step", check=True, **STEP)
    assert account.changes() == [] and foreseen["changed"] and foreseen["rollout"]["run"] == ["canary"]
    assert [(each["action"], each["field"]) for each in foreseen["changes"]] == [
        ("create", each) for each in ("wave 1", "wave 2", "plan")
    ]
    assert foreseen["inputs"]["region"] == "us-west-2" and foreseen["inputs"]["fleet"] == STEP["fleet"]


def test_an_invalid_record_is_refused_by_the_name_of_its_parameter(account: t.Any) -> None:
    put(account, head="{}")
    found = account.run("rollout_step", **STEP)
    assert found["msg"].startswith(f"Parameter {RECORD}/head is not a valid record of a rollout.") and account.changes() == []


def test_without_access_to_the_home_account_nothing_begins(account: t.Any) -> None:
    account.fault(operation="GetParameter", kind="error", code="AccessDeniedException", times=20)
    found = account.run("rollout_step", **STEP)
    assert found["failed"] and "GetParameter for rollout keys failed; allow the action" in found["msg"] and account.changes() == []


def test_a_closed_gate_makes_no_change(account: t.Any) -> None:
    now = iso_now()
    first = Wave({"canary": Member("1", "done")}, soak_minutes=30, started=now, ended=now)
    head = Head("reconcile", "", COLLECTION_VERSION, now, "ops", now, 2)
    put(account, waves_1=first.to_json(), waves_2=Wave({"ml": Member("2")}).to_json(), head=head.to_json())
    found = account.run("rollout_step", **STEP)
    assert account.changes() == [] and not found["changed"] and found["rollout"]["state"] == "waiting", found
    assert found["rollout"]["again"] > now and found["rollout"]["hold"] == ["ml"]


def ended(account: t.Any, *, minutes: int) -> None:
    """The first wave ended some minutes ago by the clock of the control node. It must soak for 30 minutes."""
    then = iso_seconds(datetime.datetime.now(datetime.timezone.utc) - datetime.timedelta(minutes=minutes))
    first = Wave({"canary": Member("1", "done")}, soak_minutes=30, started=then, ended=then)
    head = Head("reconcile", "", COLLECTION_VERSION, then, "ops", "2099-01-01T00:00:00Z", 2)
    put(account, waves_1=first.to_json(), waves_2=Wave({"ml": Member("2")}).to_json(), head=head.to_json())


def shifted(account: t.Any, shift: int | None, **other: t.Any) -> dict[str, t.Any]:
    """The step in check mode if the clock of AWS is ``shift`` seconds ahead; None for replies without a valid time."""
    account.control("settings", {"date_shift_seconds": shift})
    try:
        found: dict[str, t.Any] = account.run("rollout_step", check=True, **{**STEP, **other})["rollout"]
    finally:
        account.control("settings", {"date_shift_seconds": 0})
    return found


@pytest.mark.parametrize(
    ("minutes", "shift", "state"), [(0, 0, "waiting"), (0, 7200, "running"), (60, 0, "running"), (60, -7200, "waiting")]
)
def test_the_soak_time_ends_by_the_clock_of_aws(account: t.Any, minutes: int, shift: int, state: str) -> None:
    """In each pair, the clock of the control node is the same, and only that of AWS differs."""
    ended(account, minutes=minutes)
    found = shifted(account, shift)
    assert found["state"] == state and found["remarks"] == [], found


@pytest.mark.parametrize(("days", "shift", "freezes"), [(2, 0, False), (2, 2, True), (0, 0, True), (0, -2, False)])
def test_a_freeze_begins_by_the_clock_of_aws(account: t.Any, days: int, shift: int, freezes: bool) -> None:
    day = (datetime.datetime.now(datetime.timezone.utc) + datetime.timedelta(days=days)).date().isoformat()
    found = shifted(account, 86400 * shift, wave_minutes=60, freezes=[{"day": day, "time": "00:00", "hours": 24}])
    assert (found["state"] == "waiting") is freezes, found


def test_without_a_time_of_aws_the_step_names_the_clock_that_counts(account: t.Any) -> None:
    ended(account, minutes=0)
    found = shifted(account, None)
    assert found["state"] == "waiting", found
    assert found["remarks"] == ["The replies of AWS have no valid time, so times are those of the control node's clock."]


def test_a_call_that_nothing_identifies_takes_no_lock(account: t.Any) -> None:
    """Tests run modules without ansible-playbook."""
    found = account.run("rollout_step", **STEP)
    assert found["failed"] and "no running ansible command was found" in found["msg"] and account.changes() == []
