# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""A run must include whole clusters; otherwise every playbook refuses it before any API call."""

from __future__ import annotations

import typing as t
from pathlib import Path

import pytest
from ansible.release import __version__
from simulated.limits import Run, cluster, inventory, playbook

HOSTS = {**cluster("ml"), **cluster("other")}
WHOLE = inventory(HOSTS)
ALL_ON_EKS = inventory({**cluster("ml", orchestrator="eks"), **cluster("other", orchestrator="eks")})
FOLDER = Path(__file__).resolve().parents[3] / "playbooks"
WITHOUT_INVENTORY = ("awx", "end", "cluster", "training_cluster")
"""The playbook without clusters, the one that the others import last, and those for clusters that may not exist yet."""
PLAYBOOKS = sorted(
    path.stem
    for path in FOLDER.glob("*.yml")
    if path.stem not in WITHOUT_INVENTORY
)
FOR_BOTH, FOR_EKS = (
    {name for name in PLAYBOOKS if f"{word}: true" in (FOLDER / f"{name}.yml").read_text()}
    for word in ("hyperpod_with_eks", "hyperpod_without_slurm")
)
"""Playbooks for Slurm and EKS clusters, and those for EKS clusters only."""
NOT_WHOLE = "a run needs all hosts of a cluster. Allowed: --limit cluster_ml, or -e hyperpod_only=ml."
LIMITS = {
    "ml": f"--limit: ml is not allowed: it leaves out 4 of the 5 hosts of cluster ml, and {NOT_WHOLE}",
    "ml-i-ml1": f"--limit: ml-i-ml1 is not allowed: it leaves out 4 of the 5 hosts of cluster ml, and {NOT_WHOLE}",
    "node_type_login": "Allowed: --limit cluster_ml,cluster_other, or -e hyperpod_only=ml,other.",
}
NO_CALLBACK = "[WARNING]: The report callback is off"
NO_CLUSTER = "no cluster"
REFUSALS = (*LIMITS, NO_CLUSTER)
OLDEST = __version__.startswith("2.19.")
NEWEST = pytest.mark.skipif(OLDEST, reason="only the resolution of patterns and limits differs between versions of ansible-core")


def cases(found: dict[str, tuple[t.Any, ...]], *both: str) -> list[t.Any]:
    """``both``: names of the cases that also run on the oldest ansible-core."""
    return [pytest.param(*case, id=name, marks=() if name in both else NEWEST) for name, case in found.items()]


def table() -> t.Iterator[tuple[str, str]]:
    """All cases for one playbook, and one case for every playbook; the oldest ansible-core runs only the first part."""
    yield from (("login_access", how) for how in REFUSALS)
    for number, name in enumerate([] if OLDEST else PLAYBOOKS):
        yield name, REFUSALS[number % len(REFUSALS)]


def run(folder: Path, name: str, *arguments: str, **more: t.Any) -> Run:
    return playbook(folder, name, *arguments, **{"source": WHOLE, **more})


def assert_refused(done: Run, message: str, *, drift: bool = False) -> None:
    assert done.rc not in ((0, 2) if drift else (0,)), done.output
    assert message in done.output, done.output
    assert not done.called_aws, done.output
    assert all(each["status"] == "failed" for each in (done.clusters or {}).values()), done.clusters


@pytest.mark.slow
@pytest.mark.parametrize(("name", "how"), sorted(set(table())))
def test_a_limit_that_splits_a_cluster_is_refused(tmp_path: Path, name: str, how: str) -> None:
    if how == NO_CLUSTER:
        read = {"hyperpod_inventory_read": ["hyperpod.yml: profile a, region us-west-2: 0 clusters found"]}
        done = run(tmp_path, name, source=inventory({}, variables=read))
        kind = "cluster" if name in FOR_BOTH else "EKS cluster" if name in FOR_EKS else "Slurm cluster"
        message = f"The inventory has no {kind}, so nothing was checked. The inventory plugin read: {read['hyperpod_inventory_read'][0]}."
    else:
        done, message = run(tmp_path, name, "--limit", how, source=ALL_ON_EKS if name in FOR_EKS else WHOLE), LIMITS[how]
    assert_refused(done, message, drift=name == "drift")


