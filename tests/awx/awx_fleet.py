# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""A control node that declares a fleet, and runs the playbook ``awx``."""

from __future__ import annotations

import copy
import json
import os
import re
import subprocess
import sys
import typing as t
from dataclasses import dataclass
from pathlib import Path

from ansible_collections.mlfleet.hyperpod.plugins.plugin_utils.awx import project as of_project
from ansible_collections.mlfleet.hyperpod.plugins.plugin_utils.verbs import verbs
from lab.awx.calls import Call
from lab.awx.objects import Object
from lab.awx.server import Server

SCM_URL = "https://git.example.com/fleet.git"
LIMIT = 600
SECRETS = ("key-that-is-secret", "profile-that-is-secret", "password-that-is-secret")
FLEET: dict[str, t.Any] = {
    "awx_fleet": "prod",
    "awx_organization": "ml",
    "awx_project_url": SCM_URL,
    "awx_project_revision": "v1",
    "awx_image": "registry.example.com/hyperpod-ee:1",
    "awx_credentials": [
        {"name": "operations key", "type": "Machine", "inputs": {"username": "ops", "ssh_key_data": SECRETS[0]}},
        {"name": "profiles", "type": "AWS configuration file", "inputs": {"config": SECRETS[1]}},
    ],
    "awx_job_credentials": ["operations key", "profiles"],
    "awx_notifications": [
        {
            "name": "hook",
            "type": "webhook",
            "configuration": {"url": "https://chat.example.com", "http_method": "POST", "headers": {}, "password": SECRETS[2]},
        }
    ],
    "awx_time_zone": "Europe/Zurich",
    "awx_verbs": ["reconcile", "verify", "remediate", "access_report"],
}
"""Few verbs, because each object takes a second."""


def project(folder: Path) -> Path:
    """The project that the playbook writes."""
    for each in of_project.files(verbs().values(), "*"):
        path = folder / each.path
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(each.content)
    return folder


@dataclass(frozen=True)
class Run:
    rc: int
    output: str
    changes: list[Call]
    """The requests that AWX carried out, except GET."""

    @property
    def changed(self) -> int:
        (found,) = re.findall(r"^localhost .* changed=(\d+)", self.output, re.MULTILINE)
        return int(found)


class Controller:
    def __init__(self, folder: Path, collections: Path, repository: Path, awx: Server) -> None:
        self.folder, self.repository, self.awx = folder, repository, awx
        self.variables = copy.deepcopy(FLEET)
        self.within: list[str] = []
        """Words before the command of a run."""
        (folder / "home").mkdir()
        tree = os.environ["COLLECTION_TREE"]
        self._environment = {
            "HOME": str(folder / "home"),
            "ANSIBLE_REMOTE_TMP": str(folder / "tmp"),
            "PATH": os.environ["PATH"],
            "ANSIBLE_COLLECTIONS_PATH": f"{tree}:{collections}",
            "ANSIBLE_INJECT_FACT_VARS": "False",
            "ANSIBLE_LOCALHOST_WARNING": "False",
            "ANSIBLE_CALLBACK_RESULT_FORMAT": "yaml",
            "CONTROLLER_HOST": awx.url,
            "CONTROLLER_OAUTH_TOKEN": awx.token,
        }

    def run(self, *arguments: str, **variables: t.Any) -> Run:
        """Run the playbook with the declared variables and those of this run."""
        file = self.folder / "fleet.json"
        file.write_text(json.dumps({**self.variables, **variables}))
        before = len(self.awx.changes)
        command = [str(Path(sys.executable).with_name("ansible-playbook")), "mlfleet.hyperpod.awx", "-e", f"@{file}", *arguments]
        done = subprocess.run(
            [*self.within, *command], cwd=self.folder, env=self._environment, capture_output=True, text=True, timeout=LIMIT, check=False
        )
        (self.folder / "output.txt").write_text(done.stdout + done.stderr)
        return Run(done.returncode, done.stdout + done.stderr, self.awx.changes[before:])

    def named(self, plural: str, name: str) -> Object:
        """The object of AWX itself, with its secrets."""
        (found,) = (each for each in self.awx.awx.objects.by_kind[plural].values() if each.values["name"] == name)
        return found

    def patch(self, found: Object, **values: t.Any) -> None:
        """Change an object as an administrator."""
        status, answer = self.awx.awx.call("PATCH", f"{found.kind.plural}/{found.id}/", values)
        assert status == 200, answer

    def renew_token(self) -> None:
        self._environment["CONTROLLER_OAUTH_TOKEN"] = self.awx.awx.call("POST", "tokens/", {})[1]["token"]

    def objects(self) -> list[tuple[str, str]]:
        """The kinds and names of all objects of AWX, for which nothing may exist twice."""
        return sorted(
            (kind, str(each.values.get("name") or each.values.get("identifier")))
            for kind, ones in self.awx.awx.objects.by_kind.items()
            for each in ones.values()
            if kind not in ("project_updates", "roles", "tokens", "users")
        )
