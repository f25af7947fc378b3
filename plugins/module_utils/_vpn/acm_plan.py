# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# This module util is private to the collection.
"""The server certificate in ACM: what is wanted, what is there, and what leads from one to the other."""

from __future__ import annotations

import dataclasses
import re
import typing as t
from dataclasses import dataclass, field

from .._plan import KNOWN_AFTER_APPLY, Change, Plan, Refused, Step, refuse_option
from .identity import checked_range, checked_tags, checked_vpc, prefix_of
from .pki_values import Certificate

IMPORT, REIMPORT, TAG, DELETE = (
    "ImportCertificate",
    "ImportCertificateAgain",
    "AddTagsToCertificate",
    "DeleteCertificate",
)
ALLOWED = ("RSA_2048", "RSA_1024")


@dataclass(frozen=True)
class Wanted:
    """The options, checked."""

    vpc_id: str
    secret: str
    tags: t.Mapping[str, str]
    fingerprint: str | None = None
    wait_timeout: int = 900
    poll_interval: int = 10


def wanted_of(params: t.Mapping[str, t.Any]) -> Wanted:
    """
    :raises Refused: naming the option, its value and what is allowed.
    """
    vpc_id = checked_vpc(params["vpc_id"])
    fingerprint = params["fingerprint"]
    if fingerprint and fingerprint != KNOWN_AFTER_APPLY and not re.fullmatch(r"[0-9a-f]{64}", fingerprint):
        refuse_option("fingerprint", fingerprint, "64 lower-case hex digits (SHA-256) are allowed")
    return Wanted(
        vpc_id=vpc_id,
        secret=params["secret"] or f"{prefix_of(vpc_id)}/server",
        tags=checked_tags(params["tags"], vpc_id),
        fingerprint=fingerprint or None,
        wait_timeout=checked_range(params, "wait_timeout", 0, 3600),
        poll_interval=checked_range(params, "poll_interval", 1, 60),
    )


@dataclass(frozen=True)
class Imported:
    """A certificate in ACM that carries our tags."""

    arn: str
    certificate: Certificate
    chain: tuple[str, ...] = ()
    """Fingerprints."""
    in_use_by: tuple[str, ...] = ()
    tags: t.Mapping[str, str] = field(default_factory=dict)

    def to_result(self) -> dict[str, t.Any]:
        return {
            "certificate_arn": self.arn,
            "fingerprint": self.certificate.fingerprint,
            "not_after": self.certificate.not_after,
            "key_algorithm": self.certificate.key_algorithm,
            "in_use_by": list(self.in_use_by),
            "tags": dict(self.tags),
        }


@dataclass(frozen=True)
class State:
    """What is there: in the secret, and in ACM. More than one is the trace of an import whose answer was lost."""

    secret: Certificate | None = None
    chain: tuple[str, ...] = ()
    """Fingerprints."""
    imported: tuple[Imported, ...] = ()
    """The one that is kept first."""

    def to_result(self) -> dict[str, t.Any]:
        return {"client_vpn_certificate": self.imported[0].to_result() if self.imported else None}


def plan_present(wanted: Wanted, seen: State, *, check_mode: bool) -> Plan:
    """
    :raises Refused: for a key that Client VPN does not take, and a secret that does not hold what is expected.
    """
    wants = _certificate(wanted, seen, check_mode=check_mode)
    steps = [_delete(each) for each in seen.imported[1:] if not each.in_use_by]
    if not seen.imported:
        change = Change("create", f"certificate {wants.common_name}", "fingerprint", None, wants.fingerprint)
        made = Imported(KNOWN_AFTER_APPLY, wants, seen.chain, (), wanted.tags)
        return Plan(
            (*steps, Step(IMPORT, {"fingerprint": wants.fingerprint}, (change,))), State(wants, seen.chain, (made,))
        )
    have = seen.imported[0]
    resource = f"certificate {have.arn}"
    if have.certificate.fingerprint != wants.fingerprint or (seen.chain and have.chain != seen.chain):
        change = Change("update", resource, "fingerprint", have.certificate.fingerprint, wants.fingerprint)
        steps.append(Step(REIMPORT, {"arn": have.arn, "fingerprint": wants.fingerprint}, (change,)))
    added = {key: value for key, value in wanted.tags.items() if have.tags.get(key) != value}
    if added:
        changes = tuple(
            Change("update", resource, f"tags.{key}", have.tags.get(key), added[key]) for key in sorted(added)
        )
        steps.append(Step(TAG, {"arn": have.arn, "tags": added}, changes))
    after = dataclasses.replace(have, certificate=wants, chain=seen.chain, tags={**have.tags, **wanted.tags})
    return Plan(tuple(steps), State(wants, seen.chain, (after,)))


def plan_absent(seen: State) -> Plan:
    return Plan(tuple(_delete(each) for each in seen.imported), State())


def _certificate(wanted: Wanted, seen: State, *, check_mode: bool) -> Certificate:
    """The one that ACM is to hold."""
    if wanted.fingerprint == KNOWN_AFTER_APPLY and not check_mode:
        refuse_option("fingerprint", wanted.fingerprint, "it is known outside check mode")
    if seen.secret is None:
        if check_mode:
            return Certificate.to_be_made(f"in secret {wanted.secret}")
        raise Refused(f"Secret {wanted.secret} does not exist; make it with client_vpn_pki, or name another in secret.")
    if seen.secret.key_algorithm not in ALLOWED:
        raise Refused(
            f"secret: {wanted.secret!r} is not allowed, since its certificate's key is {seen.secret.key_algorithm}; "
            f"Client VPN takes {' and '.join(ALLOWED)} only."
        )
    if wanted.fingerprint == KNOWN_AFTER_APPLY:
        return Certificate.to_be_made(seen.secret.common_name)
    if wanted.fingerprint not in (None, seen.secret.fingerprint):
        raise Refused(
            f"fingerprint: {wanted.fingerprint!r} is not that of the certificate in secret {wanted.secret} "
            f"({seen.secret.fingerprint}), which was changed meanwhile; run again."
        )
    return seen.secret


def _delete(each: Imported) -> Step:
    change = Change("delete", f"certificate {each.arn}", "fingerprint", each.certificate.fingerprint)
    return Step(DELETE, {"arn": each.arn}, (change,))
