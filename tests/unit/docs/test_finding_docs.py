# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The page of finding codes is generated from their table, which has exactly the codes in use."""

from __future__ import annotations

import ast
import re
import typing as t
from pathlib import Path

import pytest
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._core import finding
from ansible_collections.mlfleet.hyperpod.plugins.plugin_utils.findings.codes import AREAS, CODES
from ansible_collections.mlfleet.hyperpod.plugins.plugin_utils.findings.made import TEXTS

from tools import finding_docs

ROOT = finding_docs.ROOT
MAKERS = {"pending", "failure", "note"}


def code_files() -> t.Iterator[Path]:
    return (path for path in sorted((ROOT / "plugins").rglob("*.py")) if path != finding_docs.TABLE)


def made(text: str) -> t.Iterator[tuple[str, str]]:
    """Kind and code of each call that creates a finding with a literal code."""
    for node in ast.walk(ast.parse(text)):
        if isinstance(node, ast.Call) and len(node.args) > 1 and isinstance(node.args[0], ast.Constant):
            name = node.func.attr if isinstance(node.func, ast.Attribute) else getattr(node.func, "id", "")
            if name in MAKERS:
                yield name, node.args[0].value


def constants(text: str) -> set[str]:
    return {node.value for node in ast.walk(ast.parse(text)) if isinstance(node, ast.Constant) and isinstance(node.value, str)}


def yaml_files() -> list[Path]:
    return [path for folder in ("roles", "playbooks") for path in (ROOT / folder).rglob("*.yml")]


def in_roles() -> set[str]:
    return {code for path in yaml_files() for code in re.findall(r"^\s+code: ([a-z-]+)$", path.read_text(), re.M)}


def named_texts() -> set[str]:
    """Names of texts in tasks, also as a choice of several, and in Python."""
    found = "".join(
        part
        for path in yaml_files()
        for part in re.findall(r"^ +says: (?:>-\n)?.*\n(?: +else.*\n| +'.*\n)*", path.read_text(), re.M)
    )
    plain = re.findall(r"says: ([a-z-]+)$", found, re.M)
    return {*plain, *re.findall(r"(?:\{\{|else) '([a-z-]+)'", found), *in_views()}


def in_views() -> set[str]:
    """Names of texts in Python, in calls or as values."""
    files = [
        path for path in (ROOT / "plugins/plugin_utils").rglob("*.py") if path.parent.name != "texts" and path != finding_docs.TABLE
    ]
    texts = [path.read_text() for path in files]
    calls = {name for text in texts for name in re.findall(r"\bfinding\(\s*\"([a-z-]+)\"", text)}
    return calls | {name for text in texts for name in constants(text) if name in TEXTS}


def test_the_page_is_up_to_date() -> None:
    now = finding_docs.PAGE.read_text(encoding="utf-8")
    assert finding_docs.page(now) == now


def test_a_code_is_a_row_and_text_before_the_tables_is_kept() -> None:
    found = finding_docs.page(f"# Title\n{finding_docs.BEGIN}old tables")
    assert found.startswith("# Title\n") and "old tables" not in found
    assert "| `node-unreachable` | pending |  | " in found


def test_codes_are_in_the_table_once_and_in_one_form() -> None:
    names = [code.name for codes in AREAS.values() for code in codes]
    assert len(names) == len(CODES) and [name for name in names if not re.fullmatch("[a-z]+(-[a-z]+)*", name)] == []
    assert [name for name, code in CODES.items() if not code.kinds or not set(code.kinds) <= set(finding.KINDS)] == []
    assert [name for name, code in CODES.items() if not code.says.endswith(".")] == []


def test_each_code_in_use_is_in_the_table_with_its_kind() -> None:
    found = {(kind, code) for path in code_files() for kind, code in made(path.read_text())}
    assert sorted((kind, code) for kind, code in found if code not in CODES or kind not in CODES[code].kinds) == []


def test_each_text_has_a_code_of_its_kind() -> None:
    wrong = [name for name, text in TEXTS.items() if text.code not in CODES or text.kind not in ("", *CODES[text.code].kinds)]
    assert wrong == []


def test_exactly_the_existing_texts_are_used() -> None:
    used = named_texts()
    assert (sorted(used - set(TEXTS)), sorted(set(TEXTS) - used)) == ([], [])


def test_each_code_of_the_table_is_used() -> None:
    used = set().union(*(constants(path.read_text()) for path in code_files()), in_roles())
    assert sorted(set(CODES) - used - set(constants(finding_docs.TABLE.read_text().partition("AREAS")[0]))) == []


@pytest.mark.parametrize("call", ["pending('none-such', 'text')", "finding.note('none-such', text, subject='x')"])
def test_a_code_in_a_call_is_found(call: str) -> None:
    assert [code for _kind, code in made(call)] == ["none-such"]
