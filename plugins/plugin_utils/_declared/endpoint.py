# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Checks the declared Client VPN endpoint as its module does. Messages name the variables instead of the module's options."""

from __future__ import annotations

import re
import typing as t

from ansible.module_utils.common.arg_spec import ArgumentSpecValidator
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._client_vpn.endpoint import options as endpoint_options
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._core.failure import Refused, refusal_text
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._core.plan import KNOWN_AFTER_APPLY
from ansible_collections.mlfleet.hyperpod.plugins.plugin_utils.client_vpn import with_authority

SAME = (
    "authentication",
    "authorization_rules",
    "client_cidr",
    "dns_servers",
    "poll_interval",
    "route_enforcement",
    "routes",
    "self_service_portal",
    "server_certificate_arn",
    "session_hours",
    "split_tunnel",
    "subnets",
    "tags",
    "transport_protocol",
    "wait_timeout",
)
VARIABLES = {
    **{option: f"client_vpn_{option}" for option in SAME},
    "login_banner": "client_vpn_banner",
    "purge_subnets": "client_vpn_purge",
    "recreate": "vpn_recreate",
    "vpn_port": "client_vpn_port",
}
"""The variable of each option of the module."""
_ANY = "|".join(sorted(VARIABLES, key=len, reverse=True))
_OPTION = re.compile(
    rf"(?<=found in )({_ANY})\b|(?<=[ ;]set )(recreate)\b|(?<=and )(purge_subnets)\b|(?<=with )(recreate|split_tunnel)\b"
)
_UNKNOWN = re.compile(r"(\S+)\.([^.\s]+)\. Supported parameters include: (.+?)\.?")
_NO_CHOICE = re.compile(r"value of (\S+) must be one of: (.+), got: (.*?)(?: found in (\S+))?")
SOME_VPC = "vpc-00000000"


def problems(values: t.Mapping[str, t.Any]) -> list[str]:
    """Problems of the endpoint that do not depend on the AWS account.

    :param values: values, keyed by variable. Variables that do not belong to the endpoint are ignored.
    """
    # The module's spec imports amazon.aws, which takes longer to load than this whole file.
    from ansible_collections.mlfleet.hyperpod.plugins.modules.client_vpn_endpoint import (  # pylint: disable=import-outside-toplevel
        SPEC,
    )

    given = {option: values[variable] for option, variable in VARIABLES.items() if values.get(variable) not in (None, "")}
    servers = given.pop("dns_servers", [])
    if len(servers) > endpoint_options.MOST_DNS_SERVERS:
        found, most = ", ".join(map(str, servers)), endpoint_options.MOST_DNS_SERVERS
        return [refusal_text(VARIABLES["dns_servers"], found, f"at most {most} addresses")]
    checked = ArgumentSpecValidator(SPEC).validate({**given, "vpc_id": SOME_VPC})
    if checked.error_messages:
        return [_with_variables(sentence) for sentence in checked.error_messages]
    params = checked.validated_parameters
    if "authentication" in given:
        params["authentication"] = with_authority(_given(params["authentication"]), KNOWN_AFTER_APPLY)
    try:
        endpoint_options.desired(params)
    except Refused as error:
        return [refusal(error.option, str(error))]
    return []


def refusal(option: str, sentence: str) -> str:
    """The module's refusal of ``option``, with the name of its variable; empty if no variable sets the option.

    :param option: the option with which ``sentence`` begins, perhaps with a field, as in ``routes.cidr``.
    """
    whole = re.split(r"[.\[]", option)[0]
    if whole not in VARIABLES:
        return ""
    return _named(VARIABLES[whole] + sentence.removeprefix(whole))


def _with_variables(sentence: str) -> str:
    if found := _UNKNOWN.fullmatch(sentence):
        return refusal(found[1], refusal_text(found[1], found[2], found[3]))
    if found := _NO_CHOICE.fullmatch(sentence):
        option = f"{found[4]}.{found[1]}" if found[4] else found[1]
        return refusal(option, refusal_text(option, found[3], found[2]))
    return _named(f"{sentence}.")


def _named(sentence: str) -> str:
    return _OPTION.sub(_variable, sentence)


def _variable(found: re.Match[str]) -> str:
    return VARIABLES[found[0]]


def _given(ways: t.Iterable[t.Mapping[str, t.Any]]) -> list[dict[str, t.Any]]:
    """The entries without the options that Ansible sets to null, which would override the values of ``with_authority``."""
    return [{name: value for name, value in way.items() if value is not None} for way in ways]
