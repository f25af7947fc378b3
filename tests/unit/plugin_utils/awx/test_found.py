# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
from __future__ import annotations

import typing as t

from ansible_collections.mlfleet.hyperpod.plugins.plugin_utils.awx.found import found
from ansible_collections.mlfleet.hyperpod.plugins.plugin_utils.awx.objects import Object

from .examples import fleet

MARK = "[mlfleet.hyperpod:prod/{}]"


def answer(number: int, name: str, mark: str = "", **values: t.Any) -> dict[str, t.Any]:
    return {"id": number, "name": name, "description": mark and MARK.format(mark), "summary_fields": {}, **values}


def node(number: int, identifier: str, workflow: str, **edges: list[int]) -> dict[str, t.Any]:
    summary = {"workflow_job_template": {"name": workflow}, "unified_job_template": {"name": "approve", "unified_job_type": "workflow_approval"}}
    none = {"success_nodes": [], "failure_nodes": [], "always_nodes": []}
    return {"id": number, "identifier": identifier, "summary_fields": summary, **none, **edges}


AWX: dict[str, list[dict[str, t.Any]]] = {
    "organizations": [answer(1, "ml")],
    "job_templates": [answer(10, "reconcile", "reconcile", summary_fields={"credentials": [{"name": "key"}]}), answer(11, "theirs")],
    "job_templates/10/notification_templates_error": [{"name": "chat"}],
    "workflow_job_templates": [answer(20, "repair", "repair after approval"), answer(21, "other")],
    "workflow_job_template_nodes": [node(30, "plan", "repair", failure_nodes=[31]), node(31, "approve", "repair"), node(32, "x", "other")],
    "schedules": [answer(40, "nightly", "nightly", unified_job_template=10), answer(41, "of another organization", unified_job_template=99)],
    "teams": [answer(50, "operators", "operators")],
    "teams/50/roles": [
        {"name": "Execute", "summary_fields": {"resource_type": "job_template", "resource_name": "reconcile"}},
        {"name": "Execute", "summary_fields": {"resource_type": "job_template", "resource_name": "theirs"}},
        {"name": "Approve", "summary_fields": {"resource_type": "workflow_job_template", "resource_name": "repair"}},
    ],
}


def read(path: str, **query: t.Any) -> t.Any:
    if path.endswith("survey_spec"):
        return {"spec": []}
    answers = AWX.get(path, [])
    workflow = {20: "repair", 21: "other"}.get(query.get("workflow_job_template", 0))
    return [each for each in answers if not workflow or each["summary_fields"]["workflow_job_template"]["name"] == workflow]


def everything() -> dict[tuple[str, str], Object]:
    return {each.key: each for each in found(fleet(), [], read)}


def test_objects_of_others_are_left_out() -> None:
    assert not {("job_template", "theirs"), ("workflow_job_template", "other"), ("organization", "ml")} & set(everything())
    assert ("job_template", "theirs") in {each.key for each in found(fleet(), [Object("job_template", "theirs")], read)}
    assert {name for kind, name in everything() if kind == "schedule"} == {"nightly"}


def test_lists_below_an_object_are_read() -> None:
    template = everything()["job_template", "reconcile"]
    assert template.lists == {"credentials": ("key",), "notification_templates_error": ("chat",)} and template.values["survey_spec"] == {"spec": []}


def test_nodes_belong_to_their_workflow_and_name_those_that_follow() -> None:
    nodes = {name: each for (kind, name), each in everything().items() if kind == "workflow_job_template_node"}
    assert set(nodes) == {"plan", "approve"} and all(each.mark for each in nodes.values())
    assert nodes["plan"].lists["failure_nodes"] == ("approve",) and nodes["approve"].values["approval_node"]["name"] == "approve"


def test_rights_are_those_of_our_teams_on_our_objects() -> None:
    roles = {name: each.lists for (kind, name), each in everything().items() if kind == "role"}
    assert roles == {
        "operators: execute job_templates": {"job_templates": ("reconcile",)},
        "operators: approval workflows": {"workflows": ("repair",)},
    }


def test_without_the_organization_there_are_only_kinds_whose_names_are_unique_in_awx() -> None:
    """The module would otherwise change an execution environment of another organization."""

    def empty(path: str, **_query: t.Any) -> t.Any:
        return [answer(1, path)] if path in ("credential_types", "execution_environments") else []

    wanted = [Object("credential_type", "credential_types"), Object("execution_environment", "execution_environments")]
    assert [each.key for each in found(fleet(), wanted, empty)] == [each.key for each in wanted]
