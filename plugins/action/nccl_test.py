# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The control node's part of ``nccl_test``: prints a line each minute, because a module prints nothing before it ends."""

from __future__ import annotations

import threading
import time
import typing as t

from ansible.utils.display import Display
from ansible_collections.mlfleet.hyperpod.plugins.plugin_utils.node_action import NodeAction

QUIET = 60.0
"""Seconds between two printed lines."""

display = Display()


class ActionModule(NodeAction):
    """Runs the module of the same name."""

    def on_node(self, variables: dict[str, t.Any]) -> dict[str, t.Any]:
        ended = threading.Event()
        host = str(variables.get("inventory_hostname", "the node"))
        about = (host, self._task.args.get("addresses"), ended)
        printer = threading.Thread(target=show_progress, args=about, daemon=True, name="nccl-test")
        printer.start()
        try:
            answer = self._execute_module(module_args=dict(self._task.args), task_vars=variables)
        finally:
            ended.set()
            printer.join()
        return answer


def show_progress(host: str, addresses: t.Any, ended: threading.Event, *, quiet: float = QUIET) -> None:
    """Print a line every ``quiet`` seconds until the test has ended. ``addresses`` is untrusted input."""
    number = len(addresses) if isinstance(addresses, (list, tuple)) else None
    nodes = "nodes" if number is None else f"{number} node{'' if number == 1 else 's'}"
    began = time.monotonic()
    while not ended.wait(quiet):
        display.display(f"{host}: NCCL test of {nodes}: {time.monotonic() - began:.0f} s")
