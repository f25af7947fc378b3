# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# This module util is private to the collection.
"""Parses the public key of a user. Accepts the key types of OpenSSH, and checks the bytes inside the key."""

from __future__ import annotations

import base64
import binascii

from .public_key import BY_ALGORITHM, BadKey, PublicKey, Reader

_RSA_MINIMUM = 2048
ALGORITHMS = tuple(BY_ALGORITHM)
ALLOWED = f"one line 'TYPE BASE64 [COMMENT]' with one of the types {', '.join(ALGORITHMS)}"


def parse(text: str) -> PublicKey:
    """
    Parse a key on one line.

    :raises BadKey: if OpenSSH would not accept the key, or if the key is weak. The message is empty if ``ALLOWED`` has the reason.
    """
    line = text.strip()
    _refuse_other_formats(line)
    words = line.split(None, 2)
    algorithm = words[0] if words else ""
    _check_algorithm(algorithm, line)
    if len(words) < 2:
        raise BadKey("", line)
    try:
        blob = base64.b64decode(words[1], validate=True)
    except (binascii.Error, ValueError):
        raise BadKey("its second word is not valid base64 (part of it may have been lost in pasting)", line) from None
    _check_blob(algorithm, blob, shown=f"{algorithm} {words[1][:16]}…")
    return PublicKey(algorithm, blob, words[2].strip() if len(words) > 2 else "")


def _refuse_other_formats(line: str) -> None:
    if "PRIVATE KEY" in line or line.startswith("PuTTY-User-Key-File"):
        raise BadKey(
            "a private key must never leave its owner. Treat it as compromised, create a new key pair, and use the line of "
            "its .pub file",
            "(a private key)",
        )
    if line.startswith(("---- BEGIN", "-----BEGIN")):
        raise BadKey("it must be converted with 'ssh-keygen -i -f FILE' (or -m PKCS8) first", line.split("\n", maxsplit=1)[0])
    if not line.replace("\t", " ").isprintable():
        raise BadKey("it contains line breaks or unprintable characters. Write each key as a separate entry", line)


def _check_algorithm(algorithm: str, line: str) -> None:
    if algorithm == "ssh-dss" or algorithm.startswith("ssh-dss-"):
        raise BadKey("DSA keys are insecure, and OpenSSH no longer accepts them", algorithm)
    if "-cert-v0" in algorithm:
        raise BadKey("it is a certificate. Use the public key, or the CA's public key with the option cert-authority", algorithm)
    if algorithm not in ALGORITHMS:
        hint = "key options must be in options, not in key" if any(word in ALGORITHMS for word in line.split()) else ""
        raise BadKey(hint, line)


def _check_blob(algorithm: str, blob: bytes, *, shown: str) -> None:
    try:
        fields = list(Reader(blob).strings())
    except BadKey:
        raise BadKey("the base64 text is not a complete key (part of it may have been lost in pasting)", shown) from None
    if not fields or fields[0] != algorithm.encode():
        found = fields[0].decode("ascii", "replace") if fields else "nothing"
        raise BadKey(f"the type inside the key is {found}", shown)
    if not BY_ALGORITHM[algorithm].is_whole(fields[1:]):
        raise BadKey(f"the base64 text is not a complete {algorithm} key", shown)
    if algorithm == "ssh-rsa" and int.from_bytes(fields[2], "big").bit_length() < _RSA_MINIMUM:
        bits = int.from_bytes(fields[2], "big").bit_length()
        raise BadKey(f"an RSA key must have at least {_RSA_MINIMUM} bits, and this one has {bits}", shown)
