# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""What the tests and the demo of AWX share: a project with the lab's variables, a fleet in AWX, and an operator who starts jobs."""

from __future__ import annotations

import json
import os
import shutil
import typing as t
from pathlib import Path

from harness import HOME, World
from lab.awx import collection
from lab.awx.client import Client
from lab.awx.server import Server

LAB = Path(__file__).resolve().parents[2] / "inventories/lab"
FOLDER = HOME / "awx"
"""For AWX's jobs. Short, because ssh limits the length of the path of its socket."""
SCM_URL = "https://git.example.com/fleet.git"
INVENTORY = "plugin: mlfleet.hyperpod.hyperpod\nprofile: lab\nregions: [us-west-2]\n"
PASSWORD = "password-of-olga"
REPAIRS = "repair after approval"
APPROVAL = "approve repairs"
LONG = 1200
"""Seconds for a workflow of several runs on a loaded machine."""


def job_environment() -> dict[str, str]:
    """The variables that the lab's programs need in a job."""
    return {name: value for name, value in os.environ.items() if name.startswith(("AWS_", "LAB_", "ANSIBLE_COLL")) or name == "PATH"}


def complete(project: Path, store: Path) -> None:
    """Add the lab's variables and a report store to the project that the playbook wrote."""
    (project / "hyperpod.yml").write_text(INVENTORY)
    configuration = project / "ansible.cfg"
    configuration.write_text(configuration.read_text().replace("# report_store = s3", f"report_store = {store}\n# s3"))
    declared = project / "group_vars/all"
    (project / "group_vars/all.yml").unlink()
    declared.mkdir()
    (declared / "lab.yml").write_text((LAB / "group_vars/all.yml").read_text().replace("~/people", f"{HOME}/people"))
    shutil.copy(HOME / "inventory/group_vars/all.yml", declared / "own.yml")
    public = json.dumps((HOME / ".ssh/id_ed25519.pub").read_text().strip())
    (declared / "key.yml").write_text(f"hyperpod_operations_public_key: {public}\n")


def fleet(file: Path, *verbs: str, **more: t.Any) -> dict[str, str]:
    """Write the variables of the playbook ``awx``. Nothing is scheduled.

    :param more: other variables.
    :return: the environment of the playbook, except for the address of AWX.
    """
    key, profiles = (HOME / ".ssh/id_ed25519").read_text(), (HOME / ".aws/config").read_text()
    variables: dict[str, t.Any] = {
        "awx_fleet": "prod",
        "awx_organization": "ml",
        "awx_project_url": SCM_URL,
        "awx_project_revision": "v1",
        "awx_verbs": list(verbs),
        "awx_schedules": {"reconcile": "never", "reconcile all nodes": "never", "verify": "never"},
        "awx_credentials": [
            {"name": "operations key", "type": "Machine", "inputs": {"username": "ops", "ssh_key_data": key}},
            {"name": "profiles", "type": "AWS configuration file", "inputs": {"config": profiles}},
        ],
        "awx_job_credentials": ["operations key", "profiles"],
        **more,
    }
    file.write_text(json.dumps(variables))
    return {"ANSIBLE_COLLECTIONS_PATH": os.pathsep.join((os.environ["ANSIBLE_COLLECTIONS_PATH"], str(collection.ensure(print))))}


def build(world: World, awx: Server, folder: Path, *verbs: str, **more: t.Any) -> Operator:
    """Create the fleet in AWX. A second run of the playbook changes nothing."""
    variables = folder / "fleet.json"
    environment = {**fleet(variables, *verbs, **more), "CONTROLLER_HOST": awx.url, "CONTROLLER_OAUTH_TOKEN": awx.token}
    for changed in (True, False):
        made = world.playbook("awx", "-e", f"@{variables}", env=environment)
        assert made.rc == 0 and ("changed=0" not in made.output) is changed, made.output
    return Operator(awx)


class Operator:
    """A person in the team operators, who starts jobs and decides approvals."""

    def __init__(self, awx: Server) -> None:
        admin = Client.with_token(awx.url, awx.token)
        olga = admin.create("users/", username="olga", password=PASSWORD)
        team = admin.get("teams/?name=operators")["results"][0]
        assert admin.send("POST", f"teams/{team['id']}/users/", {"id": olga["id"]}).status == 204
        self.client = Client.with_password(awx.url, "olga", PASSWORD)

    def launch(self, name: str, kind: str = "job_template", **variables: t.Any) -> dict[str, t.Any]:
        """Start a template or workflow; returns the job, which has not ended."""
        (template,) = self.client.get(f"{kind}s/?name={name.replace(' ', '%20')}")["results"]
        return dict(self.client.create(f"{kind}s/{template['id']}/launch/", extra_vars=variables))

    def run(self, name: str, **variables: t.Any) -> dict[str, t.Any]:
        """Start a template, and wait for the end of its job."""
        return dict(self.client.ended(f"jobs/{self.launch(name, **variables)['id']}/", seconds=LONG))

    def ended(self, workflow: t.Mapping[str, t.Any]) -> str:
        """The status of a workflow after its end."""
        return str(self.client.ended(f"workflow_jobs/{workflow['id']}/", seconds=LONG)["status"])

    def output(self, job: t.Mapping[str, t.Any]) -> str:
        return str(self.client.get(f"jobs/{job['id']}/stdout/?format=txt"))

    def jobs_of(self, workflow: t.Mapping[str, t.Any]) -> dict[str, dict[str, t.Any]]:
        """The jobs and approvals of a workflow in their order, by the identifier of their node."""
        nodes = self.client.get(f"workflow_jobs/{workflow['id']}/workflow_nodes/")["results"]
        started = sorted((each for each in nodes if each["job"]), key=lambda each: each["job"])
        return {each["identifier"]: self.client.get(each["related"]["job"]) for each in started}

    def approval(self, workflow: t.Mapping[str, t.Any], name: str = APPROVAL) -> dict[str, t.Any] | None:
        """The approval that a workflow waits for; None if it ended without one."""
        url = f"workflow_jobs/{workflow['id']}/"
        self.client.until(url, lambda job: job["status"] not in ("pending", "running") or name in self.jobs_of(workflow), seconds=LONG)
        return self.jobs_of(workflow).get(name)

    def approve(self, approval: t.Mapping[str, t.Any]) -> None:
        assert self.client.send("POST", f"workflow_approvals/{approval['id']}/approve/").status == 204
