# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# This module util is private to the collection.
"""Opens and closes the readiness gate, and writes its files. Standard library only, Python 3.9 syntax."""

from __future__ import annotations

import os
import typing as t

from ..._core.plan import Step
from ..files import replace_file, restore_label
from ..system import run
from . import units as gate_units, watch as gate_watch


def apply(step: Step) -> None:
    ports = [gate_units.PEOPLE_SOCKET.format(port) for port in step.arguments.get("ports", ())]
    if step.operation == "Unwatch":
        run(["systemctl", "stop", gate_units.TIMER])
        run(["systemctl", "stop", gate_units.WATCH_SERVICE], timeout=60)
        run(["systemctl", "disable", gate_units.TIMER])  # last, because it writes to the disk
    elif step.operation == "CloseHealth":
        run(["systemctl", "stop", gate_units.SOCKET])
    elif step.operation == "ClosePeople":
        run(["systemctl", "stop", *ports])
    elif step.operation == "WriteFiles":
        _write(step.arguments["files"])
    elif step.operation == "OpenPeople":
        run(["systemctl", "restart", *ports])  # an active socket may have lost its port
    elif step.operation == "OpenHealth":
        run(["systemctl", "restart", gate_units.SOCKET])
        gate_watch.note_opened()
    elif step.operation == "Watch":
        run(["systemctl", "enable", "--now", gate_units.TIMER])


def _write(files: t.Mapping[str, str | None]) -> None:
    os.makedirs(gate_units.STATE_FOLDER, mode=0o700, exist_ok=True)
    for name, text in files.items():
        path = gate_units.PATHS[name]
        if text is not None:
            replace_file(path, text.encode(), mode=gate_units.MODES.get(name, 0o644))
            restore_label(path)
            continue
        if name == "boot":
            run(["systemctl", "disable", "--now", gate_units.FORMER_BOOT_SERVICE], check=False)
        os.unlink(path)
    if files.get("config", "") is None:
        gate_watch.forget()
    run(["systemctl", "daemon-reload"], timeout=60)
