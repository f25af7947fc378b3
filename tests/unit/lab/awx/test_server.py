# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The stand-in of AWX over HTTP."""

from __future__ import annotations

import typing as t

import pytest
from lab.awx.client import SCM_URL, Client
from lab.awx.server import Server

SURVEY = {"name": "", "description": "", "spec": [{"question_name": "n", "type": "text", "variable": "n", "required": False}]}


def test_a_password_gets_a_token_until_it_is_deleted(awx: Server) -> None:
    with_password = Client.with_password(awx.url, "admin", awx.password)
    made = with_password.create("tokens/", description="test", scope="write")
    client = Client.with_token(awx.url, made["token"])
    assert client.get("me/")["results"][0]["username"] == "admin"
    assert client.get(f"tokens/{made['id']}/")["token"] == "************"
    assert with_password.send("DELETE", f"tokens/{made['id']}/").status == 204
    assert client.send("GET", "me/").status == 401


@pytest.mark.parametrize("authorization", ["", "Bearer wrong", "Basic YWRtaW46d3Jvbmc="])
def test_nothing_is_answered_without_authentication(awx: Server, authorization: str) -> None:
    client = Client(awx.url, authorization)
    assert client.send("GET", "organizations/").status == 401
    assert client.get("ping/")["version"] == "24.6.1"


def test_a_path_without_its_last_slash_is_redirected(admin: Client) -> None:
    reply = admin.send("GET", "organizations?name=Default")
    assert (reply.status, reply.headers["Location"]) == (301, "/api/v2/organizations/?name=Default")


def test_lists_have_pages_of_25_and_at_most_200(admin: Client) -> None:
    for number in range(230):
        admin.create("organizations/", name=f"o{number:03}")
    first = admin.get("organizations/")
    assert (first["count"], len(first["results"]), first["previous"]) == (231, 25, None)
    second = admin.get(first["next"])
    assert second["results"][0]["name"] == "o024"
    assert admin.get(second["previous"])["results"] == first["results"]
    large = admin.get("organizations/?page_size=500")
    assert len(large["results"]) == 200
    assert len(admin.get(large["next"])["results"]) == 31
    assert admin.send("GET", "organizations/?page=99").status == 404


@pytest.mark.parametrize(
    ("query", "names"),
    [
        ("name=clusters&organization__name=two", ["clusters"]),
        ("or__id=1&or__name=other", ["clusters", "other"]),
        ("name__in=other,nodes", ["other"]),
        ("description__endswith=[f]&order_by=-name", ["other", "clusters"]),
        ("organization__isnull=true", []),
        ("not__name=other&organization=2", ["clusters"]),
    ],
)
def test_filters(admin: Client, query: str, names: list[str]) -> None:
    for organization in ("one", "two"):
        number = admin.create("organizations/", name=organization)["id"]
        admin.create("inventories/", name="clusters", organization=number, description="" if organization == "two" else "x [f]")
    admin.create("inventories/", name="other", organization=number, description="y [f]")
    assert admin.names(f"inventories/?{query}") == names


@pytest.mark.parametrize("query", ["nope=1", "organization__nope=1", "name__regexp=1"])
def test_an_unknown_filter_is_refused(admin: Client, query: str) -> None:
    organization = admin.get("organizations/")["results"][0]["id"]
    admin.create("inventories/", name="clusters", organization=organization)
    assert admin.send("GET", f"inventories/?{query}").status == 400


def test_credentials_are_associated_and_disassociated_by_id(admin: Client) -> None:
    template = admin.template()
    path = f"job_templates/{template['id']}/credentials/"
    credential = admin.create("credentials/", name="key", credential_type=1, organization=1)
    for _time in range(2):
        assert admin.send("POST", path, {"id": credential["id"]}).status == 204
        assert admin.names(path) == ["key"]
    assert admin.send("POST", path, {"id": credential["id"], "disassociate": True}).status == 204
    assert admin.names(path) == []
    assert admin.send("POST", path, {"id": 99}).status == 404


def test_a_name_is_unique_in_its_organization(admin: Client) -> None:
    made = admin.create("inventories/", name="clusters", organization=1)
    reply = admin.send("POST", "inventories/", {"name": "clusters", "organization": 1})
    assert (reply.status, reply.body) == (400, {"__all__": ["Inventory with this Name and Organization already exists."]})
    other = admin.create("inventories/", name="other", organization=1)
    assert admin.send("PATCH", f"inventories/{other['id']}/", {"name": "clusters"}).status == 400
    assert admin.send("PATCH", made["url"], {"name": "clusters"}).status == 200


