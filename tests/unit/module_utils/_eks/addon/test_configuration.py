# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Add-on settings as JSON and YAML text."""

from __future__ import annotations

import pytest
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._eks.addon import configuration


@pytest.mark.parametrize(
    ("text", "values"), [("", {}), (" \n", {}), ('{"a": 1}', {"a": 1}), ("a: 1  # one\n", {"a": 1}), ("# none\n", {}), ("[1]", [1])]
)
def test_a_text_is_parsed_to_values(text, values):
    assert configuration.parsed(text) == values


def test_equal_values_give_equal_text():
    assert configuration.text_of({"b": 1, "a": 2}) == configuration.text_of({"a": 2, "b": 1}) == '{"a": 2, "b": 1}'


def test_text_that_is_neither_json_nor_yaml_is_reported(monkeypatch):
    with pytest.raises(configuration.Unreadable, match="it is not YAML .line 1"):
        configuration.parsed("a: [b")
    with pytest.raises(configuration.Unreadable):
        configuration.parsed("!!python/object/apply:os.getcwd []")
    monkeypatch.setattr(configuration, "HAS_YAML", False)
    with pytest.raises(configuration.Unreadable, match="PyYAML, which YAML requires, is missing"):
        configuration.parsed("a: 1")
    assert configuration.parsed('{"a": 1}') == {"a": 1}
