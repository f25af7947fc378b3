# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The playbook ``awx`` builds everything in the stand-in of AWX, whose jobs ansible-runner then runs in clean folders."""

from __future__ import annotations

import json
import os
import shutil
import typing as t
from pathlib import Path

import pytest
from harness import HOME, World
from lab.awx import collection
from lab.awx.client import Client
from lab.awx.server import Server, running

LAB = Path(__file__).resolve().parents[2] / "inventories/lab"
SCM_URL = "https://git.example.com/fleet.git"
INVENTORY = "plugin: mlfleet.hyperpod.hyperpod\nprofile: lab\nregions: [us-west-2]\n"
PASSWORD = "password-of-olga"


def repository(world: World, folder: Path) -> Path:
    """The project that the playbook writes, with the variables of the lab and a report store."""
    made = world.playbook("awx", "-e", f"awx_project_dir={folder}")
    assert made.rc == 0, made.output
    (folder / "hyperpod.yml").write_text(INVENTORY)
    configuration = folder / "ansible.cfg"
    configuration.write_text(configuration.read_text().replace("# report_store = s3", f"report_store = {folder.parent}/store\n# s3"))
    declared = folder / "group_vars/all"
    (folder / "group_vars/all.yml").unlink()
    declared.mkdir()
    (declared / "lab.yml").write_text((LAB / "group_vars/all.yml").read_text().replace("~/people", f"{HOME}/people"))
    shutil.copy(HOME / "inventory/group_vars/all.yml", declared / "own.yml")
    public = json.dumps((HOME / ".ssh/id_ed25519.pub").read_text().strip())
    (declared / "key.yml").write_text(f"hyperpod_operations_public_key: {public}\n")
    return folder


def fleet() -> dict[str, t.Any]:
    key, profiles = (HOME / ".ssh/id_ed25519").read_text(), (HOME / ".aws/config").read_text()
    return {
        "awx_fleet": "prod",
        "awx_organization": "ml",
        "awx_project_url": SCM_URL,
        "awx_project_revision": "v1",
        "awx_verbs": ["reconcile"],
        "awx_schedules": {"reconcile": "never", "reconcile all nodes": "never"},
        "awx_credentials": [
            {"name": "operations key", "type": "Machine", "inputs": {"username": "ops", "ssh_key_data": key}},
            {"name": "profiles", "type": "AWS configuration file", "inputs": {"config": profiles}},
        ],
        "awx_job_credentials": ["operations key", "profiles"],
    }


def build(world: World, awx: Server, folder: Path) -> None:
    path = os.pathsep.join((os.environ["ANSIBLE_COLLECTIONS_PATH"], str(collection.ensure(print))))
    environment = {"ANSIBLE_COLLECTIONS_PATH": path, "CONTROLLER_HOST": awx.url, "CONTROLLER_OAUTH_TOKEN": awx.token}
    variables = folder / "fleet.json"
    variables.write_text(json.dumps(fleet()))
    for changed in (True, False):
        made = world.playbook("awx", "-e", f"@{variables}", env=environment)
        assert made.rc == 0 and ("changed=0" not in made.output) is changed, made.output


@pytest.mark.slow
def test_a_job_that_an_operator_starts_heals_a_replaced_node(ready: World, tmp_path: Path) -> None:
    environment = {name: value for name, value in os.environ.items() if name.startswith(("AWS_", "LAB_", "ANSIBLE_COLL")) or name == "PATH"}
    folder = HOME / "awx"  # ssh limits the length of the path of its socket
    with running(folder, {SCM_URL: repository(ready, tmp_path / "repository")}, environment=environment) as awx:
        build(ready, awx, tmp_path)
        admin = Client.with_token(awx.url, awx.token)
        olga = admin.create("users/", username="olga", password=PASSWORD)
        team = admin.get("teams/?name=operators")["results"][0]
        assert admin.send("POST", f"teams/{team['id']}/users/", {"id": olga["id"]}).status == 204
        operator = Client.with_password(awx.url, "olga", PASSWORD)
        (template,) = operator.get("job_templates/?name=reconcile")["results"]
        assert operator.send("PATCH", f"job_templates/{template['id']}/", {"forks": 1}).status == 403

        ready.replace(ready.login_nodes()[0]["instance_id"])
        launched = operator.create(f"job_templates/{template['id']}/launch/")
        job = operator.ended(f"jobs/{launched['id']}/")
        assert job["status"] == "successful", operator.get(f"jobs/{launched['id']}/stdout/?format=txt")
        assert job["artifacts"]["hyperpod"]["clusters"]["ml"]["status"] == "changed"
        ready.expect_all_serve()
        stored = Path(job["artifacts"]["hyperpod"]["stored"].removeprefix("file://"))
        assert json.loads(stored.read_text())["clusters"]
        assert awx.problems == []
