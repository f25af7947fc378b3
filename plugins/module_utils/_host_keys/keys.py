# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# This module util is private to the collection.
"""The SSH host keys that all login nodes of a cluster share: generation, parsing and checks.

Private keys exist only in the text of the secret. In this file, only :func:`generate`, :func:`rotated` and :func:`content` handle
this text. The other functions store, compare and return public keys.
"""

from __future__ import annotations

import datetime
import json
import typing as t
from dataclasses import dataclass, field

from .._core.failure import Refused, refuse_option
from .._core.plan import KNOWN_AFTER_APPLY
from .._core.times import iso_seconds
from .._ssh.public_key import GENERATED, HOST_KEY_TYPES, PublicKey
from . import rotation

try:
    from cryptography.hazmat.primitives import serialization
    from cryptography.hazmat.primitives.asymmetric import ec, ed25519, rsa

    HAS_CRYPTOGRAPHY = True
except ImportError:  # the module reports the missing library
    HAS_CRYPTOGRAPHY = False

VERSION = 1
_MAKERS: dict[str, t.Callable[[], t.Any]] = {
    # The names are looked up at the call, because cryptography may be missing.
    "ed25519": lambda: ed25519.Ed25519PrivateKey.generate(),  # pylint: disable=unnecessary-lambda  # noqa: PLW0108
    "ecdsa": lambda: ec.generate_private_key(ec.SECP256R1()),
    "rsa": lambda: rsa.generate_private_key(public_exponent=65537, key_size=3072),
}


@dataclass(frozen=True)
class KeyToCome:
    """A host key that does not exist yet; only its type is known."""

    type: str
    line: str = field(default=KNOWN_AFTER_APPLY, init=False)
    fingerprint: str = field(default=KNOWN_AFTER_APPLY, init=False)

    def to_result(self) -> dict[str, str]:
        return {"type": self.type, "public_key": self.line, "fingerprint": self.fingerprint}


HostKey = t.Union[PublicKey, KeyToCome]


@dataclass(frozen=True)
class Publication:
    """The public keys that login nodes present or may present, as the cluster's parameter in Parameter Store contains them."""

    keys: tuple[HostKey, ...]
    next: tuple[HostKey, ...] = ()
    """Keys of the next set, which are announced during a rotation."""
    previous: tuple[HostKey, ...] = ()
    """Keys of the previous set. After a rotation, a node presents these keys until a run has configured the node."""


def generate(key_types: t.Iterable[str], *, now: datetime.datetime) -> str:
    """The text of a new secret. The text contains private keys. Only pass it on; do not store it."""
    return json.dumps(
        {"version": VERSION, "generation": 1, "created": iso_seconds(now), "keys": _generated(key_types)}
    )


def rotated(name: str, text: str, kind: str, *, seen: rotation.Content, now: datetime.datetime) -> str:
    """The text of the secret after a rotation. The text contains private keys. Only pass it on; do not store it.

    :raises Refused: if the secret's content differs from ``seen``.
    """
    if content(name, text) != seen:
        raise Refused(f"Secret {name} was changed concurrently. Run again.")
    data = json.loads(text)
    made = _generated(data["keys"]) if rotation.makes_keys(kind) else None
    return json.dumps(rotation.arrange(data, kind, now=iso_seconds(now), made=made))


def _generated(key_types: t.Iterable[str]) -> dict[str, dict[str, str]]:
    keys = {}
    for key_type in key_types:
        key = _MAKERS[key_type]()
        private = key.private_bytes(
            serialization.Encoding.PEM, serialization.PrivateFormat.OpenSSH, serialization.NoEncryption()
        )
        keys[key_type] = {"private": private.decode(), "public": _public_line(key)}
    return keys


def declared(option: str, lines: t.Sequence[str]) -> tuple[PublicKey, ...]:
    """The public keys in the option ``option``, in the order in which a secret would contain them.

    :raises Refused: for an empty list, for two keys of one type, and for a line that is not a plain public key of a supported type.
    """
    allowed = f"one public key of each type ({', '.join(GENERATED.values())}), as in a .pub file"
    keys: dict[str, PublicKey] = {}
    for line in lines:
        try:
            key = _generated_type(PublicKey.parse(line).line)
        except ValueError:
            refuse_option(option, line, allowed)
        if key.type in keys:
            refuse_option(option, line, allowed, f"another key of type {key.type} is also given")
        keys[key.type] = key
    if not keys:
        refuse_option(option, [], allowed)
    return tuple(sorted(keys.values(), key=lambda key: _rank(key.type)))


def public_half(name: str, text: str) -> tuple[HostKey, ...]:
    """The public keys of secret ``name``, after the checks of :func:`content`."""
    return public_keys(content(name, text))


