# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# This module util is private to the collection.
"""The plan from the observed quota to a request for a higher one."""

from __future__ import annotations

import dataclasses

from ..._core.failure import refuse_option
from ..._core.plan import Change, Plan, Step
from .model import Desired, State


def plan(desired: Desired, state: State) -> Plan:
    """If a request for at least this value is open, no further request is made.

    :raises Refused: for an unknown quota, for a quota that AWS does not change, and if a request for a lower value is open.
    """
    quota = state.quota
    if quota is None:
        refuse_option("name", desired.name, f"names of quotas of service {desired.service}, as AWS writes them")
    if quota.value >= desired.value:
        return Plan()
    if not quota.adjustable:
        refuse_option("value", desired.value, f"at most {quota.value:g}", f"quota {quota.name} is not adjustable")
    if state.pending is not None and state.pending >= desired.value:
        waiting = f"The value {state.pending:g} is already requested, and AWS has not decided on the request yet."
        return Plan(notes=(f"Quota {quota.name}: {waiting}",))
    if state.pending is not None:
        why = f"the value {state.pending:g} is already requested, and AWS accepts one open request at a time"
        refuse_option("value", desired.value, f"at most {state.pending:g}", why)
    arguments = {"ServiceCode": desired.service, "QuotaCode": quota.code, "DesiredValue": desired.value}
    change = Change("update", f"quota {quota.name}", "requested value", quota.value, desired.value)
    after = dataclasses.replace(state, pending=desired.value)
    return Plan((Step("RequestServiceQuotaIncrease", arguments, (change,), lambda state: after),))