WEB = {"web1": {"vars": {"ansible_connection": "local"}, "groups": ["web"]}}
SLICE = {name: host for name, host in HOSTS.items() if name in ("ml", "ml-i-ml2", "other-i-other1")}
EMPTY = {
    "an empty inventory under a limit": (inventory({}), ("--limit", "cluster_ml"), "(sources: "),
    "foreign hosts": (inventory(WEB), (), "No source of the plugin mlfleet.hyperpod.hyperpod was read"),
    "a limit to foreign hosts": (
        inventory({**HOSTS, **WEB}),
        ("--limit", "web"),
        "--limit web leaves no Slurm cluster, so nothing was checked. The inventory has ml (--limit cluster_ml), other",
    ),
    "EKS clusters": (inventory(cluster("k", orchestrator="eks")), (), "k is no Slurm cluster."),
    "an account that could not be read": (
        inventory({}, variables={"hyperpod_inventory_failures": ["profile b: no such profile"]}),
        (),
        "Parts of the inventory could not be read: profile b: no such profile.",
    ),
}
SELECTED = {
    "an unknown key": (
        WHOLE,
        ("-e", "hyperpod_only=ml,mll"),
        "hyperpod_only: mll is not allowed: the inventory has no such cluster. Allowed: ml, other.",
    ),
    "a selection outside the limit": (
        WHOLE,
        ("-e", "hyperpod_only=other", "--limit", "cluster_ml"),
        "--limit cluster_ml and hyperpod_only=other leaves no Slurm cluster",
    ),
    "a selection that is not whole": (WHOLE, ("-e", "hyperpod_only=ml", "--limit", "ml,cluster_other"), NOT_WHOLE),
    "a selection by groups": (
        inventory(HOSTS, variables={"hyperpod_only": "ml"}),
        (),
        "hyperpod_only: the variable has no effect in host or group variables",
    ),
    "a node outside the selection": (
        WHOLE,
        ("-e", "hyperpod_only=other"),
        "drain_nodes: i-ml1 is not allowed. Allowed: instance IDs or hosts of login nodes in this run, separated by commas: "
        "other-i-other1, other-i-other2.",
    ),
}
CUT = {
    "a slice": (inventory(SLICE), (), "The inventory has no cluster for the node other-i-other1: the inventory was filtered"),
    "a slice with its cluster": (
        inventory({name: host for name, host in SLICE.items() if name.startswith("ml")}),
        (),
        "Cluster ml has 4 nodes, but the inventory has only 1 of them: the inventory was filtered after it was read",
    ),
}


@pytest.mark.slow
@pytest.mark.parametrize(("source", "arguments", "message"), cases({**EMPTY, **CUT}, "foreign hosts", "a slice"))
def test_an_inventory_without_a_whole_cluster_is_refused(
    tmp_path: Path, source: dict[str, t.Any], arguments: tuple[str, ...], message: str
) -> None:
    done = run(tmp_path, "offboard", *arguments, source=source)
    assert_refused(done, message)
    if done.rc != 4:  # with 4, Ansible exits before the first task
        assert done.report is not None and done.report["status"] == "failed", "the report must be that of this run"
        assert done.clusters or message in " ".join(done.report["refused"]), done.report
        assert done.clusters or f"(run) failed - failure: {done.report['refused'][0]}" in done.output, done.output


@pytest.mark.slow
@pytest.mark.parametrize(("source", "arguments", "message"), cases(SELECTED, "a node outside the selection"))
def test_an_impossible_selection_is_refused(
    tmp_path: Path, source: dict[str, t.Any], arguments: tuple[str, ...], message: str
) -> None:
    assert_refused(run(tmp_path, "drain", "-e", "drain_nodes=i-ml1", *arguments, source=source), message)


@pytest.mark.slow
@NEWEST
def test_a_misspelt_selection_is_refused_by_a_playbook_for_records(tmp_path: Path) -> None:
    """Otherwise the person would be readmitted to all clusters."""
    who = ("-e", "readmit_name=eve", "-e", "readmit_reason=back", "-e", "hyperpod_onyl=ml")
    assert_refused(run(tmp_path, "readmit", *who), "hyperpod_onyl is not a variable of mlfleet.hyperpod; did you mean hyperpod_only?")


@pytest.mark.slow
def test_no_inventory_at_all_is_refused(tmp_path: Path) -> None:
    """This happens in another folder, without ansible.cfg."""
    without = {"ANSIBLE_INVENTORY_ANY_UNPARSED_IS_FAILED": "False", "ANSIBLE_CALLBACKS_ENABLED": "ansible.builtin.junit"}
    done = run(tmp_path, "reconcile", source=str(tmp_path / "hyperpod.yml"), **without)
    assert_refused(done, "No source of the plugin mlfleet.hyperpod.hyperpod was read")
    assert "Give a source whose name ends in hyperpod.yml or hyperpod.yaml, with -i" in done.output
    assert done.clusters is None and done.output.count(NO_CALLBACK) == 1, done.output


@pytest.mark.slow
@pytest.mark.parametrize("selection", [("--limit", "cluster_ml"), ("-e", '{"hyperpod_only": ["ml"]}')], ids=["limit", "only"])
def test_a_run_for_one_whole_cluster_of_two_is_allowed(tmp_path: Path, selection: tuple[str, ...]) -> None:
    web = {"web1": {"vars": {"ansible_connection": "no.such.plugin"}, "groups": ["web"]}}
    done = run(tmp_path, "login_access", *selection, source=inventory({**web, **HOSTS}))
    assert done.called_aws and done.clusters is not None and list(done.clusters) == ["ml"], done.output
    assert "[other]" not in done.output and NO_CALLBACK not in done.output, done.output


