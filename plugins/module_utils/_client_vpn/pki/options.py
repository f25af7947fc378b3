# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# This module util is private to the collection.
"""Builds the desired PKI from a module\'s options."""

from __future__ import annotations

import datetime
import re
import typing as t

from ..._core.failure import refuse_option
from ..identity import checked_people, checked_prefix, checked_range, checked_tags, checked_vpc
from .crypto import NotReadable, is_authority, read_certificate
from .model import Desired, Lifetimes
from .values import Certificate

_DOMAIN = re.compile(r"(?=.{1,57}$)([a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?\.)+[a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?")


def desired(params: t.Mapping[str, t.Any], *, region: str, now: datetime.datetime) -> Desired:
    """
    :raises Refused: for the first invalid option.
    """
    vpc_id = checked_vpc(params["vpc_id"])
    domain = params["domain"] or f"vpn.{region}.hyperpod.internal"
    if not _DOMAIN.fullmatch(domain):
        refuse_option("domain", domain, "a lower-case domain of at least two labels and at most 57 characters")
    people = checked_people("people", params["people"])
    revoked = checked_people("revoked", params["revoked"])
    for name in sorted(set(people) & set(revoked)):
        refuse_option("revoked", name, "names that are not in people", "it is also in people")
    lost = checked_people("lost", params["lost"])
    for name in sorted(set(lost) - set(people)):
        refuse_option("lost", name, "names in people")
    checked_range(params, "recovery_window", 7, 30)
    return Desired(
        vpc_id=vpc_id,
        prefix=checked_prefix(params["secret_prefix"], vpc_id),
        server_name=f"server.{domain}",
        now=now.replace(microsecond=0),
        state=params["state"],
        people=people,
        revoked=revoked,
        lost=lost,
        authority=_given_authority(params["authority"]),
        has_given_key=bool((params["authority"] or {}).get("private_key")),
        days=_lifetimes(params),
        tags=checked_tags(params["tags"], vpc_id),
        recovery_days=params["recovery_window"],
        force=params["force"],
    )


def _lifetimes(params: t.Mapping[str, t.Any]) -> Lifetimes:
    shortest = min(params["server_days"], params["person_days"])
    return Lifetimes(
        authority=checked_range(params, "authority_days", 1, 7300),
        server=checked_range(params, "server_days", 1, 825),
        person=checked_range(params, "person_days", 1, 3650),
        renew_before=checked_range(params, "renew_before", 0, shortest - 1),
        crl=checked_range(params, "crl_days", 1, 3650),
        crl_renew_before=checked_range(params, "crl_renew_before", 0, params["crl_days"] - 1),
    )


def _given_authority(given: t.Mapping[str, t.Any] | None) -> Certificate | None:
    if given is None:
        return None
    subject = "authority.certificate"
    try:
        found = read_certificate(given["certificate"])
    except NotReadable as error:  # the value may be a private key, so it is not shown
        refuse_option(subject, "(not shown)", "one certificate of an authority in PEM", str(error))
    if not is_authority(found):
        refuse_option(subject, found.common_name, "the certificate of an authority (basic constraint CA)")
    if found.key_algorithm != "RSA_2048":
        refuse_option(subject, found.key_algorithm, "RSA with 2048 bits")
    return found
