# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The schema of the run state of a host."""

from __future__ import annotations

import typing as t

import pytest
from ansible_collections.mlfleet.hyperpod.plugins.plugin_utils.run import state

NODE = {"hyperpod_instance_id": "i-1"}


@pytest.mark.parametrize(
    ("variables", "fields"),
    [
        (NODE, {"reached": True, "dirty": False}),
        ({}, {"records": {}, "rotation": None, "target_port": 222, "host_keys": ["ssh-ed25519 A"]}),
    ],
)
def test_fields_of_the_schema_are_kept(variables: dict[str, t.Any], fields: dict[str, t.Any]) -> None:
    assert state.checked(state.schema_of(variables), fields) == fields


@pytest.mark.parametrize(
    ("variables", "fields", "message"),
    [
        (NODE, {"reachd": True}, "hyperpod_run.reachd is not a field. Known fields: accounts, configured, "),
        (NODE, {"records": {}}, "hyperpod_run.records is not a field"),
        ({}, {"reached": True}, "hyperpod_run.reached is not a field"),
        (NODE, {"dirty": "yes"}, "hyperpod_run.dirty takes bool, not str."),
        ({}, {"target_port": True}, "hyperpod_run.target_port takes int, not bool."),
        ({}, {"rotation": []}, "hyperpod_run.rotation takes dict or NoneType, not list."),
    ],
)
def test_unknown_fields_are_an_error(variables: dict[str, t.Any], fields: dict[str, t.Any], message: str) -> None:
    with pytest.raises(state.NoField) as error:
        state.checked(state.schema_of(variables), fields)
    assert str(error.value).startswith(message)


def test_no_field_has_the_name_of_a_method_of_dictionaries() -> None:
    """In a template hyperpod_run.items is the method."""
    assert not {field.name for field in (*state.CLUSTER, *state.NODE)} & set(dir(dict))
