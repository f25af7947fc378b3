# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The messages that the troubleshooting page explains are messages of the collection."""

from __future__ import annotations

import ast
import functools
import re
import typing as t
from pathlib import Path

import pytest
import yaml
from ansible_collections.mlfleet.hyperpod.plugins.plugin_utils.findings.made import TEXTS

ROOT = Path(__file__).resolve().parents[3]
PAGE = ROOT / "docs/use/troubleshooting.md"
OURS = re.compile(r"^\| message \|.*\n\|[-|]+\n((?:\|.*\n)+)", re.M)
AWS_MESSAGES = ("TargetNotConnected",)
GAP = "\0"
"""Placeholder for an expression."""


def messages() -> list[str]:
    """First column of the tables with messages of the collection; other tables are about messages of ssh and AWS."""
    tables = OURS.findall(PAGE.read_text())
    return [message for table in tables for message in re.findall(r"^\| `([^`]+)`", table, re.M)]


def of_python(path: Path) -> t.Iterator[str]:
    for node in ast.walk(ast.parse(path.read_text())):
        if isinstance(node, ast.Constant) and isinstance(node.value, str):
            yield node.value
        elif isinstance(node, ast.JoinedStr):
            yield "".join(str(part.value) if isinstance(part, ast.Constant) else GAP for part in node.values)


def of_yaml(value: t.Any) -> t.Iterator[str]:
    if isinstance(value, str):
        yield re.sub(r"\{\{.*?\}\}", GAP, value, flags=re.S)
        yield from (
            inner for expression in re.findall(r"\{\{.*?\}\}", value, re.S) for inner in re.findall(r"'([^']*)'", expression)
        )
    elif isinstance(value, dict):
        for each in value.values():
            yield from of_yaml(each)
    elif isinstance(value, list):
        for each in value:
            yield from of_yaml(each)


@functools.cache
def all_texts() -> str:
    texts = [text for path in (ROOT / "plugins").rglob("*.py") for text in of_python(path)]
    texts += [re.sub(r"\{\w+\}", GAP, text.words) for text in TEXTS.values()]
    for folder in ("roles/*/tasks", "roles/*/vars", "playbooks"):
        texts += [text for path in ROOT.glob(f"{folder}/**/*.yml") for text in of_yaml(yaml.safe_load(path.read_text()))]
    return GAP.join(re.sub(r"\s+", " ", text) for text in texts)


def test_messages_are_found() -> None:
    assert len(messages()) > 40


@pytest.mark.parametrize("message", messages())
def test_a_message_is_in_the_code(message: str) -> None:
    parts = [part.strip() for part in message.split("…") if part.strip(" .,;:")]
    assert [part for part in parts if part not in all_texts() and part not in AWS_MESSAGES] == []
