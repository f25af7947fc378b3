# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Which ports the login balancer uses now."""

from __future__ import annotations

import typing as t

from ansible_collections.mlfleet.hyperpod.plugins.plugin_utils import balancer_ports


class FilterModule:
    """Registers the filters."""

    def filters(self) -> dict[str, t.Callable[..., t.Any]]:
        return {
            "is_moving": balancer_ports.is_moving,
            "port_disagreements": balancer_ports.port_disagreements,
            "ports_in_effect": balancer_ports.ports_in_effect,
            "ports_passed": balancer_ports.ports_passed,
            "shut_ports": balancer_ports.shut_ports,
            "unused_rules": balancer_ports.unused_rules,
        }
