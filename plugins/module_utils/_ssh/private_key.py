# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# This module util is private to the collection.
"""Reads the public key from an OPENSSH private key. Standard library only, Python 3.9 syntax."""

from __future__ import annotations

import base64
import binascii

from .._core.text import lines_of
from .public_key import BadKey, PublicKey, Reader

_MAGIC = b"openssh-key-v1\0"
_BEGIN = "-----BEGIN OPENSSH PRIVATE KEY-----"
_END = "-----END OPENSSH PRIVATE KEY-----"


def parse_private(text: str) -> PublicKey:
    """The public key, which an unencrypted OPENSSH private key contains in clear text."""
    lines = [line.strip() for line in lines_of(text.strip())]
    if not lines or lines[0] != _BEGIN or lines[-1] != _END:
        raise BadKey("it is not in the OPENSSH private key format ('ssh-keygen -p -f FILE' converts it)")
    try:
        reader = Reader(base64.b64decode("".join(lines[1:-1]), validate=True))
    except binascii.Error:
        raise BadKey("its base64 part is damaged") from None
    if reader.take(len(_MAGIC)) != _MAGIC:
        raise BadKey("its format is not openssh-key-v1")
    cipher, derivation, _options = reader.string(), reader.string(), reader.string()
    if cipher != b"none" or derivation != b"none":
        raise BadKey("it has a passphrase, which sshd could not enter")
    if reader.number() != 1:
        raise BadKey("it does not contain exactly one key")
    blob = reader.string()
    _check_private_section(reader.string())
    try:
        return PublicKey.of(blob)
    except UnicodeDecodeError:
        raise BadKey("its content is damaged") from None


def _check_private_section(section: bytes) -> None:
    reader = Reader(section)
    if reader.number() != reader.number():
        raise BadKey("its private part is damaged")
