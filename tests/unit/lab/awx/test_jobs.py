# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Jobs of the stand-in of AWX, with ansible-runner."""

from __future__ import annotations

import json
import typing as t
from pathlib import Path

import pytest
from lab.awx.client import Client
from lab.awx.server import Server

QUESTIONS = [
    {"question_name": "n", "type": "text", "variable": "text", "required": False, "default": "", "min": 0, "max": 50},
    {"question_name": "s", "type": "password", "variable": "secret", "required": False},
    {"question_name": "c", "type": "multiplechoice", "variable": "choice", "required": True, "choices": ["a", "b"], "default": ""},
]
SURVEY = {"name": "", "description": "", "spec": QUESTIONS}
HOSTILE = "{{ lookup('pipe', 'id') }}"


def launched(client: Client, template: t.Any, **body: t.Any) -> t.Any:
    return client.create(template["related"]["launch"], **body)


def test_a_job_runs_the_playbook_with_the_variables_of_awx(awx: Server, admin: Client, tmp_path: Path) -> None:
    template = admin.template(name="t", survey_enabled=True, extra_vars="text: from the template\n", job_tags="all")
    admin.send("POST", template["related"]["survey_spec"], SURVEY)
    job = launched(admin, template, extra_vars={"text": HOSTILE, "secret": "s3cret", "choice": "a", "other": 1}, limit="x")
    assert (job["status"], job["ignored_fields"]) == ("pending", {"limit": "x", "extra_vars": {"other": 1}})
    ended = admin.ended(job["url"])
    output = admin.get(f"{job['related']['stdout']}?format=txt")
    assert ended["status"] == "successful", output
    assert (ended["artifacts"]["seen"], ended["artifacts"]["text"], ended["artifacts"]["hosts"]) == ("t ", HOSTILE, [])
    assert Path(ended["artifacts"]["home"]).is_relative_to(tmp_path)
    assert "PLAY RECAP" in output
    assert json.loads(ended["extra_vars"]) == {"text": HOSTILE, "secret": "$encrypted$", "choice": "a"}
    assert "s3cret" not in str(admin.get("/lab/calls"))
    assert awx.problems == ["launch of t ignored extra_vars: {'other': 1}", "launch of t ignored limit: x"]
    assert admin.get(template["url"])["status"] == "successful"


@pytest.mark.parametrize(
    ("answers", "error"),
    [
        ({}, "'choice' value missing"),
        ({"choice": "c"}, "Value c for 'choice' expected to be one of ['a', 'b']."),
        ({"choice": "a", "text": 1}, "Value 1 for 'text' expected to be a string."),
        ({"choice": "a", "text": "x" * 51}, f"'text' value {'x' * 51} is too large (must be no more than 50)."),
    ],
)
def test_wrong_answers_of_a_survey_are_refused(admin: Client, answers: t.Any, error: str) -> None:
    template = admin.template(survey_enabled=True)
    admin.send("POST", template["related"]["survey_spec"], SURVEY)
    assert admin.get(template["related"]["launch"])["variables_needed_to_start"] == ["choice"]
    reply = admin.send("POST", template["related"]["launch"], {"extra_vars": answers})
    assert (reply.status, reply.body) == (400, {"variables_needed_to_start": [error]})
    assert admin.get("jobs/")["count"] == 0


def test_jobs_of_a_template_run_one_after_the_other(admin: Client) -> None:
    template = admin.template(ask_variables_on_launch=True)
    first, second = launched(admin, template), launched(admin, template, extra_vars={"fails": True})
    assert [admin.get(each["url"])["status"] for each in (first, second)] == ["running", "pending"]
    assert admin.send("DELETE", template["url"]).status == 409
    admin.send("PATCH", template["url"], {"allow_simultaneous": True})
    third = launched(admin, template)
    assert admin.get(third["url"])["status"] == "running"
    for each in (first, third):
        assert admin.send("POST", each["related"]["cancel"]).status == 202
        assert admin.ended(each["url"])["status"] == "canceled"
    assert admin.ended(second["url"])["status"] == "failed"
    assert "as requested" in admin.get(f"{second['url']}stdout/?format=txt")
    assert admin.send("POST", second["related"]["cancel"]).status == 405


def test_a_source_is_updated_before_the_job_and_credentials_are_injected(admin: Client) -> None:
    injectors = {"env": {"KEY_FILE": "{{ tower.filename.key }}", "EMPTY": "{{ none }}"}, "file": {"template.key": "{{ key }}"}}
    inputs = {"fields": [{"id": "key", "label": "k", "type": "string", "secret": True}, {"id": "none", "label": "n", "type": "string"}]}
    kind = admin.create("credential_types/", name="key", kind="cloud", inputs=inputs, injectors=injectors)
    store = admin.create("credentials/", name="store", organization=1, credential_type=4)
    credential = admin.create("credentials/", name="key", organization=1, credential_type=kind["id"])
    source = {"target_credential": credential["id"], "source_credential": store["id"], "input_field_name": "key"}
    admin.create("credential_input_sources/", metadata={"secret_name": "fleet/key"}, **source)
    template = admin.template()
    admin.send("POST", template["related"]["credentials"], {"id": credential["id"]})
    body = {"source": "scm", "source_project": template["project"], "source_path": "hosts.ini", "update_on_launch": True}
    admin.create("inventory_sources/", name="s", inventory=template["inventory"], **body)
    job = admin.ended(launched(admin, template)["url"])
    found = job["artifacts"]
    assert (job["status"], found["hosts"], found["key"]) == ("successful", ["node-1"], "from the store")
    assert admin.get("inventory_sources/")["results"][0]["status"] == "successful"
    assert admin.get(f"inventories/{template['inventory']}/")["total_hosts"] == 1


