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
  - Writes all of it as C(report.json) into the state folder, in check mode as C(report-check.json), of playbooks that change
    nothing as C(report-look.json), and as a file of its own for each run into C(reports) below it. Sets it, without the
    changes themselves and cut to 64 KiB, as the custom statistic C(hyperpod), which AWX keeps as an artifact of the job.
  - On the screen and in that artifact, a finding that is the same for four nodes or more is told once, with their number.
  - In a run of the playbook C(mlfleet.hyperpod.drift) writes its files too, and sets the exit status of
    C(ansible-playbook) - 0 in sync, 2 drift, 1 could not tell. Callbacks that are enabled after this one then miss the
    end of the run, so name it last.
  - What comes from a node counts as findings and changes of that node alone, in printable words. Whether a cluster is
    skipped, whether the run looks for drift and where files go is known from the controller.
  - A cluster is C(unchanged), C(changed), C(degraded) (something is pending, for example a node that is not Running),
    C(skipped) (another run holds its lock, or nothing was looked at) or C(failed). The run is as bad as its worst cluster. Where
    AWS alone was asked, the line says so and when the last full look was.
  - A run that is refused before it is about any cluster is told as C(refused), and is C(failed).
  - A run that ends early, as by Ctrl-C, is reported with what it has done so far, and is C(failed).
  - What the inventory could not read (an account, a region, a cluster) is told first, stands as C(inventory_failures) in
    C(report.json), and makes the run C(failed); a look for drift then could not tell.
options:
  state_dir:
    description: The folder that the reports are written to.
    type: path
    default: ~/.mlfleet/hyperpod
    env:
      - name: HYPERPOD_STATE_DIR
    ini:
      - section: hyperpod
        key: state_dir
  reports_kept:
    description: How many files of single runs stay in C(reports), the latest ones; V(0) writes none.
    type: int
    default: 200
    env:
      - name: HYPERPOD_REPORTS_KEPT
    ini:
      - section: hyperpod
        key: reports_kept
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

import atexit
import collections
import os
import time
import typing as t

from ansible import context
from ansible.parsing.dataloader import DataLoader
from ansible.plugins.callback import CallbackBase
from ansible.utils.vars import load_extra_vars
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._core.finding import PENDING
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._core.times import iso_now
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._node_access import ssh_log
from ansible_collections.mlfleet.hyperpod.plugins.plugin_utils import drift, locked_out, views
from ansible_collections.mlfleet.hyperpod.plugins.plugin_utils.findings import report_text
from ansible_collections.mlfleet.hyperpod.plugins.plugin_utils.findings.collect import Source
from ansible_collections.mlfleet.hyperpod.plugins.plugin_utils.findings.verdict import OF_THIS_RUN, Verdict
from ansible_collections.mlfleet.hyperpod.plugins.plugin_utils.inventory_said import not_read, of_cluster
from ansible_collections.mlfleet.hyperpod.plugins.plugin_utils.node_action import ISOLATES, LOST, ORDERED
from ansible_collections.mlfleet.hyperpod.plugins.plugin_utils.reports.files import keep, write_whole
from ansible_collections.mlfleet.hyperpod.plugins.plugin_utils.reports.forms import json_text
from ansible_collections.mlfleet.hyperpod.plugins.plugin_utils.run_info import RunInfo
from ansible_collections.mlfleet.hyperpod.plugins.plugin_utils.task_results import OURS, looks, only_plans, teller_of

DRIFT = "hyperpod_drift"
"""Variable of plays in a run that looks for drift."""
REPORTED = "reported"
"""Its value once the run can no longer be refused, and what is found is written."""
DRIFT_FILES = {"json": "drift.json", "junit": "drift.xml", "prometheus": "drift.prom"}
BEGINS = "hyperpod_begins"
"""Variable of the first play of a playbook, which may refuse the run."""
READS = "hyperpod_reads"
"""That the playbook changes nothing; beside it."""
TELLS_AGAIN = "hyperpod_tells_again"
"""Variable of a task in a rescue that fails with the reason it was called for."""
JUDGES = "hyperpod_judges"
"""Variable of the last play, whose tasks fail for what is told already."""


