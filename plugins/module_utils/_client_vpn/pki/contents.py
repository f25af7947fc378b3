# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# This module util is private to the collection.
"""Contents of the secrets of the PKI, as JSON.

Private keys exist only in these texts: no ``read_*`` function returns one, except :func:`private_key`.
"""

from __future__ import annotations

import json
import re
import typing as t

from ..._aws.secrets import Kept
from ..._core.failure import Refused
from .crypto import NotReadable, read_certificate, read_crl
from .model import Authority, Person, Server
from .values import Crl, Issued, Revoked

VERSION = 1
LARGEST = 65536
"""Bytes that Secrets Manager takes."""
FOR_REVOCATIONS = 8192
"""Bytes that new certificates leave free, so that some can be revoked in any case."""


def authority_text(
    certificate: str,
    private_key: str | None,
    crl: Crl | None,
    revoked: t.Collection[Revoked],
    issued: t.Collection[Issued] = (),
    *,
    largest: int = LARGEST,
) -> str:
    """
    :raises Refused: if it takes more bytes than ``largest``.
    """
    ledger: dict[str, dict[str, str]] = {}
    for each in issued:
        ledger.setdefault(each.name, {})[each.serial] = each.not_after
    text = json.dumps(
        {
            "version": VERSION,
            "certificate": certificate,
            "private_key": private_key,
            "crl": {"number": crl.number, "pem": crl.pem} if crl else None,
            "revoked": [{**each.to_result(), "not_after": each.not_after} for each in revoked],
            "issued": ledger,
        }
    )
    if len(text.encode()) > largest:
        raise Refused(
            f"The {len(issued)} issued and {len(revoked)} revoked certificates that have not ended need "
            f"{len(text.encode())} bytes, but the authority's secret holds at most {largest}; lower person_days so that "
            "certificates end earlier, or start a new authority (state=absent, force=true)."
        )
    return text


def server_text(certificate: str, private_key: str, chain: str, arn: str = "") -> str:
    recorded = {"certificate_arn": arn} if arn else {}
    return json.dumps(
        {"version": VERSION, "certificate": certificate, "private_key": private_key, "chain": chain, **recorded}
    )


def recorded_arn(text: str | None) -> str:
    """The certificate in ACM that the server certificate in a secret was brought to; empty where none is noted."""
    try:
        arn = json.loads(text or "{}").get("certificate_arn")
    except (ValueError, AttributeError):
        return ""
    return arn if isinstance(arn, str) and _ARN.fullmatch(arn) else ""


def person_text(name: str, certificate: str, private_key: str) -> str:
    return json.dumps({"version": VERSION, "name": name, "certificate": certificate, "private_key": private_key})


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
            revoked=tuple(_revoked(each) for each in data.get("revoked", ())),
            issued=tuple(
                Issued(name, _serial(serial), str(not_after))
                for name, certificates in data.get("issued", {}).items()
                for serial, not_after in certificates.items()
            ),
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
        earlier = tuple((str(each["serial"]), str(each["not_after"])) for each in data.get("earlier", ()))
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


_ARN = re.compile(r"arn:[a-z-]+:acm:[a-z0-9-]+:\d{12}:certificate/[0-9a-zA-Z-]+")
_SERIAL = re.compile(r"[0-9a-f]{1,40}")


def _revoked(each: t.Mapping[str, str]) -> Revoked:
    return Revoked(_serial(each["serial"]), each["name"], each["date"], each["not_after"])


def _serial(text: str) -> str:
    """
    :raises NotReadable: for anything but a serial number as we write it.
    """
    if not _SERIAL.fullmatch(text):
        raise NotReadable("it is not a serial number")
    return text


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
        f"Secret {name} does not hold {what} as client_vpn_pki writes it; it was not changed. "
        "Restore an earlier version or remove it, then run again."
    )
