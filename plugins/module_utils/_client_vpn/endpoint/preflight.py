# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# This module util is private to the collection.
"""Refuses, before anything changes, settings that AWS would refuse or that would never work. No I/O."""

from __future__ import annotations

import ipaddress
import re
import typing as t

from ..._core.failure import Refused, refuse_option
from ..._core.plan import KNOWN_AFTER_APPLY
from .model import ASSOCIATE_ORIGIN, Certificate, Desired, Endpoint, Settings, State, Subnet
from .settings import SETTINGS

SMALLEST_SUBNET = 27
FREE_ADDRESSES = 20
KEYS = ("RSA_1024", "RSA_2048")
EVERYWHERE = "0.0.0.0/0"
NEEDED = ("server_certificate_arn", "authentication", "client_cidr")

_MISSING = "it does not exist in this account and Region"
_VPCS = "a VPC with default tenancy"
_FREE = "a network that overlaps neither the VPC nor a route"
_DOMAIN = re.compile(r"^(\*\.)?([A-Za-z0-9]([A-Za-z0-9-]*[A-Za-z0-9])?\.)+[A-Za-z0-9-]+$")


def immutable_differences(desired: Desired, found: Endpoint) -> list[str]:
    """Options that AWS cannot change and whose values differ."""
    return [
        each.option
        for each in SETTINGS
        if each.immutable
        and each.option in desired.settings
        and not each.same(found.settings.get(each.option), desired.settings[each.option])
    ]


def refuse_immutable(desired: Desired, found: Endpoint) -> None:
    """:raises Refused: for the first option that differs and that AWS cannot change."""
    for option in immutable_differences(desired, found):
        have, want = _plain(found.settings.get(option)), _plain(desired.settings[option])
        refuse_option(
            option,
            want,
            f"{have!r}, or any value with recreate, which replaces the endpoint and requires new profiles for all users",
            f"{desired.resource} has {have!r}, and AWS cannot change that",
        )


def check_creation(desired: Desired, state: State) -> None:
    """:raises Refused: for a missing option that a new endpoint requires, and for too many endpoints."""
    for option in NEEDED:
        if not desired.settings.get(option):
            text = f"{option}: missing; {desired.resource} does not exist, and a new endpoint requires this option."
            raise Refused(text, option=option)
    if state.others >= desired.quota:
        refuse_option(
            "endpoint_quota",
            desired.quota,
            f"{state.others + 1} or more if Service Quotas grants as many, or the current value after the removal of an endpoint",
            f"the account's number of Client VPN endpoints in this Region is already {state.others}",
        )


def check(desired: Desired, state: State, found: Endpoint | None) -> None:
    """Check a new or existing endpoint. ``found``, the existing one, has the settings that the options omit.

    :raises Refused: for the first failed check.
    """
    if state.vpc is None:
        refuse_option("vpc_id", desired.vpc_id, _VPCS, _MISSING)
    if state.vpc.tenancy == "dedicated":
        refuse_option("vpc_id", desired.vpc_id, _VPCS, "it has dedicated tenancy, which Client VPN does not support")
    after = {**(found.settings if found else {}), **desired.settings}
    _check_portal(after)
    _check_client_cidr(desired, state, found, after)
    _check_subnets(desired, state, found)
    _check_routes(desired, found, after)
    _check_certificates(desired, state)


def _check_portal(after: Settings) -> None:
    kinds = [way["type"] for way in after.get("authentication", ())]
    if after.get("self_service_portal") and kinds == ["certificate"]:
        refuse_option("self_service_portal", True, "false", "AWS has no portal for endpoints that use only certificates")


def _check_client_cidr(desired: Desired, state: State, found: Endpoint | None, after: Settings) -> None:
    if not after.get("client_cidr"):
        return
    clients = ipaddress.IPv4Network(after["client_cidr"])
    for cidr in state.vpc.cidrs if state.vpc else ():
        if clients.overlaps(ipaddress.IPv4Network(cidr)):
            refuse_option("client_cidr", str(clients), _FREE, f"it overlaps {cidr} of {desired.vpc_id}")
    kept = [each for each in (found.routes if found else ()) if each.origin != ASSOCIATE_ORIGIN]
    for route in [*kept, *(desired.routes or ())]:
        if route.cidr != EVERYWHERE and clients.overlaps(ipaddress.IPv4Network(route.cidr)):
            refuse_option("client_cidr", str(clients), _FREE, f"it overlaps the route to {route.cidr}")


def _check_subnets(desired: Desired, state: State, found: Endpoint | None) -> None:
    if desired.subnets is None:
        return
    there = found.subnets if found else ()
    kept = () if desired.purge_subnets else there
    taken: dict[str, str] = {}
    allowed = f"subnets of {desired.vpc_id}, one per zone"
    for subnet_id in dict.fromkeys((*kept, *desired.subnets)):
        subnet = state.subnets.get(subnet_id)
        if subnet is None:
            refuse_option("subnets", subnet_id, allowed, _MISSING)
        if subnet.vpc_id != desired.vpc_id:
            refuse_option("subnets", subnet_id, allowed, f"it is in {subnet.vpc_id}")
        if subnet.zone in taken:
            purging = "" if desired.purge_subnets else ", and purge_subnets removes subnets that are not listed"
            refuse_option("subnets", subnet_id, allowed + purging, f"{taken[subnet.zone]} is in the same zone, {subnet.zone}")
        taken[subnet.zone] = subnet_id
        if subnet_id not in there:
            _check_room(subnet)


def _check_room(subnet: Subnet) -> None:
    size = ipaddress.IPv4Network(subnet.cidr).prefixlen
    if size > SMALLEST_SUBNET:
        refuse_option("subnets", subnet.id, f"subnets of at least /{SMALLEST_SUBNET}", f"it is a /{size}")
    if subnet.free < FREE_ADDRESSES:
        allowed = f"subnets with at least {FREE_ADDRESSES} free addresses"
        refuse_option("subnets", subnet.id, allowed, f"it has {subnet.free} free addresses")


def _check_routes(desired: Desired, found: Endpoint | None, after: Settings) -> None:
    kept = () if desired.purges_subnets or found is None else found.subnets
    usable = {*kept, *(desired.subnets or ())}
    for route in desired.routes or ():
        if route.subnet not in usable:
            refuse_option("routes.subnet", route.subnet, "target networks of the endpoint")
        if route.cidr == EVERYWHERE and after.get("split_tunnel", True):
            why = "with split_tunnel, this route would send all traffic of users' devices through the VPN"
            refuse_option("routes.cidr", EVERYWHERE, "any other network", why)


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
            refuse_option(option, arn, "the ARN of a certificate in ACM", _MISSING)
        _check_certificate(option, certificate, server=option == "server_certificate_arn")


def _check_certificate(option: str, certificate: Certificate, *, server: bool) -> None:
    if certificate.status != "ISSUED":
        refuse_option(option, certificate.arn, "certificates in state ISSUED", f"its state is {certificate.status}")
    if certificate.key_algorithm not in KEYS:
        allowed = "certificates with an RSA key of 1024 or 2048 bits"
        refuse_option(option, certificate.arn, allowed, f"its key is {certificate.key_algorithm}")
    if server and not any(_DOMAIN.match(name) for name in certificate.names):
        allowed = "certificates for a name in domain form, such as server.vpn.example.com"
        refuse_option(option, certificate.arn, allowed, f"it is for {', '.join(certificate.names) or 'no name'}")


def _plain(value: t.Any) -> t.Any:
    return [dict(each) for each in value] if isinstance(value, tuple) else value
