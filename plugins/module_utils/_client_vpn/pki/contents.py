# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# This module util is private to the collection.
"""Builds and reads the contents of the PKI's secrets, which are JSON.

They contain private keys. Only :func:`private_key` returns a key from the content of a secret.
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
"""The maximum size of a secret in Secrets Manager, in bytes."""
FOR_REVOCATIONS = 8192
"""Bytes that new certificates must leave free, so that certificates can still be revoked."""


def authority_text(
    certificate: str,
    private_key: str | None,
    crl: Crl | None,
    revoked: t.Collection[Revoked],
    issued: t.Collection[Issued] = (),
    *,
    largest: int = LARGEST,
) -> str:
    """The content of the authority's secret.

    :raises Refused: if the content has more bytes than ``largest``.
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
            f"The {len(issued)} issued and {len(revoked)} revoked certificates that have not expired need "
            f"{len(text.encode())} bytes, but only {largest} bytes are available in the authority's secret. Lower person_days so "
            "that new certificates expire earlier, or remove the authority (state=absent, force=true) and run again."
        )
    return text


def server_text(certificate: str, private_key: str, chain: str, arn: str = "") -> str:
    recorded = {"certificate_arn": arn} if arn else {}
    return json.dumps(
        {"version": VERSION, "certificate": certificate, "private_key": private_key, "chain": chain, **recorded}
    )


def recorded_arn(text: str | None) -> str:
    """The ARN in ACM that the secret of the server certificate records; empty if it records none."""
    try:
        arn = json.loads(text or "{}").get("certificate_arn")
    except (ValueError, AttributeError):
        return ""
    return arn if isinstance(arn, str) and _ARN.fullmatch(arn) else ""


def person_text(name: str, certificate: str, private_key: str) -> str:
    return json.dumps({"version": VERSION, "name": name, "certificate": certificate, "private_key": private_key})


def read_authority(kept: Kept, text: str) -> Authority:
    """
    :raises Refused: if the secret has unexpected content.
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
    :raises Refused: if the secret has unexpected content.
    """
    data = _object(kept.name, text, "a server certificate")
    try:
        return Server(kept, read_certificate(data["certificate"]), str(data["chain"] or ""))
    except (KeyError, TypeError, AttributeError, NotReadable):
        raise _other(kept.name, "a server certificate") from None


def read_person(name: str, kept: Kept, text: str) -> Person:
    """
    :raises Refused: if the secret has unexpected content.
    """
    what = f"the certificate of {name}"
    data = _object(kept.name, text, what)
    try:
        earlier = tuple((str(each["serial"]), str(each["not_after"])) for each in data.get("earlier", ()))
        return Person(name, kept, read_certificate(data["certificate"]), earlier)
    except (KeyError, TypeError, AttributeError, NotReadable):
        raise _other(kept.name, what) from None


def private_key(name: str, text: str) -> str | None:
    """The private key in a secret; None if an authority's key is kept elsewhere. The key must not be stored.

    :raises Refused: if the secret has unexpected content.
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
    :raises NotReadable: for a text that is not a serial number in our form.
    """
    if not _SERIAL.fullmatch(text):
        raise NotReadable("it is not a serial number")
    return text


def _object(name: str, text: str, what: str) -> dict[str, t.Any]:
    try:
        data = json.loads(text)
    except ValueError:  # the error would quote the secret
        raise _other(name, what) from None
    if not isinstance(data, dict) or data.get("version") != VERSION:
        raise _other(name, what)
    return data


def _other(name: str, what: str) -> Refused:
    return Refused(
        f"Secret {name} does not contain {what} in the form of client_vpn_pki, and was not changed. "
        "Restore an earlier version of the secret or remove the secret, then run again."
    )
