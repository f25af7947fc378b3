# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Client VPN profiles of users."""

from __future__ import annotations

from dataclasses import dataclass

from ansible_collections.mlfleet.hyperpod.plugins.plugin_utils import client_vpn_certificates
from ansible_collections.mlfleet.hyperpod.plugins.plugin_utils.findings.made import Findings, finding
from ansible_collections.mlfleet.hyperpod.plugins.plugin_utils.given_names import given_names

from .. import Variables, view


@view
def queried(variables: Variables) -> list[str]:
    """Users whose certificates are read by name, because Secrets Manager lists new secrets only some minutes later."""
    asked = given_names(variables["client_vpn_profile_people"])
    return list(dict.fromkeys([*variables["hyperpod_run"]["vpn_users"], *asked]))


@dataclass(frozen=True)
class Profiles:
    refusals: Findings
    users: list[str]


@view
def profiles(variables: Variables) -> Profiles:
    asked = given_names(variables["client_vpn_profile_people"])
    valid = client_vpn_certificates.valid(variables["__client_vpn_access_pki"]["client_vpn_pki"])
    unknown = [name for name in asked if name not in valid]
    shown = valid or "none yet. Run the playbook client_vpn first"
    return Profiles(refusals=finding("vpn-people-unknown", unknown=unknown, known=shown) if unknown else [], users=asked or valid)
