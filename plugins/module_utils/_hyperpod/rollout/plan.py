# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Plans the writes of a record. The head comes last, so a rollout exists only once all its waves are stored. No I/O."""

from __future__ import annotations

from ..._core.failure import Refused
from ..._core.plan import Change, Plan, Step
from .model import LARGEST, Record, head_name, wave_name

PUT = "PutParameter"


def plan(before: Record | None, after: Record, *, name: str) -> Plan:
    """``name``: the name of the rollout.

    :raises Refused: if the head does not fit into a parameter.
    """
    waves = before.waves if before else ()
    steps = []
    for number, wave in enumerate(after.waves, 1):
        known = waves[number - 1] if number <= len(waves) else None
        if known != wave:
            old = {key: each.outcome for key, each in known.members.items()} if known else None
            new = {key: each.outcome for key, each in wave.members.items()}
            change = Change("update" if known else "create", f"rollout {name}", f"wave {number}", old, new)
            steps.append(Step(PUT, {"name": wave_name(name, number), "text": wave.to_json(), "exists": bool(known)}, (change,)))
    if len(after.head.to_json()) > LARGEST:
        raise Refused(f"The record of rollout {name} has more than {LARGEST} characters. Restart the rollout with fewer waves.")
    if before is None or before.head != after.head:
        old_plan = before.hash if before else None
        change = Change("update" if before else "create", f"rollout {name}", "plan", old_plan, after.hash)
        steps.append(Step(PUT, {"name": head_name(name), "text": after.head.to_json(), "exists": bool(before)}, (change,)))
    return Plan(tuple(steps))
