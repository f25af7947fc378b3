# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The log of the reasons why ssh could not connect to a node."""

from __future__ import annotations

import os
import time

import pytest
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._core.times import iso_now
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._node_access import ssh_log


def test_a_message_is_not_older_than_the_start_of_the_same_run(tmp_path: os.PathLike[str], monkeypatch: pytest.MonkeyPatch) -> None:
    """Right after a second begins, the clock of ``time.gmtime()`` is still in the second before, which is simulated here."""
    begin = int(time.time())
    coarse = time.gmtime
    monkeypatch.setattr(time, "gmtime", lambda seconds=None: coarse(begin - 1 if seconds is None else seconds))
    started = iso_now()
    ssh_log.note(str(tmp_path), "10.1.1.11: the session is over the limit")
    assert ssh_log.last(str(tmp_path), ["10.1.1.11"], since=started) == "10.1.1.11: the session is over the limit"
