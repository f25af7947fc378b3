# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Roles and playbooks use every view, and no missing one."""

from __future__ import annotations

import dataclasses
import re
import typing as t
from pathlib import Path

import pytest
import yaml
from ansible_collections.mlfleet.hyperpod.plugins.lookup.view import OfRole
from ansible_collections.mlfleet.hyperpod.plugins.plugin_utils import views

ROOT = Path(__file__).resolve().parents[3]
FOLDER = ROOT / "plugins/plugin_utils/views"
PLAYS = "plays"
"""Views of the playbooks, which call the lookup directly."""
ROLES = sorted(views.ROLES - {PLAYS})
READERS = ("tasks/**/*.yml", "defaults/*.yml", "templates/*.j2", "vars/*.yml")
VALUE = r"\.(\w+)(?:\.(\w+))?"
"""A view, and optionally one of its fields."""
LOOKUP = "lookup('mlfleet.hyperpod.view', '{}')"


def text_of(role: str) -> str:
    return "\n".join(path.read_text() for each in READERS for path in (ROOT / "roles" / role).glob(each))


def python(role: str) -> str:
    """Source of the role's views, which use each other."""
    return "\n".join(path.read_text() for path in sorted(FOLDER.glob(f"{role}*")) + sorted(FOLDER.glob(f"{role}/*.py")) if path.is_file())


def fields_of(view: views.View) -> set[str]:
    """Fields of the class that a view returns; empty for other values."""
    made = t.get_type_hints(view)["return"]
    return {field.name for field in dataclasses.fields(made)} if dataclasses.is_dataclass(made) else set()


def test_views_are_found() -> None:
    assert "client_vpn" in ROLES


@pytest.mark.parametrize("role", ROLES)
def test_a_role_reads_its_views_from_one_variable(role: str) -> None:
    variables = yaml.safe_load((ROOT / "roles" / role / "vars/main.yml").read_text())
    assert variables[f"__{role}"] == "{{ " + LOOKUP.format(role) + " }}"


@pytest.mark.parametrize("role", ROLES)
def test_a_role_reads_exactly_its_views_and_fields(role: str) -> None:
    of_role, read = views.of_role(role), dict[str, set[str]]()
    for view, field in re.findall(rf"\b__{role}{VALUE}", text_of(role)):
        read.setdefault(view, set()).add(field)
    assert set(read) == set(of_role)
    for name, names in read.items():
        fields = fields_of(of_role[name])
        assert not fields or names <= {*fields, ""}, (name, names - fields)
        unread = {each for each in fields - names if "" not in names and not re.search(rf"[\w)]\.{each}\b", python(role))}
        assert not unread, (name, unread)


@pytest.mark.parametrize("role", [*ROLES, PLAYS])
def test_no_view_or_field_has_the_name_of_a_method(role: str) -> None:
    """Jinja would use the method instead."""
    for name, view in views.of_role(role).items():
        assert not hasattr(OfRole, name) and not fields_of(view) & set(dir(dict)), name


def test_playbooks_read_each_field_of_their_views() -> None:
    text, of_plays = "\n".join(path.read_text() for path in (ROOT / "playbooks").rglob("*.yml")), views.of_role(PLAYS)
    read = set(re.findall(re.escape(LOOKUP.format(PLAYS)) + VALUE, text))
    assert read == {(name, field) for name, view in of_plays.items() for field in fields_of(view) or {""}}
    assert text.count(LOOKUP.format(PLAYS)) == text.count("hyperpod.view'")
