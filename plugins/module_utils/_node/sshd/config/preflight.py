# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# This module util is private to the collection.
"""Checks the effect of our drop-in on sshd, and whether it would lock out users who manage the node. Standard library only,
Python 3.9 syntax."""

from __future__ import annotations

import os
import typing as t

from ...._core.failure import Refused, refuse_option
from ...._core.plan import KNOWN_AFTER_APPLY
from ...logins.own import current_login
from .. import files as sshd_files, lockout as sshd_lockout
from ..files import DROP_IN, Connection, Effective
from ..host_keys.model import NEXT, private_path
from .drop_in import host_key_slots, render
from .model import REFUSAL, Desired, State


def missing_host_keys(desired: Desired) -> tuple[str, ...]:
    """Desired keys without a file on this node. sshd would ignore them without an error."""
    slots = host_key_slots(desired) if desired.present else ()
    return tuple(slot for slot in slots if not os.path.exists(private_path(slot)))


def check_on_node(desired: Desired, state: State, *, planning: bool) -> None:
    """Refuse, before any change, settings that would have no effect, or that would lock out the users who manage the node.

    With ``planning`` (check mode), a missing host key or operations key is not refused, because an earlier task would have
    installed it.
    """
    for key_type, line in () if planning else desired.host_certificates.items():
        if line == KNOWN_AFTER_APPLY:
            refuse_option(f"host_certificates.{key_type}", line, "a certificate line (a predicted one only in check mode)")
    for slot in () if planning else missing_host_keys(desired):
        key_type, following, _end = slot.partition(NEXT)
        option = "next_host_key_types" if following else "host_key_types"
        refuse_option(option, key_type, "types of which this node has a key", f"this node has no {private_path(slot)}")
    text = render(desired, without_ours=state.without_ours) if desired.present else None
    if text is not None:
        general = sshd_files.effective(state.main, ours=text, connection=Connection("nobody"))
        check_effective(text, effective=general, main=state.main)
        if desired.refusal is not None and general.get("banner") != (REFUSAL,):
            banner = " ".join(general.get("banner", ("none",)))
            raise Refused(
                f"refuse_logins: sshd would show users the banner {banner!r} instead of the message, because of a Match block "
                "that sshd reads earlier. Remove Banner from that block."
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
            raise Refused(f"{role}: {user!r} does not exist on this node. Create the account first, for example with node_access.")
        connection = Connection(user)
        if login is not None:
            connection = Connection(user, login.client_address, login.server_address, login.server_port)
        effective = sshd_files.effective(state.main, ours=text, connection=connection)
        keys_in = _keys_foreseen(desired) if planning else None
        found = sshd_lockout.obstacles(effective, account=account, address=connection.address, keys_in=keys_in)
        if found:
            raise Refused(f"{role}: {user!r} could no longer log in: {'; '.join(found)}.")


def _keys_foreseen(desired: Desired) -> t.Callable[[str, sshd_lockout.Account], list[str]]:
    """The keys in a file after the operations key is installed."""
    managed = f"{desired.authorized_keys_dir}/{desired.operations_user}"

    def keys_in(path: str, account: sshd_lockout.Account) -> list[str]:
        foreseen = [desired.operations_algorithm] if desired.operations_algorithm and path == managed else []
        return sshd_lockout.keys_in_file(path, account) + foreseen

    return keys_in


def check_people_port(text: str, *, port: int, effective: Effective, elsewhere: Effective) -> None:
    """Refuse a Match block for the login port that refuses logins or overrides one of our settings."""
    ours = {directive.keyword for directive in sshd_files.parse(text, file=DROP_IN) if directive.keyword != "match"}
    for keyword in sorted(ours | {"maxsessions", "pubkeyauthentication"}):
        found, wanted = effective.get(keyword, ()), elsewhere.get(keyword, ())
        if sorted(found) != sorted(wanted):
            raise Refused(
                f"people_port: on port {port} sshd would use {' '.join(found) or 'none'!r} instead of "
                f"{' '.join(wanted) or 'none'!r} for {keyword}, because of a Match block for that port. "
                f"Remove {keyword} from that block."
            )


def check_effective(text: str, *, effective: Effective, main: str) -> None:
    """Refuse settings that a file overrides, because sshd reads the file earlier. The message names the file."""
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
            f"{keyword}: sshd would use {' '.join(found)!r} instead of {' '.join(values)!r}, because of {where}. "
            "Remove the setting there."
        )
