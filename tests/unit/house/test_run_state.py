# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The run state of hosts: roles and playbooks use only fields of its schema, and set all of them."""

from __future__ import annotations

import typing as t

import jinja2
import pytest
from ansible_collections.mlfleet.hyperpod.plugins.plugin_utils.run.state import CLUSTER, NAME, NODE
from jinja2 import nodes

from tools.figures.house import House
from tools.figures.templates import BARE

LOOKUP = "mlfleet.hyperpod.run_state"
NO_FIELDS = frozenset({"anew"})
"""Options of the lookup that are no fields."""
ANY = "any role of nodes"
SCHEMA = (*CLUSTER, *NODE)


def templates(house: House) -> t.Iterator[tuple[str, nodes.Template]]:
    """Templates that use the variable, with their files."""
    for found in house.yaml:
        text = found.text or ""
        if found.keys[-1:] and found.keys[-1] in BARE and "{{" not in text:
            text = "{{ " + text + " }}"
        if NAME in text or LOOKUP in text:
            yield found.file, jinja2.Environment().parse(text)


@pytest.fixture(scope="module")
def setting(house: House) -> set[str]:
    """Fields that are set."""
    calls = [call for _file, template in templates(house) for call in template.find_all(nodes.Call) if call.args]
    return {keyword.key for call in calls if getattr(call.args[0], "value", None) == LOOKUP for keyword in call.kwargs} - NO_FIELDS


def read(template: nodes.Template) -> t.Iterator[str]:
    """Fields that a template reads, of this host or another one."""
    for found in template.find_all(nodes.Getattr):
        if getattr(found.node, "name", None) == NAME or getattr(found.node, "attr", None) == NAME:
            yield found.attr


def test_fields_that_are_set_are_in_the_schema(setting: set[str]) -> None:
    assert setting - {field.name for field in SCHEMA} == set()


def test_fields_that_are_read_are_in_the_schema(house: House) -> None:
    names = {(name, file) for file, template in templates(house) for name in read(template)}
    assert len(names) > len(SCHEMA) / 2
    assert sorted((name, file) for name, file in names if name not in {field.name for field in SCHEMA} | set(dir(dict))) == []


def test_each_field_of_the_schema_is_set(setting: set[str]) -> None:
    assert {field.name for field in SCHEMA} - setting == set()


def test_the_owner_of_a_field_is_a_role_or_a_playbook(house: House) -> None:
    owners = {path.name for path in house.files("playbooks/**/*.yml")} | {
        path.parts[-3] for path in house.files("roles/*/meta/main.yml")
    }
    assert {field.owner for field in SCHEMA} <= {*owners, ANY}


def test_no_field_is_twice_in_the_schema_of_a_host() -> None:
    for schema in (CLUSTER, NODE):
        assert len({field.name for field in schema}) == len(schema)