class CallbackModule(CallbackBase):
    """Collects results as they come, tells the verdict at the end."""

    CALLBACK_VERSION = 2.0
    CALLBACK_TYPE = "aggregate"
    CALLBACK_NAME = "mlfleet.hyperpod.report"
    CALLBACK_NEEDS_ENABLED = True

    def __init__(self, *args: t.Any, **kwargs: t.Any) -> None:
        super().__init__(*args, **kwargs)
        self.verdict = Verdict()
        OF_THIS_RUN[:] = [self.verdict]
        self.failed_items: dict[str, list[t.Any]] = collections.defaultdict(list)
        """Of the loop that a host is in, by host."""
        self.drift = ""
        self.judging = self.beginning = self.isolating = False
        self.reads: list[bool] = []
        """Of each playbook of ours that has begun, whether it changes nothing."""
        self.hosts: dict[str, t.Any] = {}
        """One of each cluster that the run touched."""
        self.playbooks: list[str] = []
        self.started = iso_now()
        self.ended = False

    def v2_playbook_on_start(self, playbook: t.Any) -> None:
        if not self.playbooks:
            atexit.register(self._report_interrupted, os.getpid())
        self.playbooks.append(str(playbook._file_name))

    def v2_playbook_on_play_start(self, play: t.Any) -> None:
        variables = play.get_vars()
        self.drift = str(variables.get(DRIFT, self.drift))
        self.judging = bool(variables.get(JUDGES, False))
        self.beginning = bool(variables.get(BEGINS, False))
        self.isolating = bool(variables.get(ISOLATES, False)) and not variables.get(ORDERED, False)
        if self.beginning:
            self.reads.append(bool(variables.get(READS, False)))
        if self.judging:
            self._tell_hosts(play.get_variable_manager())

    def v2_playbook_on_task_start(self, task: t.Any, is_conditional: bool) -> None:  # noqa: ARG002 - the arguments are Ansible's
        role = task._role.get_name() if task._role else ""
        if role.startswith(OURS):
            views.load(role.removeprefix(OURS))

    def v2_runner_on_start(self, host: t.Any, task: t.Any) -> None:  # noqa: ARG002 - the arguments are Ansible's
        if not self.verdict.not_read:
            self.verdict.not_read = not_read(host)

    def v2_runner_on_ok(self, result: t.Any) -> None:
        self.failed_items.pop(result.host.name, None)
        teller = self._teller_of(result)
        if not only_plans(result.task):
            self.verdict.ok(teller, result.result)

    def v2_runner_item_on_failed(self, result: t.Any) -> None:
        self.failed_items[result.host.name].append(result.result)

    def v2_runner_on_failed(self, result: t.Any, ignore_errors: bool = False) -> None:
        if result.task.get_vars().get("hyperpod_about_inventory", False):
            return
        if ignore_errors:
            self.v2_runner_on_ok(result)
            return
        items = self.failed_items.pop(result.host.name, [])
        again = bool(result.task.get_vars().get(TELLS_AGAIN, False))
        teller = self._teller_of(result)
        if self.judging and self.verdict.is_worse(teller, than="skipped"):
            return
        if self.beginning and teller.cluster is None:
            self.verdict.refuse(result.result)
        if self.isolating and "hyperpod_instance_id" in result.host.vars:
            self._left_out(teller, result, items)
            return
        self.verdict.failed(teller, result.task.get_name(), result.result, items=items, again=again)

    def _left_out(self, teller: Source, result: t.Any, items: t.Sequence[t.Any]) -> None:
        """A node that failed, and that the play goes on without."""
        if result.result.get(LOST, False):
            self.v2_runner_on_unreachable(result)
        else:
            self.verdict.left_out(teller, result.task.get_name(), result.result, items=items)

    def v2_runner_on_unreachable(self, result: t.Any) -> None:
        self.failed_items.pop(result.host.name, None)
        if locked_out.refused(result.result.get("msg")) and result.task.get_vars().get("hyperpod_reached_again", False):
            return
        names = [result.host.vars.get(name) for name in ("hyperpod_instance_id", "hyperpod_private_ip")]
        state_dir = os.path.expanduser(self.get_option("state_dir"))
        proxy = ssh_log.last(state_dir, [name for name in names if name], since=self.started)
        self.verdict.unreachable(self._teller_of(result, answered=False), result.result, proxy)

    def v2_playbook_on_stats(self, stats: t.Any) -> None:
        status = None
        self.ended = True
        try:
            if self.verdict.clusters or self.verdict.not_read or self.verdict.refused:
                stats.set_custom_stats("hyperpod", self._report())
            if self.drift:
                status = self._tell_drift(self._drift_files() if self.drift == REPORTED else {})
        except Exception as error:  # ansible-core would warn and end with 0, and the report of the run before would stay
            self._display.error(f"Nobody knows what this run came to, since its report failed: {type(error).__name__}: {error}")
            status = drift.UNKNOWN
        if status is not None:
            raise SystemExit(status)

    def _teller_of(self, result: t.Any, *, answered: bool = True) -> Source:
        """Who the result is from; of a node that answered it is noted."""
        teller = teller_of(result.host, result.task)
        if teller.cluster is not None:
            self.hosts.setdefault(teller.cluster, result.host)
        if answered and looks(result):
            self.verdict.looked_at(teller)
        return teller

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
        found = drift.judge(self.verdict.clusters, now=int(time.time()), not_read=self.verdict.not_read)
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

    def _tell_hosts(self, variables: t.Any) -> None:
        """The verdict so far, as facts of the clusters' hosts: whatever callbacks do at the end is too late for AWX."""
        _run, _report, artifact = self._reports()
        for key, verdict in self.verdict.clusters.items():
            waits = [[each.finding.code, each.finding.node] for each in verdict.reported(PENDING)]
            own = {"status": verdict.status, "pending": waits, "locked": bool(verdict.skipped)}
            variables.set_nonpersistent_facts(key, {"hyperpod_verdict": own, "hyperpod_artifact": artifact})

    def _reports(self) -> tuple[RunInfo, dict[str, t.Any], dict[str, t.Any]]:
        """Which run it is, the whole report, and what AWX is given of it."""
        for key, verdict in self.verdict.clusters.items():
            verdict.about.update(of_cluster(self.hosts[key]))
        run = RunInfo.of(
            context.CLIARGS,
            load_extra_vars(DataLoader()),
            started=self.started,
            playbooks=self.playbooks,
            reads_only=bool(self.reads) and all(self.reads),
        )
        report = {**self.verdict.to_report(), **run.to_report(ended=time.time())}
        return run, report, report_text.artifact(report, self.verdict.clusters, file=run.report_name)

    def _report_interrupted(self, process: int) -> None:
        """Ansible tells callbacks nothing of Ctrl-C, or of an error of its own."""
        if self.verdict.clusters and not self.ended and os.getpid() == process:
            self.verdict.interrupted = True
            self._report()

    def _report(self) -> dict[str, t.Any]:
        """Write and print the report; what AWX is given of it."""
        run, report, artifact = self._reports()
        text = json_text(report)
        folder = os.path.expanduser(self.get_option("state_dir"))
        try:
            write_whole(os.path.join(folder, run.report_name), text, mode=0o600)
            keep(os.path.join(folder, "reports"), run.kept_name, text, most=self.get_option("reports_kept"))
        except OSError as error:
            self._display.warning(f"The report was not written: {error}")
        self._display.banner("HYPERPOD REPORT")
        for line in self.verdict.to_lines(file=run.report_name):
            self._display.display(line)
        return artifact
