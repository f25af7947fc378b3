# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Values from the role's variables only."""

from __future__ import annotations

import datetime
from dataclasses import dataclass

from ansible.module_utils.parsing.convert_bool import boolean
from ansible_collections.mlfleet.hyperpod.plugins.plugin_utils import client_vpn
from ansible_collections.mlfleet.hyperpod.plugins.plugin_utils._declared import client_vpn as declaration
from ansible_collections.mlfleet.hyperpod.plugins.plugin_utils._declared.variables import set_by
from ansible_collections.mlfleet.hyperpod.plugins.plugin_utils.findings.made import Findings, finding
from ansible_collections.mlfleet.hyperpod.plugins.plugin_utils.given_names import given_names

from .. import Variables, view
from .users import users


@dataclass(frozen=True)
class Asked:
    configured: bool
    certificates: bool
    """Whether users authenticate with certificates."""
    may_disconnect: bool
    """Whether users may be disconnected now."""
    certificate_poll_interval: int
    endpoint_poll_interval: int


@view
def asked(variables: Variables) -> Asked:
    return Asked(
        configured=bool(variables["client_vpn_client_cidr"]),
        certificates=client_vpn.with_certificates(variables["client_vpn_authentication"]),
        may_disconnect=may_disconnect(variables),
        certificate_poll_interval=min(int(variables["client_vpn_poll_interval"]), 60),
        endpoint_poll_interval=endpoint_poll_interval(variables),
    )


def may_disconnect(variables: Variables) -> bool:
    now = datetime.datetime.now(datetime.timezone.utc)
    return boolean(variables["client_vpn_urgent"], strict=False) or client_vpn.window_open(variables["client_vpn_window"], now)


def endpoint_poll_interval(variables: Variables) -> int:
    return min(int(variables["client_vpn_poll_interval"]), 5)


@view
def refusals(variables: Variables) -> Findings:
    known = variables["hostvars"][variables["inventory_hostname"]]
    return declaration.refusals(variables, known) or _unknown(variables, set_by("client_vpn_revoke", known))


def _unknown(variables: Variables, option: str) -> Findings:
    present = users(variables).present
    unknown = [name for name in given_names(variables["client_vpn_revoke"]) if name not in present]
    return finding("vpn-revoke-unknown", option=option, unknown=unknown) if unknown else []
