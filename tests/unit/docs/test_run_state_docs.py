# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The page of the run state is generated from the schema."""

from __future__ import annotations

from tools import run_state_docs


def test_the_page_is_up_to_date() -> None:
    now = run_state_docs.PAGE.read_text(encoding="utf-8")
    assert run_state_docs.page(now) == now


def test_a_field_is_a_row_and_text_before_the_tables_is_kept() -> None:
    found = run_state_docs.page(f"# Title\n{run_state_docs.BEGIN}former tables")
    assert found.startswith("# Title\n") and "former tables" not in found
    assert "| `host_keys` | list | host_keys | " in found and "| `rotation` | dict or null | host_keys | " in found
