# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Prometheus' text format."""

from __future__ import annotations

import pytest
from ansible_collections.mlfleet.hyperpod.plugins.plugin_utils.metrics.text import Family, parsed, rendered

PLAIN = Family("failures", "What failed.")
LABELED = Family("status", "The status.", ("cluster", "playbook"))
GOOD = 'mlfleet_hyperpod_status{cluster="ml",playbook="a"} 4'


def test_a_family_has_its_help_and_type_before_its_samples() -> None:
    assert rendered({PLAIN: {(): 2}, LABELED: {("ml", "a"): 4}}).split("\n") == [
        "# HELP mlfleet_hyperpod_failures What failed.",
        "# TYPE mlfleet_hyperpod_failures gauge",
        "mlfleet_hyperpod_failures 2",
        "# HELP mlfleet_hyperpod_status The status.",
        "# TYPE mlfleet_hyperpod_status gauge",
        GOOD,
        "",
    ]


@pytest.mark.parametrize(
    ("value", "written"), [('a"b', 'a\\"b'), ("a\\", "a\\\\"), ("a\nb", "a\\nb"), ("\\n", "\\\\n"), ("ä} 5", "ä} 5"), ("", "")]
)
def test_labels_are_escaped_and_read_back(value: str, written: str) -> None:
    text = rendered({LABELED: {(value, "x"): 1}})
    assert f'cluster="{written}",playbook="x"}} 1\n' in text
    assert parsed(text, [LABELED]) == {LABELED: {(value, "x"): 1}}


def test_each_label_has_a_value() -> None:
    with pytest.raises(ValueError, match="1 values for the labels"):
        rendered({LABELED: {("ml",): 1}})


@pytest.mark.parametrize(
    "line",
    [
        'mlfleet_hyperpod_status{playbook="a",cluster="ml"} 4',
        'mlfleet_hyperpod_status{cluster="ml",playbook="a",more="x"} 4',
        'mlfleet_hyperpod_status{cluster="ml"} 4',
        'mlfleet_hyperpod_status{cluster="m"l",playbook="a"} 4',
        'mlfleet_hyperpod_status{cluster="m\\l",playbook="a"} 4',
        'mlfleet_hyperpod_status{cluster="m\x1bl",playbook="a"} 4',
        'mlfleet_hyperpod_status{cluster="m\u2028l",playbook="a"} 4',
        'mlfleet_hyperpod_status{cluster="m\udcffl",playbook="a"} 4',
        "mlfleet_hyperpod_status 4",
        'another_status{cluster="ml",playbook="a"} 4',
        f"{GOOD}.5",
        f"{GOOD} 1700000000",
        GOOD.replace(" 4", " NaN"),
        GOOD.replace(" 4", " -4"),
        GOOD.replace(" 4", f" {10**15}"),
        GOOD.replace(" 4", " ٤"),
        f" {GOOD}",
        f"# {GOOD}",
    ],
)
def test_a_line_in_another_form_is_ignored(line: str) -> None:
    assert parsed(f"{line}\n", [LABELED, PLAIN]) == {LABELED: {}, PLAIN: {}}
    assert parsed(f"{line}\n{GOOD}", [LABELED]) == {LABELED: {("ml", "a"): 4}}
