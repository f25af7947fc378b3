# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# This module util is private to the collection.
"""Our drop-in for sshd: options to Desired, Desired to text, text to Plan. Standard library only, Python 3.9 syntax."""

from __future__ import annotations

import os
import re
import stat
import typing as t
from dataclasses import dataclass, field

from ansible_collections.mlfleet.hyperpod.plugins.module_utils._node import (
    host_certificates,
    sshd_files,
    sshd_lockout,
)
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._node.host_keys import NEXT, private_path
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._node.session import current_login
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._node.sshd_change import FileWrite
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._node.sshd_files import DROP_IN, Connection, Effective
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._node.system import read_bytes
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._plan import (
    KNOWN_AFTER_APPLY,
    Change,
    Plan,
    Refused,
    Step,
    refuse_option,
)

_HEADER = "# Written by the Ansible collection mlfleet.hyperpod (sshd_config); changes made here are overwritten.\n"
_USER_NAME = re.compile(r"[a-z_][a-z0-9_-]{0,31}")
REFUSAL = "/etc/ssh/mlfleet-hyperpod-refused"
"""What people read whose login is refused. In a file, so that no character of it means anything to sshd or a shell."""
REFUSE = f"/bin/sh -c 'cat {REFUSAL} >&2; exit 1'"
_LONGEST_REFUSAL = 2000


@dataclass(frozen=True)
class Desired:
    """The module's options, checked."""

    present: bool
    client_alive_interval: int
    client_alive_count_max: int
    max_startups: str
    authorized_keys_dir: str
    deny_user_keys: bool
    operations_user: str
    host_key_types: tuple[str, ...]
    next_host_key_types: tuple[str, ...]
    host_certificates: t.Mapping[str, str]
    """Type of the host key to the line of its certificate."""
    password_authentication: bool | None
    source_penalties: bool | None
    refuse_logins: str
    """The message for people, ending with a newline; empty where they may log in."""

    @property
    def refusal(self) -> str | None:
        return self.refuse_logins if self.present and self.refuse_logins else None


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


def desired_from(params: t.Mapping[str, t.Any]) -> Desired:
    for option, lowest, highest in (("client_alive_interval", 0, 86400), ("client_alive_count_max", 1, 1000)):
        if not lowest <= params[option] <= highest:
            refuse_option(option, params[option], f"a number from {lowest} to {highest} is allowed")
    _check_max_startups(params["max_startups"])
    folder = params["authorized_keys_dir"]
    if not re.fullmatch(r"(/[A-Za-z0-9._-]+)+", folder) or ".." in folder.split("/"):
        refuse_option("authorized_keys_dir", folder, "an absolute path without spaces is allowed")
    user = params["operations_user"] or ""
    if user and not _USER_NAME.fullmatch(user):
        refuse_option("operations_user", user, "a user name, or an empty string for none, is allowed")
    return Desired(
        present=params["state"] == "present",
        client_alive_interval=params["client_alive_interval"],
        client_alive_count_max=params["client_alive_count_max"],
        max_startups=params["max_startups"],
        authorized_keys_dir=folder,
        deny_user_keys=params["user_keys"] == "deny",
        operations_user=user,
        host_key_types=tuple(params["host_key_types"] or ()),
        next_host_key_types=_next_types(params),
        host_certificates=_certificates(params),
        password_authentication=params["password_authentication"],
        source_penalties=params["source_penalties"],
        refuse_logins=_message(params["refuse_logins"] or ""),
    )


