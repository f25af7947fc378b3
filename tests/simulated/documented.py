# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Whether a module returns what its documentation says, no more and no less, by the names of the values."""

from __future__ import annotations

import ast
import functools
import typing as t
from pathlib import Path

import yaml
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._core import plan as _plan

MODULES = Path(_plan.__file__).parents[2] / "modules"
COMMON = frozenset({"changed", "changes", "deprecations", "diff", "failed", "invocation", "msg", "skipped", "warnings"})
"""What any module may return."""
ALWAYS = "success"
"""When a value is returned, unless its documentation says otherwise."""
FOR_THE_ACTION = {"host_key_adoption.keys_needed", "ssh_host_keys.sshd_change.token", "sshd_config.sshd_change.token"}
"""What the action plugin of a module takes out of its result."""
COMMIT_CONFIRM = "mlfleet.hyperpod.commit_confirm"
"""The documentation fragment of modules whose phases an action plugin puts together."""
LIKE = {("client_vpn_endpoint_info", "client_vpn_endpoints"): ("client_vpn_endpoint", "client_vpn_endpoint")}
"""Values whose description says that they also have what a value of another module has."""
BY_ID = {("node_access", "nodes")}
"""Values of which each entry has what is documented, by an id of its own."""


@functools.cache
def _returned(module: str) -> dict[str, t.Any]:
    for statement in ast.parse((MODULES / f"{module}.py").read_text()).body:
        if isinstance(statement, ast.Assign) and ast.unparse(statement.targets[0]) == "RETURN":
            documented = yaml.safe_load(ast.literal_eval(statement.value)) or {}
            return {name: _completed(module, name, value) for name, value in documented.items()}
    raise LookupError(f"{module} documents nothing that it returns")


def _completed(module: str, name: str, value: dict[str, t.Any]) -> dict[str, t.Any]:
    if (module, name) not in LIKE:
        return value
    other, its = LIKE[module, name]
    return {**value, "contains": {**_returned(other)[its]["contains"], **value["contains"]}}


def check(module: str, result: t.Mapping[str, t.Any]) -> None:
    result = {name: list(value.values()) if (module, name) in BY_ID else value for name, value in result.items()}
    unknown = undocumented(module, result)
    assert not unknown, f"{module} returns what it does not document: {', '.join(unknown)}"
    lacking = missing(module, result)
    assert not lacking, f"{module} documents what it does not return: {', '.join(lacking)}"


def undocumented(module: str, result: t.Mapping[str, t.Any]) -> list[str]:
    """The names of values of a successful run that the documentation does not have."""
    if result.get("failed"):
        return []
    own = {name: value for name, value in result.items() if name not in COMMON}
    return [name for name in _unknown(own, _returned(module)) if f"{module}.{name}" not in FOR_THE_ACTION]


def _unknown(value: t.Any, documented: t.Mapping[str, t.Any], where: str = "") -> t.Iterator[str]:
    for each in value if isinstance(value, list) else [value]:
        for name, part in each.items() if isinstance(each, dict) else ():
            if name not in documented:
                yield where + name
            elif "contains" in documented[name]:
                yield from _unknown(part, documented[name]["contains"], f"{where}{name}.")


def missing(module: str, result: t.Mapping[str, t.Any]) -> list[str]:
    """The names of values that a successful run returns by its documentation, and this one did not.

    What an action plugin completes may lack whole values, and what does not exist all that it would have.
    """
    completed = (MODULES.parent / "action" / f"{module}.py").exists() or COMMIT_CONFIRM in (MODULES / f"{module}.py").read_text()
    return [] if result.get("failed") else [name for name in _missing(result, _returned(module)) if not completed or "." in name]


def _missing(value: t.Any, documented: t.Mapping[str, t.Any], where: str = "") -> t.Iterator[str]:
    for each in value if isinstance(value, list) else [value]:
        there = isinstance(each, dict) and each and each.get("exists") is not False
        for name, told in documented.items() if there else ():
            if name in each:
                yield from _missing(each[name], told.get("contains", {}), f"{where}{name}.")
            elif told.get("returned", ALWAYS) == ALWAYS:
                yield where + name
