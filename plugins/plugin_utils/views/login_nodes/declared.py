# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Values from the role's variables only."""

from __future__ import annotations

import re

from ansible_collections.mlfleet.hyperpod.plugins.plugin_utils._declared import limits
from ansible_collections.mlfleet.hyperpod.plugins.plugin_utils._declared.login_nodes import (
    GATE_PORT,
    NUMBERS,
    PEOPLE_PORT,
    SSH_PORT,
)
from ansible_collections.mlfleet.hyperpod.plugins.plugin_utils._declared.variables import Known, set_by
from ansible_collections.mlfleet.hyperpod.plugins.plugin_utils.findings.made import Findings, finding, refused

from .. import Variables, view

MAX_STARTUPS = re.compile(r"^([0-9]+):([0-9]+):([0-9]+)$")
USED_IF_UNSET = "1:1:1"
"""A valid value, for validation if the variable is not set. The module has its own default."""


@view
def refusals(variables: Variables) -> Findings:
    known = variables["hostvars"][variables["inventory_hostname"]]
    wrong = refused(limits.range_problems(variables, NUMBERS, known))
    return [*wrong, *_of_ports(variables, known), *_of_max_startups(variables)]


def _of_ports(variables: Variables, known: Known) -> Findings:
    people, gate, ssh = (variables[name] for name in (PEOPLE_PORT, GATE_PORT, SSH_PORT))
    if len({int(people), int(gate), int(ssh)}) == 3:
        return []
    return finding(
        "ports-alike",
        option=set_by(PEOPLE_PORT, known),
        port=people,
        gate=set_by(GATE_PORT, known),
        gate_port=gate,
        ssh_port=ssh,
    )


def _of_max_startups(variables: Variables) -> Findings:
    value = variables.get("login_nodes_max_startups", USED_IF_UNSET)
    found = MAX_STARTUPS.match(str(value))
    start, rate, full = map(int, found.groups()) if found else (0, 0, 0)
    return [] if 1 <= start <= full and 1 <= rate <= 100 else finding("max-startups", value=value)
