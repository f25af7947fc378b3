# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The script uses only elements that the page has."""

from __future__ import annotations

import re
import typing as t

from ansible_collections.mlfleet.hyperpod.plugins.plugin_utils.fleet_report.page.script import SCRIPT
from ansible_collections.mlfleet.hyperpod.plugins.plugin_utils.fleet_report.page.whole import page


def test_the_page_has_each_element_of_the_script(made: dict[str, t.Any]) -> None:
    markup = page(made)
    ids, names = re.findall(r'getElementById\("([a-z]+)"\)', SCRIPT), re.findall(r"form\.elements\.([a-z]+)", SCRIPT)
    assert set(ids) == {"filter", "list"} and set(names) == {"standing", "text", "shown"}
    assert [each for each in ids if f'id="{each}"' not in markup] + [each for each in names if f'name="{each}"' not in markup] == []


def test_the_script_makes_no_markup() -> None:
    assert not re.search(r"innerHTML|outerHTML|insertAdjacent|createElement|eval|document\.write", SCRIPT)
