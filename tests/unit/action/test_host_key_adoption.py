# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The transfer of private host keys from a node to the secret."""

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
    """A function that creates the plugin with a node whose shell prints ``stdout``, and records its commands and connections."""

    def make(*results, stdout=PAIR, rc=0, delegate_to=None, **arguments):
        made, node = action(ActionModule, {**TASK, **arguments}, *results, transport="ssh")
        made._play_context = None
        made._task.delegate_to = delegate_to
        commands, to_node, transports = [], made._connection, []

        def low_level(command):
            commands.append((made._connection is to_node, to_node._play_context.no_log))
            return {"rc": rc, "stdout": stdout, "stderr": ""}

        made._low_level_execute_command = low_level
        node.before = lambda _arguments: transports.append(made._connection.transport)
        return made, node, commands, transports

    return make


def test_keys_are_read_only_if_the_module_needs_them(adoption):
    made, node, commands, transports = adoption(dict(DONE))
    assert made.run(task_vars={}) == {"changed": True}
    assert (node.calls, commands, transports) == ([TASK], [], ["local"])


def test_keys_are_read_without_a_log_and_passed_to_the_module_on_the_controller(adoption):
    made, node, commands, transports = adoption(dict(NEEDED), dict(DONE))
    node_connection = made._connection
    assert made.run(task_vars={}) == {"changed": True}
    assert (node.calls, transports) == ([TASK, {**TASK, "keys": KEYS}], ["local", "local"])
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
def test_an_incomplete_pair_is_ignored(adoption, stdout, keys):
    made, node, _commands, _transports = adoption(dict(NEEDED), dict(DONE), stdout=stdout)
    made.run(task_vars={})
    assert node.calls[1]["keys"] == keys


@pytest.mark.parametrize(
    ("shell", "message"),
    [
        ({"rc": 1}, "Set become: true for the task"),
        ({"stdout": "rsa private A\n"}, "could not be decoded: the node returned invalid base64"),
        ({"stdout": "rsa private /w==\n"}, "or the key is not text"),
    ],
)
def test_unreadable_keys_are_a_failure_without_their_content(adoption, shell, message):
    made, node, _commands, _transports = adoption(dict(NEEDED), dict(DONE), **shell)
    with pytest.raises(AnsibleActionFail, match=message) as raised:
        made.run(task_vars={})
    assert "SECRET" not in str(raised.value) and len(node.calls) == 1
    assert made._connection._play_context.no_log is False


def test_a_task_must_not_set_keys(adoption):
    made, node, _commands, _transports = adoption(keys=KEYS)
    with pytest.raises(AnsibleActionFail, match="The option keys is set by the action plugin"):
        made.run(task_vars={})
    assert node.calls == []


@pytest.mark.parametrize("delegate_to", [None, NODE])
def test_the_module_runs_with_this_python_for_any_delegation(adoption, local, delegate_to):
    made, _node, _commands, _transports = adoption(dict(DONE), delegate_to=delegate_to)
    made.run(task_vars={"a": 1, "ansible_delegated_vars": {NODE: {"ansible_connection": "ssh", "b": 2}}})
    ((variables, closed),) = [(each.variables, each.closed) for each in local]
    local_variables = {"ansible_python_interpreter": sys.executable, "ansible_connection": "ansible.builtin.local"}
    assert closed and {"a": 1, **local_variables}.items() <= variables.items()
    assert variables["ansible_delegated_vars"][NODE] == ({"b": 2, **local_variables} if delegate_to else {"ansible_connection": "ssh", "b": 2})


def test_a_lost_connection_is_a_failure(adoption):
    """An unreachable result would exclude the cluster's host, which delegates the task, from the run."""
    made, node, _commands, _transports = adoption(dict(NEEDED))

    def lost(_command):
        raise AnsibleConnectionFailure("timed out")

    made._low_level_execute_command = lost
    with pytest.raises(AnsibleActionFail, match=r"The host keys in /etc/ssh could not be read: timed out"):
        made.run(task_vars={})
    assert node.calls == [TASK] and made._connection._play_context.no_log is False
