# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""What the tasks of the role login_balancer need."""

from __future__ import annotations

from . import adopted, declared, network, ports

VIEWS = (
    adopted.adopted,
    adopted.give_back,
    declared.admission,
    declared.declared,
    declared.names,
    network.login_nodes,
    network.subnets,
    network.placed,
    network.security_group,
    network.login,
    ports.ports,
    ports.rules,
    ports.removal,
    ports.rules_of_others,
    ports.health_check,
)
