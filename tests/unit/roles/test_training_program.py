# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The training program without PyTorch: what it imports, and that it prints the events that ``_training/events.py`` reads."""

from __future__ import annotations

import ast
import dataclasses
import json
import sys
from pathlib import Path

import pytest
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._training import events
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._training.events import Event

PROGRAM = Path(__file__).resolve().parents[3] / "roles/verify_training/files/train.py"
OLDEST_PYTHON = (3, 10)
"""Of images with PyTorch 2.7."""
PIPE_BUF = 4096


@pytest.fixture(scope="module")
def program() -> ast.Module:
    return ast.parse(PROGRAM.read_text(), feature_version=OLDEST_PYTHON)


def assigned(program: ast.Module, name: str) -> str:
    values = [node.value for node in program.body if isinstance(node, ast.Assign) and getattr(node.targets[0], "id", "") == name]
    return ast.literal_eval(values[0])


def reports(program: ast.Module) -> dict[str, set[str]]:
    """Fields by event."""
    calls = [node for node in ast.walk(program) if isinstance(node, ast.Call) and getattr(node.func, "id", "") == "report"]
    assert len(calls) == len({ast.literal_eval(call.args[0]) for call in calls}), "one call per event"
    return {ast.literal_eval(call.args[0]): {str(keyword.arg) for keyword in call.keywords} for call in calls}


def test_it_imports_pytorch_and_the_standard_library_only(program: ast.Module) -> None:
    found = set()
    for node in ast.walk(program):
        if isinstance(node, ast.Import):
            found |= {alias.name.split(".")[0] for alias in node.names}
        elif isinstance(node, ast.ImportFrom):
            assert node.level == 0 and node.module
            found.add(node.module.split(".")[0])
    assert found - sys.stdlib_module_names == {"torch"}


def test_it_prints_the_events_that_are_read(program: ast.Module) -> None:
    common = {field.name for field in dataclasses.fields(Event)}
    fields = {name: {field.name for field in dataclasses.fields(cls)} - common for name, cls in events.EVENTS.items()}
    assert reports(program) == fields


def test_each_line_has_the_common_fields(program: ast.Module) -> None:
    function = next(node for node in program.body if isinstance(node, ast.FunctionDef) and node.name == "report")
    keys = next(node for node in ast.walk(function) if isinstance(node, ast.Dict)).keys
    assert ast.unparse(keys[0]) == "PREFIX" and {key.value for key in keys[1:]} == {field.name for field in dataclasses.fields(Event)}
    assert assigned(program, "PREFIX") == events.NAME
    assert json.dumps({events.NAME: "step"}).startswith(events.BEGIN)


def test_the_longest_error_is_one_write() -> None:
    line = {events.NAME: "error", "rank": 10**5, "attempt": 10**13, "time": 10**10 + 0.125, "step": 10**8}
    assert len(json.dumps({**line, "type": "x" * 64, "phase": "x" * 16, "message": "\U0001f600" * 300})) + 1 < PIPE_BUF
    assert "message=str(error)[:300]" in PROGRAM.read_text()


def test_it_compares_local_shards(program: ast.Module) -> None:
    attributes = {node.attr for node in ast.walk(program) if isinstance(node, ast.Attribute)}
    assert "to_local" in attributes and "full_tensor" not in attributes