def test_an_object_in_use_by_a_running_job_stays(admin: Client) -> None:
    project = admin.create("projects/", name="git", organization=1, scm_type="git", scm_url=SCM_URL)
    reply = admin.send("DELETE", "organizations/1/")
    assert (reply.status, reply.body["active_jobs"]) == (409, [{"id": 1, "type": "project_update"}])
    admin.ended("project_updates/1/")
    assert admin.send("DELETE", f"projects/{project['id']}/").status == 204


def test_deleted_objects_take_along_what_they_own_and_no_more(admin: Client) -> None:
    template = admin.template()
    source = {"name": "s", "source": "scm", "source_project": template["project"], "inventory": template["inventory"]}
    admin.create("inventory_sources/", **source)
    admin.create("schedules/", name="s", unified_job_template=template["id"], rrule="DTSTART:20261201T030000Z RRULE:FREQ=DAILY;INTERVAL=1")
    assert admin.send("DELETE", f"inventories/{template['inventory']}/").status == 204
    assert admin.get("inventory_sources/")["count"] == 0
    assert admin.get(template["url"])["inventory"] is None
    assert admin.send("DELETE", template["url"]).status == 204
    assert (admin.get("schedules/")["count"], admin.get("projects/")["count"]) == (0, 1)


def test_ignored_fields_are_recorded_as_problems(awx: Server, admin: Client) -> None:
    template = admin.template()
    assert awx.problems == []
    admin.create("organizations/", name="two", no_such_field=1)
    admin.send("PATCH", template["url"], {"status": template["status"], "organization": template["organization"]})
    assert awx.problems == ["organizations has no field no_such_field"]
    admin.send("PATCH", template["url"], {"organization": 1})
    admin.send("GET", "organisations/")
    assert awx.problems[1:] == ["job_templates keeps its organization", "GET organisations/: unknown path"]
    calls = admin.get("/lab/calls")
    assert [each["path"] for each in calls if each["problems"]] == ["organizations/", template["url"].removeprefix("/api/v2/"), "organisations/"]


def test_secrets_are_never_returned_and_kept_if_sent_back(awx: Server, admin: Client) -> None:
    credential = admin.create("credentials/", name="key", credential_type=1, organization=1, inputs={"username": "ops", "password": "s3cret"})
    assert credential["inputs"] == {"username": "ops", "password": "$encrypted$"}
    admin.send("PATCH", credential["url"], {"inputs": {"username": "root", "password": "$encrypted$"}})
    assert awx.awx.objects.get("credentials", credential["id"]).values["inputs"] == {"username": "root", "password": "s3cret"}
    admin.create("users/", username="u", password="s3cret")
    assert "s3cret" not in str(admin.get("/lab/calls")) + str(admin.get("users/"))


def test_a_playbook_exists_after_the_sync_of_its_project(admin: Client) -> None:
    project = admin.create("projects/", name="git", organization=1, scm_type="git", scm_url=SCM_URL)
    assert project["status"] == "pending"
    inventory = admin.create("inventories/", name="clusters", organization=1)
    body = {"name": "t", "project": project["id"], "inventory": inventory["id"], "playbook": "reconcile.yml"}
    update = project["summary_fields"]["current_update"]["id"]
    seen = [admin.get(f"project_updates/{update}/")["status"] for _time in range(2)]
    assert (project["summary_fields"]["current_update"]["status"], seen[-1]) == ("pending", "successful")
    assert admin.get(f"projects/{project['id']}/playbooks/") == ["reconcile.yml"]
    assert admin.create("job_templates/", **body)["organization"] == 1
    assert admin.send("POST", "job_templates/", {**body, "name": "u", "playbook": "other.yml"}).status == 400


def test_a_template_is_refused_before_the_sync(admin: Client) -> None:
    inventory = admin.create("inventories/", name="clusters", organization=1)
    project = admin.create("projects/", name="git", organization=1, scm_type="git", scm_url=SCM_URL)
    body = {"name": "t", "project": project["id"], "inventory": inventory["id"], "playbook": "reconcile.yml"}
    reply = admin.send("POST", "job_templates/", body)
    assert (reply.status, reply.body) == (400, {"playbook": ["Playbook not found for project."]})


def test_the_sync_of_an_unknown_repository_fails_until_its_url_changes(admin: Client) -> None:
    project = admin.project(1, scm_url="https://git.example.com/other.git")
    assert (project["status"], project["scm_revision"]) == ("failed", "")
    changed = admin.send("PATCH", project["url"], {"scm_url": SCM_URL}).body
    admin.ended(f"project_updates/{changed['summary_fields']['current_update']['id']}/")
    assert len(admin.get(project["url"])["scm_revision"]) == 40


