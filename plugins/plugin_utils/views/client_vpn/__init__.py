# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""What the tasks of the role client_vpn need."""

from __future__ import annotations

from . import declared, endpoint, log, network, users

VIEWS = (
    declared.asked,
    declared.declared,
    endpoint.endpoint,
    endpoint.configuration,
    endpoint.outcome,
    endpoint.certificates,
    endpoint.crl,
    network.login_nodes,
    network.subnets,
    network.names,
    network.addresses,
    network.associations,
    network.admitting,
    log.log,
    users.beside,
    users.users,
)
