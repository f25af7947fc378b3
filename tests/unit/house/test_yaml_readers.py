# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Foreign YAML is read in one place, which limits its size first."""

from __future__ import annotations

import ast

from tools.figures.house import House

BOUNDED = "plugins/module_utils/_kubernetes/yaml_text.py"
OWN_FILES = {
    "plugins/plugin_utils/_declared/variables.py": "argument_specs of our roles, variables of our playbooks",
    "plugins/plugin_utils/known_variables.py": "argument_specs of our roles, variables of our playbooks",
    "plugins/plugin_utils/variable_specs.py": "argument_specs of our roles",
    "plugins/plugin_utils/verbs.py": "the table of our playbooks",
    "plugins/plugin_utils/run_info.py": "galaxy.yml of this collection",
}
"""Files that read YAML of this collection, and its kind."""


def test_foreign_yaml_is_bounded(house: House) -> None:
    readers = {
        file
        for file, tree in house.code.items()
        for node in ast.walk(tree)
        if isinstance(node, ast.Attribute) and isinstance(node.value, ast.Name) and node.value.id == "yaml" and "load" in node.attr
    }
    assert readers - {BOUNDED} == OWN_FILES.keys(), "use document() of yaml_text.py for foreign YAML"
