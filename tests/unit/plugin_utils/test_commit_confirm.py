# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The message about a change that a node rolled back."""

from __future__ import annotations

import pytest
from ansible_collections.mlfleet.hyperpod.plugins.plugin_utils import commit_confirm

CHANGE = {"subject": "sshd\x1b[2K", "files": ["/etc/ssh/a\n", "/etc/ssh/b"]}


@pytest.mark.parametrize(
    ("text", "last"), [("", ""), ("a\nb\n\n", "b"), ("a\r\nb\r\n", "b"), ("a\nb\x85c\x1b", "b?c?"), ("a\u2028b", "a?b")]
)
def test_the_last_line_is_one_printable_line(text, last):
    assert commit_confirm.last_line(text) == last


@pytest.mark.parametrize("message", [commit_confirm.rolled_back_message, commit_confirm.lost_message])
def test_messages_are_printable(message):
    assert message(CHANGE, timeout=60, attempts=commit_confirm.Attempts(lambda: "i-1: \x1b[2K")).isprintable()
