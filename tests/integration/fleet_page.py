# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The fleet report of a world, from a report store in a folder."""

from __future__ import annotations

import json
import re
import typing as t
from pathlib import Path

from harness import STATE_DIR, World


def stored_in(store: Path) -> tuple[str, str]:
    """The arguments of a run that adds its report to the store, or reads the store."""
    return ("-e", f"hyperpod_report_store={store}")


def fleet_report(world: World, store: Path, section: str) -> tuple[dict[str, t.Any], str]:
    """The JSON of the report, and the text of one section of its page with single spaces."""
    run = world.playbook("fleet_report", *stored_in(store))
    assert run.rc == 0, run.log
    page = (STATE_DIR / "fleet_report.html").read_text()
    found = re.search(rf'<section id="{section}".*?</section>', page, re.DOTALL)
    assert found, section
    made: dict[str, t.Any] = json.loads((STATE_DIR / "fleet_report.json").read_text())
    return made, " ".join(re.sub(r"<[^>]+>", " ", found[0]).split())
