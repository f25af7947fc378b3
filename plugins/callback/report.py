# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The verdict of a run, one line a cluster: it also comes when every host of a play failed and no later play ran."""

from __future__ import annotations

DOCUMENTATION = r"""
name: report
type: aggregate
short_description: Verdict of a run, cluster by cluster
version_added: 0.1.0
description:
  - At the end of a run prints one line for each HyperPod cluster of the inventory that the run touched, with what is
    pending and what failed.
  - Writes the same as C(report.json) into the state folder, and sets it as the custom statistic C(hyperpod), which
    AWX keeps as an artifact of the job.
  - In a run of the playbook C(mlfleet.hyperpod.drift) writes its files too, and sets the exit status of
    C(ansible-playbook) - 0 in sync, 2 drift, 1 could not tell. Callbacks that are enabled after this one then miss the
    end of the run, so name it last.
  - A cluster is C(unchanged), C(changed), C(degraded) (something is pending, for example a node that is not Running),
    C(skipped) (another run holds its lock) or C(failed). The run is as bad as its worst cluster.
options:
  state_dir:
    description: The folder that C(report.json) is written to.
    type: path
    default: ~/.mlfleet/hyperpod
    env:
      - name: HYPERPOD_STATE_DIR
    ini:
      - section: hyperpod
        key: state_dir
requirements:
  - enabled with C(callbacks_enabled = mlfleet.hyperpod.report) in C(ansible.cfg)
author:
  - mlfleet (@mlfleet)
"""

import json
import os
import tempfile
import time
import typing as t

from ansible import context
from ansible.plugins.callback import CallbackBase
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._trust import ssh_log
from ansible_collections.mlfleet.hyperpod.plugins.plugin_utils import drift
from ansible_collections.mlfleet.hyperpod.plugins.plugin_utils.verdict import Verdict

OTHER_KEY = "Host key verification failed"


class CallbackModule(CallbackBase):
    """Collects results as they come, tells the verdict at the end."""

    CALLBACK_VERSION = 2.0
    CALLBACK_TYPE = "aggregate"
    CALLBACK_NAME = "mlfleet.hyperpod.report"
    CALLBACK_NEEDS_ENABLED = True

    def __init__(self, *args: t.Any, **kwargs: t.Any) -> None:
        super().__init__(*args, **kwargs)
        self.verdict = Verdict()
        self.started = time.strftime(ssh_log.TIME, time.gmtime())

    def v2_runner_on_ok(self, result: t.Any) -> None:
        if _only_plans(result.task):
            return
        self.verdict.ok(cluster_of(result.host), subject_of(result.host), result.result)

    def v2_runner_on_failed(self, result: t.Any, ignore_errors: bool = False) -> None:
        if ignore_errors:
            self.v2_runner_on_ok(result)
        else:
            self.verdict.failed(cluster_of(result.host), subject_of(result.host), result.task.get_name(), result.result)

    def v2_runner_on_unreachable(self, result: t.Any) -> None:
        if OTHER_KEY in str(result.result.get("msg")) and result.task.get_vars().get("hyperpod_reached_again", False):
            return
        names = [result.host.vars.get(name) for name in ("hyperpod_instance_id", "hyperpod_private_ip")]
        state_dir = os.path.expanduser(self.get_option("state_dir"))
        proxy = ssh_log.last(state_dir, [name for name in names if name], since=self.started)
        self.verdict.unreachable(cluster_of(result.host), subject_of(result.host), result.result, proxy)

    def v2_playbook_on_stats(self, stats: t.Any) -> None:
        if self.verdict.clusters:
            self._report(stats)
        if self.verdict.drift is not None:
            raise SystemExit(self._tell_drift(self.verdict.drift))

    def _tell_drift(self, files: t.Mapping[str, str]) -> int:
        """Write what was found; the exit status."""
        found = drift.judge(self.verdict.clusters, now=int(time.time()))
        texts = {"json": found.to_json, "junit": found.to_junit, "prometheus": found.to_prometheus}
        written = True
        for kind, path in files.items():
            if path:
                try:
                    write_whole(path, texts[kind](), mode=0o644 if kind == "prometheus" else 0o600)
                except OSError as error:
                    written = False
                    self._display.warning(f"{path} was not written: {error}")
        self._display.display(found.line())
        return found.exit_status if written else max(found.exit_status, drift.UNKNOWN)

    def _report(self, stats: t.Any) -> None:
        report = self.verdict.to_report()
        stats.set_custom_stats("hyperpod", report)
        path = os.path.join(self.get_option("state_dir"), "report.json")
        try:
            write_whole(path, json.dumps(report, indent=2, sort_keys=True) + "\n", mode=0o600)
        except OSError as error:
            self._display.warning(f"report.json was not written: {error}")
        self._display.banner("HYPERPOD REPORT")
        for line in self.verdict.to_lines():
            self._display.display(line)


def _only_plans(task: t.Any) -> bool:
    """What such a task found comes again from the task that acts, or the playbook tells it in its own words."""
    return task.check_mode and (not context.CLIARGS.get("check") or task.get_vars().get("hyperpod_only_plans", False))


def cluster_of(host: t.Any) -> str | None:
    """The cluster's host name for a cluster's or a node's host, else nothing."""
    if "hyperpod_cluster_arn" not in host.vars:
        return None
    return host.vars.get("hyperpod_cluster_host", host.name)


def subject_of(host: t.Any) -> str:
    """What to call the host in a sentence: a node by its instance id, a cluster by its key."""
    return host.vars.get("hyperpod_instance_id") or host.name


def write_whole(path: str, text: str, *, mode: int) -> None:
    """Replace ``path`` in one move."""
    folder = os.path.dirname(path)
    os.makedirs(folder, mode=0o700, exist_ok=True)
    handle, temporary = tempfile.mkstemp(dir=folder)
    with os.fdopen(handle, "w", encoding="utf-8") as stream:
        stream.write(text)
        os.fchmod(handle, mode)
    os.replace(temporary, path)
