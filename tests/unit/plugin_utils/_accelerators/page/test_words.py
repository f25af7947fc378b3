# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Marks and their texts."""

from __future__ import annotations

from ansible_collections.mlfleet.hyperpod.plugins.plugin_utils._accelerators.page.words import ACTION_MARKS, ACTIONS, marked


def test_a_mark_is_hidden_from_screen_readers_and_has_a_text() -> None:
    assert marked("").markup == '<b class="m" data-v="none" aria-hidden="true">-</b> no accelerators'


def test_each_action_has_its_mark() -> None:
    assert set(ACTION_MARKS) == set(ACTIONS)
    assert len({letter for letter, _verdict in ACTION_MARKS.values()}) == len(ACTIONS)
