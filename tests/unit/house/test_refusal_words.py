# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""A refusal is ``OPTION: VALUE is not allowed. Allowed: …``, and one function writes it."""

from __future__ import annotations

import ast
import re
from pathlib import Path

import yaml
from ansible_collections.mlfleet.hyperpod.plugins.plugin_utils import known_variables
from ansible_collections.mlfleet.hyperpod.plugins.plugin_utils.findings.made import TEXTS

ROOT = Path(__file__).parents[3]
FORM = "plugins/module_utils/_core/failure.py"
OF_OTHERS = {"region", "--limit", "--tags", "--skip-tags", "fleet"}
"""An option of amazon.aws, two of ansible-playbook, and the question of a lookup."""
WRITERS = ("not_allowed", "refuse_option", "refuse_shown", "refusal_text", "refused")
DOCUMENTATION = ("DOCUMENTATION", "EXAMPLES", "RETURN")
_NO_NOUN = re.compile(r"\b(allowed|must|needs?)\b|^it\b|\b(is|are)$|\b(is|are),|does not exist|[.;]$")


def test_what_is_allowed_is_a_noun():
    wrong = [
        f"{path}:{call.lineno}: {text!r}"
        for path, tree, call in _refusals()
        for text in _texts(call.args[2], tree)
        if _NO_NOUN.search(text)
    ]
    assert not wrong, wrong


def test_one_function_writes_the_form():
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


def test_a_refusal_names_an_option_that_there_is():
    known = {*_options(), *OF_OTHERS}
    named = [(_named(call.args[0]), f"{path}:{call.lineno}") for path, _tree, call in _refusals()]
    unknown = [f"{place}: {name}" for name, place in named if name and name not in known]
    assert len(known) > len(named) and not unknown, unknown


def test_what_is_handed_on_as_an_option_is_one():
    """Also to functions that check one, or write of one."""
    known = {*_options(), *OF_OTHERS}
    known |= {name.rpartition(".")[2] for name in known}
    handed = [(_named(node), f"{path}:{node.lineno}") for path, node in _handed()]
    unknown = [f"{place}: {name}" for name, place in handed if name and name not in known and not _begins(name, known)]
    assert len(handed) > 500 and not unknown, unknown


def test_the_subject_of_a_refusal_of_ours_is_an_option_or_a_value():
    known = {*_options(), *OF_OTHERS}
    refused = {name: text for name, text in TEXTS.items() if text.code == "option-refused"}
    strange = {name for name, text in refused.items() if text.subject not in known and not _names_it(text)}
    assert len(refused) > 20 and strange == {"balancer-not-adoptable", "vpn-endpoint-refused"}, (
        "these two have their words from a module"
    )


def _begins(name, known):
    """Whether the rest of the name is filled in."""
    return name.endswith("_") and any(each.startswith(name) for each in known)


def _names_it(text):
    """The option is what the words begin with, or a value in them."""
    return f"{{{text.subject}}}" in text.words or text.words.startswith(f"{text.subject}:")


def _named(option: ast.expr) -> str:
    """What of an option's name is written out, up to what is filled in; it has no numbers of entries."""
    first = option.values[0] if isinstance(option, ast.JoinedStr) else option
    written = str(first.value).partition("{")[0] if isinstance(first, ast.Constant) else ""
    return written.replace("[]", "").rstrip(".[")


def _options():
    """Options of plugins and fragments with those inside them, and variables of roles and of runs."""
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
    """A sample of what is returned quotes a refusal."""
    return isinstance(statement, ast.Assign) and _name(statement.targets[0]) in DOCUMENTATION


def _sources():
    for path in sorted(ROOT.glob("plugins/**/*.py")):
        yield str(path.relative_to(ROOT)), ast.parse(path.read_text("utf-8"))


def _refusals():
    for path, tree in _sources():
        for node in ast.walk(tree):
            if isinstance(node, ast.Call) and _name(node.func) in WRITERS and len(node.args) > 2:
                yield path, tree, node


def _handed():
    """What calls hand to a parameter with the name ``option``."""
    trees = dict(_sources())
    places = {path: dict(_takers(tree)) for path, tree in trees.items()}
    anywhere = {name: place for each in places.values() for name, place in each.items() if not name.startswith("_")}
    for path, tree in trees.items():
        for node in ast.walk(tree):
            if isinstance(node, ast.Call):
                place = {**anywhere, **places[path]}.get(_name(node.func), len(node.args))
                yield from ((path, each) for each in node.args[place : place + 1])
                yield from ((path, each.value) for each in node.keywords if each.arg == "option")


def _takers(tree: ast.AST):
    """Functions of a file by name, and at which place they take an option."""
    for node in ast.walk(tree):
        if isinstance(node, ast.FunctionDef):
            names = [each.arg for each in node.args.args if each.arg not in ("self", "cls")]
            if "option" in names:
                yield node.name, names.index("option")


def _name(function: ast.expr) -> str:
    return function.attr if isinstance(function, ast.Attribute) else getattr(function, "id", "")


def _texts(allowed: ast.expr, tree: ast.AST) -> list[str]:
    """The literal text of an argument, with a word for what is filled in; of a name, those that the file gives it."""
    if isinstance(allowed, ast.Constant):
        return [re.sub(r"\{\w+\}", "x", str(allowed.value))]
    if isinstance(allowed, ast.JoinedStr):
        return ["".join(str(part.value) if isinstance(part, ast.Constant) else "x" for part in allowed.values)]
    if isinstance(allowed, ast.BinOp):
        return [*_texts(allowed.left, tree), *_texts(allowed.right, tree)]
    if isinstance(allowed, ast.Name):
        given = [node for node in ast.walk(tree) if isinstance(node, ast.Assign) and _name(node.targets[0]) == allowed.id]
        return [text for each in given for text in _texts(each.value, ast.Module([], []))]
    return []
