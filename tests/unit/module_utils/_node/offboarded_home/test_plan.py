# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The plan for the home of an offboarded user."""

from __future__ import annotations

import dataclasses

import pytest
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._node.offboarded_home.model import Desired, State
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._node.offboarded_home.plan import plan
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._node.offboarded_home.result import left as left_of, result, waiting

KEY = "ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAG m@laptop"
SHOWN = "ssh-ed25519 SHA256:qNLhplipcgZ6ue5cN1G9xVSFZGsotfSWIFlEIsT348U m@laptop"
WANTED = Desired("mallory", 20003, 20003, "/fsx/mallory", remove_keys=True, archive=True, shared_roots=("/fsx",))
KEYS = {
    "/fsx/mallory/.ssh/authorized_keys": [
        {"type": "ssh-ed25519", "fingerprint": SHOWN.split()[1], "comment": "m@laptop", "options": "", "expires": None}
    ]
}
HOME = State("folder", "/fsx/mallory", 20003, KEYS)


@pytest.mark.parametrize(
    "options, state, changes, after, pending, notes",
    [
        ({}, HOME, [("delete", None), ("update", "path")], ("archived", []), 0, 0),
        ({"archive": False}, HOME, [("delete", None)], ("folder", []), 0, 0),
        ({"remove_keys": False}, HOME, [("update", "path")], ("archived", ["/fsx/mallory.offboarded"]), 0, 1),
        ({"remove_keys": False, "archive": False}, HOME, [], ("folder", ["/fsx/mallory"]), 0, 1),
        ({}, dataclasses.replace(HOME, keys={}, taken=True), [], ("folder", []), 1, 0),
        ({}, State("archived", "/fsx/mallory.offboarded", 20003, taken=True), [], ("archived", []), 0, 0),
        ({}, State("missing", "/fsx/mallory"), [], ("missing", []), 0, 0),
        ({}, State("foreign", "/fsx/mallory", 20001), [], ("foreign", []), 0, 1),
        ({}, State("unmounted", "/fsx/mallory"), [], ("unmounted", []), 1, 0),
        ({}, State("silent", "/fsx/mallory"), [], ("silent", []), 1, 0),
        ({}, State("other", "/fsx/mallory", 20003), [], ("other", []), 1, 0),
    ],
)
def test_steps_and_findings_depend_on_the_state_of_the_home(options, state, changes, after, pending, notes) -> None:
    desired = dataclasses.replace(WANTED, **options)
    made = plan(desired, state)
    left = made.after(state)
    assert [(change.action, change.field) for change in made.changes] == changes
    shown = [path.rpartition("/.ssh/")[0] for path in left.keys]
    assert (left.kind, shown) == after
    assert len(waiting(desired, left)) == pending
    assert len(left_of(desired, left)) == notes
    again = dataclasses.replace(left, taken=left.kind == "archived" or left.taken)
    assert not plan(desired, again)


def test_keys_are_shown_by_their_fingerprints() -> None:
    assert plan(WANTED, HOME).changes[0].before == [SHOWN]


def test_pending_work_and_remaining_keys_are_both_reported():
    returned = result(WANTED, dataclasses.replace(HOME, taken=True))
    assert [(each["kind"], each["code"]) for each in returned["hyperpod_findings"]] == [
        ("pending", "home-waits"),
        ("note", "home-keys-left"),
    ]
