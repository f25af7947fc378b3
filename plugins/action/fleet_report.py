# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Reads the report store and writes the report on all clusters. The document is too large for a result of a task."""

from __future__ import annotations

import collections
import os
import typing as t

from ansible.plugins.action import ActionBase
from ansible.utils.display import Display
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._core.times import iso_now
from ansible_collections.mlfleet.hyperpod.plugins.plugin_utils.declared_people import plain
from ansible_collections.mlfleet.hyperpod.plugins.plugin_utils.fleet_report import document as of_fleet, sources
from ansible_collections.mlfleet.hyperpod.plugins.plugin_utils.fleet_report.page.whole import headline, page
from ansible_collections.mlfleet.hyperpod.plugins.plugin_utils.fleet_report.page.words import WORDS
from ansible_collections.mlfleet.hyperpod.plugins.plugin_utils.fleet_report.standing import Limits
from ansible_collections.mlfleet.hyperpod.plugins.plugin_utils.report_store import of_run
from ansible_collections.mlfleet.hyperpod.plugins.plugin_utils.reports.files import write_whole
from ansible_collections.mlfleet.hyperpod.plugins.plugin_utils.reports.forms import json_text

ARGUMENTS: dict[str, t.Any] = {
    "clusters": {"type": "list", "elements": "dict", "required": True},
    "known": {"type": "list", "elements": "str", "required": True},
    "inventory_failures": {"type": "list", "elements": "str", "default": []},
    "files": {"type": "dict", "default": {}},
    "old_hours": {"type": "int", "default": 24},
}
NO_STORE = "The fleet report requires a report store, such as -e hyperpod_report_store=/srv/reports."
FORMS: t.Mapping[str, t.Callable[[t.Mapping[str, t.Any]], str]] = {"json": json_text, "html": page}


class ActionModule(ActionBase):
    """Runs on the control node, without a module."""

    _requires_connection = False
    _supports_check_mode = True

    def run(self, tmp: str | None = None, task_vars: dict[str, t.Any] | None = None) -> dict[str, t.Any]:
        result = {**super().run(tmp, task_vars), "changed": False}
        _checked, checked = self.validate_argument_spec(argument_spec=ARGUMENTS)
        given, now, place = plain(checked), iso_now(), of_run.place_of_run()
        if place is None:
            return {**result, "failed": True, "msg": NO_STORE}
        clusters = [of_fleet.Cluster(**each) for each in given["clusters"]]
        inventory = of_fleet.Inventory(clusters, given["known"], given["inventory_failures"])
        read = sources.read(place, now, {each.key for each in clusters}, given["known"])
        made = of_fleet.document(inventory, read, Limits(now, given["old_hours"]))
        written = []
        for form, path in given["files"].items():
            full = os.path.abspath(os.path.expanduser(path))
            try:
                write_whole(full, FORMS[form](made), mode=0o600)
            except OSError as error:
                return {**result, "failed": True, "msg": f"The report {full} could not be written: {error.strerror}."}
            written.append(full)
        Display().display(" ".join([headline(made), *written]))
        return {**result, "written": written, **_brief(made)}


def _brief(made: of_fleet.Document) -> dict[str, t.Any]:
    """The result of the task, without the texts of reports."""
    problems = collections.Counter(each["cluster"] for each in made["problems"])
    return {
        "store": made["store"]["address"],
        "failure": made["store"]["failure"],
        "empty": of_fleet.is_empty(made),
        "clusters": {
            key: {"state": WORDS.get(each["standing"], ""), "why": each["why"], "problems": problems[key]}
            for key, each in made["clusters"].items()
        },
    }
