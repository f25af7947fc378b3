# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# This module util is private to the collection.
"""Public SSH keys, and the table of their types.

Standard library only, Python 3.9 syntax: this file also runs on cluster nodes.
"""

from __future__ import annotations

import base64
import binascii
import hashlib
import struct
import typing as t
from dataclasses import dataclass

from .._core.text import lines_of

_CERTIFICATE = "-cert-v01@openssh.com"

Fields = t.Sequence[bytes]


@dataclass(frozen=True)
class KeyType:
    """One key algorithm and the properties of its keys."""

    algorithm: str
    """The algorithm's name, which stands before the key and inside it."""
    name: str
    """The name of the type for ``ssh-keygen -t`` and in the names of sshd's files."""
    is_whole: t.Callable[[Fields], bool]
    """Whether the arguments are the complete fields of a key. The first field, the algorithm, is omitted."""
    of_hosts: bool = True
    """Whether sshd may present such a key. False for keys on security tokens, which only people use."""
    is_generated: bool = False
    """Whether we generate host keys with this algorithm; at most one algorithm per name."""
    signatures: tuple[str, ...] = ()
    """The signature algorithms, best first, if they differ from the key algorithm."""
    is_long: bool = False
    """Whether the key is omitted if there is no room for all keys of a host."""


def _rsa(fields: Fields) -> bool:
    return len(fields) == 2 and len(fields[0]) > 0 and len(fields[1]) > 0


def _ed25519(fields: Fields) -> bool:
    return len(fields) == 1 and len(fields[0]) == 32


def _ecdsa(curve: str, size: int) -> t.Callable[[Fields], bool]:
    """Points are uncompressed and have two coordinates of ``size`` bytes."""
    return lambda fields: (
        len(fields) == 2 and fields[0] == curve.encode() and len(fields[1]) == 1 + 2 * size and fields[1][0] == 4
    )


TYPES = (
    KeyType("ssh-ed25519", "ed25519", _ed25519, is_generated=True),
    KeyType("ecdsa-sha2-nistp256", "ecdsa", _ecdsa("nistp256", 32), is_generated=True),
    KeyType("ecdsa-sha2-nistp384", "ecdsa", _ecdsa("nistp384", 48)),
    KeyType("ecdsa-sha2-nistp521", "ecdsa", _ecdsa("nistp521", 66)),
    KeyType("ssh-rsa", "rsa", _rsa, is_generated=True, signatures=("rsa-sha2-512", "rsa-sha2-256"), is_long=True),
    KeyType(
        "sk-ssh-ed25519@openssh.com",
        "ed25519-sk",
        lambda fields: len(fields) == 2 and _ed25519(fields[:1]),
        of_hosts=False,
    ),
    KeyType(
        "sk-ecdsa-sha2-nistp256@openssh.com",
        "ecdsa-sk",
        lambda fields: len(fields) == 3 and _ecdsa("nistp256", 32)(fields[:2]),
        of_hosts=False,
    ),
)
BY_ALGORITHM = {each.algorithm: each for each in TYPES}
HOST_KEY_TYPES = tuple(dict.fromkeys(each.name for each in TYPES if each.of_hosts))
HOST_KEY_ALGORITHMS = tuple(each.algorithm for each in TYPES if each.of_hosts)
GENERATED = {each.name: each.algorithm for each in TYPES if each.is_generated}
"""The algorithm of the host keys that we generate, keyed by name of the type."""


def signatures(name: str) -> tuple[str, ...]:
    """The signature algorithms of host keys with type ``name``, best first."""
    return tuple(
        signature for each in TYPES if each.name == name for signature in each.signatures or (each.algorithm,)
    )


class BadKey(ValueError):
    """The text is not a usable key. The message contains nothing of the text; ``shown`` is the part that may be printed."""

    def __init__(self, message: str, shown: str = "") -> None:
        super().__init__(message)
        self.shown = shown


@dataclass(frozen=True)
class PublicKey:
    """A public key, or a certificate of one."""

    algorithm: str
    blob: bytes
    comment: str = ""

    @classmethod
    def parse(cls, text: str) -> PublicKey:
        """Parse ``algorithm base64 [comment]``. The comment is ignored.

        :raises BadKey: unless the text is one line with a key of the named algorithm.
        """
        fields = text.split()
        if len(lines_of(text.strip())) != 1 or len(fields) < 2:
            raise BadKey("it is not one line of the form 'algorithm base64 [comment]'")
        try:
            key = cls.of(base64.b64decode(fields[1], validate=True))
        except (binascii.Error, UnicodeDecodeError, BadKey):
            raise BadKey("its base64 part is damaged") from None
        if key.algorithm != fields[0]:
            raise BadKey(f"the line begins with {fields[0]} but contains a key with a different algorithm")
        return key

    @classmethod
    def of(cls, blob: bytes) -> PublicKey:
        return cls(Reader(blob).string().decode("ascii"), blob)

    @property
    def type(self) -> str:
        """The name of the key's type; the algorithm for certificates and for types that the table does not contain."""
        known = BY_ALGORITHM.get(self.algorithm)
        return known.name if known is not None and known.of_hosts else self.algorithm

    @property
    def certifies(self) -> str:
        """The type of the host key that this certificate certifies; empty if this is not a certificate."""
        plain = self.algorithm[: -len(_CERTIFICATE)] if self.algorithm.endswith(_CERTIFICATE) else ""
        return BY_ALGORITHM[plain].name if plain in HOST_KEY_ALGORITHMS else ""

    @property
    def line(self) -> str:
        """The key as one line, without the comment."""
        return f"{self.algorithm} {base64.b64encode(self.blob).decode()}"

    @property
    def fingerprint(self) -> str:
        """The fingerprint as ``ssh-keygen -l`` prints it."""
        return "SHA256:" + base64.b64encode(hashlib.sha256(self.blob).digest()).decode().rstrip("=")

    def to_result(self) -> dict[str, str]:
        return {"type": self.type, "public_key": self.line, "fingerprint": self.fingerprint}

    def __str__(self) -> str:
        return f"{self.line} {self.comment}" if self.comment else self.line


class Reader:
    """Reads SSH's wire format: numbers of four bytes, and strings preceded by their length."""

    def __init__(self, data: bytes) -> None:
        self.rest = data

    def take(self, length: int) -> bytes:
        if length > len(self.rest):
            raise BadKey("the data is truncated")
        taken, self.rest = self.rest[:length], self.rest[length:]
        return taken

    def number(self) -> int:
        return int(struct.unpack(">I", self.take(4))[0])

    def string(self) -> bytes:
        return self.take(self.number())

    def strings(self) -> t.Iterator[bytes]:
        while self.rest:
            yield self.string()
