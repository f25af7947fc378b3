# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Waits until AWX has the revision of the project, and checks that the project has all playbooks."""

from __future__ import annotations

import time
import typing as t

from ansible.plugins.action import ActionBase
from ansible.utils.display import Display
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._core.failure import Failure
from ansible_collections.mlfleet.hyperpod.plugins.plugin_utils.awx.controller import Controller
from ansible_collections.mlfleet.hyperpod.plugins.plugin_utils.awx.fleet import Fleet, declared
from ansible_collections.mlfleet.hyperpod.plugins.plugin_utils.awx.wanted import PROJECT, playbooks
from ansible_collections.mlfleet.hyperpod.plugins.plugin_utils.verbs import verbs

UNDER_WAY = ("new", "pending", "waiting", "running")
NOT_LISTED = "not listed yet"
INTERVAL = 2
SHOWN_EVERY = 10
DEADLINE = 600
"""Seconds between reads, between messages, and until the wait ends."""
ARGUMENTS: dict[str, t.Any] = {}


class ActionModule(ActionBase):
    """Only reads, on the control node."""

    _requires_connection = False
    _supports_check_mode = False

    def run(self, tmp: str | None = None, task_vars: dict[str, t.Any] | None = None) -> dict[str, t.Any]:
        result = {**super().run(tmp, task_vars), "changed": False}
        self.validate_argument_spec(argument_spec=ARGUMENTS)
        controller = Controller(self, task_vars or {})
        fleet = declared(controller.variables)
        try:
            project = _updated(controller, fleet)
            _check(controller, fleet, project)
        except Failure as error:
            return {**result, "failed": True, "msg": str(error)}
        return {**result, "revision": project["scm_revision"]}


def _updated(controller: Controller, fleet: Fleet) -> t.Any:
    """The project after its update. AWX may list a new project late.

    :raises Failure: if the update takes too long.
    """
    begin, shown = time.monotonic(), 0.0
    name = fleet.named(PROJECT)
    while True:
        (project,) = controller.read("projects", name=name, organization__name=fleet.organization) or (None,)
        status = project["status"] if project else NOT_LISTED
        if status not in (*UNDER_WAY, NOT_LISTED):
            return project
        elapsed = time.monotonic() - begin
        if elapsed > DEADLINE:
            raise Failure(f"The update of the project {name} is {status} after {elapsed:.0f} s. Check it in AWX, then run again.")
        if elapsed - shown >= SHOWN_EVERY:
            Display().display(f"AWX updates the project {name}: {status}, {elapsed:.0f} of at most {DEADLINE} s")
            shown = elapsed
        time.sleep(INTERVAL)


def _check(controller: Controller, fleet: Fleet, project: t.Any) -> None:
    """:raises Failure: if AWX could not update the project, or if it lacks playbooks."""
    name, revision = fleet.named(PROJECT), fleet.project["revision"]
    if project["status"] != "successful":
        raise Failure(
            f"The update of the project {name} to {revision} is {project['status'] or 'unknown'}. The output of the update in AWX "
            "has the reason. Check awx_project_url, awx_project_revision and awx_project_credential, then run again."
        )
    there = set(controller.read(f"projects/{project['id']}/playbooks"))
    missing = [each for each in playbooks(fleet, verbs().values()) if each not in there]
    if missing:
        raise Failure(
            f"Revision {revision} of the project {name} lacks {', '.join(missing)}. Write them with -e awx_project_dir=DIR, "
            "commit them, and set awx_project_revision to the new commit."
        )
