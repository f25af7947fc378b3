# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The options of a step, and the refusals of wrong ones."""

from __future__ import annotations

import datetime
import typing as t

import pytest
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._core.failure import Refused
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._hyperpod.rollout.model import DeclaredWave, Freeze
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._hyperpod.rollout.options import call

FREEZE = {"day": "Friday", "time": "17:00", "hours": 63, "timezone": "Europe/Berlin"}
WAVE = {"clusters": [], "size": 0, "soak_minutes": 0, "approval": False}
PARAMS: dict[str, t.Any] = {
    "name": "host-keys-2026",
    "verb": "reconcile",
    "variables": "v",
    "fleet": {"a": "1"},
    "not_read": [],
    "unread": {},
    "missing_nodes": [],
    "waves": [{**WAVE, "clusters": ["a"], "soak_minutes": 60}, {**WAVE, "size": 5, "approval": True}],
    "action": "continue",
    "confirm": "",
    "failures": 0,
    "accept_degraded": False,
    "wave_minutes": 0,
    "freezes": [FREEZE, {**FREEZE, "day": "2026-12-24", "time": "00:00"}],
    "hold_hours": 72,
    "add_new": False,
    "wave": 0,
}


def made(**other: t.Any) -> t.Any:
    return call({**PARAMS, **other}, owner="ops@bastion", version="1.0.0")


def test_options_become_the_inputs_of_a_step() -> None:
    found = made()
    assert found.waves == (DeclaredWave(("a",), soak_minutes=60), DeclaredWave(size=5, approval=True))
    eve = Freeze(datetime.date(2026, 12, 24), datetime.time(0, 0), 63, "Europe/Berlin")
    assert found.freezes == (Freeze(4, datetime.time(17, 0), 63, "Europe/Berlin"), eve)
    assert found.wave_minutes is None and made(wave_minutes=60).wave_minutes == 60
    assert (found.owner, found.version) == ("ops@bastion", "1.0.0")


@pytest.mark.parametrize(
    ("change", "words"),
    [
        ({"name": "Keys"}, "rollout: 'Keys' is not allowed. Allowed: 1 to 40 lowercase letters"),
        ({"name": "../head"}, "rollout: '../head' is not allowed"),
        ({"name": "k" * 41}, "is not allowed. Allowed: 1 to 40"),
        ({"wave": -1}, "rollout_wave: -1 is not allowed"),
        ({"failures": -1}, "rollout_failures: -1 is not allowed"),
        ({"wave_minutes": -5}, "rollout_wave_minutes: -5 is not allowed"),
        ({"hold_hours": 0}, "rollout_hold_hours: 0 is not allowed"),
        ({"waves": [{**WAVE, "clusters": ["a"], "size": 2}]}, "rollout_waves: 2 is not allowed: a wave with clusters has no size"),
        ({"waves": [{**WAVE, "soak_minutes": -1}]}, "rollout_waves: -1 is not allowed"),
        (
            {"freezes": [{**FREEZE, "day": "fryday"}]},
            "rollout_freezes: 'fryday' is not allowed. Allowed: a date such as 2026-12-24, or monday",
        ),
        ({"freezes": [{**FREEZE, "day": "2026-02-30"}]}, "rollout_freezes: '2026-02-30' is not allowed"),
        (
            {"freezes": [{**FREEZE, "time": "1020"}]},
            "rollout_freezes: '1020' is not allowed. Allowed: a local time such as 17:00, in quotes",
        ),
        ({"freezes": [{**FREEZE, "time": "24:00"}]}, "rollout_freezes: '24:00' is not allowed"),
        ({"freezes": [{**FREEZE, "timezone": "Mars/Base"}]}, "rollout_freezes: 'Mars/Base' is not allowed"),
        ({"freezes": [{**FREEZE, "timezone": "../../etc/passwd"}]}, "is not allowed. Allowed: a name of the time zone database"),
        ({"freezes": [{**FREEZE, "hours": 0}]}, "rollout_freezes: 0 is not allowed"),
    ],
)
def test_wrong_options_are_refused_by_name(change: dict[str, t.Any], words: str) -> None:
    with pytest.raises(Refused) as refused:
        made(**change)
    assert words in str(refused.value)
