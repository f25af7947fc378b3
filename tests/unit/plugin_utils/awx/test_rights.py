# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The table of rights. tests/awx/test_rights.py compares it with what AWX allows."""

from __future__ import annotations

from ansible_collections.mlfleet.hyperpod.plugins.plugin_utils.awx.rights import RIGHTS, TEAMS, may_start, roles_of
from ansible_collections.mlfleet.hyperpod.plugins.plugin_utils.verbs import ROLES


def test_each_role_of_verbs_and_each_role_of_awx_is_in_one_row() -> None:
    assert sorted(right.verbs for right in RIGHTS if right.verbs) == sorted(ROLES)
    given = [role for right in RIGHTS for role in right.roles]
    assert len(set(given)) == len(given)
    assert all(set(right.teams) <= set(TEAMS) and bool(right.verbs) != bool(right.roles) for right in RIGHTS)


def test_each_team_may_start_what_the_one_before_it_may() -> None:
    assert [[role for role in ROLES if may_start(team, role)] for team in TEAMS] == [
        ["auditor"],
        ["auditor", "submitter"],
        ["auditor", "submitter", "operator"],
    ]


def test_only_operators_change_something() -> None:
    assert [roles_of(team) for team in TEAMS[:2]] == [[("auditor", "organizations")], []]
    assert {role for role, _objects in roles_of("operators")} == {"execute", "approval", "update"}
