# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Which profile files are written, and what check mode reports for people without a certificate."""

from __future__ import annotations

import dataclasses
import datetime

import pytest
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._client_vpn.profile.model import (
    Desired,
    File,
    Profile,
    State,
)
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._client_vpn.profile.plan import REMOVE, WRITE, plan
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._client_vpn.profile.result import Report
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._core.failure import Refused
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._core.plan import KNOWN_AFTER_APPLY, Secret

NOW = datetime.datetime(2026, 11, 21, 12, tzinfo=datetime.timezone.utc)
DESIRED = Desired(("alice", "bob"), "/vpn", NOW, prefix="p")
ALICE = Profile("0a", "2027-01-01T00:00:00Z", Secret.of("alice"))
BOB = Profile("0b", "2026-11-21T11:00:00Z", Secret.of("bob"))
BOTH = {"alice": ALICE, "bob": BOB}
GOOD = File(ALICE.digest, 0o600, "0a")


@pytest.mark.parametrize("have", [None, dataclasses.replace(GOOD, mode=0o644), File(Secret.of("old"), 0o600, "09")])
def test_files_that_differ_are_written_once(have):
    state = State(BOTH, {"bob": File(BOB.digest, 0o600, "0b"), **({"alice": have} if have else {})})
    planned = plan(DESIRED, state, check_mode=False)
    assert [(step.operation, step.arguments["name"]) for step in planned.steps] == [(WRITE, "alice")]
    assert planned.after(state).files["alice"] == GOOD
    assert not plan(DESIRED, planned.after(state), check_mode=False)
    assert planned.notes == ("The certificate of bob expired at 2026-11-21T11:00:00Z. Renew it with client_vpn_pki.",)
    report = Report(DESIRED)
    rows = report.result(report.noted(planned).after(state))["profiles"]
    assert [(row["name"], row["changed"]) for row in rows] == [("alice", True), ("bob", False)]


def test_a_person_without_a_certificate_is_accepted_in_check_mode_only():
    state = State({"alice": ALICE}, {"alice": GOOD})
    with pytest.raises(Refused, match="people: 'bob' is not allowed: they have no certificate below p/people"):
        plan(DESIRED, state, check_mode=False)
    report = Report(DESIRED)
    rows = report.result(report.noted(plan(DESIRED, state, check_mode=True)).after(state))["profiles"]
    assert rows[1] == {
        "name": "bob",
        "path": "/vpn/bob.ovpn",
        "serial": KNOWN_AFTER_APPLY,
        "not_after": KNOWN_AFTER_APPLY,
        "changed": True,
    }


def test_files_are_removed():
    desired, state = dataclasses.replace(DESIRED, present=False), State(files={"alice": GOOD})
    planned = plan(desired, state, check_mode=False)
    assert [(step.operation, step.arguments["name"]) for step in planned.steps] == [(REMOVE, "alice")]
    assert planned.after(state) == State()
