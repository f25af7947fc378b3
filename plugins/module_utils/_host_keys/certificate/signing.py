# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# This module util is private to the collection.
"""Parses and signs certificates in OpenSSH's format, in memory.

Only :func:`authority_key` and :func:`sign` handle the private key of the authority.
"""

from __future__ import annotations

import datetime
import secrets
import typing as t

from ..._core.failure import Refused, refuse_shown
from ..._ssh.public_key import PublicKey
from .model import SKEW, Certificate, Certificates, Desired

try:
    from cryptography.hazmat.primitives import serialization
    from cryptography.hazmat.primitives.serialization import SSHCertificateBuilder, SSHCertificateType

    HAS_BUILDER = True
except ImportError:  # the module reports the missing library
    HAS_BUILDER = False


def read_certificate(line: str) -> Certificate | None:
    """The certificate in a line of a file; None if the line is not an intact host certificate."""
    try:
        found: t.Any = serialization.load_ssh_public_identity(line.strip().encode())
        found.verify_cert_signature()
        if found.type != SSHCertificateType.HOST:
            return None
        return Certificate(
            key=_public(found.public_key()),
            line=" ".join(line.split()[:2]),
            authority=_public(found.signature_key()),
            key_id=found.key_id.decode(errors="replace"),
            serial=found.serial,
            principals=tuple(sorted(name.decode(errors="replace") for name in found.valid_principals)),
            begins=_moment(found.valid_after),
            ends=_moment(found.valid_before),
        )
    except Exception:  # pylint: disable=broad-exception-caught  # the line is not a valid certificate, for any reason
        return None


def read_all(lines: t.Iterable[str]) -> Certificates:
    found = [read_certificate(line) for line in lines]
    return {each.key: each for each in found if each is not None}


def authority_key(text: str, authority: PublicKey) -> t.Any:
    """The private key of ``authority``, parsed from ``text``.

    :raises Refused: if the text is not this private key. The message contains no part of the text.
    """
    try:
        key = serialization.load_ssh_private_key(text.encode(), password=None)
        public = _public(key.public_key())
    except Exception:  # pylint: disable=broad-exception-caught  # the message may quote the text
        refuse_shown("private_key", "this text", "an OpenSSH private key without a passphrase")
    if public != authority:
        why = f"its fingerprint is {public.fingerprint}"
        refuse_shown("private_key", "this key", f"the private key of the authority with fingerprint {authority.fingerprint}", why)
    return key


def sign(desired: Desired, key: PublicKey, private: t.Any) -> Certificate:
    begins, ends = desired.now - SKEW, desired.now - SKEW + desired.lifetime
    builder = (
        SSHCertificateBuilder()
        .public_key(t.cast(t.Any, serialization.load_ssh_public_key(key.line.encode())))
        .serial(secrets.randbits(63) or 1)
        .type(SSHCertificateType.HOST)
        .key_id(desired.key_id.encode())
        .valid_principals([name.encode() for name in desired.principals])
        .valid_after(int(begins.timestamp()))
        .valid_before(int(ends.timestamp()))
    )
    line = builder.sign(private).public_bytes().decode()
    made = read_certificate(line)
    if made is None or made.key != key:
        raise Refused(f"public_keys: the {key.type} key {key.fingerprint} could not be signed.")
    return made


def _moment(seconds: int) -> datetime.datetime | None:
    try:
        return datetime.datetime.fromtimestamp(seconds, datetime.timezone.utc)
    except (OverflowError, ValueError, OSError):  # no limit
        return None


def _public(key: t.Any) -> PublicKey:
    line = key.public_bytes(serialization.Encoding.OpenSSH, serialization.PublicFormat.OpenSSH)
    return PublicKey.parse(line.decode())
