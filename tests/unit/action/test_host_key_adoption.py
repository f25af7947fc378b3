# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Private host keys on their way from a node to the secret."""

from __future__ import annotations

import base64
import sys
import types

import pytest
from ansible.errors import AnsibleActionFail, AnsibleConnectionFailure
from ansible_collections.mlfleet.hyperpod.plugins.action import host_key_adoption
from ansible_collections.mlfleet.hyperpod.plugins.action.host_key_adoption import ActionModule

TASK = {"cluster_name": "ml"}
NEEDED = {"keys_needed": True, "changed": False}
DONE = {"changed": True, "module_stdout": "{}", "module_stderr": ""}
NODE = "ml-i-1"


def line(kind: str, half: str, text: str) -> str:
    return f"{kind} {half} {base64.b64encode(text.encode()).decode()}\n"


PAIR = line("ed25519", "private", "SECRET\n") + line("ed25519", ".pub", "ssh-ed25519 A\n")
KEYS = {"ed25519": {"private": "SECRET\n", "public": "ssh-ed25519 A\n"}}


class Local:
    """The connection to the controller."""

    transport, has_pipelining, closed = "local", False, False

    def set_options(self, *, var_options):
        self.variables = var_options

    def close(self):
        self.closed = True


@pytest.fixture
def local(monkeypatch):
    connections = []

    def get(name, _play_context):
        assert name == "ansible.builtin.local"
        connections.append(Local())
        return connections[-1]

    monkeypatch.setattr(host_key_adoption, "connection_loader", types.SimpleNamespace(get=get))
    return connections


@pytest.fixture
def adoption(action, local):
    """The plugin and the node, whose shell answers with ``stdout``; all that was seen of the commands."""

    def make(*answers, stdout=PAIR, rc=0, delegate_to=None, **arguments):
        made, node = action(ActionModule, {**TASK, **arguments}, *answers, transport="ssh")
        made._play_context = None
        made._task.delegate_to = delegate_to
        commands, there, here = [], made._connection, []

        def low_level(command):
            commands.append((made._connection is there, there._play_context.no_log))
            return {"rc": rc, "stdout": stdout, "stderr": ""}

        made._low_level_execute_command = low_level
        node.before = lambda _arguments: here.append(made._connection.transport)
        return made, node, commands, here

    return make


def test_the_node_is_asked_only_for_what_is_needed(adoption):
    made, node, commands, here = adoption(dict(DONE))
    assert made.run(task_vars={}) == {"changed": True}
    assert (node.asked, commands, here) == ([TASK], [], ["local"])


def test_keys_come_unseen_and_go_to_the_module_on_the_controller(adoption):
    made, node, commands, here = adoption(dict(NEEDED), dict(DONE))
    node_connection = made._connection
    assert made.run(task_vars={}) == {"changed": True}
    assert (node.asked, here) == ([TASK, {**TASK, "keys": KEYS}], ["local", "local"])
    assert commands == [(True, True)] and made._connection is node_connection
    assert node_connection._play_context.no_log is False


@pytest.mark.parametrize(
    ("stdout", "keys"),
    [
        (PAIR + line("rsa", "private", "SECRET"), KEYS),
        (PAIR + line("rsa", "other", "x") + "Last login: today\n", KEYS),
        (line("rsa", ".pub", "x"), {}),
        ("", {}),
    ],
)
def test_a_half_of_a_pair_is_left_out(adoption, stdout, keys):
    made, node, _commands, _here = adoption(dict(NEEDED), dict(DONE), stdout=stdout)
    made.run(task_vars={})
    assert node.asked[1]["keys"] == keys


@pytest.mark.parametrize(
    ("told", "words"),
    [
        ({"rc": 1}, "the task needs become: true"),
        ({"stdout": "rsa private A\n"}, "did not arrive as it is there"),
        ({"stdout": "rsa private /w==\n"}, "did not arrive"),
    ],
)
def test_what_can_not_be_read_is_a_failure_without_a_word_of_it(adoption, told, words):
    made, node, _commands, _here = adoption(dict(NEEDED), dict(DONE), **told)
    with pytest.raises(AnsibleActionFail, match=words) as raised:
        made.run(task_vars={})
    assert "SECRET" not in str(raised.value) and len(node.asked) == 1
    assert made._connection._play_context.no_log is False


def test_keys_are_not_taken_from_the_task(adoption):
    made, node, _commands, _here = adoption(keys=KEYS)
    with pytest.raises(AnsibleActionFail, match="keys is set by the action plugin"):
        made.run(task_vars={})
    assert node.asked == []


@pytest.mark.parametrize("delegate_to", [None, NODE])
def test_the_module_runs_with_this_python_wherever_the_task_goes(adoption, local, delegate_to):
    made, _node, _commands, _here = adoption(dict(DONE), delegate_to=delegate_to)
    made.run(task_vars={"a": 1, "ansible_delegated_vars": {NODE: {"ansible_connection": "ssh", "b": 2}}})
    ((variables, closed),) = [(each.variables, each.closed) for each in local]
    here = {"ansible_python_interpreter": sys.executable, "ansible_connection": "ansible.builtin.local"}
    assert closed and {"a": 1, **here}.items() <= variables.items()
    assert variables["ansible_delegated_vars"][NODE] == ({"b": 2, **here} if delegate_to else {"ansible_connection": "ssh", "b": 2})


def test_a_lost_connection_is_a_failure(adoption):
    """An unreachable node would take the host of the cluster, which delegates the task, out of the run."""
    made, node, _commands, _here = adoption(dict(NEEDED))

    def lost(_command):
        raise AnsibleConnectionFailure("timed out")

    made._low_level_execute_command = lost
    with pytest.raises(AnsibleActionFail, match=r"The host keys in /etc/ssh can't be read: timed out"):
        made.run(task_vars={})
    assert node.asked == [TASK] and made._connection._play_context.no_log is False
