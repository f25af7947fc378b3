# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# This module util is private to the collection.
"""Return values of ``client_vpn_pki``."""

from __future__ import annotations

import typing as t

from ..._core.plan import KNOWN_AFTER_APPLY
from ..identity import OWNER
from .model import Authority, Desired, Server, State
from .values import has_ended


def result(desired: Desired, state: State) -> dict[str, t.Any]:
    return {
        "client_vpn_pki": {
            "authority": _authority_result(state.authority),
            "server": _server_result(state.server),
            "people": _people_result(desired, state),
            "crl": _crl_result(state.authority),
            "nothing_to_revoke": _nothing_to_revoke(desired, state),
        }
    }


def _authority_result(seen: Authority | None) -> dict[str, t.Any] | None:
    if seen is None or seen.certificate is None:
        return None
    own = seen.certificate
    return {
        "certificate": own.pem,
        "fingerprint": own.fingerprint,
        "not_after": own.not_after,
        "secret": seen.kept.name,
    }


def _server_result(seen: Server | None) -> dict[str, t.Any] | None:
    if seen is None or seen.certificate is None:
        return None
    own = seen.certificate
    return {
        "name": own.common_name,
        "certificate": own.pem,
        "chain": seen.chain,
        "fingerprint": own.fingerprint,
        "not_after": own.not_after,
        "secret": seen.kept.name,
    }


def _people_result(desired: Desired, state: State) -> list[dict[str, t.Any]]:
    authority = state.authority.certificate if state.authority else None
    gone = _revoked(state) | set(state.people if desired.state == "absent" else desired.revoked)
    rows = []
    for person in state.people.values():
        if person.kept.tags.get(OWNER) != desired.vpc_id or (person.kept.deleted and person.name in gone):
            continue
        fresh = person.is_fresh(authority, desired.days.renew_before, now=desired.now)
        to_come = person.not_after == KNOWN_AFTER_APPLY
        word = "deleted" if person.kept.deleted else "valid" if fresh or to_come else "due"
        rows.append(_row(person.name, person.serial, person.not_after, word, person.kept.name))
    for entry in state.authority.revoked if state.authority else ():
        rows.append(_row(entry.name, entry.serial, entry.not_after, "revoked", None))
    for each in state.authority.issued if state.authority else ():
        if each.name not in state.people and not has_ended(each.not_after, now=desired.now):
            rows.append(_row(each.name, each.serial, each.not_after, "issued", None))
    return sorted(rows, key=lambda row: (row["name"], row["state"] == "revoked", row["not_after"]))


def _nothing_to_revoke(desired: Desired, state: State) -> list[str]:
    return sorted({*desired.revoked, *desired.lost} - _revoked(state))


def _revoked(state: State) -> set[str]:
    return {entry.name for entry in state.authority.revoked} if state.authority else set()


def _row(name: str, serial: str, not_after: str, state: str, secret: str | None) -> dict[str, t.Any]:
    return {"name": name, "serial": serial, "not_after": not_after, "state": state, "secret": secret}


def _crl_result(seen: Authority | None) -> dict[str, t.Any] | None:
    if seen is None or seen.crl is None:
        return None
    return {
        "pem": seen.crl.pem,
        "number": seen.crl.number,
        "next_update": seen.crl.next_update,
        "entries": [entry.to_result() for entry in seen.revoked],
    }
