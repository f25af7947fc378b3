# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The declared Client VPN endpoint, judged by its module's own words, which then name the variables that people set. Pure."""

from __future__ import annotations

import re
import typing as t

from ansible.module_utils.common.arg_spec import ArgumentSpecValidator
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._client_vpn.endpoint import options as endpoint_options
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._core.failure import Refused
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
"""Options of the module, and the variables that they come from."""
_ANY = "|".join(sorted(VARIABLES, key=len, reverse=True))
_BEGINS = re.compile(rf"({_ANY})(?=[:.]|\[)")
_SPOKEN_OF = re.compile(
    rf"(?<=found in )({_ANY})\b|(?<=[ ;]set )(recreate)\b|(?<=and )(purge_subnets)\b|(?<=with )(split_tunnel)\b"
)
_OF_ANSIBLE = re.compile(r"(\S+)\. Supported parameters include: (.+?)\.?")
SOME_VPC = "vpc-00000000"


def problems(values: t.Mapping[str, t.Any]) -> list[str]:
    """What is wrong with the endpoint whatever the account holds.

    :param values: by variable; those of other variables are left out.
    """
    # The module's spec comes with what it needs of amazon.aws, which takes longer to load than all of this.
    from ansible_collections.mlfleet.hyperpod.plugins.modules.client_vpn_endpoint import (  # pylint: disable=import-outside-toplevel
        SPEC,
    )

    given = {option: values[variable] for option, variable in VARIABLES.items() if values.get(variable) not in (None, "")}
    servers = given.pop("dns_servers", [])
    if len(servers) > endpoint_options.MOST_DNS_SERVERS:
        found, most = ", ".join(map(str, servers)), endpoint_options.MOST_DNS_SERVERS
        return [f"{VARIABLES['dns_servers']}: {found} is not allowed; at most {most} are."]
    checked = ArgumentSpecValidator(SPEC).validate({**given, "vpc_id": SOME_VPC})
    if checked.error_messages:
        return [_in_our_words(sentence) for sentence in checked.error_messages]
    params = checked.validated_parameters
    if "authentication" in given:
        params["authentication"] = with_authority(_given(params["authentication"]), KNOWN_AFTER_APPLY)
    try:
        endpoint_options.desired(params)
    except Refused as error:
        return [refusal(str(error))]
    return []


def refusal(sentence: str) -> str:
    """The module's refusal by the variable that was set; empty for what is about none of them."""
    if not _BEGINS.match(sentence):
        return ""
    return _named(_BEGINS.sub(_variable, sentence, count=1))


def _in_our_words(sentence: str) -> str:
    found = _OF_ANSIBLE.fullmatch(sentence)
    told = f"{found[1]} is not allowed; {found[2]} are." if found else f"{sentence}."
    return refusal(told) or _named(told)


def _named(sentence: str) -> str:
    return _SPOKEN_OF.sub(_variable, sentence)


def _variable(found: re.Match[str]) -> str:
    return VARIABLES[found[0]]


def _given(ways: t.Iterable[t.Mapping[str, t.Any]]) -> list[dict[str, t.Any]]:
    """Without the options that Ansible fills in with nothing, which would stand before ours."""
    return [{name: value for name, value in way.items() if value is not None} for way in ways]
