# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# This module util is private to the collection.
"""Public keys: what OpenSSH would accept, read down to the bytes of the key itself."""

from __future__ import annotations

import base64
import binascii
import hashlib
import struct
import typing as t
from dataclasses import dataclass

_RSA_MINIMUM = 2048
_CURVES = {"nistp256": 32, "nistp384": 48, "nistp521": 66}
_ECDSA = {f"ecdsa-sha2-{curve}": curve for curve in _CURVES}
_SK_ED25519 = "sk-ssh-ed25519@openssh.com"
_SK_ECDSA = "sk-ecdsa-sha2-nistp256@openssh.com"
TYPES = ("ssh-ed25519", *_ECDSA, "ssh-rsa", _SK_ED25519, _SK_ECDSA)
ALLOWED = f"a public key is one line 'TYPE BASE64 [COMMENT]' with one of the types {', '.join(TYPES)}"


class BadKey(ValueError):
    """The text says what is allowed instead; ``shown`` is a form of the value that is safe to print."""

    def __init__(self, allowed: str, shown: str) -> None:
        super().__init__(allowed)
        self.shown = shown


@dataclass(frozen=True)
class PublicKey:
    type: str
    blob: str
    """The key in base64."""
    comment: str = ""

    @property
    def fingerprint(self) -> str:
        digest = hashlib.sha256(base64.b64decode(self.blob)).digest()
        return "SHA256:" + base64.b64encode(digest).decode().rstrip("=")

    def __str__(self) -> str:
        return " ".join(part for part in (self.type, self.blob, self.comment) if part)


def parse(text: str) -> PublicKey:
    """The key on one line; BadKey if OpenSSH would not take it, or should not."""
    line = text.strip()
    _refuse_other_formats(line)
    words = line.split(None, 2)
    kind = words[0] if words else ""
    if kind == "ssh-dss" or kind.startswith("ssh-dss-"):
        raise BadKey("DSA keys are broken and OpenSSH no longer takes them; " + ALLOWED, kind)
    if "-cert-v0" in kind:
        raise BadKey("a certificate is no key: give the public key, or its CA with the option cert-authority", kind)
    if kind not in TYPES:
        hint = "options go into the option options, and " if any(word in TYPES for word in line.split()) else ""
        raise BadKey(hint + ALLOWED, line)
    if len(words) < 2:
        raise BadKey(ALLOWED, line)
    try:
        blob = base64.b64decode(words[1], validate=True)
    except (binascii.Error, ValueError):
        raise BadKey("the second word must be whole base64 (a part may have been lost in pasting)", line) from None
    _check_blob(kind, blob, shown=f"{kind} {words[1][:16]}…")
    return PublicKey(type=kind, blob=words[1], comment=words[2].strip() if len(words) > 2 else "")


def _refuse_other_formats(line: str) -> None:
    if "PRIVATE KEY" in line or line.startswith("PuTTY-User-Key-File"):
        raise BadKey(
            "a private key must never leave its owner; treat it as lost, make a new pair, and give the line of the "
            ".pub file",
            "(a private key)",
        )
    if line.startswith(("---- BEGIN", "-----BEGIN")):
        raise BadKey("convert it with 'ssh-keygen -i -f FILE' (or -m PKCS8) first; " + ALLOWED, line.split("\n", maxsplit=1)[0])
    if not line.replace("\t", " ").isprintable():
        raise BadKey("one key is one line of printable characters; give each key as an entry of its own", line)


def _check_blob(kind: str, blob: bytes, *, shown: str) -> None:
    try:
        fields = _fields(blob)
    except struct.error:
        raise BadKey("the base64 text must hold a whole key (a part may have been lost in pasting)", shown) from None
    if not fields or fields[0] != kind.encode():
        found = fields[0].decode("ascii", "replace") if fields else "nothing"
        raise BadKey(f"the type in front must be the type inside the key, which is {found}", shown)
    if not _SHAPES[kind](fields[1:]):
        raise BadKey(f"the base64 text must hold a whole {kind} key", shown)
    if kind == "ssh-rsa" and int.from_bytes(fields[2], "big").bit_length() < _RSA_MINIMUM:
        bits = int.from_bytes(fields[2], "big").bit_length()
        raise BadKey(f"an RSA key must have {_RSA_MINIMUM} bits or more, and this has {bits}", shown)


def _fields(blob: bytes) -> list[bytes]:
    """The length-prefixed strings of RFC 4253 that make up ``blob``; struct.error if it is cut off."""
    fields, position = [], 0
    while position < len(blob):
        (length,) = struct.unpack_from(">I", blob, position)
        position += 4
        if position + length > len(blob):
            raise struct.error("cut off")
        fields.append(blob[position : position + length])
        position += length
    return fields


def _ecdsa_shape(curve: str) -> t.Callable[[list[bytes]], bool]:
    point = 1 + 2 * _CURVES[curve]
    return lambda rest: len(rest) == 2 and rest[0] == curve.encode() and len(rest[1]) == point and rest[1][0] == 4


_SHAPES: dict[str, t.Callable[[list[bytes]], bool]] = {
    "ssh-rsa": lambda rest: len(rest) == 2 and len(rest[0]) > 0 and len(rest[1]) > 0,
    "ssh-ed25519": lambda rest: len(rest) == 1 and len(rest[0]) == 32,
    _SK_ED25519: lambda rest: len(rest) == 2 and len(rest[0]) == 32,
    _SK_ECDSA: lambda rest: len(rest) == 3 and _ecdsa_shape("nistp256")(rest[:2]),
    **{kind: _ecdsa_shape(curve) for kind, curve in _ECDSA.items()},
}
