# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# This module util is private to the collection.
"""Reads the endpoint of a VPC and its dependencies, after a wait for changes that AWS is making."""

from __future__ import annotations

import dataclasses
import typing as t
import uuid

from ..._core.failure import Refused
from ..._core.plan import KNOWN_AFTER_APPLY
from ..._core.waits import ANSWERS, Waits, repeated
from ..api import Certificates, ClientVpn
from ..identity import identity_tags
from ..statuses import DELETED, ENDPOINT, NETWORK, ROUTE, RULE
from .model import Certificate, Desired, Endpoint, State
from .preflight import immutable_differences


class Observer:
    """Reads the endpoint of a VPC. ``waits`` is None if the observer must not wait, as in check mode."""

    def __init__(
        self,
        vpn: ClientVpn,
        certificates: t.Callable[[], Certificates],
        desired: Desired,
        *,
        waits: Waits | None,
        made: t.Callable[[], str] = str,
    ) -> None:
        self.vpn = vpn
        self.certificates = certificates
        """Called only if a certificate is not used by the endpoint yet."""
        self.desired = desired
        self.waits = waits
        self.made = made
        """The ID of the endpoint that this run created, which a listing returns only after a moment."""
        self.generation = uuid.uuid4().hex
        self.removed: Endpoint | None = None
        """The endpoint to remove, from an earlier read of this run. EC2 may omit it from the next listing."""

    def __call__(self) -> State:
        return self._present() if self.desired.present else self._absent()

    def _present(self) -> State:
        """The current state. If waiting is allowed, first waits until no change is in progress."""
        desired = self.desired
        ours, everything = self._find()
        found = self._settled(ours)
        subnets: set[str] = set()
        if desired.subnets is not None or desired.recreate:
            subnets = {*(desired.subnets or ()), *(found.subnets if found else ())}
        return State(
            vpc=self.vpn.vpc(desired.vpc_id),
            endpoint=found,
            others=sum(not each.ended for each in everything if found is None or each.id != found.id),
            generation=self.generation,
            subnets=self.vpn.subnets(subnets),
            certificates=self._new_certificates(found),
            connections=self.vpn.connections(found.id) if found else (),
            revocation_list=self._revocation_list(found),
        )

    def _absent(self) -> State:
        """The current state. After a deletion, waits until the network interfaces, which use the security groups, are removed."""
        ours, everything = self._find()
        found = self._settled(ours)
        if found is not None:
            self.removed = found
            return State(endpoint=found, connections=self.vpn.connections(found.id))
        ended = {each.id: each for each in everything if each.ended and self._is_ours(each)}
        if self.removed is not None:
            ended.setdefault(self.removed.id, self.removed)
        self._wait_until_gone(list(ended.values()), everything)
        return State()

    def _find(self) -> tuple[Endpoint | None, list[Endpoint]]:
        everything, made = self.vpn.endpoints(), self.made()
        if made and self.waits is not None and made not in [each.id for each in everything]:
            new = self.waits.until(
                lambda: self.vpn.endpoint(made),
                done=lambda found: found is not None,
                subject=self.desired.resource,
                state=lambda found: "created, but not returned by EC2,",
            )
            everything.append(t.cast(Endpoint, new))
        ours = [each for each in everything if self._is_ours(each) and not each.ended]
        if len(ours) > 1:
            raise Refused(
                f"vpc_id: {self.desired.vpc_id} has more than one endpoint with the tags of its Client VPN "
                f"({', '.join(each.id for each in ours)}). Delete the superfluous endpoints, or remove the tags from them.",
                option="vpc_id",
            )
        return (ours[0] if ours else None), everything

    def _is_ours(self, endpoint: Endpoint) -> bool:
        return identity_tags(self.desired.vpc_id).items() <= endpoint.tags.items()

    def _settled(self, found: Endpoint | None) -> Endpoint | None:
        """The endpoint with its parts. If waiting is allowed, first waits until no part is changing."""
        if found is None:
            return None
        if self.waits is None:
            return self.vpn.complete(found)
        bare, missed = found, 0

        def looked() -> Endpoint:
            """The endpoint. One empty reply does not count as a deletion, because the run would create a second endpoint."""
            nonlocal missed
            there = self.vpn.endpoint(bare.id)
            missed = 0 if there else missed + 1
            state = DELETED if missed >= ANSWERS else "pending"
            return self.vpn.complete(there) if there else dataclasses.replace(bare, status=state)

        settled = self.waits.until(
            looked,
            done=lambda seen: seen.ended or not under_way(seen),
            subject=self.desired.resource,
            state=lambda seen: f"busy ({', '.join(under_way(seen))})",
        )
        return None if settled.ended else settled

    def _new_certificates(self, found: Endpoint | None) -> dict[str, Certificate | None]:
        """The certificates that the endpoint does not use yet. AWS has already accepted the others."""
        wanted = _certificate_arns(self.desired.settings)
        used = _certificate_arns(found.settings) if found else set()
        new = sorted(wanted - used - {KNOWN_AFTER_APPLY})
        if not new:
            return {}
        acm = self.certificates()
        return {arn: acm.certificate(arn) for arn in new}

    def _revocation_list(self, found: Endpoint | None) -> str:
        if found is None or not self.desired.recreate or not immutable_differences(self.desired, found):
            return ""
        return self.vpn.revocation_list(found.id)[0]

    def _wait_until_gone(self, ended: list[Endpoint], everything: list[Endpoint]) -> None:
        waits = self.waits
        if not ended or waits is None:
            return
        for endpoint in ended:
            wait_until_deleted(self.vpn, endpoint.id, waits, about=self.desired.resource)
        groups = {group for each in ended for group in each.settings.get("security_groups", ())}
        live = [each for each in everything if not each.ended]
        shared = {group for each in live for group in each.settings.get("security_groups", ())}
        if not groups - shared:
            # AWS does not return which interfaces belong to a different endpoint with the same security groups.
            return
        waits.until(
            lambda: self.vpn.interfaces(self.desired.vpc_id, groups - shared),
            done=lambda interfaces: not interfaces,
            subject=f"{self.desired.resource} (deleted)",
            state=lambda interfaces: f"using the network interfaces {', '.join(interfaces)}",
        )


def wait_until_deleted(vpn: ClientVpn, endpoint_id: str, waits: Waits, *, about: str) -> None:
    waits.until(
        lambda: vpn.endpoint(endpoint_id),
        done=lambda found: found is None or found.status == DELETED,
        failed=repeated(lambda found: None if found and found.ended else "it was not deleted; run again"),
        subject=about,
        state=lambda found: found.status if found else "deleted",
    )


def under_way(endpoint: Endpoint) -> list[str]:
    """Descriptions of the parts that AWS is changing."""
    words = [f"the endpoint {endpoint.status}"] if ENDPOINT.is_busy(endpoint.status) else []
    words += [
        f"target network {each.subnet_id} {each.status}" for each in endpoint.networks if NETWORK.is_busy(each.status)
    ]
    words += [f"{each.name} {each.status}" for each in endpoint.rules if RULE.is_busy(each.status)]
    return words + [f"{each.name} {each.status}" for each in endpoint.routes if ROUTE.is_busy(each.status)]


def _certificate_arns(settings: t.Mapping[str, t.Any]) -> set[str]:
    roots = (way.get("client_root_certificate_arn", "") for way in settings.get("authentication", ()))
    return {arn for arn in (settings.get("server_certificate_arn", ""), *roots) if arn}
