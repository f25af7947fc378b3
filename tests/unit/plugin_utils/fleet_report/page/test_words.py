# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Marks and ages. A state without a mark is shown as unknown."""

from __future__ import annotations

import pytest
from ansible_collections.mlfleet.hyperpod.plugins.plugin_utils.fleet_report.page import words


@pytest.mark.parametrize(("state", "shown"), [("good", "good"), ("never", "never"), ("splendid", "unknown"), ("", "unknown")])
def test_marks(state: str, shown: str) -> None:
    assert f'data-v="{shown}"' in words.mark(state).markup


@pytest.mark.parametrize(
    ("started", "shown"),
    [("29T11:59:00", "1 min"), ("29T10:01:00", "119 min"), ("29T09:00:00", "3 h"), ("27T12:00:00", "2 days"), ("29T12:05:00", "0 min")],
)
def test_ages(started: str, shown: str) -> None:
    assert words.age(f"2026-11-{started}Z", "2026-11-29T12:00:00Z") == shown


def test_only_clusters_of_the_report_are_links() -> None:
    document = {"clusters": {"<a>": {}, "b": {}}}
    assert words.link(document, "b").markup == '<a href="#c1"><code>b</code></a>'
    assert words.link(document, "<x>").markup == "<code>&lt;x&gt;</code>"
