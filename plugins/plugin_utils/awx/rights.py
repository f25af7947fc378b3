# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""What each team may do in AWX. The role, the documentation and the tests use this table. No I/O."""

from __future__ import annotations

from dataclasses import dataclass

AUDITORS, SUBMITTERS, OPERATORS = TEAMS = ("auditors", "submitters", "operators")


@dataclass(frozen=True)
class Right:
    may: str
    """For the documentation."""
    teams: tuple[str, ...]
    verbs: str = ""
    """The teams may start the templates of verbs with this role."""
    roles: tuple[tuple[str, str], ...] = ()
    """Roles of AWX, with the option of the module ``role`` for the objects."""


WORKFLOWS = (("execute", "workflows"), ("approval", "workflows"))
RIGHTS = (
    Right("start playbooks that only read", TEAMS, verbs="auditor"),
    Right("start playbooks for jobs", (SUBMITTERS, OPERATORS), verbs="submitter"),
    Right("start all other playbooks", (OPERATORS,), verbs="operator"),
    Right("start workflows, and approve repairs and waves", (OPERATORS,), roles=WORKFLOWS),
    Right("update the project and the inventory", (OPERATORS,), roles=(("update", "projects"), ("update", "inventories"))),
    Right("read everything in the organization", (AUDITORS,), roles=(("auditor", "organizations"),)),
)


def may_start(team: str, role: str) -> bool:
    """:param role: of the verb, in the table of verbs."""
    return any(right.verbs == role and team in right.teams for right in RIGHTS)


def roles_of(team: str) -> list[tuple[str, str]]:
    """The roles of AWX that the team gets for other objects than job templates."""
    return [role for right in RIGHTS if team in right.teams for role in right.roles]
