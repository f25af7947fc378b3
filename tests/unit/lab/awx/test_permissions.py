# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""What users may do with the roles of their teams."""

from __future__ import annotations

import typing as t

import pytest
from lab.awx.client import Client
from lab.awx.server import Server


@pytest.fixture()
def user(awx: Server, admin: Client) -> Client:
    admin.create("users/", username="ops", password="p")
    return Client.with_password(awx.url, "ops", "p")


@pytest.fixture()
def template(admin: Client) -> t.Any:
    return admin.template(ask_variables_on_launch=True)


def give(admin: Client, found: t.Any, role: str, *, removed: bool = False) -> None:
    """Give a role for an object to the user's team."""
    if not admin.get("teams/")["count"]:
        team = admin.create("teams/", name="operators", organization=1)
        admin.send("POST", f"teams/{team['id']}/users/", {"id": admin.get("users/?username=ops")["results"][0]["id"]})
    number = found["summary_fields"]["object_roles"][f"{role}_role"]["id"]
    assert admin.send("POST", f"roles/{number}/teams/", {"id": 1, "disassociate": removed} if removed else {"id": 1}).status == 204


@pytest.mark.parametrize(
    ("role", "of_organization", "statuses"),
    [
        ("", False, [403, 403, 403, 403]),
        ("read", False, [200, 403, 403, 403]),
        ("execute", False, [200, 201, 403, 403]),
        ("admin", False, [200, 201, 200, 204]),
        ("auditor", True, [200, 403, 403, 403]),
        ("execute", True, [200, 201, 403, 403]),
        ("read", True, [403, 403, 403, 403]),
        ("member", True, [403, 403, 403, 403]),
        ("admin", True, [200, 201, 200, 204]),
    ],
)
def test_what_a_role_allows(admin: Client, user: Client, template: t.Any, role: str, of_organization: bool, statuses: list[int]) -> None:
    if role:
        give(admin, admin.get(f"organizations/{template['organization']}/") if of_organization else template, role)
    seen = [user.send("GET", template["url"]).status, user.send("POST", template["related"]["launch"], {}).status]
    for each in admin.get("jobs/")["results"]:
        admin.send("POST", each["related"]["cancel"])
    seen += [user.send("PATCH", template["url"], {"description": "x"}).status, user.send("DELETE", template["url"]).status]
    assert seen == statuses
    assert user.get("job_templates/")["count"] == (1 if statuses[0] == 200 and statuses[3] != 204 else 0)


def test_a_role_that_is_removed_allows_nothing(admin: Client, user: Client, template: t.Any) -> None:
    give(admin, template, "execute")
    assert user.send("GET", template["url"]).status == 200
    give(admin, template, "execute", removed=True)
    assert user.send("GET", template["url"]).status == 403
    assert user.send("GET", "job_templates/999/").status == 404


def test_a_project_is_updated_with_the_role_for_it(admin: Client, user: Client, template: t.Any) -> None:
    project = admin.get(f"projects/{template['project']}/")
    give(admin, project, "use")
    assert user.send("POST", f"{project['url']}update/").status == 403
    give(admin, project, "update")
    assert user.send("POST", f"{project['url']}update/").status == 202


def test_a_new_template_needs_the_use_of_its_project_and_inventory(admin: Client, user: Client, template: t.Any) -> None:
    give(admin, template, "admin")
    other = admin.create("inventories/", name="other", organization=template["organization"])
    give(admin, other, "read")
    body = {"inventory": other["id"]}
    assert user.send("PATCH", template["url"], body).status == 403
    give(admin, other, "use")
    assert user.send("PATCH", template["url"], body).status == 200
    new = {"name": "new", "playbook": "reconcile.yml", "project": template["project"], "inventory": other["id"]}
    assert user.send("POST", "job_templates/", new).status == 403
    give(admin, admin.get(f"organizations/{template['organization']}/"), "admin")
    assert user.send("POST", "job_templates/", new).status == 201


def test_an_approval_needs_its_role(admin: Client, user: Client) -> None:
    workflow = admin.create("workflow_job_templates/", name="heal", organization=1)
    node = admin.create(f"{workflow['url']}workflow_nodes/", identifier="approve")
    template = admin.create(f"{node['url']}create_approval_template/", name="approve")
    give(admin, workflow, "execute")
    assert user.send("PATCH", template["url"], {"timeout": 60}).status == 403
    assert user.send("POST", workflow["related"]["launch"], {}).status == 201
    approval = admin.get("workflow_approvals/")["results"][0]
    assert user.send("POST", approval["related"]["approve"]).body == {"detail": "User does not have permission to approve or deny this workflow."}
    give(admin, workflow, "approval")
    assert user.send("POST", approval["related"]["approve"]).status == 204
    give(admin, workflow, "admin")
    assert user.send("PATCH", template["url"], {"timeout": 60}).status == 200


def test_users_create_only_their_own_tokens(admin: Client, user: Client) -> None:
    own = user.create("tokens/")
    assert user.send("POST", "organizations/", {"name": "mine"}).status == 403
    assert user.get("tokens/")["count"] == 1
    other = [each for each in admin.get("tokens/")["results"] if each["id"] != own["id"]]
    assert user.send("DELETE", f"tokens/{other[0]['id']}/").status == 403
    assert user.send("DELETE", f"tokens/{own['id']}/").status == 204
