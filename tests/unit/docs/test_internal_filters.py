# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""All filters are documented, internal ones are marked as such, and the entries of a role have distinct descriptions."""

from __future__ import annotations

import importlib
from pathlib import Path

import yaml

ROOT = Path(__file__).resolve().parents[3]
OURS = "ansible_collections.mlfleet.hyperpod.plugins.filter."
PUBLIC = ("balancer_name", "security_group_name")
"""Filters for names that people need in their own policies and templates."""
INTERNAL = "Internal to the collection; it may change with any version."


def test_all_other_filters_are_marked_as_internal() -> None:
    documented = [path for path in ROOT.glob("plugins/filter/*") if path.suffix in (".py", ".yml") and "DOCUMENTATION" in path.read_text()]
    assert documented
    assert sorted(path.stem for path in documented if INTERNAL not in path.read_text()) == sorted(PUBLIC)


def test_exactly_the_documented_filters_exist() -> None:
    modules = [importlib.import_module(f"{OURS}{path.stem}") for path in ROOT.glob("plugins/filter/*.py")]
    filters = [each for module in modules for each in module.FilterModule().filters().items()]
    assert sorted(name for name, _filter in filters) == sorted(path.stem for path in ROOT.glob("plugins/filter/*.yml"))
    assert all(callable(each) for _name, each in filters)


def test_no_two_entries_of_a_role_have_the_same_description() -> None:
    for path in ROOT.glob("roles/*/meta/argument_specs.yml"):
        descriptions = [each["short_description"] for each in yaml.safe_load(path.read_text())["argument_specs"].values()]
        assert len(set(descriptions)) == len(descriptions), path
