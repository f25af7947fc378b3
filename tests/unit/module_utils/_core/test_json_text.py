# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""JSON that people write, and the place of its first error."""

from __future__ import annotations

import json
import typing as t

import pytest
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._core.json_text import NotJson, value_of

LONG = "x" * 500


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ('{"a": [1, "b"]}', {"a": [1, "b"]}),
        ('{\n\t"a":\t1\n}\n', {"a": 1}),
        ('\ufeff{"a": 1}', {"a": 1}),
        ("[]", []),
        ("[" * 100 + "]" * 100, json.loads("[" * 100 + "]" * 100)),
    ],
)
def test_json_is_read(text: str, value: t.Any) -> None:
    assert value_of(text) == value


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "line 1: Expecting value"),
        ("name: ml\n", "line 1: Expecting value"),
        ('{"a": 1,}', "line 1"),  # newer versions of Python name the comma
        ('{"a": {"b":\n }}', "line 2, a.b: Expecting value"),
        ('{"worker_groups": [{"name": "a"}, {"name":\n}]}', "line 2, worker_groups[1].name: Expecting value"),
        ('{"a": [1, {"b": 2}, [3,, 4]]}', "line 1, a[2][1]: Expecting value"),
        ('{"a": "x", "b": "y" "c"}', "line 1, b: Expecting ',' delimiter"),
        ('{"a\\"b": [\n tru]}', 'line 2, a"b[0]: Expecting value'),
        ('{"\\u001b": tru}', "line 1, ?: Expecting value"),
        ('{"a": NaN}', "it has the value NaN, which JSON does not define"),
        ("[" * 200_000, "it is nested too deeply"),
        ('{"a":[' * 51 + "1" + "]}" * 51, "it is nested too deeply"),
        ('{"a": ' + "9" * 5000 + "}", "it has a number that is too long"),
        ('{"a": 1, "b": 2,\n"a": 3}', "line 2, a: the key is not unique"),
        ('{"a": [{"b": "a"}, {"b": 1, "c": {}, "b": 2}]}', "line 1, a[1].b: the key is not unique"),
        ('{"a": 1, "\\u0061": 2}', "line 1, a: the key is not unique"),
        ('{"\\u001b": 1, "\\u001b": 2}', "line 1, ?: the key is not unique"),
        ('\ufeff{"a": {":{": 1},\n"a": 2}', "line 2, a: the key is not unique"),
        ('{"": 1, "": 2}', 'line 1, "": the key is not unique'),
        (f'{{"{LONG}": 1, "{LONG}": 2}}', f"line 1, …{LONG[:200]}: the key is not unique"),
    ],
)
def test_the_first_error_is_reported_with_its_line(text: str, message: str) -> None:
    with pytest.raises(NotJson) as error:
        value_of(text)
    assert str(error.value).startswith(message)
