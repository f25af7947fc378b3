# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Tables on the screen: every role prints them readably in both result formats."""

from __future__ import annotations

import re
import typing as t
from pathlib import Path

import pytest
import yaml
from ansible.plugins.loader import callback_loader
from ansible_collections.mlfleet.hyperpod.plugins.plugin_utils import views
from ansible_collections.mlfleet.hyperpod.plugins.plugin_utils.reports.printed import Printed, printed

ROLES = Path(__file__).resolve().parents[4] / "roles"
VIEW = re.compile(r"\{\{ __(\w+)\.(\w+)(?:\.(\w+))? \}\}")
SENTENCES = ("client_vpn.outcome.cost",)
LINES = ["cluster    ml: InService", "  node"]


@pytest.mark.parametrize(("result_format", "expected"), [("json", LINES), ("yaml", "\n".join(LINES))])
def test_a_table_fits_the_result_format(monkeypatch: pytest.MonkeyPatch, result_format: str, expected: t.Any) -> None:
    assert callback_loader.get("default") is not None
    monkeypatch.setenv("ANSIBLE_CALLBACK_RESULT_FORMAT", result_format)
    assert printed(LINES) == expected


def messages() -> t.Iterator[tuple[str, str, str]]:
    """Role, view and field (if the view has several) of each message that a role prints."""
    for path in sorted(ROLES.glob("*/tasks/**/*.yml")):
        for task in every_task(yaml.safe_load(path.read_text()) or []):
            if "ansible.builtin.debug" in task:
                found = VIEW.fullmatch(task["ansible.builtin.debug"]["msg"])
                assert found is not None, path
                yield found[1], found[2], found[3]


def every_task(tasks: list[dict[str, t.Any]]) -> t.Iterator[dict[str, t.Any]]:
    for task in tasks:
        yield task
        for part in ("block", "rescue", "always"):
            yield from every_task(task.get(part, []))


def test_every_table_of_a_role_is_printed_this_way() -> None:
    kinds = {}
    for role, view, field in messages():
        made = t.get_type_hints(views.of_role(role)[view])["return"]
        kinds[f"{role}.{view}.{field}"] = t.get_type_hints(made)[field] if field else made
    assert kinds == {name: str if name in SENTENCES else Printed for name in kinds} and len(kinds) > len(SENTENCES)
