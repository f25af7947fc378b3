# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Unreadable definition files are refused by name."""

from __future__ import annotations

from pathlib import Path

import pytest
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._core.failure import Refused
from ansible_collections.mlfleet.hyperpod.plugins.plugin_utils._definition.files import read_object


def test_json_and_yaml_are_parsed(tmp_path: Path) -> None:
    (tmp_path / "a.json").write_text('{"name": "ml"}')
    (tmp_path / "a.yml").write_text("name: ml\n")
    assert read_object("o", str(tmp_path / "a.json")) == read_object("o", str(tmp_path / "a.yml")) == {"name": "ml"}


@pytest.mark.parametrize("name", ["a.json", "a.JSON", "a.yml", "a"])
def test_json_indented_with_tabs_is_parsed_under_any_name(tmp_path: Path, name: str) -> None:
    (tmp_path / name).write_text('{\n\t"groups": [\n\t\t{"name":\t"a"}\n\t]\n}\n')
    assert read_object("o", str(tmp_path / name)) == {"groups": [{"name": "a"}]}


BOMB = "a0: &a0 [x, x, x, x, x, x, x, x, x, x]\n" + "".join(
    f"a{level}: &a{level} [{', '.join([f'*a{level - 1}'] * 10)}]\n" for level in range(1, 9)
)


@pytest.mark.parametrize(
    ("name", "content", "message"),
    [
        ("a", None, "can't be read: No such file or directory."),
        ("a", b"\xff\xfe\x00", "can't be read: it is not UTF-8 text."),
        ("a", b"a: 1\nb: [", " is neither JSON nor YAML: it is not YAML (line 2): expected the node content, but found '<stream end>'."),
        ("a", b"- a\n", "is not allowed: it contains a list. Allowed: a file with one object of JSON or YAML."),
        ("a.json", b"name: ml\n", "a.json is not JSON: line 1: Expecting value."),
        ("a.json", b'{"worker_groups": [{"partition_name":\n}]}', "a.json is not JSON: line 2, worker_groups[0].partition_name: Expecting value."),
        ("a.yml", b"# nothing\n", "is not allowed: it is empty. Allowed: a file with one object of JSON or YAML."),
        ("a.json", b"[1]", "is not allowed: it contains a list. Allowed: a file with one object of JSON or YAML."),
        ("a.yml", BOMB.encode(), "a.yml is neither JSON nor YAML: it is larger than 1024 KiB after its aliases are expanded."),
        ("a.yml", b"name: ml\n---\nname: b\n", "a.yml is neither JSON nor YAML: it has 2 documents."),
        ("a.yml", b"a: 1\nb: 2\na: 3\n", "a.yml is neither JSON nor YAML: it has the key a twice (line 3)."),
        ("a.json", b'{"a": 1,\n"a": 3}', "a.json is not JSON: line 2, a: the key is not unique."),
        ("a.yml", b"a: \x01\n", "a.yml is neither JSON nor YAML: it is not YAML (line 1): it has the character U+0001, which YAML does not allow."),
        ("a.yml", b"# " + b"x" * 262_144, "a.yml can't be read: it is larger than 256 KiB."),
        ("a.json", b"[" + b" " * 262_144 + b"]", "a.json can't be read: it is larger than 256 KiB."),
    ],
)
def test_other_values_than_objects_are_refused(tmp_path: Path, name: str, content: bytes | None, message: str) -> None:
    path = tmp_path / name
    if content is not None:
        path.write_bytes(content)
    with pytest.raises(Refused) as refused:
        read_object("o", str(path))
    assert str(refused.value).startswith("o: ") and str(refused.value).endswith(message)


def test_reading_a_device_stops_at_the_size_limit() -> None:
    with pytest.raises(Refused, match="can't be read: it is larger than 256 KiB"):
        read_object("o", "/dev/zero")