def test_a_job_is_not_run_after_a_failed_update(admin: Client, repository: Path) -> None:
    template = admin.template()
    admin.send("PATCH", f"projects/{template['project']}/", {"scm_update_on_launch": True})
    repository.rename(repository.with_name("moved"))
    job = admin.ended(launched(admin, template)["url"])
    assert (job["status"], job["job_explanation"], job["artifacts"]) == ("failed", "Previous Task Failed", {})


class Workflow:
    """A workflow whose nodes run templates or approvals, joined by edges of a kind."""

    def __init__(self, client: Client) -> None:
        self.client = client
        self.template = client.create("workflow_job_templates/", name="heal", organization=1, ask_variables_on_launch=True)
        self.nodes: dict[str, t.Any] = {}

    def node(self, name: str, template: t.Any, after: str = "", edge: str = "success_nodes") -> None:
        number = {"unified_job_template": template["id"]} if template is not None else {}
        made = self.client.create(f"{self.template['url']}workflow_nodes/", identifier=name, **number)
        if template is None:
            self.client.create(f"{made['url']}create_approval_template/", name=name, timeout=60)
        self.nodes[name] = made
        if after:
            self.client.send("POST", f"{self.nodes[after]['url']}{edge}/", {"id": made["id"]})

    def launch(self, **variables: t.Any) -> t.Any:
        return launched(self.client, self.template, extra_vars=variables)

    def statuses(self, job: t.Any) -> dict[str, str]:
        nodes = self.client.get(job["related"]["workflow_nodes"])["results"]
        return {each["identifier"]: "not run" if each["do_not_run"] else self._status(each) for each in nodes}

    def approval(self, job: t.Any) -> t.Any:
        """The approval of a running workflow, when it waits."""
        path = f"{job['related']['workflow_nodes']}?job__name=approve"
        found = self.client.until(path, lambda nodes: nodes["count"] == 1)
        return self.client.get(found["results"][0]["related"]["job"])

    @staticmethod
    def _status(node: t.Any) -> str:
        return node["summary_fields"].get("job", {}).get("status", "")


@pytest.fixture()
def workflow(admin: Client) -> Workflow:
    return Workflow(admin)


def test_an_approved_workflow_passes_artifacts_to_its_next_node(admin: Client, workflow: Workflow) -> None:
    template = admin.template(name="t")
    workflow.node("first", template)
    workflow.node("approve", None, "first")
    workflow.node("second", template, "approve")
    job = workflow.launch(text=HOSTILE)
    approval = workflow.approval(job)
    assert admin.get(job["url"])["status"] == "running"
    assert admin.send("POST", approval["related"]["approve"]).status == 204
    assert admin.send("POST", approval["related"]["deny"]).status == 400
    assert admin.ended(job["url"])["status"] == "successful"
    assert workflow.statuses(job) == dict.fromkeys(("first", "approve", "second"), "successful")
    first, second = admin.get("jobs/?order_by=id")["results"]
    assert (first["artifacts"]["seen"], second["artifacts"]["seen"]) == ("t ", "t t ")
    assert second["artifacts"]["text"] == HOSTILE


def test_a_denied_workflow_takes_the_edge_of_failure(admin: Client, workflow: Workflow) -> None:
    workflow.node("approve", None)
    workflow.node("next", None, "approve")
    workflow.node("denied", None, "approve", "failure_nodes")
    job = workflow.launch()
    admin.send("POST", workflow.approval(job)["related"]["deny"])
    assert workflow.statuses(job) == {"approve": "failed", "next": "not run", "denied": "pending"}
    admin.send("POST", admin.get("workflow_approvals/?name=denied")["results"][0]["related"]["approve"])
    assert admin.ended(job["url"])["status"] == "successful"


def test_an_approval_fails_after_its_timeout_and_with_it_the_workflow(awx: Server, admin: Client, workflow: Workflow) -> None:
    seconds = [0.0]
    awx.jobs.workflows.clock = lambda: seconds[0]
    workflow.node("approve", None)
    job = workflow.launch()
    approval = workflow.approval(job)
    seconds[0] = 59
    assert admin.get(approval["url"])["status"] == "pending"
    seconds[0] = 60
    assert [admin.get(approval["url"])[name] for name in ("status", "timed_out")] == ["failed", True]
    assert admin.ended(job["url"])["status"] == "failed"


def test_a_canceled_workflow_cancels_its_jobs(admin: Client, workflow: Workflow) -> None:
    workflow.node("first", admin.template(name="t"))
    job = workflow.launch()
    assert admin.send("POST", job["related"]["cancel"]).status == 202
    assert admin.ended(job["url"])["status"] == "canceled"
    assert workflow.statuses(job) == {"first": "canceled"}
