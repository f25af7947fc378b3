# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# This module util is private to the collection.
"""The text of our drop-in for sshd: options to Desired, Desired to text. Pure; standard library only, Python 3.9 syntax."""

from __future__ import annotations

import re
import typing as t
from dataclasses import dataclass

from ..._core.failure import refuse_option
from ..._core.text import lines_of
from . import host_certificates
from .files import Effective
from .host_keys import NEXT, private_path

_HEADER = "# Written by the Ansible collection mlfleet.hyperpod (sshd_config); changes made here are overwritten.\n"
_USER_NAME = re.compile(r"[a-z_][a-z0-9_-]{0,31}")
REFUSAL = "/etc/ssh/mlfleet-hyperpod-refused"
"""What people read whose login is refused. In a file, so that no character of it means anything to sshd."""
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
    people_port: int | None = None
    """Where people come in, if not only on the port of sshd itself."""

    @property
    def refusal(self) -> str | None:
        return self.refuse_logins if self.present and self.refuse_logins else None


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
        people_port=_people_port(params["people_port"]),
    )


def render(desired: Desired, *, without_ours: Effective) -> str:
    """The drop-in's text. Where users' own keys stay allowed, the node's own search path stays behind ours."""
    ours = f"{desired.authorized_keys_dir}/%u"
    others = [
        file for file in " ".join(without_ours.get("authorizedkeysfile", ())).split() if file not in (ours, "none")
    ]
    lines = [f"HostKey {private_path(slot)}" for slot in host_key_slots(desired)]
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


def host_key_slots(desired: Desired) -> tuple[str, ...]:
    """The keys in sshd's order: of each type it presents the first one and announces all."""
    return (*desired.host_key_types, *(key_type + NEXT for key_type in desired.next_host_key_types))


def _next_types(params: t.Mapping[str, t.Any]) -> tuple[str, ...]:
    following = tuple(params["next_host_key_types"] or ())
    for key_type in following:
        if key_type not in (params["host_key_types"] or ()):
            refuse_option("next_host_key_types", key_type, "only types that host_key_types names are allowed")
    return following


def _people_port(port: int | None) -> int | None:
    if port is not None and not 1 <= port <= 65535:
        refuse_option("people_port", port, "a port from 1 to 65535 is allowed")
    return port


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
    lines = lines_of(text.strip())
    if len(text) > _LONGEST_REFUSAL or not all(line.isprintable() for line in lines):
        refuse_option("refuse_logins", text, f"at most {_LONGEST_REFUSAL} printable characters, in lines, are allowed")
    return "".join(f"{line}\n" for line in lines)


def _refusing(operations_user: str) -> list[str]:
    """People read the message before they authenticate, and no login of theirs succeeds.

    No ForceCommand: sshd runs it in the user's shell, which reads what the user wrote into ~/.bashrc first.
    """
    spared = ",".join(f"!{user}" for user in ("root", operations_user) if user)
    return [f"Match User *,{spared}", f"    Banner {REFUSAL}", "    DenyUsers *"]


def _word(flag: bool) -> str:
    return "yes" if flag else "no"
