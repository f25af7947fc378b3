# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# This module util is private to the collection.
"""The list of revoked certificates that an endpoint knows, and when another one may take its place.

AWS resets the connections of everybody at an import, and refuses everybody once the list has ended.
"""

from __future__ import annotations

import datetime
import typing as t
from dataclasses import dataclass

from .._aws.client import Api
from .._core.failure import Refused, refuse_option
from .._core.finding import Finding, note, pending, to_result as to_findings
from .._core.plan import KNOWN_AFTER_APPLY, Change, Plan, Step
from .connections import Connected, Connections
from .identity import checked_range
from .mutations import change
from .pki.crypto import NotReadable, read_crl
from .pki.values import Crl, ends_within
from .waits import Waits

IMPORT = "ImportClientVpnClientCertificateRevocationList"
EXPORT = "ExportClientVpnClientCertificateRevocationList"
MOST_ENTRIES = 20_000
"""AWS takes no more."""
LAST_DAYS = 3
"""Before the end of the list in force nothing waits any more: after it nobody could connect."""


@dataclass(frozen=True)
class Wanted:
    """The options, checked. Without a list: check mode only foresees it."""

    endpoint: str
    crl: Crl | None
    allowed: bool
    now: datetime.datetime
    warn_before: int = 30
    wait_timeout: int = 300
    poll_interval: int = 5

    @property
    def resource(self) -> str:
        return f"endpoint {self.endpoint or KNOWN_AFTER_APPLY}"


@dataclass(frozen=True)
class State:
    """What the endpoint has, and who is connected."""

    crl: Crl | None = None
    connected: Connected = ()
    to_come: bool = False
    """A list that is not known before it is signed would be there."""


def wanted_of(params: t.Mapping[str, t.Any], *, endpoint: str, now: datetime.datetime, check_mode: bool) -> Wanted:
    """
    :raises Refused: naming the option, its value and what is allowed.
    """
    return Wanted(
        endpoint=endpoint,
        crl=_list(params["crl"], now=now, check_mode=check_mode),
        allowed=params["allowed"],
        now=now,
        warn_before=checked_range(params, "warn_before", 0, 3650),
        wait_timeout=checked_range(params, "wait_timeout", 0, 3600),
        poll_interval=checked_range(params, "poll_interval", 1, 60),
    )


def _list(pem: str, *, now: datetime.datetime, check_mode: bool) -> Crl | None:
    if check_mode and pem == KNOWN_AFTER_APPLY:
        return None
    try:
        crl = read_crl(pem)
    except NotReadable as error:  # the value may be anything, also a private key, so it is not shown
        refuse_option("crl", "(not shown)", f"{error}; client_vpn_pki returns one")
    if ends_within(crl.next_update, 0, now=now):
        refuse_option("crl", f"list {crl.number}", f"it ended {crl.next_update}, and would lock everybody out")
    if len(crl.serials) > MOST_ENTRIES:
        refuse_option("crl", f"list of {len(crl.serials)} certificates", f"AWS takes at most {MOST_ENTRIES}")
    return crl


def plan(wanted: Wanted, seen: State) -> Plan:
    """An import if the content differs, and people may be disconnected or nobody is connected.

    :raises Refused: for a list that is older than the imported one of the same authority.
    """
    have, wants = seen.crl, wanted.crl
    if wants is not None and have is not None and wants.content == have.content:
        return Plan(predicted=seen, notes=_warnings(wanted, have))
    if wants and have and wants.authority_key == have.authority_key and wants.number < have.number:
        raise Refused(
            f"crl: list {wants.number} is not allowed; {wanted.resource} has list {have.number} of the same authority, "
            "and an older one would let revoked people in again."
        )
    if is_waiting(wanted, seen):
        return Plan(predicted=seen, notes=_warnings(wanted, have))
    action = "create" if have is None else "update"
    importing = Change(
        action, f"revocation list of {wanted.resource}", None, _words(have), _words(wants) or KNOWN_AFTER_APPLY
    )
    predicted = State(wants, seen.connected, to_come=wants is None)
    return Plan((Step(IMPORT, {}, (importing,)),), predicted, _warnings(wanted, wants))


def is_waiting(wanted: Wanted, seen: State) -> bool:
    """Whether a list that differs is not imported now."""
    differs = not (wanted.crl and seen.crl and wanted.crl.content == seen.crl.content) and not seen.to_come
    return differs and not wanted.allowed and bool(seen.connected) and not _is_ending(wanted, seen)


