# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""AWX through its collection: reads with the lookup, writes with the modules.

The collection is a variable, because Automation Controller has the same modules in ``ansible.controller``. Names of modules cannot
be variables in YAML, so the tasks call action plugins.
"""

from __future__ import annotations

import typing as t

from ansible.errors import AnsibleError
from ansible.module_utils.common.parameters import remove_values
from ansible.plugins.action import ActionBase
from ansible.plugins.loader import lookup_loader
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._core.failure import Failure

from .fleet import VARIABLES
from .objects import KINDS, SECRET

CONNECTION = {
    "awx_host": ("host", "controller_host"),
    "awx_token": ("oauth_token", "controller_oauthtoken"),
    "awx_validate_certs": ("verify_ssl", "validate_certs"),
}
"""Variables of the role, with the options of the lookup and of the modules. An empty one is left to the collection, which reads the
environment variables ``CONTROLLER_*`` and ``tower_cli.cfg``."""
MOST = 100_000
"""Objects in one list."""
NOT_LOGGED = {"ansible_no_target_syslog": True}
SHORTEST_SECRET = 6
"""Characters."""


class Controller:
    """One AWX, called from an action plugin."""

    def __init__(self, action: ActionBase, task_vars: dict[str, t.Any]) -> None:
        self._action, self._task_vars = action, task_vars
        self.variables = {name: action._templar.template(task_vars[name]) for name in (*VARIABLES, *CONNECTION)}
        self.collection = str(self.variables["awx_collection"])

    def _connection(self, column: int) -> dict[str, t.Any]:
        given = {names[column]: self.variables[variable] for variable, names in CONNECTION.items()}
        return {name: value for name, value in given.items() if value != ""}

    def read(self, path: str, **query: t.Any) -> t.Any:
        """The answer to a GET request: a dictionary, or for a list all its objects.

        :raises Failure: with the reason for the operator.
        """
        lookup = lookup_loader.get(f"{self.collection}.controller_api", loader=self._action._loader, templar=self._action._templar)
        if lookup is None:
            raise Failure(
                f"awx_collection: the collection {self.collection} is not installed. Install it with "
                f"ansible-galaxy collection install {self.collection}."
            )
        options = {"query_params": {"page_size": 200, **query}, "return_all": True, "return_objects": False, "max_objects": MOST}
        try:
            (answer,) = lookup.run([path], self._task_vars, **options, **self._connection(0))
        except AnsibleError as error:
            why = f"AWX did not answer GET {path}: {str(error).rstrip('.')}"
            raise Failure(f"{why}. Check awx_host and awx_token, then run again.") from error
        return answer["results"] if isinstance(answer, dict) and "results" in answer else answer

    def write(self, module: str, arguments: dict[str, t.Any]) -> None:
        """Run a module of the collection. It does not log its options, because some modules do not declare theirs as secret.

        :raises Failure: with the module's message.
        """
        found = self._action._execute_module(
            module_name=f"{self.collection}.{module}",
            module_args={**arguments, **self._connection(1)},
            task_vars={**self._task_vars, **NOT_LOGGED},
        )
        if found.get("failed"):
            message = str(found.get("msg") or "the module gave no reason").rstrip(".")
            raise Failure(str(remove_values(message, _secrets(module, arguments))))


def _secrets(module: str, arguments: t.Mapping[str, t.Any]) -> set[str]:
    """Texts that an error of AWX may quote. Shorter ones would also hide parts of other words."""
    values = [value for name in KINDS[module].hidden for value in (arguments.get(name) or {}).values()]
    return {value for value in values if isinstance(value, str) and len(value) >= SHORTEST_SECRET and value != SECRET}
