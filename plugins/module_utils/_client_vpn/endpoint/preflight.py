# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# This module util is private to the collection.
"""What AWS would refuse, or accept and never work, is refused here before anything changes: pure, no I/O."""

from __future__ import annotations

import ipaddress
import re
import typing as t

from ..._core.failure import Refused
from ..._core.plan import KNOWN_AFTER_APPLY
from .model import ASSOCIATE_ORIGIN, Certificate, Desired, Endpoint, Settings, State, Subnet
from .settings import SETTINGS

SMALLEST_SUBNET = 27
FREE_ADDRESSES = 20
KEYS = ("RSA_1024", "RSA_2048")
EVERYWHERE = "0.0.0.0/0"
NEEDED = ("server_certificate_arn", "authentication", "client_cidr")

_DOMAIN = re.compile(r"^(\*\.)?([A-Za-z0-9]([A-Za-z0-9-]*[A-Za-z0-9])?\.)+[A-Za-z0-9-]+$")


def immutable_differences(desired: Desired, found: Endpoint) -> list[str]:
    """Options that AWS cannot change and that are not as they should be."""
    return [
        each.option
        for each in SETTINGS
        if each.immutable
        and each.option in desired.settings
        and not each.same(found.settings.get(each.option), desired.settings[each.option])
    ]


def refuse_immutable(desired: Desired, found: Endpoint) -> None:
    """:raises Refused: naming the first such option."""
    for option in immutable_differences(desired, found):
        have, want = found.settings.get(option), desired.settings[option]
        raise Refused(
            f"{option}: {desired.resource} has {_shown(have)} and AWS cannot change it to {_shown(want)}; "
            "set recreate to make the endpoint anew, then every profile must be handed out again."
        )


def check_creation(desired: Desired, state: State) -> None:
    """:raises Refused: when something is missing without which no endpoint can be made."""
    for option in NEEDED:
        if not desired.settings.get(option):
            raise Refused(f"{option}: {desired.resource} does not exist yet and cannot be created without.")
    if state.others >= desired.quota:
        raise Refused(
            f"endpoint_quota: the account has {state.others} Client VPN endpoints in this region and may have "
            f"{desired.quota}; remove one, or raise the quota in Service Quotas and say so here."
        )


def check(desired: Desired, state: State, found: Endpoint | None) -> None:
    """Checks that hold for a new and for an existing endpoint; ``found`` has what is kept.

    :raises Refused: for the first that fails.
    """
    if state.vpc is None:
        raise Refused(f"vpc_id: {desired.vpc_id} does not exist in this account and region.")
    if state.vpc.tenancy == "dedicated":
        raise Refused(f"vpc_id: {desired.vpc_id} has dedicated tenancy, which Client VPN does not support.")
    after = {**(found.settings if found else {}), **desired.settings}
    _check_portal(after)
    _check_client_cidr(desired, state, found, after)
    _check_subnets(desired, state, found)
    _check_routes(desired, found, after)
    _check_certificates(desired, state)


def _check_portal(after: Settings) -> None:
    kinds = [way["type"] for way in after.get("authentication", ())]
    if after.get("self_service_portal") and kinds == ["certificate"]:
        raise Refused(
            "self_service_portal: True is not allowed; AWS has no portal for endpoints with certificates only."
        )


def _check_client_cidr(desired: Desired, state: State, found: Endpoint | None, after: Settings) -> None:
    if not after.get("client_cidr"):
        return
    clients = ipaddress.IPv4Network(after["client_cidr"])
    for cidr in state.vpc.cidrs if state.vpc else ():
        if clients.overlaps(ipaddress.IPv4Network(cidr)):
            raise Refused(f"client_cidr: {clients} is not allowed; it overlaps {cidr} of {desired.vpc_id}.")
    kept = [each for each in (found.routes if found else ()) if each.origin != ASSOCIATE_ORIGIN]
    for route in [*kept, *(desired.routes or ())]:
        if route.cidr != EVERYWHERE and clients.overlaps(ipaddress.IPv4Network(route.cidr)):
            raise Refused(f"client_cidr: {clients} is not allowed; it overlaps the route to {route.cidr}.")


