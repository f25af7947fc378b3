# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Messages of the role fleet_report."""

from __future__ import annotations

import pytest
from ansible_collections.mlfleet.hyperpod.plugins.plugin_utils.findings.made import finding

VALUES = {"state": "old", "why": "It is old.", "store": "/store", "count": 2}


@pytest.mark.parametrize(
    ("name", "kind"),
    [("fleet-report", "note"), ("no-reports", "failure"), ("report-not-read", "pending"), ("report-store-not-read", "failure")],
)
def test_messages(name: str, kind: str) -> None:
    (found,) = finding(name, **VALUES)
    assert (found["kind"], found["code"]) == (kind, name) and found["text"].endswith(".") and "{" not in found["text"]
