# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# This module util is private to the collection.
"""Profiles with which people connect: the text of one, and which files differ from what they should hold."""

from __future__ import annotations

import os
import re
import typing as t
from dataclasses import dataclass, field

from ..._core.failure import Refused, refuse_option
from ..._core.plan import KNOWN_AFTER_APPLY, Change, Plan, Secret, Step
from ..._core.text import lines_of
from ..identity import checked_people, checked_prefix, checked_vpc
from ..pki.crypto import NotReadable, read_certificate

WRITE, REMOVE = "WriteProfile", "RemoveProfile"
MODE = 0o600

# What the client that AWS provides understands, by its user guide.
AWS_DIRECTIVES = frozenset("""
    auth-federate auth-nocache auth-retry auth-user-pass ca cert cipher client connect-retry connect-retry-max
    cryptoapicert data-ciphers data-ciphers-fallback dev dev-type dhcp-option ifconfig-ipv6 inactive keepalive key
    mssfix nobind persist-key persist-tun ping ping-exit ping-restart pkcs12 proto pull pull-filter rcvbuf remote
    remote-cert-tls remote-random-hostname reneg-sec resolv-retry route route-ipv6 server-poll-timeout static-challenge
    tap-sleep tun-mtu tun-mtu-extra verb verify-x509-name
    """.split())
_REMOTE = re.compile(r"^remote[ \t]+(\S+)", re.M)
_LABEL = re.compile(r"[a-z0-9]{1,63}")


@dataclass(frozen=True)
class Wanted:
    """The options, checked."""

    people: tuple[str, ...]
    folder: str
    present: bool = True
    endpoint: str = ""
    """Empty for one that check mode only foresees."""
    prefix: str = ""
    client: str = "openvpn"
    random_host_prefix: bool = False

    def path(self, name: str) -> str:
        return os.path.join(self.folder, f"{name}.ovpn")


def wanted_of(params: t.Mapping[str, t.Any], *, endpoint: str) -> Wanted:
    """
    :raises Refused: naming the option, its value and what is allowed.
    """
    people, folder = checked_people("people", params["people"]), params["folder"]
    if not os.path.isabs(folder):
        refuse_option("folder", folder, "an absolute path is allowed")
    if params["state"] == "absent":
        return Wanted(people, folder, present=False)
    if params["random_host_prefix"] and params["client"] == "aws":
        refuse_option("random_host_prefix", True, "with client=aws it must be false, since that client makes its own")
    vpc_id = checked_vpc(params["vpc_id"]) if params["vpc_id"] else ""
    prefix = checked_prefix(params["secret_prefix"], vpc_id)
    return Wanted(people, folder, True, endpoint, prefix, params["client"], params["random_host_prefix"])


@dataclass(frozen=True)
class Profile:
    """What a file should hold, told without its content."""

    serial: str
    not_after: str
    digest: Secret


@dataclass(frozen=True)
class File:
    """A file as it is, told without its content."""

    digest: Secret
    mode: int
    serial: str = ""


@dataclass(frozen=True)
class State:
    """By person. Somebody without a profile has no certificate yet, which only check mode accepts."""

    profiles: t.Mapping[str, Profile] = field(default_factory=dict)
    files: t.Mapping[str, File] = field(default_factory=dict)


def plan(wanted: Wanted, seen: State, *, check_mode: bool, ended: t.Container[str] = ()) -> Plan:
    """
    :raises Refused: if somebody has no certificate.
    """
    if not wanted.present:
        return _plan_absent(wanted, seen)
    missing = [name for name in wanted.people if name not in seen.profiles]
    if missing and not check_mode:
        raise Refused(
            f"people: {', '.join(missing)} have no certificate below {wanted.prefix}/people; make one with "
            "client_vpn_pki, or leave them out. No file was written."
        )
    steps, profiles, files = [], {}, dict(seen.files)
    for name in wanted.people:
        profile = seen.profiles.get(name)
        profiles[name] = profile or Profile(KNOWN_AFTER_APPLY, KNOWN_AFTER_APPLY, Secret(KNOWN_AFTER_APPLY))
        step = _write(wanted, name, profiles[name], seen.files.get(name))
        if step:
            steps.append(step)
            files[name] = File(profiles[name].digest, MODE, profiles[name].serial)
    notes = tuple(
        f"The certificate of {name} ended {profiles[name].not_after}; renew it with client_vpn_pki."
        for name in wanted.people
        if name in ended
    )
    return Plan(tuple(steps), State(profiles, files), notes)


