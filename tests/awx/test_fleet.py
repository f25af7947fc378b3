# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""One run creates everything, and the next one changes nothing."""

from __future__ import annotations

import golden
import syslog_socket
from awx_fleet import SECRETS, Controller


def test_one_run_creates_everything_and_the_next_changes_nothing(controller: Controller) -> None:
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