def _is_ending(wanted: Wanted, seen: State) -> bool:
    return seen.crl is not None and ends_within(seen.crl.next_update, LAST_DAYS, now=wanted.now)


def _warnings(wanted: Wanted, crl: Crl | None) -> tuple[str, ...]:
    """About the list that the endpoint has afterwards."""
    if crl is None or not ends_within(crl.next_update, wanted.warn_before, now=wanted.now):
        return ()
    if ends_within(crl.next_update, 0, now=wanted.now):
        words = f"The list of revoked certificates of {wanted.resource} ended {crl.next_update}: nobody can connect"
    else:
        words = (
            f"The list of revoked certificates of {wanted.resource} ends {crl.next_update}, and then nobody can connect"
        )
    return (f"{words}. Import one that holds longer.",)


def _words(crl: Crl | None) -> dict[str, t.Any] | None:
    return {"number": crl.number, "entries": list(crl.serials), "next_update": crl.next_update} if crl else None


def to_result(wanted: Wanted, before: State, seen: State, *, imported: bool) -> dict[str, t.Any]:
    """``before`` is who was connected when the plan was made."""
    waiting = not imported and is_waiting(wanted, before)
    disconnects = sorted({each.person for each in before.connected}) if imported or waiting else []
    crl = seen.crl
    return {
        "entries": len(crl.serials) if crl else None,
        "number": crl.number if crl else None,
        "next_update": crl.next_update if crl else None,
        "imported": imported,
        "waiting": waiting,
        "disconnects": disconnects,
        **to_findings(_findings(wanted, before, waiting=waiting, disconnects=disconnects)),
    }


def _findings(wanted: Wanted, before: State, *, waiting: bool, disconnects: t.Sequence[str]) -> list[Finding]:
    whom, endpoint = ", ".join(disconnects), wanted.endpoint
    if waiting:
        text = f"{wanted.resource.capitalize()} does not know {_name(wanted.crl)} yet: an import disconnects {whom}."
        return [pending("crl-waits", text, subject=endpoint)]
    if not disconnects:
        return []
    text = f"The import of {_name(wanted.crl)} into {wanted.resource} disconnects {whom}."
    found = [note("crl-import-disconnects", text, subject=endpoint)]
    if before.crl is not None and not wanted.allowed:
        text = f"It did not wait, since the list before it ends {before.crl.next_update}, and then nobody can connect."
        found.append(note("crl-did-not-wait", text, subject=endpoint))
    return found


def _name(crl: Crl | None) -> str:
    if crl is None:
        return "the new list of revoked certificates"
    count = len(crl.serials)
    return f"list {crl.number} of revoked certificates ({count} {'entry' if count == 1 else 'entries'})"


class Lists:
    """The list of one endpoint."""

    def __init__(self, ec2: Api, wanted: Wanted) -> None:
        self._ec2 = ec2
        self._wanted = wanted
        self._waits = Waits(timeout=wanted.wait_timeout, interval=wanted.poll_interval)
        self._connections = Connections(
            ec2, wanted.endpoint, timeout=wanted.wait_timeout, interval=wanted.poll_interval
        )

    def observe(self) -> State:
        """Who is connected is asked only where it matters: when the list differs."""
        if not self._wanted.endpoint:
            return State()
        crl = self._exported()[0]
        same = crl is not None and self._wanted.crl is not None and crl.content == self._wanted.crl.content
        return State(crl, () if same else self._connections.active())

    def apply(self, step: Step) -> None:
        del step
        wanted = self._wanted
        crl = t.cast(Crl, wanted.crl)
        arguments = {"ClientVpnEndpointId": wanted.endpoint, "CertificateRevocationList": crl.pem}
        change(self._ec2, IMPORT, about=wanted.resource, waits=self._waits, arguments=arguments)
        self._waits.until(
            self._exported,
            done=lambda seen: seen[1] != "pending" and seen[0] is not None and seen[0].content == crl.content,
            subject=f"revocation list of {wanted.resource}",
            state=lambda seen: seen[1] or "another one",
        )

    def _exported(self) -> tuple[Crl | None, str]:
        """The list, and its state."""
        wanted = self._wanted
        answer = self._ec2.call(EXPORT, about=wanted.resource, ClientVpnEndpointId=wanted.endpoint)
        pem, status = answer.get("CertificateRevocationList") or "", answer.get("Status", {}).get("Code", "")
        try:
            return (read_crl(pem) if pem.strip() else None), status
        except NotReadable:
            return None, status