def _plan_absent(wanted: Wanted, seen: State) -> Plan:
    steps = tuple(
        Step(REMOVE, {"name": name}, (Change("delete", f"file {wanted.path(name)}", None, _shown(seen.files[name])),))
        for name in wanted.people
        if name in seen.files
    )
    return Plan(steps, State())


def _write(wanted: Wanted, name: str, profile: Profile, have: File | None) -> Step | None:
    if have and have.digest == profile.digest and have.mode == MODE:
        return None
    resource, after = f"file {wanted.path(name)}", {"serial": profile.serial, "content": profile.digest}
    if have is None:
        changes = [Change("create", resource, None, None, after)]
    else:
        changes = [Change("update", resource, None, _shown(have), after)] if have.digest != profile.digest else []
        if have.mode != MODE:
            changes.append(Change("update", resource, "mode", f"{have.mode:04o}", f"{MODE:04o}"))
    return Step(WRITE, {"name": name}, tuple(changes))


def _shown(have: File) -> dict[str, t.Any]:
    return {"serial": have.serial, "content": have.digest}


def to_result(wanted: Wanted, seen: State, written: t.Container[str]) -> dict[str, t.Any]:
    rows = [
        {
            "name": name,
            "path": wanted.path(name),
            "serial": profile.serial,
            "not_after": profile.not_after,
            "changed": name in written,
        }
        for name, profile in sorted(seen.profiles.items())
    ]
    return {"profiles": rows}


def configuration(exported: str, *, client: str) -> str:
    """What an endpoint exports, as the client understands it.

    :raises Refused: if the client can't sign in to the endpoint.
    """
    text = "\n".join(line.rstrip() for line in lines_of(exported)).strip() + "\n"
    if client == "aws":
        return _only_known(text)
    if re.search(r"^auth-federate\b", text, re.M):
        refuse_option("client", client, "the endpoint signs people in with SAML, for which only aws is allowed")
    return text


def joined(text: str, certificate: str, private_key: str, *, label: str = "") -> str:
    """The profile of a person. It holds a private key: write it, and keep it nowhere else."""
    if label:
        text = re.sub(r"^remote-random-hostname\n", "", text, flags=re.M)
        text = _REMOTE.sub(lambda match: f"remote {label}.{_plain(match[1])}", text)
    return f"{text}\n<cert>\n{certificate.strip()}\n</cert>\n\n<key>\n{private_key.strip()}\n</key>\n"


def label_in(text: str, exported: str) -> str:
    """The label that a file has in front of the endpoint's name, if it is the name of this endpoint."""
    have, wants = _REMOTE.search(text), _REMOTE.search(exported)
    if not have or not wants:
        return ""
    label, _dot, rest = have[1].partition(".")
    return label if rest == _plain(wants[1]) and _LABEL.fullmatch(label) else ""


def serial_in(text: str) -> str:
    """Serial number of the certificate in a profile, empty where there is none."""
    found = re.search(r"<cert>(.*?)</cert>", text, re.S)
    try:
        return read_certificate(found[1]).serial if found else ""
    except NotReadable:
        return ""


def _plain(host: str) -> str:
    """Without the asterisk with which AWS writes that every label leads there."""
    return host[2:] if host.startswith("*.") else host


def _only_known(text: str) -> str:
    kept, inside = [], ""
    for line in lines_of(text):
        opening = re.fullmatch(r"<(/?)([a-z0-9-]+)>", line.strip())
        word = opening[2] if opening else (line.split() or [""])[0]
        if inside or not word or word in AWS_DIRECTIVES:
            kept.append(line)
        if opening:
            inside = "" if opening[1] else word
    return "\n".join(kept) + "\n"
