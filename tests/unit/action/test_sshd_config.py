# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""A change of sshd is confirmed by a new login; otherwise the node is polled until it returns the outcome."""

from __future__ import annotations

import pytest
from ansible.errors import AnsibleActionFail, AnsibleConnectionFailure
from ansible_collections.mlfleet.hyperpod.plugins.action.sshd_config import ActionModule
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._node_access import ssh_log
from ansible_collections.mlfleet.hyperpod.plugins.plugin_utils import commit_confirm

FILE = "/etc/ssh/sshd_config.d/10-people.conf"
TASK = {"content": "x", "confirm_timeout": 20}
CONFIRM = {"phase": "confirm", "token": "abc"}


def changed(status: str = "pending") -> dict:
    change = {"status": status, "token": "abc", "subject": "sshd_config people", "files": [FILE]}
    return {"changed": True, "sshd_change": change}


def outcome(status: str, note: str = "") -> dict:
    return {"changed": False, "sshd_change": {"status": status, "token": "abc", "note": note}}


@pytest.fixture(autouse=True)
def no_pause(clock, monkeypatch):
    monkeypatch.setattr(commit_confirm, "time", clock)


@pytest.mark.parametrize("option", ["phase", "token"])
def test_a_task_must_not_set_the_plugins_options(action, option):
    made, node = action(ActionModule, {**TASK, option: "x"})
    with pytest.raises(AnsibleActionFail, match=f"{option} is set by the action plugin"):
        made.run(task_vars={})
    assert node.calls == []


@pytest.mark.parametrize("returned", [{"changed": False}, changed("confirmed"), {"failed": True, "msg": "no"}])
def test_a_change_that_needs_no_confirmation_is_not_confirmed(action, returned):
    made, node = action(ActionModule, TASK, returned)
    result = made.run(task_vars={})
    assert node.calls == [TASK] and made._connection.resets == 0
    assert result["changed"] == returned["changed"] if "changed" in returned else result["failed"]
    assert "token" not in result.get("sshd_change", {})


def test_a_new_login_confirms(action, clock):
    made, node = action(ActionModule, TASK, changed(), outcome("confirmed"))
    result = made.run(task_vars={})
    assert (node.calls, made._connection.resets, clock.slept) == ([TASK, CONFIRM], 1, [])
    assert result == {"changed": True, "sshd_change": {"status": "confirmed", "note": ""}}
    assert made._connection.options == {"pipelining": True}, "pipelining must be on, so that the content is in no file on the node"


def test_each_attempt_is_a_new_login(action, clock):
    refused = [AnsibleConnectionFailure("a\nrefused"), {"failed": True, "msg": "b"}, outcome("pending", "the old connection")]
    made, node = action(ActionModule, TASK, changed(), *refused, outcome("confirmed"))
    assert made.run(task_vars={})["sshd_change"]["status"] == "confirmed"
    assert (node.calls, made._connection.resets) == ([TASK, *[CONFIRM] * 4], 4)
    assert clock.slept == [commit_confirm.PAUSE] * 3


@pytest.mark.parametrize(
    ("tries", "error"),
    [
        ([], "no error"),
        ([AnsibleConnectionFailure("ssh:\nPermission denied")], "Permission denied"),
        ([AnsibleConnectionFailure("refused"), {"failed": True, "msg": "later"}], "later"),
        ([{"failed": True, "module_stderr": "a\nTraceback"}], "Traceback"),
        ([{"failed": True}], "the module failed"),
        ([outcome("pending", "the old connection"), outcome("rolling_back")], "the old connection"),
    ],
)
def test_a_change_that_the_node_rolled_back_is_a_failure_with_its_reason(action, tries, error):
    made, _node = action(ActionModule, TASK, changed(), *tries, outcome("rolled_back"))
    with pytest.raises(AnsibleActionFail) as raised:
        made.run(task_vars={})
    assert str(raised.value).startswith("The change of sshd_config people was rolled back by the node: no new login confirmed it within 20 s.")
    assert f"Restored: {FILE}. The last attempt failed with: {error} (attempts: {len(tries) + 1}, the longest: 0 s)" in str(raised.value)


def test_an_unreachable_node_is_polled_until_its_timer_must_have_ended(action, clock):
    made, node = action(ActionModule, TASK, changed(), *[AnsibleConnectionFailure("timed out")] * 1000)
    with pytest.raises(AnsibleConnectionFailure, match=r"outcome of .* is unknown: .* itself after 20 s\. .*: timed out"):
        made.run(task_vars={})
    assert sum(clock.slept) == pytest.approx(20 + commit_confirm.MARGIN, abs=commit_confirm.PAUSE)
    assert made._connection.resets == len(clock.slept) + 1 == len(node.calls) - 1


def test_a_login_that_hangs_is_followed_by_another_login(action, clock):
    """The login lasts longer than the node's timer, and the node is polled once more."""

    def hang(arguments):
        clock.now += 120 if arguments == CONFIRM and not clock.slept else 0

    made, node = action(ActionModule, TASK, changed(), AnsibleConnectionFailure("timed out"), outcome("rolled_back"))
    node.before = hang
    with pytest.raises(AnsibleActionFail, match=r"was rolled back .*: timed out \(attempts: 2, the longest: 120 s\)"):
        made.run(task_vars={})
    assert node.calls == [TASK, CONFIRM, CONFIRM]


def test_a_login_over_ssh_has_a_timeout_that_allows_another_attempt(action):
    made, node = action(ActionModule, {**TASK, "confirm_timeout": 60}, changed(), outcome("confirmed"), transport="ssh")
    made._connection.options.update(timeout=120, reconnection_retries=3)
    limits = []
    node.before = lambda _arguments: limits.append({**made._connection.options})
    made.run(task_vars={})
    assert [(each["timeout"], each["reconnection_retries"]) for each in limits] == [(120, 3), (30, 0)]
    assert (made._connection.options["timeout"], made._connection.options["reconnection_retries"]) == (120, 3)


def test_the_message_has_the_note_of_the_proxy(action, tmp_path):
    ssh_log.note(str(tmp_path), "i-1: TargetNotConnected: it is not connected")
    made, _node = action(ActionModule, TASK, changed(), AnsibleConnectionFailure("closed"), outcome("rolled_back"))
    with pytest.raises(AnsibleActionFail, match="session: i-1: TargetNotConnected: it is not connected"):
        made.run(task_vars={"hyperpod_state_dir": str(tmp_path), "hyperpod_instance_id": "i-1"})
