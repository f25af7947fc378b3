# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Commands that read or write more than fits in memory."""

from __future__ import annotations

import io

import pytest
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._node.system import CommandFailed, pipe


def test_a_command_reads_from_a_file_and_writes_to_one() -> None:
    target = io.BytesIO()
    pipe(["sh", "-c", "echo output"], target=target)
    assert target.getvalue() == b"output\n"
    pipe(["sh", "-c", 'test "$(wc -c)" = 1000000'], source=io.BytesIO(b"x" * 1_000_000))


def test_the_reason_of_a_failure_is_the_last_line_of_the_error_output() -> None:
    with pytest.raises(CommandFailed, match=r"^sh failed: no such database$"):
        pipe(["sh", "-c", "echo a hint >&2; echo no such database >&2; exit 1"], source=io.BytesIO(b"x" * 10_000_000))
    with pytest.raises(CommandFailed, match=r"^sh failed: exit status 3$"):
        pipe(["sh", "-c", "exit 3"])


def test_a_command_that_does_not_end_is_killed() -> None:
    with pytest.raises(CommandFailed, match=r"^sleep did not end within 0 s\.$"):
        pipe(["sleep", "600"], timeout=0.2)


def test_a_full_disk_is_an_error() -> None:
    with open("/dev/full", "wb", buffering=0) as full, pytest.raises(OSError, match="No space"):
        pipe(["yes"], target=full)  # type: ignore[arg-type]
