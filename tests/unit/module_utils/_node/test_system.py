# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Commands that read or write more than fits into memory."""

from __future__ import annotations

import io

import pytest
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._node.system import CommandFailed, pipe


def test_a_file_goes_in_and_one_comes_out() -> None:
    target = io.BytesIO()
    pipe(["sh", "-c", "echo told"], target=target)
    assert target.getvalue() == b"told\n"
    pipe(["sh", "-c", 'test "$(wc -c)" = 1000000'], source=io.BytesIO(b"x" * 1_000_000))


def test_why_it_failed_is_its_last_line_also_where_it_reads_nothing() -> None:
    with pytest.raises(CommandFailed, match=r"^sh failed: no such database$"):
        pipe(["sh", "-c", "echo a hint >&2; echo no such database >&2; exit 1"], source=io.BytesIO(b"x" * 10_000_000))
    with pytest.raises(CommandFailed, match=r"^sh failed: exit status 3$"):
        pipe(["sh", "-c", "exit 3"])


def test_one_that_does_not_end_is_ended() -> None:
    with pytest.raises(CommandFailed, match=r"^sleep did not end within 0 s\.$"):
        pipe(["sleep", "600"], timeout=0.2)


def test_a_disk_that_is_full_ends_it() -> None:
    with open("/dev/full", "wb", buffering=0) as full, pytest.raises(OSError, match="No space"):
        pipe(["yes"], target=full)  # type: ignore[arg-type]
