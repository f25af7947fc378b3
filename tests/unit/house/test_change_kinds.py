# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Every change of a plan has one of three actions and a resource of a known kind, so that the report counts none as "other"."""

from __future__ import annotations

import ast
import functools
import typing as t
from pathlib import Path

from ansible_collections.mlfleet.hyperpod.plugins.module_utils._kubernetes.job_kinds import KINDS
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._node.gate import expectation
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._ssh.public_key import TYPES
from ansible_collections.mlfleet.hyperpod.plugins.plugin_utils.findings.report_text import OTHER, kind_of

ROOT = Path(__file__).resolve().parents[3]
PLUGINS = ROOT / "plugins/module_utils"
ACTIONS = {"create", "update", "delete"}
GENERIC = ("_core/fields.py", "_core/settings.py", "_aws/tag_steps.py")
"""Files whose callers name the resource."""
FROM_TABLES = {
    "_topology/job/model.py: name": [each.name for each in KINDS],
    "_kubernetes/objects/model.py: kind": ["HyperpodNodeClass", "NodePool", "ScaledObject", "RoleBinding", "Gateway"],
    "_aws/security_group_rule/model.py: direction": ["ingress", "egress"],
    "_node/sshd/host_keys/plan.py: key_type": [each.name for each in TYPES],
    "_node/accounts/removal.py: RESOURCE": [expectation.RESOURCE],
}
"""First words of resources that are not literals in the code of the change."""
REST = "name"
"""Placeholder for each value after the first words."""


@functools.cache
def parsed(path: Path) -> ast.Module:
    return ast.parse(path.read_text())


def identifier(node: ast.expr) -> str:
    called = node.func if isinstance(node, ast.Call) else node
    return called.attr if isinstance(called, ast.Attribute) else called.id if isinstance(called, ast.Name) else ""


def texts(path: Path, node: ast.expr, seen: frozenset[str] = frozenset()) -> t.Iterator[str]:
    """Possible texts of ``node``, from assignments and returns of its name in the files of its folder."""
    if isinstance(node, ast.Constant) and isinstance(node.value, str):
        yield node.value
    elif isinstance(node, ast.BinOp):
        yield from texts(path, node.left, seen)
    elif isinstance(node, ast.IfExp):
        yield from texts(path, node.body, seen)
        yield from texts(path, node.orelse, seen)
    elif isinstance(node, ast.JoinedStr):
        yield from _of_parts(path, node.values, seen)
    elif (name := identifier(node)) and name not in seen:
        yield from _named(path, name, seen | {name})


def _of_parts(path: Path, parts: list[ast.expr], seen: frozenset[str]) -> t.Iterator[str]:
    rest = "".join(str(each.value) if isinstance(each, ast.Constant) else REST for each in parts[1:])
    first = parts[0].value if isinstance(parts[0], ast.FormattedValue) else parts[0]
    yield from (f"{each}{rest}" for each in texts(path, first, seen))


def _named(path: Path, name: str, seen: frozenset[str]) -> t.Iterator[str]:
    """Texts of a name in the first file that has any: this file, the model, or another file of the folder."""
    for file in dict.fromkeys([path, path.with_name("model.py"), *sorted(path.parent.glob("*.py"))]):
        if not file.exists():
            continue
        listed = FROM_TABLES.get(f"{file.relative_to(PLUGINS)}: {name}")
        found = listed or [text for value in _values(parsed(file), name) for text in texts(file, value, seen)]
        if found:
            yield from found
            return
    yield f"<{path.relative_to(PLUGINS)}: {name}>"


def _values(tree: ast.Module, name: str) -> t.Iterator[ast.expr]:
    """Expressions that are assigned, returned or passed under this name."""
    for node in ast.walk(tree):
        if isinstance(node, ast.FunctionDef) and node.name == name:
            yield from (each.value for each in ast.walk(node) if isinstance(each, ast.Return) and each.value)
        elif isinstance(node, (ast.FunctionDef, ast.ClassDef)) and name in (parameters := _parameters(node)):
            calls = (each for each in ast.walk(tree) if isinstance(each, ast.Call) and identifier(each) == node.name)
            for call in calls:
                yield from (each.value for each in call.keywords if each.arg == name)
                yield from call.args[parameters.index(name) :][:1]
        elif isinstance(node, ast.Assign):
            for target in node.targets:
                yield from (value for goal, value in _pairs(target, node.value) if isinstance(goal, ast.Name) and goal.id == name)


def _parameters(node: ast.FunctionDef | ast.ClassDef) -> list[str]:
    """Parameters in order; for a class, the fields of its dataclass."""
    if isinstance(node, ast.FunctionDef):
        return [each.arg for each in (*node.args.args, *node.args.kwonlyargs) if each.arg != "self"]
    return [each.target.id for each in node.body if isinstance(each, ast.AnnAssign) and isinstance(each.target, ast.Name)]


def _pairs(target: ast.expr, value: ast.expr) -> list[tuple[ast.expr, ast.expr]]:
    if isinstance(value, ast.IfExp):
        return [*_pairs(target, value.body), *_pairs(target, value.orelse)]
    several = isinstance(target, ast.Tuple) and isinstance(value, ast.Tuple)
    return list(zip(target.elts, value.elts)) if several else [(target, value)]  # type: ignore[attr-defined]


def changes() -> t.Iterator[tuple[Path, ast.Call]]:
    """Calls that create a Change."""
    for path in sorted(ROOT.glob("plugins/module_utils/**/*.py")):
        for node in ast.walk(parsed(path)):
            if isinstance(node, ast.Call) and identifier(node) == "Change":
                yield path, node


def actions() -> t.Iterator[tuple[str, str]]:
    """Places of changes, with their possible actions."""
    for path, call in changes():
        action = [*call.args, *(each.value for each in call.keywords if each.arg == "action")][0]
        yield from ((f"{path.relative_to(PLUGINS)}:{call.lineno}", text) for text in texts(path, action))


def resources() -> t.Iterator[tuple[str, str]]:
    """Places of changes, with the possible texts of their resources."""
    for path, call in changes():
        place = str(path.relative_to(PLUGINS))
        if place not in GENERIC and len(call.args) > 1:
            yield from ((f"{place}:{call.lineno}", text) for text in texts(path, call.args[1]))


def test_every_change_creates_updates_or_deletes() -> None:
    found = sorted(set(actions()))
    assert {place: text for place, text in found if text not in ACTIONS} == {} and len(found) > 150


def test_the_kind_of_every_resource_is_known() -> None:
    found = sorted(set(resources()))
    assert {text: place for place, text in found if kind_of(text) == OTHER} == {} and len(found) > 150
