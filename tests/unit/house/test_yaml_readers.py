# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""YAML of others is read by one place, which bounds it first."""

from __future__ import annotations

import ast

from tools.figures.house import House

BOUNDED = "plugins/module_utils/_kubernetes/yaml_text.py"
OF_OURS = {
    "plugins/plugin_utils/_declared/variables.py": "argument_specs of our roles, variables of our playbooks",
    "plugins/plugin_utils/known_variables.py": "argument_specs of our roles, variables of our playbooks",
    "plugins/plugin_utils/run_info.py": "galaxy.yml of this collection",
}
"""Files that read what this collection itself wrote, and what."""


def test_yaml_of_others_is_bounded(house: House) -> None:
    readers = {
        file
        for file, tree in house.code.items()
        for node in ast.walk(tree)
        if isinstance(node, ast.Attribute) and isinstance(node.value, ast.Name) and node.value.id == "yaml" and "load" in node.attr
    }
    assert readers - {BOUNDED} == OF_OURS.keys(), "document() of yaml_text.py reads it; a file with the key is a surprise, too"
