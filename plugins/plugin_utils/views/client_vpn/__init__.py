# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""What the tasks of the role client_vpn need."""

from __future__ import annotations

from . import declared, endpoint, network, report, users

VIEWS = (
    declared.asked,
    declared.declared,
    endpoint.certificates,
    endpoint.configuration,
    endpoint.crl,
    endpoint.endpoint,
    endpoint.outcome,
    endpoint.revoked,
    network.addresses,
    network.admitting,
    network.associations,
    network.login_nodes,
    network.names,
    network.subnets,
    report.access,
    report.log,
    report.profiles,
    report.report,
    users.users,
)
