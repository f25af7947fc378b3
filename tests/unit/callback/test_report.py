# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The report callback: reasons for unreachable nodes from the notes of the ProxyCommand, statuses, and files."""

from __future__ import annotations

import json
import subprocess
import sys
import types
import typing as t
from pathlib import Path

import pytest
from ansible_collections.mlfleet.hyperpod.plugins.action.cluster_look import how_ended
from ansible_collections.mlfleet.hyperpod.plugins.callback.report import CallbackModule
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._node_access import ssh_log
from ansible_collections.mlfleet.hyperpod.plugins.plugin_utils import orders, views
from ansible_collections.mlfleet.hyperpod.plugins.plugin_utils.findings import verdict
from ansible_collections.mlfleet.hyperpod.plugins.plugin_utils.findings.collect import Source
from ansible_collections.mlfleet.hyperpod.plugins.plugin_utils.findings.verdict import PROXY_ENDED
from ansible_collections.mlfleet.hyperpod.plugins.plugin_utils.report_store import of_run

NODE = {"hyperpod_instance_id": "i-0123456789abcdef0", "hyperpod_private_ip": "10.1.1.11"}


class Callback(CallbackModule):
    """A callback whose option comes from the test."""

    state_dir = ""

    def get_option(self, k: str, hostvars: t.Any = None) -> str:
        return self.state_dir


@pytest.mark.parametrize("name", NODE.values())
def test_the_reason_is_found_by_id_or_address(tmp_path, name):
    callback = Callback()
    callback.state_dir = str(tmp_path)
    ssh_log.note(callback.state_dir, f"{name}: the session is over the limit")
    ssh_log.note(callback.state_dir, "10.1.1.111: another node")
    variables = {"hyperpod_cluster_arn": "arn", "hyperpod_cluster_host": "ml", **NODE}
    host = types.SimpleNamespace(name="ml-node", vars=variables, get_name=lambda: "ml-node")
    task = types.SimpleNamespace(get_vars=dict, delegate_to=None, action="ansible.builtin.ping")
    callback.v2_runner_on_unreachable(types.SimpleNamespace(host=host, task=task, result={"msg": f"ssh: {PROXY_ENDED}"}))
    (pending,) = callback.verdict.to_report()["clusters"]["ml"]["findings"]
    assert pending["text"] == f"i-0123456789abcdef0 is unreachable: {name}: the session is over the limit"


@pytest.mark.parametrize(("quiet", "status"), [(True, "unchanged"), (False, "skipped")])
def test_a_quiet_look_counts_as_a_check(quiet, status):
    """With --skip-tags, no other task may follow."""
    callback = Callback()
    host = types.SimpleNamespace(name="ml", vars={"hyperpod_cluster_arn": "arn", "hyperpod_cluster_host": "ml"})
    action = "mlfleet.hyperpod.cluster_look"
    task = types.SimpleNamespace(get_vars=dict, delegate_to=None, action=action, check_mode=False)
    callback.v2_runner_on_ok(types.SimpleNamespace(host=host, task=task, result={"changed": False, "quiet": quiet}))
    assert callback.verdict.to_report()["clusters"]["ml"]["status"] == status


def test_a_full_look_ends_well_only_without_changes():
    """A run with changes may have left work for the next run, for example a target at a previous port."""
    bad = {"well": False, "complete": False}
    assert {status: how_ended(status) for status in verdict.STATUSES} == {
        "unchanged": {"well": True, "complete": True},
        "changed": {"well": False, "complete": True},
        "skipped": None,
        "degraded": bad,
        "failed": bad,
    }
    assert how_ended(None) is None


def test_action_plugins_can_read_the_status_so_far():
    callback = Callback()
    assert verdict.status_so_far("ml") is None
    callback.verdict.failed(Source("ml", "ml", "ml", trusted=True), "Register", {"msg": "no"})
    assert verdict.status_so_far("ml") == "failed"
    Callback()  # the next run's
    assert verdict.status_so_far("ml") is None


def test_a_report_that_cannot_be_written_fails_the_run(monkeypatch):
    """ansible-core only logs a warning for an exception of a callback."""
    callback = Callback()
    callback.verdict.failed(Source("ml", "ml", "ml", trusted=True), "Register", {"msg": "no"})
    monkeypatch.setattr(callback, "_report", lambda: json.dumps({1: 1, "a": 1}, sort_keys=True))
    with pytest.raises(SystemExit) as ended:
        callback.v2_playbook_on_stats(None)
    assert ended.value.code == 1


