# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Variables of the role login_balancer, checked before any request."""

from __future__ import annotations

import typing as t

from ansible_collections.mlfleet.hyperpod.plugins.plugin_utils.balancer_ports import SSHD, port_disagreements
from ansible_collections.mlfleet.hyperpod.plugins.plugin_utils.findings.made import Findings, finding, refused

from . import limits
from .variables import Known, set_by

Values = t.Mapping[str, t.Any]
"""Values, keyed by variable of the role."""

PEOPLE_PORT, GATE_PORT = "login_balancer_people_port", "login_balancer_gate_port"
NUMBERS = {
    "login_balancer_port": (1, 65535),
    PEOPLE_PORT: (1, 511),
    GATE_PORT: (1, 511),
    "login_balancer_idle_timeout": (60, 6000),
    "login_balancer_drain_time": (0, 3600),
    "login_balancer_minimum_healthy": (0, 1000),
    "login_balancer_healthy_timeout": (0, 3600),
}
TEXTS = {
    "login_balancer_name": {
        "pattern": r"^(?!internal-)[A-Za-z0-9](-*[A-Za-z0-9]){0,31}$",
        "allowed": "1 to 32 letters, digits and hyphens, without a hyphen at either end and not beginning with internal-",
    },
    "login_balancer_subnets": {
        "pattern": r"^subnet-[0-9a-f]+$",
        "allowed": "subnet IDs, as in subnet-0123456789abcdef0",
    },
    "login_balancer_allowed_security_groups": {
        "pattern": r"^sg-[0-9a-f]+$",
        "allowed": "security group IDs, as in sg-0123456789abcdef0",
    },
}


def refusals(values: Values, known: Known, nodes: t.Mapping[str, Known]) -> Findings:
    """All problems. Ports are compared only if all numbers are in their ranges.

    :param nodes: variables of the login nodes, keyed by host.
    """
    numbers = limits.range_problems(values, NUMBERS, known)
    texts = limits.text_problems(values, TEXTS, known)
    ports = [] if numbers else _of_ports(values, known)
    return [*refused([*numbers, *texts]), *(ports or refused(port_disagreements(known, nodes)))]


def offline(values: Values, known: Known) -> list[str]:
    return [*limits.range_problems(values, NUMBERS, known), *limits.text_problems(values, TEXTS, known)]


def _of_ports(values: Values, known: Known) -> Findings:
    people, gate = int(values[PEOPLE_PORT]), int(values[GATE_PORT])
    sshd = f"{SSHD} (the nodes' own sshd)"
    both = f"{sshd} and the value of {set_by(PEOPLE_PORT, known)}"
    return [
        *(finding("port-taken", option=set_by(PEOPLE_PORT, known), port=people, taken=sshd) if people == SSHD else []),
        *(finding("port-taken", option=set_by(GATE_PORT, known), port=gate, taken=both) if gate in (SSHD, people) else []),
    ]
