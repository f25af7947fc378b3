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
  - What comes from a node counts as sentences and changes of that node alone, in printable words. Whether a cluster is
    skipped, whether the run looks for drift and where files go is known from the controller.
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
  drift_json:
    description:
      - The file that C(mlfleet.hyperpod.drift) writes for programs; an empty value writes none. By default
        C(drift.json) in O(state_dir).
      - An extra variable of the same name, C(-e drift_json=PATH), wins. No other variable counts, since nodes may have
        made it.
    type: str
    env:
      - name: HYPERPOD_DRIFT_JSON
    ini:
      - section: hyperpod
        key: drift_json
  drift_junit:
    description: As O(drift_json), in the form of JUnit. By default C(drift.xml).
    type: str
    env:
      - name: HYPERPOD_DRIFT_JUNIT
    ini:
      - section: hyperpod
        key: drift_junit
  drift_prometheus:
    description: As O(drift_json), metrics for the text file collector of node_exporter. By default C(drift.prom).
    type: str
    env:
      - name: HYPERPOD_DRIFT_PROMETHEUS
    ini:
      - section: hyperpod
        key: drift_prometheus
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
from ansible.parsing.dataloader import DataLoader
from ansible.plugins.callback import CallbackBase
from ansible.utils.vars import load_extra_vars
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._trust import ssh_log
from ansible_collections.mlfleet.hyperpod.plugins.plugin_utils import drift
from ansible_collections.mlfleet.hyperpod.plugins.plugin_utils.told import Teller
from ansible_collections.mlfleet.hyperpod.plugins.plugin_utils.verdict import Verdict

OTHER_KEY = "Host key verification failed"
DRIFT = "hyperpod_drift"
"""Variable of plays in a run that looks for drift."""
TOLD = "told"
"""Its value once the run can no longer be refused, and what is found is written."""
DRIFT_FILES = {"json": "drift.json", "junit": "drift.xml", "prometheus": "drift.prom"}
TELLS_AGAIN = "hyperpod_tells_again"
"""Variable of the task with which a cluster stops after a failure that has been told."""
RUN_HERE = ("mlfleet.hyperpod.host_key_adoption",)
"""Actions that are delegated to nodes, and whose module runs on the controller."""


class CallbackModule(CallbackBase):
    """Collects results as they come, tells the verdict at the end."""

    CALLBACK_VERSION = 2.0
    CALLBACK_TYPE = "aggregate"
    CALLBACK_NAME = "mlfleet.hyperpod.report"
    CALLBACK_NEEDS_ENABLED = True

    def __init__(self, *args: t.Any, **kwargs: t.Any) -> None:
        super().__init__(*args, **kwargs)
        self.verdict = Verdict()
        self.drift = ""
        self.started = time.strftime(ssh_log.TIME, time.gmtime())

    def v2_playbook_on_play_start(self, play: t.Any) -> None:
        self.drift = str(play.get_vars().get(DRIFT, self.drift))

    def v2_runner_on_ok(self, result: t.Any) -> None:
        if _only_plans(result.task):
            return
        self.verdict.ok(teller_of(result.host, result.task), result.result)

    def v2_runner_on_failed(self, result: t.Any, ignore_errors: bool = False) -> None:
        teller = teller_of(result.host, result.task)
        if ignore_errors:
            self.v2_runner_on_ok(result)
        elif not (result.task.get_vars().get(TELLS_AGAIN) and self.verdict.has_failed(teller)):
            self.verdict.failed(teller, result.task.get_name(), result.result)

    def v2_runner_on_unreachable(self, result: t.Any) -> None:
        if OTHER_KEY in str(result.result.get("msg")) and result.task.get_vars().get("hyperpod_reached_again", False):
            return
        names = [result.host.vars.get(name) for name in ("hyperpod_instance_id", "hyperpod_private_ip")]
        state_dir = os.path.expanduser(self.get_option("state_dir"))
        proxy = ssh_log.last(state_dir, [name for name in names if name], since=self.started)
        self.verdict.unreachable(teller_of(result.host, result.task), result.result, proxy)

    def v2_playbook_on_stats(self, stats: t.Any) -> None:
        if self.verdict.clusters:
            self._report(stats)
        if self.drift:
            raise SystemExit(self._tell_drift(self._drift_files() if self.drift == TOLD else {}))

    def _drift_files(self) -> dict[str, str]:
        """Where each kind goes; an empty path means nowhere."""
        extra = load_extra_vars(DataLoader())
        files = {}
        for kind, name in DRIFT_FILES.items():
            wanted = extra.get(f"drift_{kind}", self.get_option(f"drift_{kind}"))
            path = os.path.join(self.get_option("state_dir"), name) if wanted is None else str(wanted)
            files[kind] = path and os.path.abspath(os.path.expanduser(path))
        return files

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


def teller_of(host: t.Any, task: t.Any) -> Teller:
    """Who answered, from what the inventory says and to whom the task was delegated."""
    cluster = host.vars.get("hyperpod_cluster_host", host.name) if "hyperpod_cluster_arn" in host.vars else None
    node, subject = host.vars.get("hyperpod_instance_id"), host.name
    delegate = task.delegate_to or host.name
    if delegate in (cluster, "localhost") or task.action in RUN_HERE:
        return Teller(cluster, node or subject, host.name, trusted=True)
    if delegate != host.name:
        return Teller(cluster, delegate.removeprefix(f"{cluster}-"), host.name, trusted=False)
    return Teller(cluster, node or subject, host.name, trusted=node is None)


def write_whole(path: str, text: str, *, mode: int) -> None:
    """Replace ``path`` in one move."""
    folder = os.path.dirname(path)
    os.makedirs(folder, mode=0o700, exist_ok=True)
    handle, temporary = tempfile.mkstemp(dir=folder)
    with os.fdopen(handle, "w", encoding="utf-8") as stream:
        stream.write(text)
        os.fchmod(handle, mode)
    os.replace(temporary, path)
