# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Each option is read by some code; otherwise it would have no effect."""

from __future__ import annotations

import ast
import functools
import re
import typing as t
from pathlib import Path

import pytest
import yaml

ROOT = Path(__file__).resolve().parents[3]
ROLES = sorted(path.parents[1] for path in ROOT.glob("roles/*/meta/argument_specs.yml"))
MODULES = sorted(path for path in (ROOT / "plugins/modules").glob("*.py") if path.name != "__init__.py")
READING = ("tasks", "vars", "templates", "handlers", "defaults")
OURS = "ansible_collections.mlfleet.hyperpod."
ONE_CHOICE = {"target_group.protocol", "target_group.target_type", "target_group.health_check.protocol"}
ONE_CHOICE |= {"target_group.attributes.stickiness_type"}
ONE_CHOICE |= {"cluster.node_provisioning_mode", "cluster.auto_scaling.auto_scaler_type"}
"""Properties of a target group and of a cluster with only one value, which are sent and compared as in AWS's API."""

WITHOUT_PREFIX = {"training_cluster": ("_training_cluster", "views/training_cluster")}
"""Roles whose variables are read from a mapping by their names without the prefix, and the folders of plugin_utils that do so."""


def named(path: Path) -> str:
    return path.stem


# -- roles ------------------------------------------------------------------------------------------------------------------


def role_options(role: Path) -> dict[str, t.Any]:
    specs = yaml.safe_load((role / "meta/argument_specs.yml").read_text())["argument_specs"]
    return {name: option for spec in specs.values() for name, option in spec.get("options", {}).items()}


@functools.cache
def role_text() -> str:
    """Text of roles, views and playbooks, without the keys of variables' defaults."""
    files = [path for folder in READING for path in ROOT.glob(f"roles/*/{folder}/**/*") if path.is_file()]
    text = "\n".join(path.read_text() for path in [*files, *ROOT.glob("playbooks/**/*.yml"), *ROOT.glob("plugins/plugin_utils/**/*.py")])
    return re.sub(r"^[a-z_]+:(?= |$)", "", text, flags=re.M)


def read_without_prefix(role: str) -> set[str]:
    files = [path for folder in WITHOUT_PREFIX.get(role, ()) for path in (ROOT / "plugins/plugin_utils" / folder).glob("*.py")]
    found = re.findall(r"\b(?:given|values|values\(variables\))\[\"(\w+)\"\]", "\n".join(path.read_text() for path in files))
    return {f"{role}_{name}" for name in found}


@pytest.mark.parametrize("role", ROLES, ids=named)
def test_options_of_a_role_are_read(role):
    defaults = yaml.safe_load((role / "defaults/main.yml").read_text()) or {}
    names = set(role_options(role)) | set(defaults)
    assert names
    names -= read_without_prefix(role.name)
    assert [name for name in sorted(names) if not re.search(rf"\b{name}\b", role_text())] == []


# -- modules ----------------------------------------------------------------------------------------------------------------


def documented(options: t.Mapping[str, t.Any], prefix: str = "") -> t.Iterator[tuple[str, dict[str, t.Any]]]:
    """Options with their full names."""
    for name, option in options.items():
        yield f"{prefix}{name}", option
        yield from documented(option.get("suboptions") or {}, f"{prefix}{name}.")


@functools.cache
def options_of(module: Path) -> dict[str, dict[str, t.Any]]:
    documentation = yaml.safe_load(re.search(r'^DOCUMENTATION = r"""(.*?)"""', module.read_text(), re.S | re.M)[1])
    return dict(documented(documentation.get("options") or {}))


def words(tree: ast.Module) -> t.Iterator[str]:
    """Strings and attributes of a file, without keys of dicts, as argument specs and results have the options' names as keys."""
    keys: set[int] = set()
    for node in ast.walk(tree):
        if isinstance(node, ast.Dict):
            keys |= {id(key) for key in node.keys}
        if isinstance(node, ast.Constant) and id(node) not in keys and isinstance(node.value, str):
            yield node.value
        if isinstance(node, ast.Attribute):
            yield node.attr


def imported(tree: ast.Module, package: str) -> t.Iterator[Path]:
    """Files of the collection that a file imports."""
    for node in ast.walk(tree):
        if not isinstance(node, ast.ImportFrom):
            continue
        parts = package.split(".")
        base = ".".join([*parts[: len(parts) - node.level + 1], *filter(None, [node.module])]) if node.level else node.module
        if not base.startswith(OURS):
            continue
        for name in [base, *(f"{base}.{each.name}" for each in node.names)]:
            path = ROOT / f"{name.removeprefix(OURS).replace('.', '/')}.py"
            if path.is_file():
                yield path


@functools.cache
def parsed(path: Path) -> tuple[frozenset[str], frozenset[Path]]:
    tree = ast.parse(path.read_text())
    package = OURS + ".".join(path.relative_to(ROOT).parts[:-1])
    return frozenset(words(tree)), frozenset(imported(tree, package))


def read_by(module: Path) -> set[str]:
    action = ROOT / "plugins/action" / module.name
    waiting, seen, found = [module, *([action] if action.is_file() else [])], set(), set()
    while waiting:
        path = waiting.pop()
        if path in seen:
            continue
        seen.add(path)
        names, files = parsed(path)
        found |= names
        waiting += files
    return found


@pytest.mark.parametrize("module", MODULES, ids=named)
def test_options_of_a_module_are_read(module):
    found = read_by(module)
    assert [name for name in options_of(module) if name.rpartition(".")[2] not in found] == []


@pytest.mark.parametrize("module", MODULES, ids=named)
def test_each_option_has_more_than_one_value(module):
    single = {f"{module.stem}.{name}" for name, option in options_of(module).items() if len(option.get("choices", "..")) < 2}
    assert single - ONE_CHOICE == set()
