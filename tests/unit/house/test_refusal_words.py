# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""A refusal has the form ``OPTION: VALUE is not allowed. Allowed: …``, and one function writes it."""

from __future__ import annotations

import ast
import re
from pathlib import Path

import yaml
from ansible_collections.mlfleet.hyperpod.plugins.plugin_utils import known_variables
from ansible_collections.mlfleet.hyperpod.plugins.plugin_utils.findings.made import TEXTS

ROOT = Path(__file__).parents[3]
FORM = "plugins/module_utils/_core/failure.py"
OTHER_OPTIONS = {"region", "--limit", "--tags", "--skip-tags", "fleet"}
"""An option of amazon.aws, three of ansible-playbook, and a lookup."""
WRITERS = ("not_allowed", "refuse_option", "refuse_shown", "refusal_text", "refused")
DOCUMENTATION = ("DOCUMENTATION", "EXAMPLES", "RETURN")
_NO_NOUN = re.compile(r"\b(allowed|must|needs?)\b|^it\b|\b(is|are)$|\b(is|are),|does not exist|[.;]$")


def test_allowed_values_are_described_by_nouns():
    wrong = [
        f"{path}:{call.lineno}: {text!r}"
        for path, tree, call in _refusals()
        for text in _texts(call.args[2], tree)
        if _NO_NOUN.search(text)
    ]
    assert not wrong, wrong


def test_only_one_function_writes_the_form():
    elsewhere = [
        f"{path}:{node.lineno}"
        for path, tree in _sources()
        if path != FORM
        for statement in tree.body
        if not _is_documentation(statement)
        for node in ast.walk(statement)
        if isinstance(node, ast.Constant) and isinstance(node.value, str) and "is not allowed" in node.value
    ]
    assert not elsewhere, elsewhere


def test_a_refusal_names_an_existing_option():
    known = {*_options(), *OTHER_OPTIONS}
    named = [(_named(call.args[0]), f"{path}:{call.lineno}") for path, _tree, call in _refusals()]
    unknown = [f"{place}: {name}" for name, place in named if name and name not in known]
    assert len(known) > len(named) and not unknown, unknown


def test_names_that_are_passed_as_an_option_exist():
    """This includes calls of functions that check an option or write about it, in the file or in files that it imports."""
    known = {*_options(), *OTHER_OPTIONS}
    known |= {name.rpartition(".")[2] for name in known}
    passed = [(_named(node), f"{path}:{node.lineno}") for path, node in _passed()]
    unknown = [f"{place}: {name}" for name, place in passed if name and name not in known and not _begins(name, known)]
    assert len(passed) > 500 and not unknown, unknown


def test_the_subject_of_a_refusal_is_an_option_or_a_value():
    known = {*_options(), *OTHER_OPTIONS}
    refused = {name: text for name, text in TEXTS.items() if text.code == "option-refused"}
    strange = {name for name, text in refused.items() if text.subject not in known and not _names_it(text)}
    assert len(refused) > 20 and strange == {"balancer-not-adoptable", "vpn-endpoint-refused"}, (
        "the texts of these two come from a module"
    )


def _begins(name, known):
    """Whether the name is the beginning of an option's name."""
    return name.endswith("_") and any(each.startswith(name) for each in known)


def _names_it(text):
    """Whether the text begins with the option, or contains it as a value."""
    return f"{{{text.subject}}}" in text.words or text.words.startswith(f"{text.subject}:")


def _named(option: ast.expr) -> str:
    """The literal beginning of an option's name, without indices of entries."""
    first = option.values[0] if isinstance(option, ast.JoinedStr) else option
    written = str(first.value).partition("{")[0] if isinstance(first, ast.Constant) else ""
    return written.replace("[]", "").rstrip(".[")


def _options():
    """Options of plugins and fragments with their suboptions, and variables of roles and runs."""
    for _path, tree in _sources():
        for node in ast.walk(tree):
            if isinstance(node, ast.Assign) and _name(node.targets[0]) == "DOCUMENTATION":
                yield from _inside(yaml.safe_load(ast.literal_eval(node.value)).get("options") or {})
    for path in ROOT.glob("roles/*/meta/argument_specs.yml"):
        for entry in yaml.safe_load(path.read_text())["argument_specs"].values():
            yield from entry.get("options") or {}
    yield from known_variables.of_one_run()


def _inside(options, above=""):
    for name, option in options.items():
        yield above + name
        yield from _inside(option.get("suboptions") or {}, f"{above}{name}.")


def _is_documentation(statement: ast.stmt) -> bool:
    """Whether it assigns documentation, whose samples may quote a refusal."""
    return isinstance(statement, ast.Assign) and _name(statement.targets[0]) in DOCUMENTATION


def _sources():
    for path in sorted(ROOT.glob("plugins/**/*.py")):
        yield str(path.relative_to(ROOT)), ast.parse(path.read_text("utf-8"))


def _refusals():
    for path, tree in _sources():
        for node in ast.walk(tree):
            if isinstance(node, ast.Call) and _name(node.func) in WRITERS and len(node.args) > 2:
                yield path, tree, node


def _passed():
    """Arguments for parameters with the name ``option``."""
    trees = dict(_sources())
    places = {path: dict(_with_option(tree)) for path, tree in trees.items()}
    for path, tree in trees.items():
        imported = [places[each] for each in _imported(path, tree) if each in places]
        known = {name: place for each in imported for name, place in each.items() if not name.startswith("_")} | places[path]
        for node in ast.walk(tree):
            if isinstance(node, ast.Call):
                place = known.get(_name(node.func), len(node.args))
                yield from ((path, each) for each in node.args[place : place + 1])
                yield from ((path, each.value) for each in node.keywords if each.arg == "option")


def _imported(path: str, tree: ast.AST):
    """Files that may be the modules that a file imports, or from which it imports names."""
    for node in ast.walk(tree):
        if isinstance(node, ast.ImportFrom):
            module = (node.module or "").removeprefix("ansible_collections.mlfleet.hyperpod.")
            folder = "/".join([*(path.split("/")[: -node.level] if node.level else []), *(module.split(".") if module else [])])
            yield from (f"{each}.py" for each in (folder, *(f"{folder}/{alias.name}" for alias in node.names)))


def _with_option(tree: ast.AST):
    """Functions of a file with a parameter ``option``, and its index."""
    for node in ast.walk(tree):
        if isinstance(node, ast.FunctionDef):
            names = [each.arg for each in node.args.args if each.arg not in ("self", "cls")]
            if "option" in names:
                yield node.name, names.index("option")


def _name(function: ast.expr) -> str:
    return function.attr if isinstance(function, ast.Attribute) else getattr(function, "id", "")


def _texts(allowed: ast.expr, tree: ast.AST) -> list[str]:
    """Literal texts of an argument, with a placeholder for each value; for a name, the texts that the file assigns to it."""
    if isinstance(allowed, ast.Constant):
        return [re.sub(r"\{\w+\}", "x", str(allowed.value))]
    if isinstance(allowed, ast.JoinedStr):
        return ["".join(str(part.value) if isinstance(part, ast.Constant) else "x" for part in allowed.values)]
    if isinstance(allowed, ast.BinOp):
        return [*_texts(allowed.left, tree), *_texts(allowed.right, tree)]
    if isinstance(allowed, ast.Name):
        assignments = [node for node in ast.walk(tree) if isinstance(node, ast.Assign) and _name(node.targets[0]) == allowed.id]
        return [text for each in assignments for text in _texts(each.value, ast.Module([], []))]
    return []
