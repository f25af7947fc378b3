# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# This module util is private to the collection.
"""Plans whether a CRL is imported now or its import is deferred. No I/O.

AWS resets all connections when a CRL is imported, and refuses all connections after the CRL has expired.
"""

from __future__ import annotations

import dataclasses
import typing as t

from ..._core.failure import refuse_option
from ..._core.plan import KNOWN_AFTER_APPLY, Change, Plan, Step
from ..pki.values import Crl, ends_within
from .model import Desired, State

IMPORT = "ImportClientVpnClientCertificateRevocationList"
LAST_DAYS = 3
"""The days before the expiry of the endpoint's CRL in which no import is deferred, because all connections fail afterwards."""


def plan(desired: Desired, state: State) -> Plan:
    """Import a CRL that differs, unless the import must be deferred.

    :raises Refused: for a CRL that is older than the imported CRL of the same authority.
    """
    _refuse_older(desired, state)
    steps = (_import(desired, state),) if _differs(desired, state) and not is_waiting(desired, state) else ()
    plan = Plan(steps)
    return dataclasses.replace(plan, notes=_warnings(desired, plan.after(state).crl))


def is_waiting(desired: Desired, state: State) -> bool:
    """Whether the CRL differs and its import is deferred."""
    return _differs(desired, state) and not desired.allowed and bool(state.connected) and not _is_ending(desired, state)


def _differs(desired: Desired, state: State) -> bool:
    return not (desired.crl and state.crl and desired.crl.content == state.crl.content)


def _refuse_older(desired: Desired, state: State) -> None:
    wants, have = desired.crl, state.crl
    if not wants or not have or not _differs(desired, state):
        return
    if wants.authority_key == have.authority_key and wants.number < have.number:
        refuse_option(
            "crl",
            f"CRL {wants.number}",
            f"CRL {have.number} or a later CRL",
            f"{desired.resource} has CRL {have.number} of the same authority, and an older CRL would admit revoked users again",
        )


def _import(desired: Desired, state: State) -> Step:
    action = "create" if state.crl is None else "update"
    before, after = _words(state.crl), _words(desired.crl) or KNOWN_AFTER_APPLY
    change = Change(action, f"revocation list of {desired.resource}", None, before, after)
    return Step(IMPORT, {"before": state}, (change,), lambda now: dataclasses.replace(now, crl=desired.crl))


def _is_ending(desired: Desired, state: State) -> bool:
    return state.crl is not None and ends_within(state.crl.next_update, LAST_DAYS, now=desired.now)


def _warnings(desired: Desired, crl: Crl | None) -> tuple[str, ...]:
    """Warnings about the CRL that the endpoint has after the run."""
    if crl is None or not ends_within(crl.next_update, desired.warn_before, now=desired.now):
        return ()
    if ends_within(crl.next_update, 0, now=desired.now):
        words = f"The CRL of {desired.resource} expired at {crl.next_update}, so all connections fail"
    else:
        words = f"The CRL of {desired.resource} expires at {crl.next_update}, and all connections fail from then on"
    return (f"{words}. Import a CRL that expires later.",)


def _words(crl: Crl | None) -> dict[str, t.Any] | None:
    return {"number": crl.number, "entries": list(crl.serials), "next_update": crl.next_update} if crl else None
