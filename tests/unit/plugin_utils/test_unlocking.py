# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Whether a lock can be removed manually."""

from __future__ import annotations

import re
import typing as t

import pytest
from ansible_collections.mlfleet.hyperpod.plugins.plugin_utils.unlocking import unlock_plan

HOLDER = {
    "owner": "ops@bastion",
    "generation": 7,
    "acquired": "2026-11-21T01:00:00Z",
    "expires": "2026-11-21T02:00:00Z",
    "pid": 4242,
}
SHOWN = "ml:7:ops@bastion"


def judged(**more: t.Any) -> dict[str, t.Any]:
    given = {"holder": HOLDER, "run": "unknown", "confirm": SHOWN, "running": False, "keys": ["ml", "other"]}
    return unlock_plan("ml", **{**given, **more})


@pytest.mark.parametrize("confirm", [SHOWN, f"other:1:x, {SHOWN}", [SHOWN], f" {SHOWN} "])
def test_a_confirmed_lock_is_removed(confirm: t.Any) -> None:
    assert judged(confirm=confirm) == {"end": True, "refusal": ""}
    assert judged(confirm=confirm, run="running", running=True)["end"]


@pytest.mark.parametrize(
    ("more", "words"),
    [
        ({"confirm": ""}, "locked by ops@bastion since .* add -e unlock_confirm='ml:7:ops@bastion' to remove the lock"),
        ({"confirm": []}, "to remove the lock"),
        ({"confirm": "ml"}, "unlock_confirm: 'ml' is not allowed: the lock has changed. Allowed: ml:7:ops@bastion"),
        ({"confirm": "ml:6:ops@bastion"}, "'ml:6:ops@bastion' is not allowed: the lock has changed. Allowed: ml:7"),
        ({"confirm": "ml:7:alice"}, "'ml:7:alice' is not allowed: the lock has changed"),
        ({"confirm": "mll:7:ops@bastion"}, "'mll:7:ops@bastion' is not allowed: it names no cluster of this run. Allowed: the locks of ml, other"),
        ({"confirm": 5}, "unlock_confirm: '5' is not allowed: it names no cluster of this run. Allowed: the locks of ml, other"),
        ({"run": "running"}, "that run is active here as process 4242. .* -e unlock_running=true, the lock is removed anyway"),
        ({"holder": None}, "the lock of ml is no longer held"),
    ],
)
def test_the_missing_condition_is_reported(more: dict[str, t.Any], words: str) -> None:
    found = judged(**more)
    assert not found["end"]
    assert re.search(words, found["refusal"]), found


def test_other_clusters_are_left_alone() -> None:
    assert judged(confirm="other:1:x") == {"end": False, "refusal": ""}
    assert judged(holder=None, confirm="") == {"end": False, "refusal": ""}


def test_the_owner_is_printable() -> None:
    odd = {**HOLDER, "owner": "ops\x1b[2J"}
    assert "\x1b" not in judged(holder=odd, confirm="")["refusal"]
    assert judged(holder=odd, confirm="ml:7:ops?[2J")["end"]
