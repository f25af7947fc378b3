# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# This module util is private to the collection.
"""Validates the options of the readiness gate. Standard library only, Python 3.9 syntax."""

from __future__ import annotations

import os
import re
import typing as t

from ..._core.failure import refuse_option
from ..._core.times import iso_seconds, moment_of
from ..._ssh.public_key import HOST_KEY_TYPES, BadKey, PublicKey
from ..sshd import host_certificates
from .model import Desired

HIGHEST_PORT = 511
"""NFS and Lustre clients use the ports from 512 to 1023 as source ports. A listener on a higher port could find its port in use.
"""
_SSH_PORT = 22


def desired(params: t.Mapping[str, t.Any]) -> Desired:
    if not 1 <= params["mount_timeout"] <= 60:
        refuse_option("mount_timeout", params["mount_timeout"], "seconds from 1 to 60")
    if not re.fullmatch(r"[A-Za-z0-9._-]{0,64}", params["instance"]):
        refuse_option("instance", params["instance"], "up to 64 letters, digits, '.', '_' and '-'")
    for path in params["mounts"]:
        if not path.startswith("/") or "\n" in path:
            refuse_option("mounts", path, "an absolute path")
    ports = _ports(params, "port", "former_ports")
    people_ports = _ports(params, "people_port", "former_people_ports")
    for port in people_ports:
        if port == people_ports[0] == ports[0]:
            refuse_option("people_port", port, "a port other than that of the health check")
        if port in ports:
            option, use = ("people_port", "its health check") if port == people_ports[0] else ("port", "logins")
            why = f"the load balancer still uses it for {use}"
            refuse_option(option, port, "a different port, or this port after the load balancer no longer uses it", why)
    certificates = [_certificate(entry) for entry in params["host_certificates"]]
    expected = {
        "host_keys": sorted(_key_line(line) for line in params["host_keys"]),
        "key_types": list(HOST_KEY_TYPES),
        "users": sorted(
            ({"name": user["name"], "uid": user["uid"]} for user in params["users"]), key=lambda u: u["name"]
        ),
        "mounts": sorted(os.path.normpath(path) for path in params["mounts"]),
        "mount_timeout": params["mount_timeout"],
        "silent_mounts": params["silent_mounts"],
        "port": ports[0],
        "people_ports": list(people_ports),
        **({"host_certificates": sorted(certificates, key=lambda each: each["line"])} if certificates else {}),
    }
    return Desired(params["state"], ports, people_ports, params["instance"], expected)


def foreseen(params: t.Mapping[str, t.Any]) -> tuple[str, ...]:
    """The expectations that check mode skips, because outside check mode earlier tasks would make the node fulfill them."""
    keys = ("host_keys", "host_certificates") if params["host_keys_foreseen"] else ()
    return (*keys, "users") if params["users_foreseen"] else keys


def _ports(params: t.Mapping[str, t.Any], option: str, former: str) -> tuple[int, ...]:
    port = params[option]
    if not 1 <= port <= HIGHEST_PORT or port == _SSH_PORT:
        refuse_option(
            option,
            port,
            f"a port from 1 to {HIGHEST_PORT} other than sshd's {_SSH_PORT}",
            "users can use ports from 1024 on, and NFS and Lustre clients use ports from 512 on",
        )
    for each in params[former]:
        if not 1 <= each <= 65535 or each == _SSH_PORT:
            refuse_option(former, each, f"a port from 1 to 65535 other than sshd's {_SSH_PORT}")
    return (port, *sorted(set(params[former]) - {port}))


def _key_line(line: str) -> str:
    try:
        return PublicKey.parse(line).line
    except BadKey as error:
        refuse_option("host_keys", line, "a public key line", str(error))


def _certificate(entry: t.Mapping[str, str]) -> dict[str, t.Any]:
    line = host_certificates.parse_certificate("host_certificates", entry["certificate"]).line
    return {"line": line, "until": _seconds("host_certificates.valid_until", entry["valid_until"])}


def _seconds(option: str, text: str) -> int:
    try:
        moment = moment_of(text)
        if iso_seconds(moment) == text:
            return int(moment.timestamp())
    except ValueError:
        pass
    refuse_option(option, text, "a time in UTC as in 2027-11-21T01:02:03Z")
