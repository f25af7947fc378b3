# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""One run creates everything, and the next one changes nothing."""

from __future__ import annotations

import golden
import syslog_socket
from awx_fleet import SECRETS, Controller


def add_another_organization(controller: Controller) -> None:
    """It has objects with names of the fleet, which the modules of awx.awx seek in all organizations."""
    call = controller.awx.awx.call
    owner = {"organization": call("POST", "organizations/", {"name": "other"})[1]["id"]}
    hook = {"notification_type": "webhook", "notification_configuration": {"url": "https://chat.example.com", "headers": {}}}
    for plural, values in (
        ("inventories", {"name": "hyperpod"}),
        ("credentials", {"name": "operations key", "credential_type": 1, "inputs": {}}),
        ("notification_templates", {"name": "hook", **hook}),
    ):
        assert call("POST", f"{plural}/", {**values, **owner})[0] == 201


def test_one_run_creates_everything_and_the_next_changes_nothing(controller: Controller) -> None:
    add_another_organization(controller)
    checked = controller.run("--check", "--diff")
    assert checked.rc == 0 and checked.changes == [], checked.output
    assert '+++ after: job_template reconcile' in checked.output and "playbook: reconcile.yml" in checked.output

    known = len(controller.awx.calls)
    with syslog_socket.listening(controller.folder) as log:
        controller.within = log.prefix
        made = controller.run("-vvv", "--diff")
        controller.within = []
    assert made.rc == 0, made.output
    assert syslog_socket.FIRST in log.messages[0]
    assert [each for each in SECRETS if each in "\n".join((made.output, checked.output, *log.messages))] == []
    assert controller.awx.token not in made.output
    assert controller.awx.problems == []
    assert made.changed == checked.changed
    golden.assert_recorded("fleet.jsonl", golden.requests(controller.awx.calls[known:], controller.awx.awx.objects))

    again = controller.run("--diff")
    assert (again.rc, again.changed, again.changes) == (0, 0, []), again.output
    assert "The credential operations key has secrets, which AWX does not return: not compared." in again.output
