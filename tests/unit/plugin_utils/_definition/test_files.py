# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Files of a definition that can't be read are refused by name."""

from __future__ import annotations

from pathlib import Path

import pytest
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._core.failure import Refused
from ansible_collections.mlfleet.hyperpod.plugins.plugin_utils._definition.files import read_object


def test_json_and_yaml_are_read(tmp_path: Path) -> None:
    (tmp_path / "a.json").write_text('{"name": "ml"}')
    (tmp_path / "a.yml").write_text("name: ml\n")
    assert read_object("o", str(tmp_path / "a.json")) == read_object("o", str(tmp_path / "a.yml")) == {"name": "ml"}


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (None, "can't be read: No such file or directory."),
        (b"\xff\xfe\x00", "can't be read: it is no text in UTF-8."),
        (b"a: 1\nb: [", " is neither JSON nor YAML: it is not YAML (line 2): expected the node content, but found '<stream end>'."),
        (b"- a\n", "is not allowed: it holds a list. Allowed: a file with one object of JSON or YAML."),
    ],
)
def test_what_is_no_object_is_refused(tmp_path: Path, content: bytes | None, message: str) -> None:
    path = tmp_path / "definition"
    if content is not None:
        path.write_bytes(content)
    with pytest.raises(Refused) as refused:
        read_object("o", str(path))
    assert str(refused.value).startswith("o: ") and str(refused.value).endswith(message)
