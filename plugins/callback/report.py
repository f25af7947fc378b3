# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Prints the verdict of a run, one line for each cluster, even if every host of a play failed and no later play ran."""

from __future__ import annotations

DOCUMENTATION = r"""
name: report
type: aggregate
short_description: Report the verdict of a run for each cluster
version_added: 0.1.0
description:
  - At the end of a run, prints one line for each HyperPod cluster that took part, with the pending items and failures.
  - Writes the complete report to a file in the state folder. The file is C(report.json), C(report-check.json) in check mode, or
    C(report-look.json) for playbooks that change nothing. Each run also gets its own file in the subfolder C(reports).
  - AWX receives the report as the custom statistic C(hyperpod), which is an artifact of the job. This copy of the report omits
    the individual changes and is limited to 64 KiB.
  - On the screen and in the artifact for AWX, a finding that is the same for four or more nodes is shown once, with the number of
    nodes.
  - In a run of the playbook C(mlfleet.hyperpod.drift), also writes the drift files and sets the exit status of
    C(ansible-playbook) - 0 in sync, 2 drift, 1 unknown. Callbacks that are enabled after this callback then miss the end of the
    run, so enable this callback last.
  - Data from a node is used only for findings and changes of that node, and is printed only in printable characters. Data of the
    control node decides whether a cluster is skipped, whether the run checks for drift, and where files are written.
  - The status of a cluster is C(unchanged), C(changed), C(degraded) (something is pending, for example a node that is not
    Running), C(skipped) (another run holds the cluster's lock, or nothing was checked) or C(failed). The status of the run is the
    status of its worst cluster.
  - If a run of C(reconcile) has checked only AWS for a cluster, the line of the cluster shows this and the time of the last full
    look. A full look is a run that checks AWS and the login nodes completely.
  - With O(report_store), also adds the reports of the clusters and of the run, and the other report files of the run (JSON, HTML,
    CSV, JUnit and metrics), to a store that all runs share. The artifact for AWX then has only the statuses, and the address of
    the run's report in the store as C(stored). A run is C(degraded) if its report or one of its files could not be stored.
  - A run that is refused before it reaches any cluster is reported as C(refused), and its status is C(failed).
  - A run that ends early, for example after Ctrl-C, is reported up to that point, and its status is C(failed).
  - An account, Region or cluster that the inventory could not read comes first in the report, is listed as C(inventory_failures)
    in C(report.json), and makes the run C(failed). A drift check then ends with the exit status for unknown.
options:
  state_dir:
    description: Folder for the reports.
    type: path
    default: ~/.mlfleet/hyperpod
    env:
      - name: HYPERPOD_STATE_DIR
    ini:
      - section: hyperpod
        key: state_dir
  reports_kept:
    description:
      - Maximum number of reports of individual runs in the subfolder C(reports). The oldest reports are removed. With
        V(0), no such reports are written.
    type: int
    default: 200
    env:
      - name: HYPERPOD_REPORTS_KEPT
    ini:
      - section: hyperpod
        key: reports_kept
  report_store:
    description:
      - Where the reports of all runs are stored, as C(s3://BUCKET/PREFIX) or as the absolute path of a folder. Empty stores none.
      - The extra variable C(hyperpod_report_store) takes precedence. Other variables are ignored, because a node could have set
        them.
    type: str
    default: ''
    env:
      - name: HYPERPOD_REPORT_STORE
    ini:
      - section: hyperpod
        key: report_store
  report_store_profile:
    description:
      - AWS profile for the bucket of O(report_store), which may be in another account than the clusters. If empty, the credentials
        of the environment are used.
      - The extra variable C(hyperpod_report_store_profile) takes precedence.
    type: str
    default: ''
    env:
      - name: HYPERPOD_REPORT_STORE_PROFILE
    ini:
      - section: hyperpod
        key: report_store_profile
  metrics:
    description:
      - File with metrics of the last run of each playbook on each cluster, for the text file collector of node_exporter. Each run
        that is not in check mode updates the metrics of its clusters. The folder must exist. Empty writes none.
      - The file belongs to this callback. It keeps the metrics of other clusters and playbooks for 30 days, and drops all other
        lines.
    type: str
    default: ''
    env:
      - name: HYPERPOD_METRICS
    ini:
      - section: hyperpod
        key: metrics
  drift_json:
    description:
      - JSON file that C(mlfleet.hyperpod.drift) writes. An empty value disables the file. Default is C(drift.json) in O(state_dir).
      - The extra variable of the same name, C(-e drift_json=PATH), takes precedence. Other variables are ignored, because a node
        could have set them.
    type: str
    env:
      - name: HYPERPOD_DRIFT_JSON
    ini:
      - section: hyperpod
        key: drift_json
  drift_junit:
    description: Like O(drift_json), for a JUnit file. Default is C(drift.xml) in O(state_dir).
    type: str
    env:
      - name: HYPERPOD_DRIFT_JUNIT
    ini:
      - section: hyperpod
        key: drift_junit
  drift_prometheus:
    description: >-
      Like O(drift_json), for a file with metrics for the text file collector of node_exporter. Default is C(drift.prom) in
      O(state_dir).
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
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._core.failure import Failure
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._core.finding import PENDING
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._core.times import iso_now
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._node_access import ssh_log
from ansible_collections.mlfleet.hyperpod.plugins.plugin_utils import drift, locked_out, orders, views
from ansible_collections.mlfleet.hyperpod.plugins.plugin_utils.findings import report_text
from ansible_collections.mlfleet.hyperpod.plugins.plugin_utils.findings.collect import Source
from ansible_collections.mlfleet.hyperpod.plugins.plugin_utils.findings.plain import one_line
from ansible_collections.mlfleet.hyperpod.plugins.plugin_utils.findings.verdict import OF_THIS_RUN, Verdict
from ansible_collections.mlfleet.hyperpod.plugins.plugin_utils.inventory_said import not_read, of_cluster
from ansible_collections.mlfleet.hyperpod.plugins.plugin_utils.metrics import file as metrics_file
from ansible_collections.mlfleet.hyperpod.plugins.plugin_utils.node_action import ISOLATES, LOST, ORDERED
from ansible_collections.mlfleet.hyperpod.plugins.plugin_utils.report_store import of_run
from ansible_collections.mlfleet.hyperpod.plugins.plugin_utils.reports.files import keep, write_whole
from ansible_collections.mlfleet.hyperpod.plugins.plugin_utils.reports.forms import json_text
from ansible_collections.mlfleet.hyperpod.plugins.plugin_utils.rollout_end import ACTION as ROLLOUT_STEP, RolloutRun
from ansible_collections.mlfleet.hyperpod.plugins.plugin_utils.run_info import JOB_VARIABLES, RunInfo
from ansible_collections.mlfleet.hyperpod.plugins.plugin_utils.task_results import (
    OURS,
    REPORTS,
    WRITES,
    looks,
    only_plans,
    teller_of,
)

DRIFT = "hyperpod_drift"
"""The variable that marks the plays of a run that checks for drift."""
REPORTED = "reported"
"""Value of ``DRIFT`` in plays after the last one that can refuse the run. Only with this value are the drift files written."""
DRIFT_FILES = {"json": "drift.json", "junit": "drift.xml", "prometheus": "drift.prom"}
BEGINS = "hyperpod_begins"
"""Variable of the first play of a playbook, which may refuse the run."""
READS = "hyperpod_reads"
"""Variable of the first play: whether the playbook changes nothing."""
REPORTS_AGAIN = "hyperpod_tells_again"
"""Variable of a task in a rescue section that fails because of an earlier failure, which is already reported."""
JUDGES = "hyperpod_judges"
"""Variable of the last play. Its tasks fail for reasons that are already reported."""


class CallbackModule(CallbackBase):
    """Collects results during the run and reports the verdict at its end."""

    CALLBACK_VERSION = 2.0
    CALLBACK_TYPE = "aggregate"
    CALLBACK_NAME = "mlfleet.hyperpod.report"
    CALLBACK_NEEDS_ENABLED = True

    def __init__(self, *args: t.Any, **kwargs: t.Any) -> None:
        super().__init__(*args, **kwargs)
        self.verdict = Verdict()
        OF_THIS_RUN[:] = [self.verdict]
        self.failed_items: dict[str, list[t.Any]] = collections.defaultdict(list)
        """The failed items of a host's current loop, by host name."""
        self.drift = ""
        self.judging = self.beginning = self.isolating = False
        self.reads: list[bool] = []
        """One entry for each started playbook of the collection: whether the playbook changes nothing."""
        self.hosts: dict[str, t.Any] = {}
        """One host of each cluster that took part in the run, by cluster."""
        self.playbooks: list[str] = []
        self.started = iso_now()
        self.ended = False
        self.rollout = RolloutRun()
        self.files: dict[str, None] = {}
        """The paths of the files that ``report_file`` has written, in order."""
        self.stored: str | None = None
        """The address of the stored report, empty without a store or after an error; None if plays have run since."""

    def v2_playbook_on_start(self, playbook: t.Any) -> None:
        if not self.playbooks:
            atexit.register(self._report_interrupted, os.getpid())
            of_run.take(self.get_option)
        self.playbooks.append(str(playbook._file_name))

    def v2_playbook_on_play_start(self, play: t.Any) -> None:
        variables = play.get_vars()
        self.drift = str(variables.get(DRIFT, self.drift))
        self.judging = bool(variables.get(JUDGES, False))
        self.beginning = bool(variables.get(BEGINS, False))
        self.isolating = bool(variables.get(ISOLATES, False)) and not variables.get(ORDERED, False)
        if self.beginning:
            self.reads.append(bool(variables.get(READS, False)))
        if not self.judging:
            self.stored = None
        else:
            orders.orders()  # read the table once, and not in the fork of each host
            self._set_verdict_facts(play.get_variable_manager())

    def v2_playbook_on_task_start(self, task: t.Any, is_conditional: bool) -> None:  # noqa: ARG002 - the arguments are Ansible's
        role = task._role.get_name() if task._role else ""
        if role.startswith(OURS):
            views.load(role.removeprefix(OURS))

    def v2_runner_on_start(self, host: t.Any, task: t.Any) -> None:  # noqa: ARG002 - the arguments are Ansible's
        if not self.verdict.not_read:
            self.verdict.not_read = not_read(host)

    def v2_runner_on_ok(self, result: t.Any) -> None:
        self.failed_items.pop(result.host.name, None)
        source = self._source_of(result)
        if result.task.action in WRITES:
            self.files.update(dict.fromkeys(result.result.get("written", ())))
        if result.task.action == ROLLOUT_STEP:
            self.rollout.take(result.result)
        self._note_end(source, result)
        if not (self.beginning or only_plans(result.task)):
            self.verdict.ok(source, result.result)

    def v2_runner_item_on_failed(self, result: t.Any) -> None:
        self.failed_items[result.host.name].append(result.result)

    def v2_runner_on_failed(self, result: t.Any, ignore_errors: bool = False) -> None:
        if result.task.get_vars().get("hyperpod_about_inventory", False):
            return
        if ignore_errors:
            self.v2_runner_on_ok(result)
            return
        items = self.failed_items.pop(result.host.name, [])
        again = bool(result.task.get_vars().get(REPORTS_AGAIN, False))
        source = self._source_of(result)
        self._note_end(source, result)
        if self.judging and self.verdict.is_worse(source, than="skipped"):
            return
        if self.beginning and source.cluster is None:
            self.verdict.refuse(result.result)
        if self.isolating and "hyperpod_instance_id" in result.host.vars:
            self._left_out(source, result, items)
            return
        self.verdict.failed(source, result.task.get_name(), result.result, items=items, again=again)

    def _left_out(self, source: Source, result: t.Any, items: t.Sequence[t.Any]) -> None:
        """Record a failed node. The play continues without the node."""
        if result.result.get(LOST, False):
            self.v2_runner_on_unreachable(result)
        else:
            self.verdict.left_out(source, result.task.get_name(), result.result, items=items)

    def v2_runner_on_unreachable(self, result: t.Any) -> None:
        self.failed_items.pop(result.host.name, None)
        if locked_out.refused(result.result.get("msg")) and result.task.get_vars().get("hyperpod_reached_again", False):
            return
        names = [result.host.vars.get(name) for name in ("hyperpod_instance_id", "hyperpod_private_ip")]
        state_dir = os.path.expanduser(self.get_option("state_dir"))
        proxy = ssh_log.last(state_dir, [name for name in names if name], since=self.started)
        self.verdict.unreachable(self._source_of(result, answered=False), result.result, proxy)

    def v2_playbook_on_stats(self, stats: t.Any) -> None:
        status = None
        self.ended = True
        step = self.rollout.end(self.verdict.clusters, check_mode=bool(context.CLIARGS.get("check")))
        try:
            if self.verdict.clusters or self.verdict.not_read or self.verdict.refused:
                stats.set_custom_stats("hyperpod", self._report())
            if self.drift:
                status = self._report_drift(self._drift_files() if self.drift == REPORTED else {})
        except Exception as error:  # ansible-core would warn and exit with 0, and the report of the previous run would remain
            reason = f"{type(error).__name__}: {error}"
            self._display.error(f"The report failed, so the result of this run is unknown: {reason}")
            status = drift.UNKNOWN
        if step is not None:
            self._display.display(one_line(step.text))
            in_awx = any(name in load_extra_vars(DataLoader()) for name in JOB_VARIABLES)
            status = step.status(in_awx=in_awx) if status is None else status
        if status is not None:
            raise SystemExit(status)

    def _note_end(self, source: Source, result: t.Any) -> None:
        """Note that the last play runs for the cluster, also if it fails there."""
        if self.judging and result.task.action == REPORTS:
            self.rollout.ended.add(str(source.cluster))

    def _source_of(self, result: t.Any, *, answered: bool = True) -> Source:
        """The host of the result. A node that answered is recorded as checked."""
        source = teller_of(result.host, result.task)
        if source.cluster is not None:
            self.hosts.setdefault(source.cluster, result.host)
        if answered and looks(result):
            self.verdict.looked_at(source)
        return source

    def _drift_files(self) -> dict[str, str]:
        """The path of each drift file, by kind. An empty path disables the file."""
        extra = load_extra_vars(DataLoader())
        files = {}
        for kind, name in DRIFT_FILES.items():
            wanted = extra.get(f"drift_{kind}", self.get_option(f"drift_{kind}"))
            path = os.path.join(self.get_option("state_dir"), name) if wanted is None else str(wanted)
            files[kind] = path and os.path.abspath(os.path.expanduser(path))
        return files

    def _report_drift(self, files: t.Mapping[str, str]) -> int:
        """Write the files and print the result. Returns the exit status."""
        found = drift.judge(self.verdict.clusters, now=int(time.time()), not_read=self.verdict.not_read)
        texts = {"json": found.to_json, "junit": found.to_junit, "prometheus": found.to_prometheus}
        written = True
        for kind, path in files.items():
            if path:
                try:
                    write_whole(path, texts[kind](), mode=0o644 if kind == "prometheus" else 0o600)
                except OSError as error:
                    written = False
                    self._display.warning(f"{path} could not be written: {error}")
        self._display.display(found.line())
        return found.exit_status if written else max(found.exit_status, drift.UNKNOWN)

    def _set_verdict_facts(self, variables: t.Any) -> None:
        """Set the current verdicts as facts of the cluster hosts, because AWX does not receive what a callback sets at the end."""
        self._add_to_store()
        _run, _report, artifact = self._reports()
        for key, verdict in self.verdict.clusters.items():
            waits = [[each.finding.code, each.finding.node] for each in verdict.reported(PENDING)]
            own = {"status": verdict.status, "pending": waits, "locked": bool(verdict.skipped)}
            variables.set_nonpersistent_facts(key, {"hyperpod_verdict": own, "hyperpod_artifact": artifact})

    def _reports(self) -> tuple[RunInfo, dict[str, t.Any], dict[str, t.Any]]:
        """The run, the complete report, and the artifact for AWX."""
        for key, verdict in self.verdict.clusters.items():
            known = of_cluster(self.hosts[key]).items()
            verdict.about.update({name: value for name, value in known if value is not None or name not in verdict.about})
        run = RunInfo.of(
            context.CLIARGS,
            load_extra_vars(DataLoader()),
            started=self.started,
            playbooks=self.playbooks,
            reads_only=bool(self.reads) and all(self.reads),
        )
        report = {**self.verdict.to_report(), **run.to_report(ended=time.time())}
        if self.stored:
            return run, report, report_text.stored_artifact(report, self.stored)
        return run, report, report_text.artifact(report, self.verdict.clusters, file=run.report_name)

    def _add_to_store(self) -> None:
        if self.stored is not None:
            return
        _run, report, _artifact = self._reports()
        self.stored, found = of_run.add(report, self.files)
        for each in found:
            self.verdict.of_all_clusters(each)
            self._display.warning(each.text)

    def _report_interrupted(self, process: int) -> None:
        """Report a run that ended early: Ansible does not notify callbacks of Ctrl-C or of an internal error."""
        if self.verdict.clusters and not self.ended and os.getpid() == process:
            self.verdict.interrupted, self.stored = True, None
            self._report()

    def _report(self) -> dict[str, t.Any]:
        """Write and print the report. Returns the artifact for AWX."""
        self._add_to_store()
        run, report, artifact = self._reports()
        text = json_text(report)
        folder = os.path.expanduser(self.get_option("state_dir"))
        try:
            write_whole(os.path.join(folder, run.report_name), text, mode=0o600)
            keep(os.path.join(folder, "reports"), run.kept_name, text, most=self.get_option("reports_kept"))
        except OSError as error:
            self._display.warning(f"The report could not be written: {error}")
        self._add_metrics(report)
        self._display.banner("HYPERPOD REPORT")
        for line in self.verdict.to_lines(file=run.report_name):
            self._display.display(line)
        return artifact

    def _add_metrics(self, report: t.Mapping[str, t.Any]) -> None:
        if path := self.get_option("metrics"):
            try:
                metrics_file.add(path, report)
            except (OSError, Failure) as error:
                self._display.warning(f"The metrics could not be written: {error}")
