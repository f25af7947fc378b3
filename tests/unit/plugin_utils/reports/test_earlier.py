# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The report of the run before: used where it is of this schema, and nothing where it is not."""

from __future__ import annotations

from pathlib import Path

import pytest
from ansible_collections.mlfleet.hyperpod.plugins.plugin_utils.reports.earlier import earlier


@pytest.mark.parametrize(("text", "found"), [('{"schema": 1}', {"schema": 1}), ('{"schema": 2}', None), ("{", None), ("[]", None), ("7", None)])
def test_what_can_be_compared(tmp_path: Path, text: str, found: object) -> None:
    path = tmp_path / "report.json"
    path.write_text(text)
    assert earlier(str(path), 1) == found and earlier(str(tmp_path / "none"), 1) is None
