# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Checks that a module returns exactly the values that its documentation names."""

from __future__ import annotations

import ast
import functools
import typing as t
from pathlib import Path

import yaml
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._core import plan as _plan

MODULES = Path(_plan.__file__).parents[2] / "modules"
COMMON = frozenset({"changed", "changes", "deprecations", "diff", "failed", "invocation", "msg", "skipped", "warnings"})
"""Values that any module may return."""
ALWAYS = "success"
"""The documented default of ``returned``."""
FOR_THE_ACTION = {"host_key_adoption.keys_needed", "ssh_host_keys.sshd_change.token", "sshd_config.sshd_change.token"}
"""Values that the action plugin of a module removes from its result."""
COMMIT_CONFIRM = "mlfleet.hyperpod.commit_confirm"
"""The documentation fragment of modules whose phases an action plugin combines."""
LIKE = {("client_vpn_endpoint_info", "client_vpn_endpoints"): ("client_vpn_endpoint", "client_vpn_endpoint")}
"""Values that, by their description, also have the fields of another module's value."""
BY_ID = {("node_access", "nodes")}
"""Values that are dicts of entries by ID; the documentation describes an entry."""


@functools.cache
def _returned(module: str) -> dict[str, t.Any]:
    for statement in ast.parse((MODULES / f"{module}.py").read_text()).body:
        if isinstance(statement, ast.Assign) and ast.unparse(statement.targets[0]) == "RETURN":
            documented = yaml.safe_load(ast.literal_eval(statement.value)) or {}
            return {name: _completed(module, name, value) for name, value in documented.items()}
    raise LookupError(f"{module} documents no return values")


def _completed(module: str, name: str, value: dict[str, t.Any]) -> dict[str, t.Any]:
    if (module, name) not in LIKE:
        return value
    other, its = LIKE[module, name]
    return {**value, "contains": {**_returned(other)[its]["contains"], **value["contains"]}}


def check(module: str, result: t.Mapping[str, t.Any]) -> None:
    result = {name: list(value.values()) if (module, name) in BY_ID else value for name, value in result.items()}
    unknown = undocumented(module, result)
    assert not unknown, f"{module} returns undocumented values: {', '.join(unknown)}"
    absent = missing(module, result)
    assert not absent, f"{module} documents values that it does not return: {', '.join(absent)}"


def undocumented(module: str, result: t.Mapping[str, t.Any]) -> list[str]:
    """Names of undocumented values of a successful run."""
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
    """Names of documented values that a successful run did not return.

    If an action plugin completes the result, whole values may be missing. A value with ``exists`` false needs no further fields.
    """
    completed = (MODULES.parent / "action" / f"{module}.py").exists() or COMMIT_CONFIRM in (MODULES / f"{module}.py").read_text()
    return [] if result.get("failed") else [name for name in _missing(result, _returned(module)) if not completed or "." in name]


def _missing(value: t.Any, documented: t.Mapping[str, t.Any], where: str = "") -> t.Iterator[str]:
    for each in value if isinstance(value, list) else [value]:
        exists = isinstance(each, dict) and each and each.get("exists") is not False
        for name, description in documented.items() if exists else ():
            if name in each:
                yield from _missing(each[name], description.get("contains", {}), f"{where}{name}.")
            elif description.get("returned", ALWAYS) == ALWAYS:
                yield where + name
