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

from ..._core.failure import Refused, refuse_option
from ..._core.plan import KNOWN_AFTER_APPLY, Change, Plan, Step
from ..identity import checked_range, checked_tags, checked_vpc, prefix_of
from ..pki.crypto import is_issued_by
from ..pki.values import Certificate

IMPORT, REIMPORT, RECORD, TAG, DELETE = (
    "ImportCertificate",
    "ImportCertificateAgain",
    "RecordCertificate",
    "AddTagsToCertificate",
    "DeleteCertificate",
)
_CLIENT_VPN = re.compile(r"client-?vpn")
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
    """A certificate in ACM that is recorded in our secret, or carries our tags, which anybody may have set."""

    arn: str
    certificate: Certificate
    chain: tuple[str, ...] = ()
    """Fingerprints."""
    in_use_by: tuple[str, ...] = ()
    tags: t.Mapping[str, str] = field(default_factory=dict)

    @property
    def used_elsewhere(self) -> tuple[str, ...]:
        """What else in the account uses it. AWS's own accounts may stand behind an endpoint."""
        account = self.arn.split(":")[4:5]
        return tuple(
            each for each in self.in_use_by if each.split(":")[4:5] == account and not _CLIENT_VPN.search(each.lower())
        )

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
    """What is there: in the secret, and in ACM."""

    secret: Certificate | None = None
    chain: tuple[str, ...] = ()
    """Fingerprints."""
    imported: tuple[Imported, ...] = ()
    recorded: str = ""
    """ARN in the secret."""
    authorities: tuple[Certificate, ...] = ()
    """The chain itself."""

    @property
    def ours(self) -> tuple[Imported, ...]:
        """The one that is kept first; more are traces of imports whose answers were lost. Tags alone make none ours."""
        known = [each for each in self.imported if self._is_ours(each)]
        known.sort(key=lambda each: (each.arn != self.recorded, bool(each.used_elsewhere), not each.in_use_by))
        return tuple(known)

    def _is_ours(self, each: Imported) -> bool:
        own = self.secret is not None and each.certificate.fingerprint == self.secret.fingerprint
        issued = any(is_issued_by(each.certificate, authority) for authority in self.authorities)
        return each.arn == self.recorded or own or issued

    def to_result(self) -> dict[str, t.Any]:
        return {"client_vpn_certificate": self.ours[0].to_result() if self.ours else None}


def plan_present(wanted: Wanted, seen: State, *, check_mode: bool) -> Plan:
    """
    :raises Refused: for a key that Client VPN does not take, a secret that does not hold what is expected, and a
        certificate that something else uses.
    """
    wants = _certificate(wanted, seen, check_mode=check_mode)
    # Where check mode foresees the secret, it can't know the issuer, and changes nothing.
    ours = seen.imported if seen.secret is None else seen.ours
    notes = _notes(wanted, seen, ours)
    steps = [_delete(each) for each in ours[1:] if not each.in_use_by]
    if not ours:
        change = Change("create", f"certificate {wants.common_name}", "fingerprint", None, wants.fingerprint)
        made = Imported(KNOWN_AFTER_APPLY, wants, seen.chain, (), wanted.tags)
        importing = Step(IMPORT, {"fingerprint": wants.fingerprint}, (change,))
        return Plan((*steps, importing), State(wants, seen.chain, (made,), made.arn), notes)
    have = ours[0]
    resource = f"certificate {have.arn}"
    if have.certificate.fingerprint != wants.fingerprint or (seen.chain and have.chain != seen.chain):
        _refuse_used(have)
        change = Change("update", resource, "fingerprint", have.certificate.fingerprint, wants.fingerprint)
        steps.append(Step(REIMPORT, {"arn": have.arn, "fingerprint": wants.fingerprint}, (change,)))
    added = {key: value for key, value in wanted.tags.items() if have.tags.get(key) != value}
    if added:
        changes = tuple(
            Change("update", resource, f"tags.{key}", have.tags.get(key), added[key]) for key in sorted(added)
        )
        steps.append(Step(TAG, {"arn": have.arn, "tags": added}, changes))
    if seen.recorded != have.arn and seen.secret is not None:
        change = Change("update", f"secret {wanted.secret}", "certificate_arn", seen.recorded or None, have.arn)
        steps.append(Step(RECORD, {"arn": have.arn}, (change,)))
    after = dataclasses.replace(have, certificate=wants, chain=seen.chain, tags={**have.tags, **wanted.tags})
    return Plan(tuple(steps), State(wants, seen.chain, (after,), have.arn), notes)


def plan_absent(wanted: Wanted, seen: State) -> Plan:
    """
    :raises Refused: for a certificate that something else uses.
    """
    for each in seen.ours:
        _refuse_used(each)
    return Plan(tuple(_delete(each) for each in seen.ours), State(), _notes(wanted, seen, seen.ours))


def _refuse_used(have: Imported) -> None:
    if have.used_elsewhere:
        raise Refused(
            f"Certificate {have.arn} is in use by {', '.join(have.used_elsewhere)}, which is no client VPN endpoint; "
            "it was left as it is. Let that use another certificate, then run again."
        )


def _notes(wanted: Wanted, seen: State, ours: tuple[Imported, ...]) -> tuple[str, ...]:
    return tuple(
        f"Certificate {each.arn} carries the tags of the client VPN of {wanted.vpc_id}, but the authority in secret "
        f"{wanted.secret} did not issue it and the secret does not name it; it was left as it is."
        for each in seen.imported
        if each not in ours
    )


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
