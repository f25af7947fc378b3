# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Ansible hides the values of exactly the options that hold secrets; others would fill results with asterisks."""

from __future__ import annotations

import ast
from pathlib import Path

MODULES = Path(__file__).resolve().parents[3] / "plugins" / "modules"
SECRET = {
    ("client_vpn_pki", "private_key"),
    ("host_certificate", "private_key"),
    ("host_key_adoption", "keys"),
    ("ssh_host_keys", "keys"),
    ("ssh_host_keys", "next_keys"),
    ("ssh_host_keys", "private"),
}


def hidden(module: Path) -> set[tuple[str, str]]:
    """The options with ``no_log: True`` anywhere in a module's code."""
    return {
        (module.stem, str(name.value))
        for node in ast.walk(ast.parse(module.read_text()))
        if isinstance(node, ast.Dict)
        for name, value in zip(node.keys, node.values)
        if isinstance(name, ast.Constant) and isinstance(value, ast.Dict) and _is_hidden(value)
    }


def _is_hidden(spec: ast.Dict) -> bool:
    return any(ast.unparse(name) == "'no_log'" and ast.unparse(value) == "True" for name, value in zip(spec.keys, spec.values) if name)


def test_exactly_the_secret_options_are_hidden():
    assert {found for module in MODULES.glob("*.py") for found in hidden(module)} == SECRET
