# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Progress lines of a wait, read repeatedly; tests/unit/action/test_client_vpn_endpoint.py runs a watched module."""

from __future__ import annotations

import threading

from ansible_collections.mlfleet.hyperpod.plugins.plugin_utils import watch


def test_complete_lines_are_shown_once(tmp_path, monkeypatch, capsys):
    lines, ended = tmp_path / "lines", threading.Event()
    lines.write_text("it is associating after 5 s\nit is associating after 65 s\nit is asso")
    monkeypatch.setattr(watch, "LOOK", 0.01)
    watcher = threading.Thread(target=watch.show, args=(lines, ended))
    watcher.start()
    watcher.join(0.1)
    ended.set()
    watcher.join()
    shown = capsys.readouterr().out
    assert shown.count("waiting: it is associating after 5 s") == 1 and "asso\n" not in shown
