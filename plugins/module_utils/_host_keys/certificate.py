# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# This module util is private to the collection.
"""Certificates for the host keys of a node: which ones are due, and signing them in memory.

The private key of the authority passes through :func:`authority_key` and :class:`Signer`; nothing else sees it.
"""

from __future__ import annotations

import datetime
import secrets
import typing as t
from dataclasses import dataclass

from .._core.failure import Refused, refuse_option
from .._core.plan import KNOWN_AFTER_APPLY, Change, Plan, Step
from .._ssh.keys import BadKey, PublicKey, parse_public
from .rotation import iso

try:
    from cryptography.hazmat.primitives import serialization
    from cryptography.hazmat.primitives.serialization import SSHCertificateBuilder, SSHCertificateType

    HAS_BUILDER = True
except ImportError:  # the module reports the missing library
    HAS_BUILDER = False

SKEW = datetime.timedelta(hours=1)
"""A certificate begins that long before it is made, for clients whose clocks are late."""
LONGEST_DAYS = 3650
SIGN = "Sign"


@dataclass(frozen=True)
class Wanted:
    """The options, checked."""

    authority: PublicKey
    keys: tuple[PublicKey, ...]
    principals: tuple[str, ...]
    key_id: str
    valid_days: int
    renew_before_days: int
    now: datetime.datetime

    @property
    def lifetime(self) -> datetime.timedelta:
        return datetime.timedelta(days=self.valid_days) + SKEW


@dataclass(frozen=True)
class Certificate:
    """A certificate as found, or one that would be made."""

    key: PublicKey
    line: str
    authority: PublicKey | None = None
    key_id: str = ""
    serial: int = 0
    principals: tuple[str, ...] = ()
    begins: datetime.datetime | None = None
    ends: datetime.datetime | None = None

    @classmethod
    def read(cls, line: str) -> Certificate | None:
        """What a line of a certificate file says; None for anything but an intact certificate of a host key."""
        try:
            found: t.Any = serialization.load_ssh_public_identity(line.strip().encode())
            found.verify_cert_signature()
            if found.type != SSHCertificateType.HOST:
                return None
            return cls(
                key=_public(found.public_key()),
                line=" ".join(line.split()[:2]),
                authority=_public(found.signature_key()),
                key_id=found.key_id.decode(errors="replace"),
                serial=found.serial,
                principals=tuple(sorted(name.decode(errors="replace") for name in found.valid_principals)),
                begins=_moment(found.valid_after),
                ends=_moment(found.valid_before),
            )
        except Exception:  # pylint: disable=broad-exception-caught  # no certificate, for one reason or another
            return None

    def to_result(self) -> dict[str, t.Any]:
        return {
            "type": self.key.type,
            "fingerprint": self.key.fingerprint,
            "certificate": self.line,
            "key_id": self.key_id,
            "serial": self.serial or None,
            "principals": list(self.principals),
            "valid_from": iso(self.begins) if self.begins else None,
            "valid_until": iso(self.ends) if self.ends else None,
        }


Held = t.Mapping[PublicKey, Certificate]
"""The certificate of each key that has one."""


def wanted_of(params: t.Mapping[str, t.Any], *, now: datetime.datetime) -> Wanted:
    """
    :raises Refused: naming the option, its value and what is allowed.
    """
    keys = tuple(_key("public_keys", line) for line in params["public_keys"])
    if not keys or len({key.type for key in keys}) != len(keys):
        refuse_option("public_keys", params["public_keys"], "one host key of each type, and at least one, is allowed")
    principals = tuple(sorted({name for name in params["principals"] if name}))
    for name in principals:
        if not name.isprintable() or set(name) & set(" ,*?!"):
            refuse_option("principals", name, "names and addresses without spaces, commas and wildcards are allowed")
    if not principals:  # sshd's clients would take a certificate without any for every host
        refuse_option("principals", params["principals"], "at least one name is needed")
    days, before = params["valid_days"], params["renew_before_days"]
    if not 1 <= days <= LONGEST_DAYS:
        refuse_option("valid_days", days, f"a number from 1 to {LONGEST_DAYS} is allowed")
    if not 0 <= before < days:
        refuse_option("renew_before_days", before, f"a number from 0 to {days - 1}, less than valid_days, is allowed")
    authority = _key("authority", params["authority"])
    return Wanted(authority, keys, principals, params["key_id"], days, before, now.replace(microsecond=0))


