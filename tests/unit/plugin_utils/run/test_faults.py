# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""A single node's failure counts for that node; a declaration or change counts as wrong only after failures of several nodes."""

from __future__ import annotations

import typing as t

import pytest
from ansible_collections.mlfleet.hyperpod.plugins.plugin_utils.run import faults
from ansible_collections.mlfleet.hyperpod.plugins.plugin_utils.run.fleet import Fleet, Node

FITS, CONFLICTS = {"reached": True, "ready": True}, {"reached": True, "failed": True, "conflict": True}
FAILS, SILENT, CLOSED = {"reached": True, "failed": True}, {}, {"reached": True, "ready": False}


def nodes(*runs: dict[str, t.Any], blank: t.Container[int] = (), login: bool = True, status: str = "Running") -> Fleet:
    def node(number: int, run: dict[str, t.Any]) -> Node:
        access = {"access": "ready", "status": status, "configured": number not in blank}
        return Node(f"ml-i-{number}", f"i-{number}", login, True, run, access)

    return Fleet("ml", tuple(node(number, run) for number, run in enumerate(runs)))


@pytest.mark.parametrize(
    ("seen", "wrong"),
    [
        (nodes(FITS, FITS, FITS), False),
        (nodes(CONFLICTS, FITS, FITS), False),
        (nodes(CONFLICTS, FITS), False),
        (nodes(CONFLICTS), False),  # no other node could take over, and its own finding reports it
        (nodes(CONFLICTS, CONFLICTS, FITS), True),
        (nodes(CONFLICTS, CONFLICTS), True),
        (nodes(CONFLICTS, CONFLICTS, FITS, FITS), False),
        (nodes(CONFLICTS, CONFLICTS, FITS, FITS, FITS, blank=(2, 3, 4)), True),  # a UID was declared again, and disks are new
        (nodes(CONFLICTS, FITS, FITS, blank=(1, 2)), False),  # one node alone never stops the others
        (nodes(CONFLICTS, CONFLICTS, FITS, blank=(0, 1, 2)), True),
        (nodes(FAILS, FAILS, FITS), False),  # no conflict of the declaration
        (nodes(SILENT, SILENT, CONFLICTS), False),
    ],
)
def test_a_declaration_is_wrong_if_it_conflicts_with_most_nodes(seen: Fleet, wrong: bool) -> None:
    assert faults.declaration_is_wrong(seen) is wrong


@pytest.mark.parametrize(
    ("failed", "done", "wrong"), [(0, 0, False), (1, 0, False), (2, 0, True), (1, 5, False), (2, 2, False), (3, 2, True)]
)
def test_a_change_is_wrong_if_it_failed_on_most_nodes(failed: int, done: int, wrong: bool) -> None:
    assert faults.change_is_wrong(failed=failed, done=done) is wrong


@pytest.mark.parametrize(
    ("seen", "drained", "out", "kept"),
    [
        (nodes(FITS, FITS), [], [], []),
        (nodes(FITS, FAILS, SILENT), [], ["i-1", "i-2"], []),
        (nodes(FAILS, SILENT), [], [], ["i-0", "i-1"]),  # no node would be left
        (nodes(FAILS, CLOSED), [], [], []),  # nor here: the gate of the other one is closed
        (nodes(FAILS, FITS), ["i-1"], [], ["i-0"]),  # a drained node cannot take over
        (nodes(FAILS, FITS), ["i-0"], [], []),
        (nodes(SILENT, FITS, status="SystemUpdating"), [], [], []),
        (nodes(FAILS, FITS, login=False), [], [], []),
    ],
)
def test_failed_login_nodes_are_removed_while_another_one_serves(
    seen: Fleet, drained: list[str], out: list[str], kept: list[str]
) -> None:
    found = faults.login_nodes(seen, drained)
    assert (found.out, found.kept) == (out, kept)


TOOK = {"reached": True, "in_turn": True, "configured": True, "ready": True}
FAILED = {"reached": True, "in_turn": True, "failed": True}
STOPPED = {"reached": True, "in_turn": False, "dirty": True, "ready": True}
"""From the plan, which was not executed."""


@pytest.mark.parametrize(
    ("seen", "out", "kept", "rolled_back"),
    [
        (nodes(FAILED, FAILED, STOPPED), [], [], ["i-0", "i-1"]),
        (nodes(FAILED, FAILED, STOPPED, SILENT), [], [], ["i-0", "i-1"]),  # a stopped node cannot take over
        (nodes(TOOK, FAILED, FAILED, STOPPED, SILENT), ["i-4"], [], ["i-1", "i-2"]),
        (nodes(TOOK, FAILED, TOOK, FAILED, FAILED), [], [], ["i-1", "i-3", "i-4"]),  # the last one failed, so none was stopped
        (nodes(FAILED, FAILED), [], ["i-0", "i-1"], ["i-0", "i-1"]),
        (nodes(TOOK, FAILED, TOOK, FAILED), ["i-1", "i-3"], [], []),  # as many nodes succeeded as failed
        (nodes(FAILED, TOOK), ["i-0"], [], []),
        (nodes(SILENT, SILENT, FITS), ["i-0", "i-1"], [], []),  # not processed yet, so no fault of the change
    ],
)
def test_a_wrong_change_removes_no_node_that_rolled_it_back(
    seen: Fleet, out: list[str], kept: list[str], rolled_back: list[str]
) -> None:
    found = faults.login_nodes(seen, [])
    assert (found.out, found.kept, found.rolled_back) == (out, kept, rolled_back)
