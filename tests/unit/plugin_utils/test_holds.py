# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Which clusters wait for their wave of a rollout."""

from __future__ import annotations

from ansible_collections.mlfleet.hyperpod.plugins.plugin_utils import holds

UNTIL = {"rollout": {"hold": {"rollout": "keys", "until": "2026-11-30T12:00:00+01:00"}}}
NOON = 1_796_036_400  # 2026-11-30T11:00:00Z


def test_a_hold_is_live_until_its_end_in_any_time_zone() -> None:
    assert holds.live(UNTIL, now=NOON - 1) and not holds.live(UNTIL, now=NOON)
    assert not holds.live({}, now=0) and not holds.live({"rollout": {}}, now=0)


def test_a_hold_that_the_run_has_just_removed_is_over_even_if_it_is_still_listed() -> None:
    step = {"rollout": {"name": "keys", "run": ["ml"]}}
    assert holds.released({"inventory_hostname": "ml", "hyperpod_rollout": step}) == "keys"
    assert holds.released({"inventory_hostname": "other", "hyperpod_rollout": step}) == ""
    assert holds.released({"inventory_hostname": "ml"}) == ""
    assert not holds.live(UNTIL, now=0, released="keys") and holds.live(UNTIL, now=0, released="another")


def test_missing_fields_are_shown_as_unknown() -> None:
    assert holds.shown(holds.hold_of(UNTIL)) == {"rollout": "keys", "wave": "unknown", "since": "unknown", "until": "2026-11-30T12:00:00+01:00"}