@pytest.mark.slow
@NEWEST
def test_clusters_without_nodes_are_refused_outside_of_tests(tmp_path: Path) -> None:
    limit = ("--limit", "hyperpod_clusters")
    assert_refused(run(tmp_path, "login_access", *limit), "it leaves out 4 of the 5 hosts of cluster ml and 4 of the 5")
    assert run(tmp_path, "login_access", *limit, "-e", "hyperpod_internal_without_nodes=true").called_aws
    message = "it leaves out 1 of the 5 hosts of cluster ml"
    assert_refused(
        run(tmp_path, "login_access", "--limit", "hyperpod_nodes", "-e", "hyperpod_internal_without_nodes=true"), message
    )


PURGED = {
    name: {**host, "vars": {**host["vars"], **more}}
    for name, host in HOSTS.items()
    for more in [{"ml": {"client_vpn_purge_secrets": True}, "other": {"purge_secrets": True}}.get(name, {})]
}
"""Each cluster sets another variable to purge secrets."""
CONFIRMED = {
    "nothing": ((), "teardown_confirm: missing. Name each cluster of this run, because teardown removes login access of all users"),
    "one of two": (("-e", "teardown_confirm=ml"), "Allowed: each cluster of this run (-e teardown_confirm=ml,other)."),
    "another one": (("--limit", "cluster_other", "-e", "teardown_confirm=ml"), "teardown_confirm: ml is not allowed"),
    "one too many": (("-e", "hyperpod_only=ml", "-e", "teardown_confirm=ml,other"), "-e teardown_confirm=ml"),
    "not the secrets": (
        ("-e", "teardown_confirm=other,ml"),
        "purge_secrets_confirm: missing. Name each cluster of this run, because purging secrets removes keys that the clients of all users trust",
    ),
}


@pytest.mark.slow
@NEWEST
@pytest.mark.parametrize(("arguments", "message"), CONFIRMED.values(), ids=CONFIRMED)
def test_teardown_must_confirm_its_clusters(tmp_path: Path, arguments: tuple[str, ...], message: str) -> None:
    source = inventory(PURGED) if "purge_secrets" in message else WHOLE
    done = playbook(tmp_path, "teardown", *arguments, source=source)
    assert_refused(done, message)
    assert source is WHOLE or len(done.clusters or {}) == 2, done.clusters


@pytest.mark.slow
@NEWEST
@pytest.mark.parametrize(
    "arguments",
    [
        ("--check",),
        ("-e", "teardown_confirm=ml,other"),
        ("--limit", "cluster_ml", "-e", '{"teardown_confirm": ["ml"], "purge_secrets": true, "purge_secrets_confirm": "ml"}'),
    ],
    ids=["check mode", "both", "one with its secrets"],
)
def test_a_confirmed_teardown_calls_aws(tmp_path: Path, arguments: tuple[str, ...]) -> None:
    assert playbook(tmp_path, "teardown", *arguments, source=WHOLE).called_aws


STORES = {
    "no place": ("hyperpod_report_store=reports", "hyperpod_report_store: 'reports' is not allowed. Allowed: s3://BUCKET,"),
    "a folder with a profile": (
        "hyperpod_report_store=/srv/reports hyperpod_report_store_profile=audit",
        "hyperpod_report_store_profile: 'audit' is not allowed: hyperpod_report_store is a folder.",
    ),
}


@pytest.mark.parametrize("name", ["login_access", "training_cluster"])
@pytest.mark.parametrize(("given", "message"), STORES.values(), ids=STORES)
def test_a_bad_report_store_is_refused_before_any_task(tmp_path: Path, name: str, given: str, message: str) -> None:
    done = run(tmp_path, name, "-e", given)
    assert_refused(done, message)
    assert "TASK [" not in done.output


IN_A_WORKFLOW = '{"awx_workflow_job_id": 7, "hyperpod": {"status": "failed"}, "ansible_connection": "no.such.plugin"}'


@pytest.mark.parametrize(
    "name",
    [
        pytest.param(name, marks=() if name in ("login_access", "training_cluster") else [pytest.mark.slow, NEWEST])
        for name in sorted({*PLAYBOOKS, *WITHOUT_INVENTORY} - {"awx", "end"})
    ],
)
def test_a_variable_that_a_node_can_create_in_a_workflow_is_refused_before_any_task(tmp_path: Path, name: str) -> None:
    done = run(tmp_path, name, "-e", IN_A_WORKFLOW, source=ALL_ON_EKS if name in FOR_EKS else WHOLE)
    message = "ansible_connection: a variable of an AWX workflow is not allowed: a node can create it as an artifact of an earlier job."
    assert_refused(done, message, drift=name == "drift")
    assert "TASK [" not in done.output