def _check_subnets(desired: Desired, state: State, found: Endpoint | None) -> None:
    if desired.subnets is None:
        return
    there = found.subnets if found else ()
    kept = () if desired.purge_subnets else there
    taken: dict[str, str] = {}
    for subnet_id in dict.fromkeys((*kept, *desired.subnets)):
        subnet = state.subnets.get(subnet_id)
        if subnet is None:
            raise Refused(f"subnets: {subnet_id} does not exist in this account and region.")
        if subnet.vpc_id != desired.vpc_id:
            raise Refused(f"subnets: {subnet_id} is in {subnet.vpc_id}, not in {desired.vpc_id}.")
        if subnet.zone in taken:
            raise Refused(
                f"subnets: {taken[subnet.zone]} and {subnet_id} are both in {subnet.zone}; one subnet a zone"
                + ("." if desired.purge_subnets else ", and purge_subnets takes away those that are not listed.")
            )
        taken[subnet.zone] = subnet_id
        if subnet_id not in there:
            _check_room(subnet)


def _check_room(subnet: Subnet) -> None:
    size = ipaddress.IPv4Network(subnet.cidr).prefixlen
    if size > SMALLEST_SUBNET:
        raise Refused(
            f"subnets: {subnet.id} is a /{size}; a target network needs a subnet of at least /{SMALLEST_SUBNET}."
        )
    if subnet.free < FREE_ADDRESSES:
        raise Refused(
            f"subnets: {subnet.id} has {subnet.free} free addresses; a target network needs {FREE_ADDRESSES}."
        )


def _check_routes(desired: Desired, found: Endpoint | None, after: Settings) -> None:
    kept = () if desired.purges_subnets or found is None else found.subnets
    usable = {*kept, *(desired.subnets or ())}
    for route in desired.routes or ():
        if route.subnet not in usable:
            raise Refused(f"routes.subnet: {route.subnet} is not allowed; it is not a target network of the endpoint.")
        if route.cidr == EVERYWHERE and after.get("split_tunnel", True):
            raise Refused(
                f"routes.cidr: {EVERYWHERE} is not allowed with split_tunnel; it would take all traffic of the devices."
            )


def _check_certificates(desired: Desired, state: State) -> None:
    server = desired.settings.get("server_certificate_arn", "")
    roots = [
        way["client_root_certificate_arn"]
        for way in desired.settings.get("authentication", ())
        if way["type"] == "certificate"
    ]
    for option, arn in (
        ("server_certificate_arn", server),
        *(("authentication.client_root_certificate_arn", each) for each in roots),
    ):
        if arn == KNOWN_AFTER_APPLY or arn not in state.certificates:
            continue
        certificate = state.certificates[arn]
        if certificate is None:
            raise Refused(f"{option}: {arn} does not exist in this account and region.")
        _check_certificate(option, certificate, server=option == "server_certificate_arn")


def _check_certificate(option: str, certificate: Certificate, *, server: bool) -> None:
    if certificate.status != "ISSUED":
        raise Refused(f"{option}: {certificate.arn} is not allowed; its state is {certificate.status}, not ISSUED.")
    if certificate.key_algorithm not in KEYS:
        raise Refused(
            f"{option}: {certificate.arn} is not allowed; its key is {certificate.key_algorithm}, and Client VPN takes "
            "RSA keys of 1024 and 2048 bits only."
        )
    if server and not any(_DOMAIN.match(name) for name in certificate.names):
        raise Refused(
            f"{option}: {certificate.arn} is not allowed; it is for {', '.join(certificate.names) or 'no name'}, and "
            "Client VPN takes a name in domain form only, such as server.vpn.example.com."
        )


def _shown(value: t.Any) -> str:
    return repr([dict(each) for each in value] if isinstance(value, tuple) else value)
