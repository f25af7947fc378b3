# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""AWX allows the members of each team what the table of rights lists, with all verbs. Jobs are not started."""

from __future__ import annotations

import itertools
import typing as t
from pathlib import Path

import pytest
import yaml
from ansible_collections.mlfleet.hyperpod.plugins.plugin_utils.awx import plan, workflow
from ansible_collections.mlfleet.hyperpod.plugins.plugin_utils.awx.fleet import declared
from ansible_collections.mlfleet.hyperpod.plugins.plugin_utils.awx.rights import RIGHTS, TEAMS
from ansible_collections.mlfleet.hyperpod.plugins.plugin_utils.awx.wanted import INVENTORY, PROJECT, Title, titles, wanted
from ansible_collections.mlfleet.hyperpod.plugins.plugin_utils.verbs import verbs
from applied import Applied
from awx_fleet import FLEET, project
from lab.awx import surveys
from lab.awx.api import Awx
from lab.awx.objects import Object

DEFAULTS = Path(__file__).resolve().parents[2] / "roles/awx/defaults/main.yml"
DECLARED = declared({**yaml.safe_load(DEFAULTS.read_text()), **FLEET, "awx_verbs": []})
TITLES = titles(DECLARED, verbs().values())
USERS = ("outsider", *TEAMS)
"""All are members of the organization; the first one has no team."""


class Statuses(t.NamedTuple):
    get: int
    launch: int
    patch: int


@pytest.fixture(scope="module")
def fleet(tmp_path_factory: pytest.TempPathFactory) -> Applied:
    """A fleet with all verbs, and a member of each team."""
    applied = Applied(Awx(), project(tmp_path_factory.mktemp("repository")))
    objects = wanted(DECLARED, verbs().values())
    applied.apply(objects)
    assert plan.plan(objects, applied.found(DECLARED, objects), plan.Choice()).steps == ()
    for name in USERS:
        user = applied.send("POST", "users/", {"username": name, "password": "p"})
        applied.send("POST", f"organizations/{applied.named('organizations', 'ml').id}/users/", {"id": user["id"]})
        if name in TEAMS:
            applied.send("POST", f"teams/{applied.named('teams', name).id}/users/", {"id": user["id"]})
    return applied


def has(team: str, right: str | tuple[str, str]) -> bool:
    """Whether the table of rights gives the team a role of AWX, or the start of verbs with a role."""
    return any(team in each.teams and right in (each.verbs, *each.roles) for each in RIGHTS)


def expected(user: str, title: Title | None) -> Statuses:
    """:param title: None for the workflow."""
    starts = has(user, title.verb.role if title else ("execute", "workflows"))
    reads = starts or has(user, ("auditor", "organizations"))
    return Statuses(200 if reads else 403, 201 if starts else 403, 403)


def seen(fleet: Applied, user: str, template: Object) -> Statuses:
    answers = {each["variable"]: answer(each) for each in surveys.questions(template) if each["required"]}
    return Statuses(
        fleet.status(user, "GET", template),
        fleet.status(user, "POST", template, "launch", {"extra_vars": answers}),
        fleet.status(user, "PATCH", template, body={"description": "changed"}),
    )


def answer(question: t.Mapping[str, t.Any]) -> t.Any:
    """A valid answer of a survey."""
    return {"integer": 1, "float": 1.0, "multiplechoice": next(iter(question["choices"]), "")}.get(question["type"], "x")


@pytest.mark.parametrize("user", USERS)
def test_who_reads_starts_and_changes_templates(fleet: Applied, user: str) -> None:
    jobs = len(fleet.awx.objects.together("unified_jobs"))
    found = {title.name: seen(fleet, user, fleet.named("job_templates", title.name)) for title in TITLES}
    found[workflow.NAME] = seen(fleet, user, fleet.named("workflow_job_templates", workflow.NAME))
    assert found == {**{title.name: expected(user, title) for title in TITLES}, workflow.NAME: expected(user, None)}
    launched = fleet.awx.objects.together("unified_jobs")[jobs:]
    assert len(launched) == sum(each.launch == 201 for each in found.values())
    assert {each.values["status"] for each in launched} <= {"pending"}


@pytest.mark.parametrize("user", USERS)
def test_who_updates_the_project_and_the_inventory_and_approves_repairs(fleet: Applied, user: str) -> None:
    template = fleet.named("workflow_job_templates", workflow.NAME)
    job = fleet.awx.objects.add("workflow_jobs", {"status": "running", "workflow_job_template": template.id})
    approval = fleet.awx.objects.add("workflow_approvals", {"status": "pending", "workflow_job": job.id})
    found = {
        ("update", "projects"): fleet.status(user, "POST", fleet.named("projects", PROJECT), "update"),
        ("update", "inventories"): fleet.status(user, "POST", fleet.named("inventory_sources", INVENTORY), "update"),
        ("approval", "workflows"): fleet.status(user, "POST", approval, "approve"),
    }
    allowed = {("update", "projects"): 202, ("update", "inventories"): 202, ("approval", "workflows"): 204}
    assert found == {role: allowed[role] if has(user, role) else 403 for role in found}


def test_lists_show_only_what_a_user_may_read(fleet: Applied) -> None:
    for user in USERS:
        status, page = fleet.awx.call("GET", "job_templates/?page_size=200", user=fleet.named("users", user))
        readable = [title.name for title in TITLES if expected(user, title).get == 200]
        assert (status, sorted(each["name"] for each in page["results"])) == (200, sorted(readable))


def test_what_does_not_exist_is_not_found_by_anyone(fleet: Applied) -> None:
    for user, plural in itertools.product(USERS, ("job_templates", "workflow_job_templates")):
        assert fleet.awx.call("GET", f"{plural}/999/", user=fleet.named("users", user))[0] == 404
