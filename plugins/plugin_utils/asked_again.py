# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Repeats a module on a node until no items remain, such as jobs or sessions, and prints lines about the remaining items."""

from __future__ import annotations

import time
import typing as t

from ansible.errors import AnsibleConnectionFailure
from ansible.utils.display import Display
from ansible_collections.mlfleet.hyperpod.plugins.plugin_utils.node_action import NodeAction

LOST_LOOKS = 5
"""Number of consecutive lost connections after which the node counts as unreachable. A short network failure does not end the
wait."""
QUIET = 60.0
"""Seconds between two printed lines if the remaining items do not change."""

Answer = dict[str, t.Any]
display = Display()


class AskedAgain(NodeAction):
    """Runs the module of the same name repeatedly. The module validates its options ``wait_timeout`` and ``poll_interval``."""

    def until_empty(self, subject: str, *, ask: t.Callable[[], Answer], who: t.Callable[[Answer], str]) -> tuple[Answer, float]:
        """Repeat ``ask`` until no items remain, the time is up or the module fails.

        :param who: describes the items that remain according to an answer; empty if there are none.
        :returns: the last answer, and the seconds until then.
        """
        started, lost, shown, shown_at = time.monotonic(), 0, "", 0.0
        while True:
            answer: Answer = {}
            try:
                answer = ask()
                lost = 0
            except AnsibleConnectionFailure:
                lost += 1
                if lost == LOST_LOOKS:
                    raise
            elapsed = time.monotonic() - started
            if answer.get("failed"):
                return answer, elapsed
            timeout, interval = self.seconds("wait_timeout", 0), self.seconds("poll_interval", 10)
            left = who(answer) if answer else ""
            if answer and (not left or elapsed >= timeout or self._task.check_mode):
                return answer, elapsed
            if answer and (left != shown or elapsed - shown_at >= QUIET):
                shown, shown_at = left, elapsed
                display.display(f"{subject}: waited {round(elapsed)} s of {timeout} s for {left}")
            time.sleep(max(0.0, min(interval, timeout - elapsed)) if answer else interval)

    def seconds(self, option: str, default: int) -> int:
        """The value of an option. Call this only after the module has accepted its options."""
        return int(self._task.args.get(option, default))
