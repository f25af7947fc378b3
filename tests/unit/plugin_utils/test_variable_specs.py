# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Types and descriptions of variables, from the options of roles."""

from __future__ import annotations

import pytest
from ansible_collections.mlfleet.hyperpod.plugins.plugin_utils import variable_specs


def test_a_variable_has_the_type_of_the_option_that_it_is_the_default_of() -> None:
    found = variable_specs.behind({"offboard_home"}, variable_specs.roles())["offboard_home"]
    assert (found["type"], found["choices"], found["default"]) == ("str", ["keep", "archive"], "keep")


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("Whether people may be cut off now, by default C(vpn_urgent).", "Whether people may be cut off now."),
        ("With C(drain), seconds. By default C(vpn_urgent).", "Seconds."),
        ("Jobs, by default C(vpn_urgent) or C(report). They go on.", "Jobs. They go on."),
        ("A word; by default that of C(another).", "A word; by default that of C(another)."),
    ],
)
def test_the_description_of_a_role_becomes_that_of_a_variable(text: str, expected: str) -> None:
    option = variable_specs._named("vpn_urgent", {"type": "bool", "description": [text]}, "false")
    assert (option["description"], option["default"]) == (expected, False)


def test_files_are_read_once_because_each_survey_of_awx_needs_them() -> None:
    assert variable_specs.roles() is variable_specs.roles()
    assert variable_specs._readers() is variable_specs._readers()
