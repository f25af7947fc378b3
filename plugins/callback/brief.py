# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Prints what ``default`` prints, except in the plays of ``drift`` and ``reconcile``, which run from timers over many clusters."""

from __future__ import annotations

DOCUMENTATION = r"""
name: brief
type: stdout
short_description: Print only failures, changes and the report in runs of drift and reconcile
version_added: 0.1.0
description:
  - Prints the same as C(ansible.builtin.default), except in runs of the playbooks C(mlfleet.hyperpod.drift) and
    C(mlfleet.hyperpod.reconcile). Over 20 clusters, C(default) prints thousands of lines for such a run.
  - Of these runs, prints tasks that failed, hosts that could not be reached, warnings, tasks that changed something, and the report
    that P(mlfleet.hyperpod.report#callback) adds at the end. In check mode, tasks that would change something are left out, because
    the report counts the changes. With C(--diff), the differences are printed.
  - With C(-v), prints the same as C(ansible.builtin.default).
  - AWX has its own stdout callback, so this callback has no effect there.
extends_documentation_fragment:
  - ansible.builtin.default_callback
  - ansible.builtin.result_format_callback
requirements:
  - set as C(stdout_callback = mlfleet.hyperpod.brief) in C(ansible.cfg)
  - P(mlfleet.hyperpod.report#callback), enabled in C(ansible.cfg)
author:
  - mlfleet (@mlfleet)
"""

import typing as t

from ansible import context
from ansible.plugins.callback.default import CallbackModule as Default

BRIEF = "hyperpod_brief"
"""The variable that marks the plays of the playbooks."""
TOGGLES = ("display_ok_hosts", "display_skipped_hosts")
"""Options of ``default`` that are off in these plays. They also make it print a task's name only before its first result."""


class CallbackModule(Default):
    """Omits results without information from marked plays."""

    CALLBACK_VERSION = 2.0
    CALLBACK_TYPE = "stdout"
    CALLBACK_NAME = "mlfleet.hyperpod.brief"

    def __init__(self) -> None:
        super().__init__()
        self.brief = False
        self.recap = False
        """Whether the run had a play that is not brief."""

    def get_option(self, k: str, hostvars: t.Any = None) -> t.Any:
        return False if self.brief and k in TOGGLES else super().get_option(k, hostvars)

    def v2_playbook_on_play_start(self, play: t.Any) -> None:
        self.brief = bool(play.get_vars().get(BRIEF, False)) and not self._display.verbosity
        self.recap = self.recap or not self.brief
        if self.brief:
            self._play = play  # its strategy decides how default prints the names of tasks
        else:
            super().v2_playbook_on_play_start(play)

    def v2_runner_on_ok(self, result: t.Any) -> None:
        if self._shown(result):
            super().v2_runner_on_ok(result)
        else:
            self._handle_warnings_and_exception(result)

    def v2_runner_item_on_ok(self, result: t.Any) -> None:
        if self._shown(result):
            super().v2_runner_item_on_ok(result)
        else:
            self._handle_warnings_and_exception(result)

    def v2_playbook_on_include(self, included_file: t.Any) -> None:
        if not self.brief:
            super().v2_playbook_on_include(included_file)

    def v2_playbook_on_no_hosts_matched(self) -> None:
        if not self.brief:
            super().v2_playbook_on_no_hosts_matched()

    def v2_playbook_on_stats(self, stats: t.Any) -> None:
        if self.recap:
            super().v2_playbook_on_stats(stats)

    def _shown(self, result: t.Any) -> bool:
        """Whether the result of a successful task is printed. A task may have a template as its check mode."""
        planned = context.CLIARGS.get("check", False) or result.task.check_mode is True
        return not self.brief or (bool(result.result.get("changed", False)) and not planned)
