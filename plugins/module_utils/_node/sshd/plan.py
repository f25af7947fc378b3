# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# This module util is private to the collection.
"""Our drop-in for sshd on this node: State and Desired to Plan, and what sshd would make of it. Standard library only."""

from __future__ import annotations

import os
import stat
import typing as t
from dataclasses import dataclass, field

from ..._core.failure import Refused, refuse_option
from ..._core.plan import KNOWN_AFTER_APPLY, Change, Plan, Step
from ..files import read_bytes
from ..logins.own import current_login
from . import files as sshd_files
from . import host_certificates
from . import lockout as sshd_lockout
from .change import FileWrite
from .drop_in import REFUSAL, Desired, host_key_slots, render
from .files import DROP_IN, Connection, Effective
from .host_keys import NEXT, private_path


@dataclass(frozen=True)
class State:
    """The drop-in as found, and what sshd does without it."""

    text: str | None
    attributes: str
    main: str
    without_ours: Effective
    refusal: str | None = None
    """The message for refused people, where one stands."""
    certificates: t.Mapping[str, str] = field(default_factory=dict)
    """Type of the host key to the text of its certificate's file."""


def observe() -> State:
    main = sshd_files.read_main()
    sshd_files.check_include(main)
    content = read_bytes(DROP_IN)
    attributes = ""
    if content is not None:
        info = os.stat(DROP_IN)
        attributes = f"{stat.S_IMODE(info.st_mode):04o} {info.st_uid}:{info.st_gid}"
    return State(
        text=_text(content),
        attributes=attributes,
        main=main,
        without_ours=sshd_files.effective(main, ours=None, connection=Connection("nobody")),
        refusal=_text(read_bytes(REFUSAL)),
        certificates=host_certificates.observe(),
    )


def plan(desired: Desired, state: State) -> Plan:
    """At most one step: write or remove the drop-in, and the message and certificates that it names."""
    text = render(desired, without_ours=state.without_ours) if desired.present else None
    certificates = desired.host_certificates if desired.present else {}
    predicted = State(text, "0644 0:0", state.main, state.without_ours, desired.refusal, certificates)
    files, changes = [], []
    for file, change in host_certificates.plan(certificates, state.certificates, ours=state.text or ""):
        files.append(file)
        changes.append(change)
    if desired.refusal != state.refusal:
        files.append(_write(REFUSAL, desired.refusal))
        changes.append(_change(f"message {REFUSAL}", state.refusal, desired.refusal))
    if text != state.text or (text is not None and state.attributes != "0644 0:0"):
        files.append(_write(DROP_IN, text))
        changes.append(_change(f"sshd drop-in {DROP_IN}", state.text, text))
    if not files:
        return Plan(predicted=predicted)
    step = Step("WriteDropIn", {"files": tuple(files)}, tuple(changes))
    return Plan(steps=(step,), predicted=predicted)


def describe(state: State) -> dict[str, t.Any]:
    return {
        "path": DROP_IN,
        "state": "absent" if state.text is None else "present",
        "content": state.text,
        "refusal": state.refusal,
    }


def missing_host_keys(desired: Desired) -> tuple[str, ...]:
    """Wanted keys without a file on this node; sshd would skip them without an error."""
    slots = host_key_slots(desired) if desired.present else ()
    return tuple(slot for slot in slots if not os.path.exists(private_path(slot)))


def check_on_node(desired: Desired, state: State, *, planning: bool) -> None:
    """Refuse, before anything changes, what sshd would not do or what would lock out those who manage the node.

    While only ``planning`` (check mode) a missing host key is no obstacle: the task before would have installed it.
    """
    for key_type, line in () if planning else desired.host_certificates.items():
        if line == KNOWN_AFTER_APPLY:
            refuse_option(f"host_certificates.{key_type}", line, "outside check mode a certificate line is allowed")
    for slot in () if planning else missing_host_keys(desired):
        key_type, following, _end = slot.partition(NEXT)
        option = "next_host_key_types" if following else "host_key_types"
        refuse_option(option, key_type, f"this node has no {private_path(slot)}; only existing ones are allowed")
    text = render(desired, without_ours=state.without_ours) if desired.present else None
    if text is not None:
        general = sshd_files.effective(state.main, ours=text, connection=Connection("nobody"))
        check_effective(text, effective=general, main=state.main)
        if desired.refusal is not None and general.get("banner") != (REFUSAL,):
            banner = " ".join(general.get("banner", ("none",)))
            raise Refused(
                f"refuse_logins: sshd would show people the banner {banner!r} instead of the message, because of a "
                "Match block that it reads earlier; remove Banner there."
            )
        if desired.people_port is not None:
            there = Connection("nobody", local_port=str(desired.people_port))
            on_port = sshd_files.effective(state.main, ours=text, connection=there)
            check_people_port(text, port=desired.people_port, effective=on_port, elsewhere=general)
    login = current_login()
    users = {desired.operations_user: "operations_user"} if desired.operations_user else {}
    if login is not None:
        users.setdefault(login.user, "connecting user")
    for user, role in users.items():
        account = sshd_lockout.find_account(user)
        if account is None:
            raise Refused(f"{role}: {user!r} does not exist on this node; create the account first (node_access does).")
        connection = Connection(user)
        if login is not None:
            connection = Connection(user, login.client_address, login.server_address, login.server_port)
        effective = sshd_files.effective(state.main, ours=text, connection=connection)
        found = sshd_lockout.obstacles(effective, account=account, address=connection.address)
        if found:
            raise Refused(f"{role}: {user!r} could not log in any more: {'; '.join(found)}.")


def check_people_port(text: str, *, port: int, effective: Effective, elsewhere: Effective) -> None:
    """Refuse a Match block that names the port for people and keeps them out, or takes one of our settings away."""
    ours = {directive.keyword for directive in sshd_files.parse(text, file=DROP_IN) if directive.keyword != "match"}
    for keyword in sorted(ours | {"maxsessions", "pubkeyauthentication"}):
        found, wanted = effective.get(keyword, ()), elsewhere.get(keyword, ())
        if sorted(found) != sorted(wanted):
            raise Refused(
                f"people_port: on port {port} sshd would use {' '.join(found) or 'none'!r} instead of "
                f"{' '.join(wanted) or 'none'!r} for {keyword}, because of a Match block for that port; remove it there."
            )


def check_effective(text: str, *, effective: Effective, main: str) -> None:
    """Refuse when a file that sshd reads earlier decides one of our settings, and name that file."""
    wanted: dict[str, tuple[str, ...]] = {}
    for directive in sshd_files.parse(text, file=DROP_IN):
        if not directive.in_match and directive.keyword != "match":
            wanted[directive.keyword] = (*wanted.get(directive.keyword, ()), directive.value)
    for keyword, values in wanted.items():
        found = effective.get(keyword, ())
        if keyword == "persourcepenalties" and values == ("yes",):
            continue
        if sorted(found) == sorted(values):
            continue
        where = ", ".join(other.place for other in sshd_files.other_places(keyword, main=main)) or "an included file"
        raise Refused(
            f"{keyword}: sshd would use {' '.join(found)!r} instead of {' '.join(values)!r}, because of {where}; "
            "remove it there."
        )


def _write(path: str, text: str | None) -> FileWrite:
    return FileWrite(path, None if text is None else text.encode())


def _change(resource: str, before: str | None, after: str | None) -> Change:
    action = "delete" if after is None else "create" if before is None else "update"
    return Change(action, resource, None, before, after)


def _text(content: bytes | None) -> str | None:
    return None if content is None else content.decode("utf-8", "replace")
