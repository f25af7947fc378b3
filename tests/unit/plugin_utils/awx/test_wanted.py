# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
from __future__ import annotations

from ansible_collections.mlfleet.hyperpod.plugins.plugin_utils.awx.objects import KINDS
from ansible_collections.mlfleet.hyperpod.plugins.plugin_utils.awx.project import files
from ansible_collections.mlfleet.hyperpod.plugins.plugin_utils.awx.rights import TEAMS
from ansible_collections.mlfleet.hyperpod.plugins.plugin_utils.verbs import verbs

from .examples import fleet, objects

ALL = objects(awx_verbs=[])
TEMPLATES = {each.name: each for each in ALL if each.kind == "job_template"}
RIGHTS = {(each.refers["team"], each.values["role"], kind): set(names) for each in ALL if each.kind == "role" for kind, names in each.lists.items()}


def test_each_verb_has_a_template_whose_playbook_is_in_the_project() -> None:
    there = {each.path for each in files(verbs().values(), "1.2.3")}
    assert set(TEMPLATES) == {title for verb in verbs().values() for title in verb.templates}
    assert {each.values["playbook"] for each in TEMPLATES.values()} <= there


def test_a_survey_is_on_only_if_it_asks_something() -> None:
    for each in TEMPLATES.values():
        assert each.values["survey_enabled"] is ("survey_spec" in each.values)
    assert not [one for one in TEMPLATES["repair as planned"].values["survey_spec"]["spec"] if one["variable"] == "remediation_approve"]


def test_names_are_unique_and_kinds_are_in_the_order_of_awx() -> None:
    assert len({each.key for each in ALL}) == len(ALL)
    order = [list(KINDS).index(each.kind) for each in ALL if each.kind != "inventory_source"]
    kinds = [each.kind for each in ALL]
    assert kinds.index("project") < kinds.index("job_template") < kinds.index("schedule") < kinds.index("role") and order[0] == 0


def test_each_object_with_a_description_has_our_mark() -> None:
    for each in ALL:
        if "description" in each.values:
            assert fleet().key_of(each.values["description"]) == each.mark


def test_everyone_may_start_what_only_reads_and_only_operators_what_changes_clusters() -> None:
    everyone = set.intersection(*(RIGHTS[team, "execute", "job_templates"] for team in TEAMS))
    assert everyone == {title for verb in verbs().values() if verb.role == "auditor" for title in verb.templates}
    assert RIGHTS["operators", "execute", "job_templates"] == set(TEMPLATES)
    assert {team for team, right, _kind in RIGHTS if right in ("approval", "update")} == {"operators"}
    assert not {right for _team, right, _kind in RIGHTS} & {"admin", "adhoc", "use"}


def test_frequent_templates_do_not_notify() -> None:
    given = [{"name": "chat", "type": "slack", "configuration": {}}]
    found = {each.name: each for each in objects(awx_verbs=[], awx_notifications=given)}
    assert "notification_templates_error" not in found["reconcile"].lists and "notification_templates_error" not in found["drift"].lists
    assert found["offboard"].lists["notification_templates_error"] == ("chat",)
    assert found["repair after approval"].lists["notification_templates_approvals"] == ("chat",)
