# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Ranges of the role login_nodes's variables, checked before any request."""

from __future__ import annotations

import typing as t

from . import limits
from .variables import Known

PEOPLE_PORT, GATE_PORT, SSH_PORT = "login_nodes_people_port", "login_nodes_gate_port", "login_nodes_ssh_port"
NUMBERS = {
    "login_nodes_client_alive_interval": (0, 86400),
    "login_nodes_client_alive_count_max": (1, 1000),
    "login_nodes_confirm_timeout": (15, 900),
    SSH_PORT: (1, 65535),
    GATE_PORT: (1, 511),
    PEOPLE_PORT: (1, 511),
}


def offline(values: t.Mapping[str, t.Any], known: Known) -> list[str]:
    return limits.range_problems(values, NUMBERS, known)