def render(desired: Desired, *, without_ours: Effective) -> str:
    """The drop-in's text. Where users' own keys stay allowed, the node's own search path stays behind ours."""
    ours = f"{desired.authorized_keys_dir}/%u"
    others = [
        file for file in " ".join(without_ours.get("authorizedkeysfile", ())).split() if file not in (ours, "none")
    ]
    lines = [f"HostKey {private_path(slot)}" for slot in _slots(desired)]
    lines += [f"HostCertificate {host_certificates.certificate_path(each)}" for each in desired.host_certificates]
    lines += [
        f"ClientAliveInterval {desired.client_alive_interval}",
        f"ClientAliveCountMax {desired.client_alive_count_max}",
        f"MaxStartups {desired.max_startups}",
        f"AuthorizedKeysFile {' '.join([ours] if desired.deny_user_keys else [ours, *others])}",
    ]
    if desired.password_authentication is not None:
        word = _word(desired.password_authentication)
        lines += [f"PasswordAuthentication {word}", f"KbdInteractiveAuthentication {word}"]
    if desired.source_penalties is not None and "persourcepenalties" in without_ours:
        lines.append(f"PerSourcePenalties {_word(desired.source_penalties)}")
    if desired.operations_user:
        lines += [
            f"Match User {desired.operations_user}",
            f"    AuthorizedKeysFile {ours}",
            "    AuthorizedKeysCommand none",
        ]
    if desired.refuse_logins:
        lines += _refusing(desired.operations_user)
    lines.append("Match all")
    return _HEADER + "\n".join(lines) + "\n"


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
    slots = _slots(desired) if desired.present else ()
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
        if desired.refusal is not None and general.get("forcecommand") != (REFUSE,):
            command = " ".join(general.get("forcecommand", ("none",)))
            raise Refused(
                f"refuse_logins: sshd would run {command!r} for people, because of a Match block that it reads earlier; "
                "remove ForceCommand there."
            )
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


def _slots(desired: Desired) -> tuple[str, ...]:
    """The keys in sshd's order: of each type it presents the first one and announces all."""
    return (*desired.host_key_types, *(key_type + NEXT for key_type in desired.next_host_key_types))


def _next_types(params: t.Mapping[str, t.Any]) -> tuple[str, ...]:
    following = tuple(params["next_host_key_types"] or ())
    for key_type in following:
        if key_type not in (params["host_key_types"] or ()):
            refuse_option("next_host_key_types", key_type, "only types that host_key_types names are allowed")
    return following


def _certificates(params: t.Mapping[str, t.Any]) -> dict[str, str]:
    wanted = host_certificates.desired_from(params["host_certificates"])
    for key_type in wanted:
        if key_type not in (params["host_key_types"] or ()):
            refuse_option("host_certificates", key_type, "only types that host_key_types names are allowed")
    return wanted


def _check_max_startups(value: str) -> None:
    found = re.fullmatch(r"(\d+):(\d+):(\d+)", value)
    if not found or not (1 <= int(found[1]) <= int(found[3]) and 1 <= int(found[2]) <= 100):
        refuse_option(
            "max_startups", value, "'start:rate:full' with 1 <= start <= full and a rate from 1 to 100 is allowed"
        )


def _message(text: str) -> str:
    """
    :raises Refused: for what a terminal would not just print.
    """
    lines = text.strip().splitlines()
    if len(text) > _LONGEST_REFUSAL or not all(line.isprintable() for line in lines):
        refuse_option("refuse_logins", text, f"at most {_LONGEST_REFUSAL} printable characters, in lines, are allowed")
    return "".join(f"{line}\n" for line in lines)


def _refusing(operations_user: str) -> list[str]:
    """People get the message instead of what they asked for, and nothing else through the connection.

    They may have a terminal: without one, a client that asks for it ends before it shows the message.
    """
    spared = ",".join(f"!{user}" for user in ("root", operations_user) if user)
    return [
        f"Match User *,{spared}",
        f"    ForceCommand {REFUSE}",
        "    AllowTcpForwarding no",
        "    AllowStreamLocalForwarding no",
        "    AllowAgentForwarding no",
        "    X11Forwarding no",
        "    PermitTunnel no",
    ]


def _write(path: str, text: str | None) -> FileWrite:
    return FileWrite(path, None if text is None else text.encode())


def _change(resource: str, before: str | None, after: str | None) -> Change:
    action = "delete" if after is None else "create" if before is None else "update"
    return Change(action, resource, None, before, after)


def _text(content: bytes | None) -> str | None:
    return None if content is None else content.decode("utf-8", "replace")


def _word(flag: bool) -> str:
    return "yes" if flag else "no"
