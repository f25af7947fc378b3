# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The last run on a cluster that changed it or could have changed it, from the reports in the state folder."""

from __future__ import annotations

import json
import typing as t
from pathlib import Path

from ansible_collections.mlfleet.hyperpod.plugins.module_utils._core.finding import NOTE
from ansible_collections.mlfleet.hyperpod.plugins.plugin_utils.findings.collect import findings_of


def last_run(state_dir: str, cluster: str) -> dict[str, t.Any] | None:
    """The last run, from the latest file of an individual run, or else from ``report.json``."""
    folder = Path(state_dir).expanduser()
    for path in [*sorted(folder.glob("reports/*.json"), reverse=True), folder / "report.json"]:
        found = _of(path, cluster)
        if found:
            return found
    return None


def _of(path: Path, cluster: str) -> dict[str, t.Any] | None:
    try:
        report = json.loads(path.read_text(encoding="utf-8"))
        own = report["clusters"][cluster]
    except (OSError, ValueError, KeyError, TypeError):
        return None
    if report.get("check_mode") or report.get("reads_only"):
        return None
    return {
        "playbook": str(report.get("playbook") or "") or "a run",
        "ended": report.get("ended"),
        "controller": report.get("controller"),
        "status": own.get("status"),
        "findings": [each.to_result() for each in findings_of(own.get("findings")) if each.kind != NOTE],
    }