@pytest.mark.parametrize(("reachable", "looked_at"), [(True, 1), (False, 0)])
def test_only_reachable_nodes_count_as_checked(tmp_path, reachable, looked_at):
    callback = Callback()
    callback.state_dir = str(tmp_path)
    variables = {"hyperpod_cluster_arn": "arn", "hyperpod_cluster_host": "ml", **NODE}
    host = types.SimpleNamespace(name="ml-node", vars=variables, get_name=lambda: "ml-node")
    task = types.SimpleNamespace(get_vars=dict, delegate_to=None, action="ansible.builtin.ping", check_mode=False)
    result = types.SimpleNamespace(host=host, task=task, result={"msg": "timed out"})
    (callback.v2_runner_on_ok if reachable else callback.v2_runner_on_unreachable)(result)
    assert callback.verdict.to_report()["clusters"]["ml"]["nodes_looked_at"] == looked_at


class Stats:
    """Replaces Ansible's statistics."""

    def set_custom_stats(self, name: str, value: t.Any) -> None:
        self.custom = {name: value}


def test_the_report_is_written_to_two_private_files_and_to_the_custom_statistics(tmp_path, monkeypatch):
    callback, stats = Callback(), Stats()
    monkeypatch.setattr(callback, "get_option", lambda name: {"state_dir": str(tmp_path / "state"), "reports_kept": 2, "metrics": ""}[name])
    variables = {"hyperpod_cluster_arn": "arn", "hyperpod_cluster_host": "ml"}
    host = types.SimpleNamespace(name="ml", vars=variables, get_name=lambda: "ml", get_groups=list)
    callback.hosts["ml"] = host
    callback.verdict.failed(Source("ml", "ml", "ml", trusted=True), "Register", {"msg": "no"})
    callback.v2_playbook_on_stats(stats)
    (report,), (kept,) = (tmp_path / "state").glob("*.json"), (tmp_path / "state" / "reports").iterdir()
    assert [path.stat().st_mode & 0o777 for path in (report, kept, kept.parent)] == [0o600, 0o600, 0o700]
    assert report.read_text() == kept.read_text() and report.read_text().endswith("}\n")
    cluster = json.loads(report.read_text())["clusters"]["ml"]
    assert cluster["status"] == "failed" and stats.custom["hyperpod"]["clusters"]["ml"]["status"] == "failed"


class Storing(Callback):
    """A callback with a report store in a folder of the test, and one cluster."""

    def __init__(self, folder: t.Any, store: str) -> None:
        super().__init__()
        self.options = {"state_dir": str(folder), "reports_kept": 0, "metrics": "", "report_store": store, "report_store_profile": ""}
        self.hosts["ml"] = types.SimpleNamespace(name="ml", vars={"hyperpod_cluster_arn": "arn"}, get_groups=list)
        self.verdict.ok(Source("ml", "ml", "ml", trusted=True), {"changed": True})
        self.facts: dict[str, t.Any] = {}

    def get_option(self, k: str, hostvars: t.Any = None) -> t.Any:
        return self.options[k]

    def begin(self, **variables: t.Any) -> None:
        of_run.take(self.get_option)
        manager = types.SimpleNamespace(set_nonpersistent_facts=lambda _key, facts: self.facts.update(facts))
        self.v2_playbook_on_play_start(types.SimpleNamespace(get_vars=lambda: variables, get_variable_manager=lambda: manager))


