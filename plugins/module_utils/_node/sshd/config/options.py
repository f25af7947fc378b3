# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# This module util is private to the collection.
"""Validates the options of ``sshd_config``. Standard library only, Python 3.9 syntax."""

from __future__ import annotations

import re
import typing as t

from ...._core.failure import refuse_option, refuse_shown
from ...._core.text import lines_of
from ...._ssh.public_key import BadKey, PublicKey
from .. import host_certificates
from .model import Desired

_USER_NAME = re.compile(r"[a-z_][a-z0-9_-]{0,31}")
_LONGEST_REFUSAL = 2000


def desired(params: t.Mapping[str, t.Any]) -> Desired:
    for option, lowest, highest in (("client_alive_interval", 0, 86400), ("client_alive_count_max", 1, 1000)):
        if not lowest <= params[option] <= highest:
            refuse_option(option, params[option], f"a number from {lowest} to {highest}")
    _check_max_startups(params["max_startups"])
    folder = params["authorized_keys_dir"]
    if not re.fullmatch(r"(/[A-Za-z0-9._-]+)+", folder) or ".." in folder.split("/"):
        refuse_option("authorized_keys_dir", folder, "an absolute path without spaces")
    user = params["operations_user"] or ""
    if user and not _USER_NAME.fullmatch(user):
        refuse_option("operations_user", user, "a user name, or an empty string for none")
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
        operations_algorithm=_algorithm(params.get("operations_key") or ""),
    )


def _next_types(params: t.Mapping[str, t.Any]) -> tuple[str, ...]:
    following = tuple(params["next_host_key_types"] or ())
    for key_type in following:
        if key_type not in (params["host_key_types"] or ()):
            refuse_option("next_host_key_types", key_type, "types that are also in host_key_types")
    return following


def _people_port(port: int | None) -> int | None:
    if port is not None and not 1 <= port <= 65535:
        refuse_option("people_port", port, "a port from 1 to 65535")
    return port


def _algorithm(line: str) -> str:
    try:
        return PublicKey.parse(line).algorithm if line else ""
    except BadKey as error:
        refuse_shown("operations_key", error.shown, "one line with a public key", str(error))


def _certificates(params: t.Mapping[str, t.Any]) -> dict[str, str]:
    wanted = host_certificates.desired(params["host_certificates"])
    for key_type in wanted:
        if key_type not in (params["host_key_types"] or ()):
            refuse_option("host_certificates", key_type, "types that are also in host_key_types")
    return wanted


def _check_max_startups(value: str) -> None:
    found = re.fullmatch(r"(\d+):(\d+):(\d+)", value)
    if not found or not (1 <= int(found[1]) <= int(found[3]) and 1 <= int(found[2]) <= 100):
        refuse_option("max_startups", value, "'start:rate:full' with 1 <= start <= full and a rate from 1 to 100")


def _message(text: str) -> str:
    """
    :raises Refused: if the text is too long, or contains characters that a terminal may interpret.
    """
    lines = lines_of(text.strip())
    if len(text) > _LONGEST_REFUSAL or not all(line.isprintable() for line in lines):
        refuse_option("refuse_logins", text, f"at most {_LONGEST_REFUSAL} printable characters and line breaks")
    return "".join(f"{line}\n" for line in lines)
