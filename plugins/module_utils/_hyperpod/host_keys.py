# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# This module util is private to the collection.
"""The SSH host keys that all login nodes of a cluster share: made, written down, read and checked.

Private keys exist only as the text of the secret, which passes through :func:`generate` and :func:`public_half`;
what is kept, compared and returned is the public half.
"""

from __future__ import annotations

import base64
import datetime
import hashlib
import json
import typing as t
from dataclasses import dataclass

from .._node.ssh_keys import parse_public
from .._plan import Refused, refuse_option

try:
    from cryptography.hazmat.primitives import serialization
    from cryptography.hazmat.primitives.asymmetric import ec, ed25519, rsa

    HAS_CRYPTOGRAPHY = True
except ImportError:  # the module reports the missing library
    HAS_CRYPTOGRAPHY = False

VERSION = 1
KEY_TYPES = ("ed25519", "ecdsa", "rsa")
_ALGORITHMS = {"ed25519": "ssh-ed25519", "ecdsa": "ecdsa-sha2-nistp256", "rsa": "ssh-rsa"}
_MAKERS: dict[str, t.Callable[[], t.Any]] = {
    # cryptography may be missing, so its names are looked up late.
    "ed25519": lambda: ed25519.Ed25519PrivateKey.generate(),  # pylint: disable=unnecessary-lambda
    "ecdsa": lambda: ec.generate_private_key(ec.SECP256R1()),
    "rsa": lambda: rsa.generate_private_key(public_exponent=65537, key_size=3072),
}


@dataclass(frozen=True)
class PublicKey:
    """One host key as clients see it."""

    type: str
    line: str
    """Algorithm and base64, without a comment."""

    @classmethod
    def parse(cls, line: str) -> PublicKey:
        """
        :raises ValueError: for anything but a plain public key of a type that we make.
        """
        words = line.split()
        if len(words) < 2:
            raise ValueError("a public key in it lacks its second word")
        algorithm, encoded = words[:2]
        key_type = next((each for each, name in _ALGORITHMS.items() if name == algorithm), None)
        if key_type is None:
            raise ValueError("its algorithm is not one of " + ", ".join(_ALGORITHMS.values()))
        base64.b64decode(encoded, validate=True)
        return cls(type=key_type, line=f"{algorithm} {encoded}")

    @property
    def fingerprint(self) -> str:
        digest = hashlib.sha256(base64.b64decode(self.line.split()[1])).digest()
        return "SHA256:" + base64.b64encode(digest).decode().rstrip("=")

    def to_result(self) -> dict[str, str]:
        return {"type": self.type, "public_key": self.line, "fingerprint": self.fingerprint}


def generate(key_types: t.Iterable[str], *, now: datetime.datetime) -> str:
    """The text of a new secret. It holds private keys: pass it on, never keep it."""
    keys = {}
    for key_type in key_types:
        key = _MAKERS[key_type]()
        private = key.private_bytes(
            serialization.Encoding.PEM, serialization.PrivateFormat.OpenSSH, serialization.NoEncryption()
        )
        keys[key_type] = {"private": private.decode(), "public": _public_line(key)}
    created = now.astimezone(datetime.timezone.utc).isoformat(timespec="seconds").replace("+00:00", "Z")
    return json.dumps({"version": VERSION, "created": created, "keys": keys})


def declared(option: str, lines: t.Sequence[str]) -> tuple[PublicKey, ...]:
    """The public keys that ``option`` gives, in the order that a secret would have them.

    :raises Refused: for a line that is no plain public key of a type that we make, for two of one type, and for none.
    """
    allowed = f"one public key of each type ({', '.join(_ALGORITHMS.values())}), as in a .pub file, is allowed"
    keys: dict[str, PublicKey] = {}
    for line in lines:
        try:
            key = PublicKey.parse(parse_public(line).line)
        except ValueError:
            # A private key that was given by mistake must not end in a message.
            refuse_option(option, "a private key" if "PRIVATE KEY" in line else line, allowed)
        if key.type in keys:
            refuse_option(option, line, f"another key of type {key.type} is given too, and {allowed}")
        keys[key.type] = key
    if not keys:
        refuse_option(option, [], allowed)
    return tuple(sorted(keys.values(), key=lambda key: _rank(key.type)))


def public_half(name: str, text: str) -> tuple[PublicKey, ...]:
    """The public keys of the secret called ``name``, after a check that each private key belongs to its public one.

    :raises Refused: naming the secret and what is wrong with it, without any part of it.
    """
    try:
        data = json.loads(text)
        if data["version"] != VERSION:
            raise ValueError(f"its version is not {VERSION}")
        if not data["keys"]:
            raise ValueError("it holds no key")
        return tuple(_checked(key_type, data["keys"][key_type]) for key_type in sorted(data["keys"], key=_rank))
    except (ValueError, KeyError, TypeError, AttributeError) as error:
        raise _malformed(f"Secret {name}", error) from None  # the cause may quote the text


def published(name: str, text: str) -> tuple[PublicKey, ...]:
    """The public keys in the parameter called ``name``.

    :raises Refused: if it holds anything else.
    """
    try:
        data = json.loads(text)
        if data["version"] != VERSION:
            raise ValueError(f"its version is not {VERSION}")
        return tuple(PublicKey.parse(line) for line in data["keys"])
    except (ValueError, KeyError, TypeError, AttributeError) as error:
        raise _malformed(f"Parameter {name}", error) from None


def publication(keys: t.Iterable[PublicKey]) -> str:
    """The text of the parameter that tells the public half."""
    return json.dumps({"version": VERSION, "keys": [key.line for key in keys]})


def _checked(key_type: str, pair: t.Mapping[str, str]) -> PublicKey:
    if key_type not in KEY_TYPES:
        raise ValueError(f"a key type in it is not one of {', '.join(KEY_TYPES)}")
    public = PublicKey.parse(pair["public"])
    if public.type != key_type:
        raise ValueError(f"its {key_type} entry holds a public key of another type")
    try:
        private = serialization.load_ssh_private_key(pair["private"].encode(), password=None)
    except Exception:
        raise ValueError(f"its {key_type} private key is not an OpenSSH key without a passphrase") from None
    if _public_line(private) != public.line:
        raise ValueError(f"its {key_type} private and public keys do not belong together")
    return public


def _public_line(private: t.Any) -> str:
    public = private.public_key()
    return public.public_bytes(serialization.Encoding.OpenSSH, serialization.PublicFormat.OpenSSH).decode()


def _rank(key_type: str) -> int:
    return KEY_TYPES.index(key_type) if key_type in KEY_TYPES else len(KEY_TYPES)


def _malformed(what: str, error: Exception) -> Refused:
    # Our own words are a ValueError; those of a subclass or another type may quote the text.
    plain = type(error) is ValueError  # pylint: disable=unidiomatic-typecheck
    reason = str(error) if plain else "it does not have the documented form"
    return Refused(f"{what} is not usable: {reason}. It was left as it is; repair it or delete it.")
