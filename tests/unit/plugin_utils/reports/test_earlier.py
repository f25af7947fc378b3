# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The report of the previous run: used if it has this schema, and empty otherwise."""

from __future__ import annotations

from pathlib import Path

import pytest
from ansible_collections.mlfleet.hyperpod.plugins.plugin_utils.reports.earlier import earlier


@pytest.mark.parametrize(
    ("text", "found"),
    [('{"schema": 1}', {"schema": 1}), *((text, None) for text in ('{"schema": 2}', "{", "[]", "7", "[" * 100_000))],
)
def test_an_earlier_report_is_used_if_it_has_the_schema(tmp_path: Path, text: str, found: object) -> None:
    path = tmp_path / "report.json"
    path.write_text(text)
    assert earlier(str(path), 1) == found and earlier(str(tmp_path / "none"), 1) is None
