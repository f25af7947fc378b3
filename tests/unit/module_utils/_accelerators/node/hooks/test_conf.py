# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Our lines in slurm.conf, next to those of others."""

from __future__ import annotations

import pytest
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._accelerators.node.hooks.conf import edited, others, own

HYPERPOD = "Prolog=/opt/slurm/etc/scripts/prolog.sh"
OURS = ("HealthCheckInterval=240", "Prolog=ours")
BOTH = "HealthCheckInterval=240 # mlfleet.hyperpod\nProlog=ours # mlfleet.hyperpod\n"
CONF = f"ClusterName=ml\n# remark\n{HYPERPOD}\nNodeName=a CPUs=2\n"


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        (CONF, CONF + BOTH),
        (CONF.rstrip("\n"), CONF + BOTH),
        ("", BOTH),
        (CONF + "HealthCheckInterval=240 # mlfleet.hyperpod\n", CONF + BOTH),
        (CONF + "HealthCheckInterval=60 # mlfleet.hyperpod\nProlog=ours # mlfleet.hyperpod\n", CONF + BOTH),
        (BOTH + CONF, BOTH + CONF),
        ("A=1\x0cB=2\n", "A=1\x0cB=2\n" + BOTH),
    ],
    ids=["new", "without a final line feed", "empty", "one was deleted", "another value", "elsewhere", "form feed"],
)
def test_our_lines_are_restored_and_others_stay(text: str, expected: str) -> None:
    assert edited(text, OURS) == expected == edited(expected, OURS)
    assert own(expected) == OURS


def test_our_lines_are_removed_and_others_stay() -> None:
    assert edited(CONF.replace("# remark\n", "# remark\n" + BOTH), ()) == CONF
    assert edited(CONF, ()) == CONF and own(CONF) == ()


@pytest.mark.parametrize(
    ("line", "found"),
    [
        (HYPERPOD, [HYPERPOD]),
        ("prolog = /a/b  # of another tool", ["prolog = /a/b"]),
        ("Epilog=/e Prolog=/a", ["Prolog=/a"]),
        ("#Prolog=/a", []),
        ("PrologFlags=Contain", []),
        ("TaskProlog=/a", []),
        ("Prolog=ours # mlfleet.hyperpod", []),
    ],
)
def test_settings_of_others_are_found(line: str, found: list[str]) -> None:
    assert list(others(f"ClusterName=ml\n{line}\n", ("Prolog",))) == found