def held(lines: t.Iterable[str]) -> Held:
    found = [Certificate.read(line) for line in lines]
    return {each.key: each for each in found if each is not None}


def plan(wanted: Wanted, seen: Held) -> Plan:
    """One step for each key whose certificate is missing, is about something else, or ends soon."""
    steps, predicted = [], {}
    for key in wanted.keys:
        have = seen.get(key)
        reason = _due(wanted, have)
        if not reason and have:
            predicted[key] = have
            continue
        change = Change(
            "update" if have else "create",
            f"certificate of {key.type} host key {key.fingerprint}",
            "validity",
            _words(have) if have else None,
            f"{wanted.valid_days} days, signed anew: {reason}",
        )
        steps.append(Step(SIGN, {"key": key}, (change,)))
        predicted[key] = Certificate(key, KNOWN_AFTER_APPLY, wanted.authority, wanted.key_id, 0, wanted.principals)
    return Plan(steps=tuple(steps), predicted=predicted)


def authority_key(text: str, authority: PublicKey) -> t.Any:
    """The private key of the authority.

    :raises Refused: without any part of it, if it is no such key.
    """
    try:
        key = serialization.load_ssh_private_key(text.encode(), password=None)
        public = _public(key.public_key())
    except Exception:  # pylint: disable=broad-exception-caught  # the message may quote the text
        raise Refused("private_key: it is not an OpenSSH private key without a passphrase; give such a one.") from None
    if public != authority:
        raise Refused(
            f"private_key: it belongs to {public.fingerprint}, and authority is {authority.fingerprint}; give both "
            "halves of one key."
        )
    return key


def sign(wanted: Wanted, key: PublicKey, private: t.Any) -> Certificate:
    begins, ends = wanted.now - SKEW, wanted.now - SKEW + wanted.lifetime
    builder = (
        SSHCertificateBuilder()
        .public_key(t.cast(t.Any, serialization.load_ssh_public_key(key.line.encode())))
        .serial(secrets.randbits(63) or 1)
        .type(SSHCertificateType.HOST)
        .key_id(wanted.key_id.encode())
        .valid_principals([name.encode() for name in wanted.principals])
        .valid_after(int(begins.timestamp()))
        .valid_before(int(ends.timestamp()))
    )
    line = builder.sign(private).public_bytes().decode()
    made = Certificate.read(line)
    if made is None or made.key != key:
        raise Refused(f"public_keys: the {key.type} key {key.fingerprint} could not be signed.")
    return made


def _due(wanted: Wanted, have: Certificate | None) -> str:
    """Why a certificate is to be made, or nothing."""
    if have is None:
        return "there is none"
    if have.authority != wanted.authority:
        return "another authority signed it"
    if have.principals != wanted.principals:
        missing = [name for name in wanted.principals if name not in have.principals]
        surplus = [name for name in have.principals if name not in wanted.principals]
        return "; ".join(
            f"{what} {', '.join(names)}" for what, names in (("it lacks", missing), ("it names", surplus)) if names
        )
    if have.key_id != wanted.key_id:
        return f"its id is {have.key_id!r}"
    if have.begins is None or have.ends is None or have.ends - have.begins != wanted.lifetime:
        return "its time is another"
    if wanted.now < have.begins:
        return f"it is not valid before {iso(have.begins)}"
    if wanted.now >= have.ends - datetime.timedelta(days=wanted.renew_before_days):
        return f"it ends {iso(have.ends)}"
    return ""


def _words(have: Certificate) -> str:
    ends = iso(have.ends) if have.ends else "ever"
    return f"until {ends}, for {', '.join(have.principals)}"


def _moment(seconds: int) -> datetime.datetime | None:
    try:
        return datetime.datetime.fromtimestamp(seconds, datetime.timezone.utc)
    except (OverflowError, ValueError, OSError):  # forever
        return None


def _public(key: t.Any) -> PublicKey:
    line = key.public_bytes(serialization.Encoding.OpenSSH, serialization.PublicFormat.OpenSSH)
    return parse_public(line.decode())


def _key(option: str, line: str) -> PublicKey:
    try:
        return parse_public(line)
    except BadKey as error:
        refuse_option(option, "a private key" if "PRIVATE KEY" in line else line, f"{error}; a public key line is allowed")
