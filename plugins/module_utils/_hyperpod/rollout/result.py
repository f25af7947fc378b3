# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The returned step of a rollout."""

from __future__ import annotations

import typing as t

from .model import Call, Decision


def result(call: Call, decision: Decision, remarks: t.Sequence[str]) -> dict[str, t.Any]:
    record = decision.record
    return {
        "name": call.name,
        "state": decision.state,
        "wave": decision.wave,
        "waves": len(record.waves),
        "run": list(decision.run),
        "hold": list(decision.hold),
        "hold_until": record.head.hold_until,
        "text": decision.text,
        "remarks": list(remarks),
        "again": decision.again,
        "plan": record.hash,
        "clusters": {
            key: {"wave": number, "outcome": each.outcome}
            for number, wave in enumerate(record.waves, 1)
            for key, each in wave.members.items()
        },
    }
