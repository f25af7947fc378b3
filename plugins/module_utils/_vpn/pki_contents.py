# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# This module util is private to the collection.
"""What the secrets of the PKI hold, as JSON.

Private keys exist only in these texts: what ``read_*`` returns has none, except :func:`private_key`.
"""

from __future__ import annotations

import json
import typing as t

from .._plan import Refused
from .._secrets import Kept
from .pki_crypto import NotReadable, read_certificate, read_crl
from .pki_model import Authority, Person, Server
from .pki_values import Crl, Revoked

VERSION = 1
LARGEST = 65536
"""Bytes that Secrets Manager takes."""


def authority_text(certificate: str, private_key: str | None, crl: Crl | None, revoked: t.Iterable[Revoked]) -> str:
    """
    :raises Refused: if it no longer fits into a secret.
    """
    text = json.dumps(
        {
            "version": VERSION,
            "certificate": certificate,
            "private_key": private_key,
            "crl": {"number": crl.number, "pem": crl.pem} if crl else None,
            "revoked": [{**each.to_result(), "not_after": each.not_after} for each in revoked],
        }
    )
    if len(text.encode()) > LARGEST:
        raise Refused(
            f"The list of revoked certificates needs {len(text.encode())} bytes, and a secret holds {LARGEST}; lower "
            "person_days so that certificates end earlier, or begin with a new authority (state=absent, force=true)."
        )
    return text


def server_text(certificate: str, private_key: str, chain: str) -> str:
    return json.dumps({"version": VERSION, "certificate": certificate, "private_key": private_key, "chain": chain})


def person_text(name: str, certificate: str, private_key: str, earlier: t.Iterable[tuple[str, str]]) -> str:
    return json.dumps(
        {
            "version": VERSION,
            "name": name,
            "certificate": certificate,
            "private_key": private_key,
            "earlier": [{"serial": serial, "not_after": not_after} for serial, not_after in earlier],
        }
    )


def read_authority(kept: Kept, text: str) -> Authority:
    """
    :raises Refused: if the secret holds something else.
    """
    data = _object(kept.name, text, "an authority")
    try:
        crl = data.get("crl")
        return Authority(
            kept=kept,
            certificate=read_certificate(data["certificate"]),
            has_key=bool(data["private_key"]),
            crl=read_crl(crl["pem"]) if crl else None,
            revoked=tuple(Revoked(*(each[key] for key in _REVOKED)) for each in data.get("revoked", ())),
        )
    except (KeyError, TypeError, AttributeError, NotReadable):
        raise _other(kept.name, "an authority") from None


def read_server(kept: Kept, text: str) -> Server:
    """
    :raises Refused: if the secret holds something else.
    """
    data = _object(kept.name, text, "a server certificate")
    try:
        return Server(kept, read_certificate(data["certificate"]), str(data["chain"] or ""))
    except (KeyError, TypeError, AttributeError, NotReadable):
        raise _other(kept.name, "a server certificate") from None


def read_person(name: str, kept: Kept, text: str) -> Person:
    """
    :raises Refused: if the secret holds something else.
    """
    what = f"the certificate of {name}"
    data = _object(kept.name, text, what)
    try:
        earlier = tuple((each["serial"], each["not_after"]) for each in data.get("earlier", ()))
        return Person(name, kept, read_certificate(data["certificate"]), earlier)
    except (KeyError, TypeError, AttributeError, NotReadable):
        raise _other(kept.name, what) from None


def private_key(name: str, text: str) -> str | None:
    """The key in a secret's text, None where an authority's key lives elsewhere. Pass it on, never keep it.

    :raises Refused: if the secret holds something else.
    """
    key = _object(name, text, "a private key").get("private_key")
    if key is not None and not isinstance(key, str):
        raise _other(name, "a private key")
    return key or None


_REVOKED = ("serial", "name", "date", "not_after")


def _object(name: str, text: str, what: str) -> dict[str, t.Any]:
    try:
        data = json.loads(text)
    except ValueError:  # its text would be the secret's
        raise _other(name, what) from None
    if not isinstance(data, dict) or data.get("version") != VERSION:
        raise _other(name, what)
    return data


def _other(name: str, what: str) -> Refused:
    return Refused(
        f"Secret {name} does not hold {what} as client_vpn_pki writes it; it was left as it is. "
        "Look at it, restore an earlier version or remove it, then run again."
    )
