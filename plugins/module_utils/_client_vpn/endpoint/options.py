# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# This module util is private to the collection.
"""Builds the desired endpoint from a module\'s options."""

from __future__ import annotations

import ipaddress
import re
import typing as t

from ..._core.failure import refuse_option
from ..._core.plan import KNOWN_AFTER_APPLY
from ..identity import checked_vpc, identity_tags
from .model import Desired, Route, Rule, Settings, own_tags

SMALLEST_CLIENT_NETWORK = 22
LARGEST_CLIENT_NETWORK = 12
LONGEST_BANNER = 1400
LONGEST_DESCRIPTION = 255
MOST_DNS_SERVERS = 2
MOST_TAGS = 50

Params = t.Mapping[str, t.Any]

_RESOURCE_ID = re.compile(r"^(subnet|sg)-([0-9a-f]{8}|[0-9a-f]{17})$")
_CERTIFICATE = re.compile(r"^arn:aws[a-z-]*:acm:[a-z0-9-]+:[0-9]{12}:certificate/[0-9a-f-]+$")
_NEEDED = {
    "certificate": "client_root_certificate_arn",
    "directory": "directory_id",
    "federated": "saml_provider_arn",
}
_ALLOWED = {
    "certificate": ("client_root_certificate_arn",),
    "directory": ("directory_id",),
    "federated": ("saml_provider_arn", "self_service_saml_provider_arn"),
}
_AS_GIVEN = (
    "split_tunnel",
    "transport_protocol",
    "vpn_port",
    "session_hours",
    "self_service_portal",
    "route_enforcement",
    "disconnect_on_session_timeout",
)


def desired(params: Params) -> Desired:
    """:raises Refused: for the first invalid option."""
    vpc_id = checked_vpc(params["vpc_id"])
    _number("wait_timeout", params["wait_timeout"], 1, 7200)
    _number("poll_interval", params["poll_interval"], 1, 300)
    _number("endpoint_quota", params["endpoint_quota"], 1, 1000)
    return Desired(
        vpc_id=vpc_id,
        present=params["state"] == "present",
        settings=_settings(params),
        tags=_tags(params["tags"], vpc_id),
        purge_tags=params["purge_tags"],
        subnets=_subnets(params["subnets"]),
        purge_subnets=params["purge_subnets"],
        rules=_rules(params["authorization_rules"]),
        purge_rules=params["purge_authorization_rules"],
        routes=_routes(params["routes"]),
        purge_routes=params["purge_routes"],
        recreate=params["recreate"],
        disruptive=params["disruptive"],
        quota=params["endpoint_quota"],
    )


def _settings(params: Params) -> Settings:
    wanted = {name: params[name] for name in _AS_GIVEN if params[name] is not None}
    checks: dict[str, t.Callable[[t.Any], t.Any]] = {
        "server_certificate_arn": lambda value: _certificate("server_certificate_arn", value),
        "authentication": _authentication,
        "client_cidr": _client_cidr,
        "dns_servers": _dns_servers,
        "description": lambda value: _text("description", value, LONGEST_DESCRIPTION),
        "login_banner": lambda value: _text("login_banner", value, LONGEST_BANNER),
        "connection_log": _log,
        "security_groups": _security_groups,
    }
    wanted.update({name: check(params[name]) for name, check in checks.items() if params[name] is not None})
    return wanted


def _authentication(given: list[Params]) -> tuple[dict[str, str], ...]:
    kinds = sorted(each["type"] for each in given)
    if not kinds or len(set(kinds)) != len(kinds) or len(kinds) > 2 or kinds == ["directory", "federated"]:
        refuse_option("authentication", kinds, "one entry, or an entry of type certificate together with one of a different type")
    return tuple(_way(each) for each in sorted(given, key=lambda each: each["type"]))


def _way(given: Params) -> dict[str, str]:
    kind = given["type"]
    values = {name: value for name, value in given.items() if name != "type" and value}
    if _NEEDED[kind] not in values:
        refuse_option("authentication.type", kind, f"{kind} together with {_NEEDED[kind]}")
    for name, value in values.items():
        if name not in _ALLOWED[kind]:
            refuse_option(f"authentication.{name}", value, ", ".join(_ALLOWED[kind]), f"type {kind} does not support this option")
    if kind == "certificate":
        _certificate("authentication.client_root_certificate_arn", values["client_root_certificate_arn"])
    return {"type": kind, **values}


