# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""A replaced node is back soon after HyperPod's event, by a real ansible-rulebook that runs reconcile. No timer runs."""

from __future__ import annotations

import time
import typing as t

import listener
import pytest
from harness import World
from lab.aws import permissions
from mishaps import locked_elsewhere
from steps import step


@pytest.fixture
def rulebook(ready: World) -> t.Iterator[None]:
    """The rulebook, the rule and the queues. They are removed afterwards."""
    listener.prepare(ready)
    arguments = ("-e", f"events_rulebook={listener.RULEBOOK}", "-e", "events_run=playbook")
    for changed in (True, False):
        ready.reset_calls()
        made = ready.playbook("events", *arguments)
        assert made.rc == 0 and bool(made.changed) is changed and bool(ready.calls(mutating=True)) is changed, made.log
    yield
    ready.settings(policies=permissions.documented())
    gone = ready.playbook("events", "-e", "events_state=absent", "-e", "events_confirm=ml")
    assert gone.rc == 0 and ready.aws("sqs").list_queues().get("QueueUrls", []) == [], gone.log


def back(world: World) -> float:
    """Seconds until each login node serves logins."""
    begin = time.monotonic()
    world.eventually(world.expect_all_serve, seconds=600)
    return time.monotonic() - begin


@pytest.mark.slow
@pytest.mark.usefixtures("rulebook")
def test_a_replaced_node_serves_again_after_its_event(ready: World) -> None:
    with listener.with_playbooks() as process:
        with step("a node is replaced"):
            ready.replace(ready.login_nodes()[0]["instance_id"])
            print(f"{back(ready):.0f} s from the replacement to logins on all nodes")

        with step("while another run holds the lock, the run after the event waits"):
            with locked_elsewhere(ready):
                ready.replace(ready.login_nodes()[0]["instance_id"])
                process.wait_for("is held by", seconds=300)
            print(f"{back(ready):.0f} s from the release of the lock to logins on all nodes")

        with step("the last events cause no further changes"):
            ready.eventually(lambda: still(ready), seconds=300)
    assert "Traceback" not in process.output, process.output


def still(world: World) -> None:
    world.reset_calls()
    time.sleep(20)
    assert not [call for call in world.calls(mutating=True) if call["service"] != "sqs"]
