# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# This module util is private to the collection.
"""Reading SSH keys: one line of public key, one OPENSSH private key. Standard library only, Python 3.9 syntax."""

from __future__ import annotations

import base64
import binascii
import hashlib
import struct
from dataclasses import dataclass

from .._core.text import lines_of

HOST_KEY_TYPES = ("ed25519", "ecdsa", "rsa")
ALGORITHMS = {
    "ed25519": ("ssh-ed25519",),
    "ecdsa": ("ecdsa-sha2-nistp256", "ecdsa-sha2-nistp384", "ecdsa-sha2-nistp521"),
    "rsa": ("ssh-rsa",),
}
_CERTIFICATE = "-cert-v01@openssh.com"
_MAGIC = b"openssh-key-v1\0"
_BEGIN = "-----BEGIN OPENSSH PRIVATE KEY-----"
_END = "-----END OPENSSH PRIVATE KEY-----"


class BadKey(ValueError):
    """The text is not a usable key; the message never holds any of it."""


@dataclass(frozen=True)
class PublicKey:
    """A public key, or a certificate of one, without its comment."""

    algorithm: str
    blob: bytes

    @property
    def type(self) -> str:
        for name, algorithms in ALGORITHMS.items():
            if self.algorithm in algorithms:
                return name
        return self.algorithm

    @property
    def certifies(self) -> str:
        """The type of the key that this certificate is about; empty for a plain key."""
        plain = self.algorithm[: -len(_CERTIFICATE)] if self.algorithm.endswith(_CERTIFICATE) else ""
        return next((name for name, algorithms in ALGORITHMS.items() if plain in algorithms), "")

    @property
    def line(self) -> str:
        return f"{self.algorithm} {base64.b64encode(self.blob).decode()}"

    @property
    def fingerprint(self) -> str:
        """As ``ssh-keygen -l`` prints it."""
        return "SHA256:" + base64.b64encode(hashlib.sha256(self.blob).digest()).decode().rstrip("=")


def parse_public(text: str) -> PublicKey:
    """Read ``algorithm base64 [comment]``."""
    fields = text.split()
    if len(lines_of(text.strip())) != 1 or len(fields) < 2:
        raise BadKey("not one line of the form 'algorithm base64 [comment]'")
    try:
        blob = base64.b64decode(fields[1], validate=True)
        inner = _Reader(blob).string().decode("ascii")
    except (binascii.Error, UnicodeDecodeError, BadKey):
        raise BadKey("the base64 part is damaged") from None
    if inner != fields[0]:
        raise BadKey(f"says {fields[0]} but holds a key of another algorithm")
    return PublicKey(inner, blob)


def parse_private(text: str) -> PublicKey:
    """The public key that an unencrypted OPENSSH private key holds in clear."""
    lines = [line.strip() for line in lines_of(text.strip())]
    if not lines or lines[0] != _BEGIN or lines[-1] != _END:
        raise BadKey("not in the OPENSSH private key format ('ssh-keygen -p -f FILE' converts it)")
    try:
        reader = _Reader(base64.b64decode("".join(lines[1:-1]), validate=True))
    except binascii.Error:
        raise BadKey("the base64 part is damaged") from None
    if reader.take(len(_MAGIC)) != _MAGIC:
        raise BadKey("the container is not openssh-key-v1")
    cipher, derivation, _options = reader.string(), reader.string(), reader.string()
    if cipher != b"none" or derivation != b"none":
        raise BadKey("protected by a passphrase, which sshd could not enter")
    if reader.number() != 1:
        raise BadKey("the container does not hold exactly one key")
    blob = reader.string()
    _check_private_section(reader.string())
    try:
        return PublicKey(_Reader(blob).string().decode("ascii"), blob)
    except UnicodeDecodeError:
        raise BadKey("the container is damaged") from None


def _check_private_section(section: bytes) -> None:
    reader = _Reader(section)
    if reader.number() != reader.number():
        raise BadKey("the private part is damaged")


class _Reader:
    """SSH wire format: numbers of four bytes, strings with their length before them."""

    def __init__(self, data: bytes) -> None:
        self._data = data

    def take(self, length: int) -> bytes:
        if length > len(self._data):
            raise BadKey("the data end too early")
        taken, self._data = self._data[:length], self._data[length:]
        return taken

    def number(self) -> int:
        return struct.unpack(">I", self.take(4))[0]

    def string(self) -> bytes:
        return self.take(self.number())
