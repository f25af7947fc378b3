# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Copies private host keys from a node to the secret. No result, variable or file contains the keys."""

from __future__ import annotations

import base64
import binascii
import sys
import typing as t

from ansible.errors import AnsibleActionFail, AnsibleConnectionFailure
from ansible.plugins.action import ActionBase
from ansible.plugins.loader import connection_loader
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._core.text import lines_of
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._ssh.public_key import HOST_KEY_TYPES
from ansible_collections.mlfleet.hyperpod.plugins.plugin_utils.in_memory import without_file

MODULE = "mlfleet.hyperpod.host_key_adoption"
READ = (
    f'for type in {" ".join(HOST_KEY_TYPES)}; do for half in "" .pub; do file=/etc/ssh/ssh_host_${{type}}_key$half; '
    '[ ! -s "$file" ] || echo "$type ${half:-private} $(base64 -w 0 "$file")" || exit 1; done; done'
)
HALVES = {"private": "private", ".pub": "public"}


class ActionModule(ActionBase):
    """Runs the module on the control node, and reads the keys from the node only if the module requests them."""

    _supports_check_mode = True
    _supports_async = False
    _supports_diff = True
    _connection: t.Any

    def run(self, tmp: str | None = None, task_vars: dict[str, t.Any] | None = None) -> dict[str, t.Any]:
        result = super().run(tmp, task_vars)
        del tmp
        if "keys" in self._task.args:
            raise AnsibleActionFail("The option keys is set by the action plugin. Remove keys from the task.")
        answer = self._here(dict(self._task.args), task_vars or {})
        if answer.pop("keys_needed", False):
            answer = self._here({**self._task.args, "keys": self._keys()}, task_vars or {})
        result.update(answer)
        return result

    def _keys(self) -> dict[str, dict[str, str]]:
        """The key pairs in the node's /etc/ssh. They stay in the memory of this process."""
        try:
            answer = self._unseen(READ)
        except AnsibleConnectionFailure as error:
            raise AnsibleActionFail(f"The host keys in /etc/ssh could not be read: {error}") from None
        if answer["rc"] != 0:
            raise AnsibleActionFail("The host keys in /etc/ssh could not be read. Set become: true for the task.")
        keys: dict[str, dict[str, str]] = {}
        for line in lines_of(answer["stdout"]):
            words = line.split()
            if len(words) == 3 and words[1] in HALVES:
                try:
                    text = base64.b64decode(words[2], validate=True).decode()
                except (binascii.Error, UnicodeDecodeError):
                    raise AnsibleActionFail(
                        "A host key in /etc/ssh could not be decoded: the node returned invalid base64, or the key is not text."
                    ) from None
                keys.setdefault(words[0], {})[HALVES[words[1]]] = text
        return {key_type: pair for key_type, pair in keys.items() if len(pair) == len(HALVES)}

    def _unseen(self, command: str) -> dict[str, t.Any]:
        """Run a command on the node without logging its output. With -vvv, Ansible would otherwise print and log the output."""
        context = self._connection._play_context
        shown, context.no_log = context.no_log, True
        try:
            return self._low_level_execute_command(command)
        finally:
            context.no_log = shown

    def _here(self, arguments: dict[str, t.Any], task_vars: dict[str, t.Any]) -> dict[str, t.Any]:
        """Run the module on the control node, whichever host the task is for."""
        here = {"ansible_python_interpreter": sys.executable, "ansible_connection": "ansible.builtin.local"}
        variables = {**task_vars, **here}
        if self._task.delegate_to:
            delegated = task_vars["ansible_delegated_vars"][self._task.delegate_to]
            variables["ansible_delegated_vars"] = {self._task.delegate_to: {**delegated, **here}}
        node = self._connection
        self._connection = connection_loader.get("ansible.builtin.local", self._play_context)
        self._connection.set_options(var_options=variables)
        without_file(self._connection)
        try:
            answer = self._execute_module(module_name=MODULE, module_args=arguments, task_vars=variables)
        finally:
            self._connection.close()
            self._connection = node
        for name in ("module_stdout", "module_stderr"):
            answer.pop(name, None)
        return answer