def _client_cidr(value: str) -> str:
    network = _network("client_cidr", value)
    size = ipaddress.IPv4Network(network).prefixlen
    if not LARGEST_CLIENT_NETWORK <= size <= SMALLEST_CLIENT_NETWORK:
        refuse_option("client_cidr", value, f"networks of size /{LARGEST_CLIENT_NETWORK} to /{SMALLEST_CLIENT_NETWORK}")
    return network


def _dns_servers(given: list[str]) -> tuple[str, ...]:
    if len(given) > MOST_DNS_SERVERS:
        refuse_option("dns_servers", given, f"at most {MOST_DNS_SERVERS} addresses")
    for each in given:
        try:
            ipaddress.IPv4Address(each)
        except ValueError:
            refuse_option("dns_servers", each, "an IPv4 address such as 10.1.0.2")
    return tuple(given)


def _log(given: Params) -> dict[str, str] | None:
    """The settings of the log; None if it is disabled."""
    if not given["log_group"]:
        if given["log_stream"]:
            refuse_option("connection_log.log_stream", given["log_stream"], "a stream together with log_group")
        return None
    return {"log_group": given["log_group"], "log_stream": given["log_stream"] or ""}


def _security_groups(given: list[str]) -> tuple[str, ...]:
    if not given:
        refuse_option("security_groups", [], "at least one security group")
    # In check mode, a play may name a security group that it would create first.
    return tuple(sorted({each if each == KNOWN_AFTER_APPLY else _id("security_groups", each, "sg") for each in given}))


def _subnets(given: list[str] | None) -> tuple[str, ...] | None:
    if given is None:
        return None
    subnets = tuple(_id("subnets", each, "subnet") for each in given)
    _unique("subnets", subnets)
    return subnets


def _rules(given: list[Params] | None) -> tuple[Rule, ...] | None:
    if given is None:
        return None
    rules = tuple(
        Rule(
            _network("authorization_rules.cidr", each["cidr"]),
            each["group"] or None,
            _optional_text("authorization_rules.description", each["description"]),
        )
        for each in given
    )
    _unique("authorization_rules", (rule.name for rule in rules))
    return rules


def _routes(given: list[Params] | None) -> tuple[Route, ...] | None:
    if given is None:
        return None
    routes = tuple(
        Route(
            _network("routes.cidr", each["cidr"]),
            _id("routes.subnet", each["subnet"], "subnet"),
            _optional_text("routes.description", each["description"]),
        )
        for each in given
    )
    _unique("routes", (route.name for route in routes))
    return routes


def _tags(given: Params | None, vpc_id: str) -> dict[str, str] | None:
    if given is None:
        return None
    own = identity_tags(vpc_id)
    tags = {**own_tags(vpc_id), **{str(key): str(value) for key, value in given.items()}}
    for key, value in tags.items():
        if key in own and value != own[key]:
            refuse_option(f"tags.{key}", value, repr(own[key]), "runs find the endpoint by this tag")
        if key.startswith("aws:") or not 1 <= len(key) <= 128:
            refuse_option("tags", key, "keys of 1 to 128 characters that do not begin with aws:")
        if len(value) > 256:
            refuse_option(f"tags.{key}", value, "values of at most 256 characters")
    if len(tags) > MOST_TAGS:
        refuse_option("tags", len(given), f"at most {MOST_TAGS} tags, including the three tags that every endpoint has")
    return tags


def _id(option: str, value: str, kind: str) -> str:
    match = _RESOURCE_ID.match(value)
    if match is None or match.group(1) != kind:
        refuse_option(option, value, f"an ID such as {kind}-0123456789abcdef0")
    return value


def _certificate(option: str, value: str) -> str:
    if value != KNOWN_AFTER_APPLY and not _CERTIFICATE.match(value):
        refuse_option(option, value, "the ARN of a certificate in ACM")
    return value


def _network(option: str, value: str) -> str:
    try:
        return str(ipaddress.IPv4Network(value))
    except ValueError:
        refuse_option(option, value, "an IPv4 network such as 10.1.0.0/16, without host bits")


def _number(option: str, value: int, low: int, high: int) -> None:
    if not low <= value <= high:
        refuse_option(option, value, f"{low} to {high}")


def _text(option: str, value: str, longest: int) -> str:
    if len(value) > longest:
        refuse_option(option, f"{value[:20]}…", f"at most {longest} characters", f"it has {len(value)} characters")
    return value


def _optional_text(option: str, value: str | None) -> str | None:
    return None if value is None else _text(option, value, LONGEST_DESCRIPTION)


def _unique(option: str, values: t.Iterable[str]) -> None:
    seen: set[str] = set()
    for value in values:
        if value in seen:
            refuse_option(option, value, "each value once", "it is given more than once")
        seen.add(value)
