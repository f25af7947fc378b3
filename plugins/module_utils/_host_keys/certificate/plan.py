# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# This module util is private to the collection.
"""The plan to sign certificates that are due."""

from __future__ import annotations

import datetime

from ..._core.plan import KNOWN_AFTER_APPLY, Change, Plan, Step
from ..._core.times import iso_seconds
from ..._ssh.public_key import PublicKey
from .model import Certificate, Certificates, Desired

SIGN = "Sign"


def plan(desired: Desired, state: Certificates) -> Plan:
    """One step for each key whose certificate is missing, differs from the options, or expires soon."""
    due = ((key, _due(desired, state.get(key))) for key in desired.keys)
    return Plan(steps=tuple(_sign(key, reason, desired, state.get(key)) for key, reason in due if reason))


def _sign(key: PublicKey, reason: str, desired: Desired, have: Certificate | None) -> Step:
    change = Change(
        "update" if have else "create",
        f"certificate of {key.type} host key {key.fingerprint}",
        "validity",
        _words(have) if have else None,
        f"{desired.valid_days} days, signed: {reason}",
    )
    made = Certificate(key, KNOWN_AFTER_APPLY, desired.authority, desired.key_id, 0, desired.principals)
    return Step(SIGN, {"key": key}, (change,), effect=lambda state: {**state, key: made})


def _due(desired: Desired, have: Certificate | None) -> str:
    """The reason for a new certificate; empty if none is needed."""
    if have is None:
        return "it is missing"
    if have.authority != desired.authority:
        return "a different authority signed it"
    if have.principals != desired.principals:
        missing = [name for name in desired.principals if name not in have.principals]
        surplus = [name for name in have.principals if name not in desired.principals]
        return "; ".join(
            f"{what} {', '.join(names)}" for what, names in (("it lacks", missing), ("it still has", surplus)) if names
        )
    if have.key_id != desired.key_id:
        return f"its key ID is {have.key_id!r}"
    if have.begins is None or have.ends is None or have.ends - have.begins != desired.lifetime:
        return "its validity period differs"
    if desired.now < have.begins:
        return f"it is not valid before {iso_seconds(have.begins)}"
    if desired.now >= have.ends - datetime.timedelta(days=desired.renew_before_days):
        return f"it expires at {iso_seconds(have.ends)}"
    return ""


def _words(have: Certificate) -> str:
    ends = iso_seconds(have.ends) if have.ends else "ever"
    return f"until {ends}, for {', '.join(have.principals)}"