def public_keys(of_set: rotation.Content | None) -> tuple[HostKey, ...]:
    """The public keys of a set, in a fixed order. The set must have been checked or predicted."""
    pairs = of_set["keys"] if of_set else {}
    lines = {key_type: pairs[key_type]["public"] for key_type in sorted(pairs, key=_rank)}
    return tuple(
        KeyToCome(key_type) if line == KNOWN_AFTER_APPLY else _generated_type(line)
        for key_type, line in lines.items()
    )


def to_be_made(key_types: t.Iterable[str]) -> rotation.Content:
    """The predicted keys of a set that does not exist yet."""
    return {key_type: {"public": KNOWN_AFTER_APPLY, "private": KNOWN_AFTER_APPLY} for key_type in key_types}


def content(name: str, text: str) -> rotation.Content:
    """The content of secret ``name``, without private keys. Checks that each private key matches its public key.

    :raises Refused: if the secret is not usable. The message describes the problem and contains no part of the secret's content.
    """
    try:
        data = json.loads(text)
        if data["version"] != VERSION:
            raise ValueError(f"its version is not {VERSION}")
        for of_set in (data, data.get("next"), data.get("previous")):
            if of_set is not None:
                _check_set(of_set, needs_private=of_set is not data.get("previous"))
        return rotation.view(data)
    except (ValueError, KeyError, TypeError, AttributeError) as error:
        raise _malformed(f"Secret {name}", error) from None  # the cause may contain the text


def published(name: str, text: str) -> Publication:
    """The public keys in parameter ``name``.

    :raises Refused: if the parameter is not usable.
    """
    try:
        data = json.loads(text)
        if data["version"] != VERSION:
            raise ValueError(f"its version is not {VERSION}")
        sets = (data["keys"], data.get("next", ()), data.get("previous", ()))
        return Publication(*(tuple(map(_generated_type, lines)) for lines in sets))
    except (ValueError, KeyError, TypeError, AttributeError) as error:
        raise _malformed(f"Parameter {name}", error) from None


def publication(public: Publication) -> str:
    """The text of the parameter with the public keys."""
    others = {name: keys for name, keys in (("next", public.next), ("previous", public.previous)) if keys}
    sets = {name: [key.line for key in keys] for name, keys in {"keys": public.keys, **others}.items()}
    return json.dumps({"version": VERSION, **sets})


def _generated_type(line: str) -> PublicKey:
    """Parse a host key.

    :raises ValueError: if the line is not a plain public key of a type that this collection generates.
    """
    words = line.split()
    if len(words) < 2:
        raise ValueError("one of its public keys lacks the second word")
    if words[0] not in GENERATED.values():
        raise ValueError("the algorithm of one of its keys is not one of " + ", ".join(GENERATED.values()))
    return PublicKey.parse(" ".join(words[:2]))


def _check_set(of_set: t.Mapping[str, t.Any], *, needs_private: bool) -> None:
    if not of_set["keys"]:
        raise ValueError("it contains no key")
    for key_type, pair in of_set["keys"].items():
        if key_type not in HOST_KEY_TYPES:
            raise ValueError(f"one of its key types is not one of {', '.join(HOST_KEY_TYPES)}")
        _check_pair(key_type, pair, needs_private=needs_private)


def _check_pair(key_type: str, pair: t.Mapping[str, str], *, needs_private: bool) -> None:
    public = _generated_type(pair["public"])
    if public.type != key_type:
        raise ValueError(f"its {key_type} entry contains a public key of a different type")
    if not needs_private and "private" not in pair:
        return
    try:
        private = serialization.load_ssh_private_key(pair["private"].encode(), password=None)
    except Exception:
        raise ValueError(f"its {key_type} private key is not an OpenSSH key without a passphrase") from None
    if _public_line(private) != public.line:
        raise ValueError(f"its {key_type} private and public keys do not match")


def _public_line(private: t.Any) -> str:
    public = private.public_key()
    return public.public_bytes(serialization.Encoding.OpenSSH, serialization.PublicFormat.OpenSSH).decode()


def _rank(key_type: str) -> int:
    return HOST_KEY_TYPES.index(key_type) if key_type in HOST_KEY_TYPES else len(HOST_KEY_TYPES)


def _malformed(what: str, error: Exception) -> Refused:
    # A plain ValueError has our own message. The message of a subclass or of a different exception may quote the text.
    plain = type(error) is ValueError  # pylint: disable=unidiomatic-typecheck
    reason = str(error) if plain else "it does not have the documented form"
    return Refused(f"{what} is not usable: {reason}. It was not changed. Repair it or delete it.")
