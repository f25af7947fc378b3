# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Roles, playbooks and views name each other: no view is missing, and none is left over."""

from __future__ import annotations

import dataclasses
import re
import typing as t
from pathlib import Path

import pytest
from ansible_collections.mlfleet.hyperpod.plugins.plugin_utils import views

ROOT = Path(__file__).resolve().parents[3]
FOLDER = ROOT / "plugins/plugin_utils/views"
PLAYS = "plays"
"""Views of the playbooks, which name the lookup where they use it."""
ROLES = sorted(path.stem for path in FOLDER.iterdir() if not path.stem.startswith("_") and path.stem != PLAYS)
READERS = ("tasks/**/*.yml", "defaults/*.yml", "templates/*.j2", "vars/*.yml")
NAMED = re.compile(r"lookup\('mlfleet\.hyperpod\.view', '(\w+\.\w+)'\)")
FIELDS = re.compile(NAMED.pattern + r"\.(\w+)")


def used(role: str) -> list[str]:
    return NAMED.findall((ROOT / "roles" / role / "vars/main.yml").read_text())


def python(role: str) -> str:
    """The source of its views, which read each other."""
    return "\n".join(path.read_text() for path in sorted(FOLDER.glob(f"{role}*")) + sorted(FOLDER.glob(f"{role}/*.py")) if path.is_file())


def made(name: str) -> type:
    """The class that a view returns."""
    found: type = t.get_type_hints(views.named(name))["return"]
    return found


def test_there_are_views() -> None:
    assert "client_vpn" in ROLES


@pytest.mark.parametrize("role", ROLES)
def test_a_role_names_each_of_its_views_once(role: str) -> None:
    module = __import__(f"{views.__name__}.{role}", fromlist=["VIEWS"])
    assert sorted(used(role)) == sorted(f"{role}.{view.__name__}" for view in module.VIEWS)


@pytest.mark.parametrize("role", ROLES)
def test_a_field_is_read_and_has_no_name_of_a_method_of_dictionaries(role: str) -> None:
    text = "\n".join(path.read_text() for each in READERS for path in (ROOT / "roles" / role).glob(each))
    for name in used(role):
        view = name.partition(".")[2]
        fields = {field.name for field in dataclasses.fields(made(name))}
        assert not fields & set(dir(dict))
        read = set(re.findall(rf"\b__{role}\.{view}\.(\w+)", text))
        assert read <= fields, (name, read - fields)
        unread = {field for field in fields - read if not re.search(rf"[\w)]\.{field}\b", python(role))}
        assert not unread or re.search(rf"\b__{role}\.{view} }}}}", text), (name, unread)


def test_playbooks_read_each_field_of_their_views() -> None:
    text = "\n".join(path.read_text() for path in (ROOT / "playbooks").glob("*.yml"))
    module = __import__(f"{views.__name__}.{PLAYS}", fromlist=["VIEWS"])
    fields = {(f"{PLAYS}.{view.__name__}", field.name) for view in module.VIEWS for field in dataclasses.fields(made(f"{PLAYS}.{view.__name__}"))}
    assert set(FIELDS.findall(text)) == fields
    assert len(NAMED.findall(text)) == len(FIELDS.findall(text))