@pytest.fixture
def arguments(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("ansible.context.CLIARGS", {})
    monkeypatch.setattr(of_run, "OF_THIS_RUN", {})


@pytest.mark.usefixtures("arguments")
def test_the_table_of_orders_is_read_before_the_last_play_starts_forks(tmp_path: Path) -> None:
    orders.orders.cache_clear()
    Storing(tmp_path, "").begin()
    assert orders.orders.cache_info().currsize == 0
    Storing(tmp_path, "").begin(hyperpod_judges=True)
    assert orders.orders.cache_info().currsize == 1


@pytest.mark.usefixtures("arguments")
def test_the_report_is_stored_once_before_the_result_is_judged(tmp_path: Path) -> None:
    store = tmp_path / "store"
    callback = Storing(tmp_path, str(store))
    callback.begin(hyperpod_judges=True)
    (run,) = (store / "v1/runs").iterdir()
    assert callback.facts["hyperpod_artifact"] == {
        "schema": 3,
        "status": "changed",
        "stored": str(run),
        "clusters": {"ml": {"status": "changed"}},
    }
    callback.v2_playbook_on_stats(Stats())
    assert len([path for path in store.rglob("*") if path.is_file()]) == 2
    callback.begin()  # a further playbook of the same run
    callback.v2_playbook_on_stats(Stats())
    assert len([path for path in store.rglob("*") if path.is_file()]) == 4


@pytest.mark.usefixtures("arguments")
def test_without_a_last_play_the_report_is_stored_at_the_end(tmp_path: Path) -> None:
    callback, stats = Storing(tmp_path, str(tmp_path / "store")), Stats()
    callback.begin()
    callback.v2_playbook_on_stats(stats)
    (run,) = (tmp_path / "store/v1/runs").iterdir()
    assert stats.custom["hyperpod"]["stored"] == str(run)


@pytest.mark.usefixtures("arguments")
def test_files_that_the_run_wrote_are_stored_with_its_report(tmp_path: Path) -> None:
    callback = Storing(tmp_path, str(tmp_path / "store"))
    page, lost = tmp_path / "health.html", tmp_path / "lost.json"
    page.write_text("<html>")
    host, task = callback.hosts["ml"], types.SimpleNamespace(get_vars=dict, delegate_to=None, action="mlfleet.hyperpod.report_file", check_mode=False)
    host.get_name = lambda: "ml"
    callback.v2_runner_on_ok(types.SimpleNamespace(host=host, task=task, result={"changed": False, "written": [str(page), str(lost)]}))
    callback.begin(hyperpod_judges=True)
    (stored,) = (tmp_path / "store").rglob("*.html")
    assert stored.read_text() == "<html>"
    assert callback.facts["hyperpod_artifact"]["status"] == "degraded" and callback.facts["hyperpod_artifact"]["stored"]
    (found,) = callback.verdict.to_report()["clusters"]["ml"]["findings"]
    assert found["text"] == f"A file of this run was not stored: {lost}: No such file or directory."


@pytest.mark.usefixtures("arguments")
@pytest.mark.parametrize(
    ("store", "why"),
    [("{file}/reports", "/reports/v1/clusters/ml/unknown/"), ("reports", "hyperpod_report_store: 'reports' is not allowed.")],
)
def test_a_report_that_was_not_stored_degrades_the_run(tmp_path: Path, store: str, why: str) -> None:
    (tmp_path / "file").write_text("")
    callback = Storing(tmp_path, store.format(file=tmp_path / "file"))
    callback.begin(hyperpod_judges=True)
    callback.v2_playbook_on_stats(Stats())
    (found,) = json.loads((tmp_path / "report.json").read_text())["clusters"]["ml"]["findings"]
    assert (found["kind"], found["code"]) == ("pending", "report-not-stored") and why in found["text"]
    assert callback.facts["hyperpod_verdict"]["status"] == "degraded" and "stored" not in callback.facts["hyperpod_artifact"]


def test_the_first_play_adds_no_cluster() -> None:
    """It may run on hosts with definitions that the playbook does not support."""
    callback = Callback()
    host = types.SimpleNamespace(name="ml", vars={"hyperpod_cluster_arn": "arn", "hyperpod_cluster_host": "ml"})
    task = types.SimpleNamespace(get_vars=dict, delegate_to=None, action="ansible.builtin.assert", check_mode=False)
    result = types.SimpleNamespace(host=host, task=task, result={"changed": False})
    callback.beginning = True
    callback.v2_runner_on_ok(result)
    assert callback.verdict.clusters == {}
    callback.beginning = False
    callback.v2_runner_on_ok(result)
    assert callback.verdict.clusters.keys() == {"ml"}


@pytest.mark.parametrize(
    ("inventory", "arn"), [({}, "arn:eks"), ({"hyperpod_cluster_arn": "arn:hyperpod"}, "arn:hyperpod")]
)
def test_the_inventory_has_priority_over_tasks(monkeypatch: pytest.MonkeyPatch, inventory: dict[str, str], arn: str) -> None:
    callback = Callback()
    monkeypatch.setattr("ansible.context.CLIARGS", {})
    monkeypatch.setattr(of_run, "OF_THIS_RUN", {})
    callback.hosts["ml"] = types.SimpleNamespace(vars=inventory, get_groups=list)
    facts = {"hyperpod_report": {"arn": "arn:eks", "account": "111111111111"}}
    callback.verdict.ok(Source("ml", "ml", "ml", trusted=True), {"ansible_facts": facts})
    _run, report, _artifact = callback._reports()
    assert (report["clusters"]["ml"]["arn"], report["clusters"]["ml"]["account"]) == (arn, "111111111111")


@pytest.mark.parametrize(("ignored", "status"), [(True, "unchanged"), (False, "failed")])
def test_a_failure_counts_unless_it_is_ignored(ignored: bool, status: str) -> None:
    callback = Callback()
    host = types.SimpleNamespace(
        name="ml", vars={"hyperpod_cluster_arn": "arn", "hyperpod_cluster_host": "ml"}, get_name=lambda: "ml"
    )
    action = "mlfleet.hyperpod.cluster_info"
    task = types.SimpleNamespace(get_vars=dict, get_name=lambda: "Get it", delegate_to=None, action=action, check_mode=False)
    result = types.SimpleNamespace(host=host, task=task, result={"msg": "no"})
    callback.v2_runner_on_failed(result, ignore_errors=ignored)
    assert callback.verdict.to_report()["clusters"]["ml"]["status"] == status


@pytest.mark.parametrize(
    ("role", "loaded"), [("mlfleet.hyperpod.undrained", []), ("other.hyperpod.status", []), ("mlfleet.hyperpod.drain", ["drain"])]
)
def test_the_views_of_a_role_are_loaded_before_its_tasks_are_forked(role: str, loaded: list[str]) -> None:
    program = f"""
import sys, types
from {CallbackModule.__module__} import CallbackModule
from {views.__name__} import ROLES
role = types.SimpleNamespace(get_name=lambda: {role!r})
callback = CallbackModule()
for each in (role, None):
    callback.v2_playbook_on_task_start(types.SimpleNamespace(_role=each), False)
print(*(each for each in ROLES if f"{views.__name__}.{{each}}" in sys.modules))
"""
    done = subprocess.run([sys.executable, "-c", program], check=True, stdout=subprocess.PIPE, text=True)
    assert done.stdout.split() == loaded


ISOLATED, ORDERED = {"hyperpod_isolates_nodes": True}, {"hyperpod_isolates_nodes": True, "hyperpod_ordered": True}
REFUSED = {
    "msg": "UID 1",
    "hyperpod_failure": {"kind": "failure", "code": "option-refused", "subject": "users", "severity": "error"},
}


@pytest.mark.parametrize(
    ("play", "node", "result", "expected"),
    [
        ({}, True, REFUSED, ("failed", "failure", "option-refused", "users")),
        (ISOLATED, True, REFUSED, ("degraded", "pending", "node-failed", "option-refused")),
        (ISOLATED, True, {"msg": 7}, ("degraded", "pending", "node-failed", "task-failed")),
        (ISOLATED, True, {"msg": "gone", "hyperpod_connection_lost": True}, ("degraded", "pending", "node-unreachable", "")),
        (ISOLATED, False, REFUSED, ("failed", "failure", "option-refused", "users")),  # the cluster itself
        (ORDERED, True, REFUSED, ("failed", "failure", "option-refused", "users")),
    ],
)
def test_the_failure_of_an_isolated_node_is_pending(tmp_path, play, node, result, expected):
    callback = Callback()
    callback.state_dir = str(tmp_path)
    callback.v2_playbook_on_play_start(types.SimpleNamespace(get_vars=lambda: play))
    variables = {"hyperpod_cluster_arn": "arn", "hyperpod_cluster_host": "ml", **(NODE if node else {})}
    host = types.SimpleNamespace(name="ml-node" if node else "ml", vars=variables, get_name=lambda: "ml-node")
    action = "mlfleet.hyperpod.accounts"
    task = types.SimpleNamespace(get_vars=dict, get_name=lambda: "Ensure it", delegate_to=None, action=action, check_mode=False)
    callback.v2_runner_on_failed(types.SimpleNamespace(host=host, task=task, result=result))
    cluster = callback.verdict.to_report()["clusters"]["ml"]
    assert [(cluster["status"], each["kind"], each["code"], each["subject"]) for each in cluster["findings"]] == [expected]


@pytest.mark.parametrize(
    ("again", "message", "counts"),
    [
        (True, "Host key verification failed.", False),
        (True, "Permission denied (publickey).", False),
        (True, "Connection timed out", True),
        (False, "Permission denied (publickey).", True),
    ],
)
def test_a_refused_login_does_not_count_if_systems_manager_is_tried_next(tmp_path, again, message, counts):
    callback = Callback()
    callback.state_dir = str(tmp_path)
    variables = {"hyperpod_cluster_arn": "arn", "hyperpod_cluster_host": "ml", **NODE}
    host = types.SimpleNamespace(name="ml-node", vars=variables, get_name=lambda: "ml-node")
    task = types.SimpleNamespace(
        get_vars=lambda: {"hyperpod_reached_again": again}, delegate_to=None, action="ansible.builtin.ping"
    )
    callback.v2_runner_on_unreachable(types.SimpleNamespace(host=host, task=task, result={"msg": f"ssh: {message}"}))
    assert bool(callback.verdict.clusters) is counts