@pytest.mark.parametrize(
    ("survey", "error"),
    [
        ({"name": "x"}, "Field 'spec' is missing from survey spec."),
        ({**SURVEY, "spec": []}, "'spec' doesn't contain any items."),
        ({**SURVEY, "spec": [{"type": "text", "variable": "n", "required": False}]}, "'question_name' missing from survey question 0."),
        ({**SURVEY, "spec": SURVEY["spec"] * 2}, "'variable' 'n' duplicated in survey question 0."),
    ],
)
def test_a_wrong_survey_is_refused(admin: Client, survey: t.Any, error: str) -> None:
    path = f"job_templates/{admin.template()['id']}/survey_spec/"
    assert admin.send("POST", path, SURVEY).status == 200
    reply = admin.send("POST", path, survey)
    assert (reply.status, reply.body) == (400, {"error": error})
    assert admin.get(path) == SURVEY


def test_a_schedule_needs_the_start_of_its_rule(admin: Client) -> None:
    template = admin.template()
    body = {"name": "s", "unified_job_template": template["id"], "rrule": "RRULE:FREQ=DAILY;INTERVAL=1"}
    reply = admin.send("POST", "schedules/", body)
    assert (reply.status, list(reply.body)) == (400, ["rrule"])
    admin.create("schedules/", **{**body, "rrule": f"DTSTART;TZID=Europe/Zurich:20261201T030000 {body['rrule']}"})
    assert admin.names(f"job_templates/{template['id']}/schedules/") == ["s"]


def test_a_credential_takes_an_input_from_an_external_source(admin: Client) -> None:
    types = {each["name"]: each["id"] for each in admin.get("credential_types/")["results"]}
    store = admin.create("credentials/", name="store", organization=1, credential_type=types["AWS Secrets Manager lookup"])
    target = admin.create("credentials/", name="key", organization=1, credential_type=types["Machine"])
    body = {"target_credential": target["id"], "source_credential": store["id"], "metadata": {"secret_name": "fleet/key"}}
    admin.create("credential_input_sources/", input_field_name="password", **body)
    assert admin.get(f"credentials/{target['id']}/input_sources/")["count"] == 1
    assert admin.send("POST", "credential_input_sources/", {**body, "input_field_name": "nope"}).status == 400
    assert admin.send("POST", "credential_input_sources/", {**body, "input_field_name": "username", "source_credential": target["id"]}).status == 400
    assert admin.send("DELETE", target["url"]).status == 204
    assert admin.get("credential_input_sources/")["count"] == 0


def test_notifications_are_associated_by_the_result_of_a_job(admin: Client) -> None:
    configuration = {"url": "https://hook.example.com", "headers": {}, "password": "s3cret"}
    made = admin.create(
        "notification_templates/", name="hook", organization=1, notification_type="webhook", notification_configuration=configuration
    )
    assert made["notification_configuration"]["password"] == "$encrypted$"
    template = admin.template()
    workflow = admin.create("workflow_job_templates/", name="heal", organization=1)
    for path in (f"{template['url']}notification_templates_error/", f"{workflow['url']}notification_templates_approvals/"):
        assert admin.send("POST", path, {"id": made["id"]}).status == 204
        assert admin.names(path) == ["hook"]
    assert admin.send("POST", f"{template['url']}notification_templates_approvals/", {"id": made["id"]}).status == 404


def test_the_edges_of_a_workflow_have_no_cycle_and_one_kind(admin: Client) -> None:
    workflow = admin.create("workflow_job_templates/", name="heal", organization=1)
    nodes = [admin.create(f"{workflow['url']}workflow_nodes/", identifier=name) for name in ("first", "second")]
    approval = admin.create(f"{nodes[1]['url']}create_approval_template/", name="approve", timeout=60)
    assert admin.send("POST", f"{nodes[0]['url']}success_nodes/", {"id": nodes[1]["id"]}).status == 204
    assert admin.get(nodes[0]["url"])["success_nodes"] == [nodes[1]["id"]]
    assert admin.get(nodes[1]["url"])["summary_fields"]["unified_job_template"]["type"] == "workflow_approval_template"
    assert admin.send("PATCH", approval["url"], {"timeout": 90}).body["timeout"] == 90
    assert admin.send("POST", f"{nodes[0]['url']}always_nodes/", {"id": nodes[1]["id"]}).body == {"Error": "Relationship not allowed."}
    assert admin.send("POST", f"{nodes[1]['url']}failure_nodes/", {"id": nodes[0]["id"]}).body == {"Error": "Cycle detected."}
    reply = admin.send("POST", "workflow_job_template_nodes/", {"identifier": "first", "workflow_job_template": workflow["id"]})
    assert reply.status == 400
    assert admin.send("DELETE", workflow["url"]).status == 204
    assert admin.get("workflow_job_template_nodes/")["count"] == 0
