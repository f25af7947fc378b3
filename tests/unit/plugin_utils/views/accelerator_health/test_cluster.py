# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The nodes that are checked, the content of the report, and its files."""

from __future__ import annotations

import json
import typing as t
from pathlib import Path

import pytest
from ansible_collections.mlfleet.hyperpod.plugins.plugin_utils.views.accelerator_health import (
    begin,
    cluster as of_cluster,
    cron,
    efa,
    jobs as jobs_of,
    nccl,
    node as of_node,
    report as report_of,
    seen,
)

from ..._accelerators.fleets import health_answer, problem

Variables = dict[str, t.Any]
TYPES = [
    {"name": "ml.p5.48xlarge", "gpus": 8, "efa_devices": 32, "neuron_devices": 0, "known": True},
    {"name": "ml.m5.large", "gpus": 0, "efa_devices": 0, "neuron_devices": 0, "known": True},
    {"name": "ml.g5.48xlarge", "gpus": 8, "efa_devices": 1, "neuron_devices": 0, "known": True},
    {"name": "ml.new.large", "gpus": None, "efa_devices": None, "neuron_devices": None, "known": False},
]

LOOK = "now"
GROUPS = [
    {"name": "gpus", "instance_type": "ml.p5.48xlarge", "security_groups": None},
    {"name": "more", "instance_type": "ml.p5.48xlarge", "security_groups": ["sg-2", "sg-3"]},
    {"name": "login", "instance_type": "ml.m5.large", "security_groups": ["sg-9"]},
    {"name": "small", "instance_type": "ml.g5.48xlarge", "security_groups": None},
    {"name": "of no VPC", "instance_type": "ml.p5.48xlarge", "security_groups": []},
]


def stamped(answer: t.Any, look: str = LOOK) -> Variables:
    return {"look": look, "answer": answer}


def node(number: int, instance_type: str, **more: t.Any) -> Variables:
    return {
        "hyperpod_instance_group": "g",
        "hyperpod_instance_id": f"i-{number}",
        "hyperpod_instance_type": instance_type,
        "hyperpod_node_type": "compute",
        "inventory_hostname": f"ml-{number}",
        **more,
    }


def part(made: Variables, hosts: Variables) -> Variables:
    found = of_cluster.cluster({**made, "hostvars": {"ml": made, **hosts}})
    return {"nodes": found.health, "set_up": {}, "slurm_asked": found.slurm_asked}


@pytest.fixture
def variables(tmp_path: Path) -> Variables:
    rows = [
        {"name": "n2", "address": "10.0.0.2", "state": "drained", "reason": "cooling"},
        "x",
        {"name": "ip-10-0-0-3", "address": "c3", "state": "idle"},
    ]
    jobs = [{"id": "7", "user": "alice", "nodes": ["n2", "n9"]}, {"id": "8", "nodes": "n2"}, None]
    slurm = {"nodes": rows, "jobs": jobs}
    hosts = {
        "ml-1": node(1, "ml.m5.large", **{seen.SLURM: stamped(slurm)}),
        "ml-2": node(2, "ml.p5.48xlarge", **{seen.SEEN: stamped(health_answer())}),
        "ml-3": node(3, "ml.p5.48xlarge", **{seen.SEEN: stamped({"verdict": "splendid"})}),
        "ml-4": node(4, "ml.new.large"),
        "ml-5": node(5, "ml.p5.48xlarge", hyperpod_run={"reached": True}),
    }
    cluster = {
        "hyperpod_account_id": "111111111111",
        "hyperpod_cluster_arn": "arn:ml",
        "hyperpod_cluster_group": "cluster_ml",
        "hyperpod_region": "us-west-2",
        "hyperpod_state_dir": str(tmp_path),
        "hyperpod_run": {
            "node_access": {"i-4": {"reason": "no trust record"}},
            "cluster": {"security_groups": ["sg-1"], "groups": GROUPS},
        },
        "inventory_hostname": "ml",
        seen.LOOK: LOOK,
        seen.NODES: [{"instance_id": f"i-{number}", "ip": f"10.0.0.{number}", "status": "Running"} for number in (1, 2, 3, 5)],
        seen.TYPES: TYPES,
    }
    names = ("json", "html", "junit", "prometheus")
    made = {
        **cluster,
        **{f"accelerator_health_{name}": f"a.{name}" for name in names},
        "accelerator_health_result": "fail",
        "ansible_play_hosts_all": ["ml", "b"],
        "group_names": ["cluster_ml"],
        "groups": {
            "cluster_ml": ["ml", *hosts],
            "hyperpod_clusters": ["ml", "b", "not-selected"],
            "node_type_controller": ["ml-1", "ml-2"],
        },
    }
    other = {**cluster, "hyperpod_cluster_arn": "arn:b"}
    del other[seen.TYPES]
    made["hostvars"] = {"ml": {**made, seen.PART: part(made, hosts)}, "b": other, **hosts}
    return made


def on(variables: Variables, host: str) -> Variables:
    return {**variables, **variables["hostvars"][host], "inventory_hostname": host}


def test_types_without_accelerators_are_not_checked(variables: Variables) -> None:
    assert [of_node.node(on(variables, f"ml-{number}")).has_accelerators for number in (1, 2, 4)] == [False, True, True]
    assert of_node.node(on(variables, "ml-2")).expected == {"gpus": 8, "efa_devices": 32, "neuron_devices": 0}
    assert of_node.node(on(variables, "ml-4")).expected == dict.fromkeys(seen.DEVICES)
    variables["hostvars"]["ml-4"]["hyperpod_instance_type"] = "ml.g5.48xlarge"
    assert of_node.node(on(variables, "ml-4")).expected == {"gpus": 8, "efa_devices": None, "neuron_devices": 0}, "EFA is optional for this type"
    variables["hostvars"]["ml-4"]["hyperpod_instance_type"] = "ml.new.large"
    assert begin.types(variables) == ["ml.m5.large", "ml.new.large", "ml.p5.48xlarge"]


def test_controllers_query_slurm_about_all_nodes(variables: Variables) -> None:
    for controller in ("ml-1", "ml-2"):
        assert of_node.node(on(variables, controller)).slurm_addresses == [f"10.0.0.{number}" for number in (1, 2, 3, 5)]
    assert of_node.node(on(variables, "ml-3")).slurm_addresses == []


def test_results_of_an_earlier_playbook_of_the_run_are_ignored(variables: Variables) -> None:
    assert begin.look_stamp(variables) != begin.look_stamp(variables)
    assert of_node.node(on(variables, "ml-2")).look == LOOK
    found = of_cluster.cluster(variables)
    assert found.slurm_asked and [each["instance_id"] for each in found.health if each["health"]] == ["i-2"]
    for host, fact in (("ml-1", seen.SLURM), ("ml-2", seen.SEEN)):
        variables["hostvars"][host][fact]["look"] = "before"
    found = of_cluster.cluster(variables)
    assert not found.slurm_asked and not [each for each in found.health if each["health"] or each["slurm"]]
    assert found.health[1]["not_read"] == "The node could not be reached."
    variables["hostvars"]["ml"][seen.PART] = None
    document = json.loads(report_of.report(variables).files[0]["content"])
    assert document["clusters"]["ml"]["failure"] and document["clusters"]["ml"]["nodes"] == {}


def test_a_type_with_efa_alone_has_no_accelerators(variables: Variables) -> None:
    variables[seen.TYPES] = [{"name": "ml.c5n.18xlarge", "gpus": 0, "efa_devices": 1, "neuron_devices": 0, "known": True}]
    variables["hostvars"]["ml"] |= {seen.TYPES: variables[seen.TYPES]}
    variables["hostvars"]["ml-4"]["hyperpod_instance_type"] = "ml.c5n.18xlarge"
    assert not of_node.node(on(variables, "ml-4")).has_accelerators


def test_the_facts_of_each_node_are_collected(variables: Variables) -> None:
    found = {each["instance_id"]: each for each in of_cluster.cluster(variables).health}
    assert (found["i-2"]["health"]["verdict"], found["i-2"]["slurm"], found["i-2"]["slurm_reason"]) == ("fit", "drained", "cooling")
    assert found["i-2"]["jobs"] == ("7 of alice",) and found["i-3"]["slurm"] == "idle" and found["i-1"]["slurm"] == ""
    assert (found["i-2"]["private_ip"], found["i-2"]["hyperpod"], found["i-4"]["hyperpod"]) == ("10.0.0.2", "Running", "not listed")
    unread = {iid: each["not_read"] for iid, each in found.items()}
    assert unread == {
        "i-1": "",
        "i-2": "",
        "i-3": "The node's result has no valid verdict.",
        "i-4": "no trust record",
        "i-5": "The check failed on the node.",
    }


def test_the_state_and_actions_of_hyperpod_are_collected(variables: Variables) -> None:
    variables[seen.NODES][1] |= {"message": "All\nis \x1b[2Jwell"}
    variables[seen.NODES][3] |= {"status": "SystemUpdating"}
    for node_, name in zip(variables["hostvars"]["ml-1"][seen.SLURM]["answer"]["nodes"][::2], ("reservations", "partitions")):
        node_ |= {"features": 7, "partitions": [None, ["x"]], name: ["hyperpod-deep-health-check", "hyperpod-system-maintenance"]}
    found = {each["instance_id"]: each for each in of_cluster.cluster(variables).health}
    assert (found["i-2"]["hyperpod_message"], found["i-3"]["hyperpod_message"]) == ("All is ?[2Jwell", "")
    checks = "HyperPod runs deep health checks on the node"
    assert {iid: each["service"] for iid, each in found.items()} == {
        "i-1": "",
        "i-2": checks,
        "i-3": checks,
        "i-4": "",
        "i-5": "HyperPod reports status SystemUpdating",
    }


JOBS = {
    "accelerator_health_again": "",
    "accelerator_health_batch": 20,
    "accelerator_health_batch_timeout": 300,
    "accelerator_health_context": "",
    "accelerator_health_image": "python:3",
    "accelerator_health_kubeconfig": "",
    "accelerator_health_namespace": "looks",
}


def test_nodes_of_eks_are_checked_through_jobs(variables: Variables) -> None:
    variables |= JOBS
    variables["hyperpod_run"]["cluster"]["eks_cluster_arn"] = "arn:eks"
    found = jobs_of.jobs(variables)
    p5 = {"instance_type": "ml.p5.48xlarge", "expected_gpus": 8, "expected_efa_devices": 32, "expected_neuron_devices": 0}
    expected = [{"instance_id": f"i-{number}", **p5} for number in (2, 3, 5)]
    assert found.nodes == [*expected[:2], {"instance_id": "i-4", "instance_type": "ml.new.large"}, expected[2]]
    assert (found.eks_cluster, found.kubeconfig, found.context, found.refusals, found.look) == ("arn:eks", None, None, [], LOOK)
    by_file = jobs_of.jobs({**variables, "accelerator_health_kubeconfig": "/a"})
    assert (by_file.eks_cluster, by_file.kubeconfig, by_file.context) == (None, "/a", None)


def test_an_image_without_a_digest_is_reported(variables: Variables) -> None:
    variables["hyperpod_run"]["cluster"]["eks_cluster_arn"] = "arn:eks"
    (note,) = jobs_of.jobs({**variables, **JOBS}).notes
    assert note["kind"] == "note" and note["text"].startswith("accelerator_health_image: python:3 has no digest, so anyone who can move")
    pinned = {"accelerator_health_image": f"registry.example/python@sha256:{'0' * 64}"}
    assert jobs_of.jobs({**variables, **JOBS, **pinned}).notes == []


def test_a_namespace_of_a_team_is_refused(variables: Variables) -> None:
    variables["hyperpod_run"]["cluster"]["eks_cluster_arn"] = "arn:eks"
    (refusal,) = jobs_of.jobs({**variables, **JOBS, "accelerator_health_namespace": "hyperpod-ns-vision"}).refusals
    assert refusal["text"].startswith("accelerator_health_namespace: hyperpod-ns-vision is not allowed. Allowed: the name of a namespace")


def test_invalid_options_of_jobs_are_refused(variables: Variables) -> None:
    variables["hyperpod_run"]["cluster"]["eks_cluster_arn"] = "arn:eks"
    wrong = {"accelerator_health_batch": 0, "accelerator_health_batch_timeout": 9, "accelerator_health_image": "a b", "accelerator_health_namespace": "A"}
    found = [each["text"].partition(":")[0] for each in jobs_of.jobs({**variables, **JOBS, **wrong}).refusals]
    assert found == list(wrong)


def test_only_selected_nodes_are_checked_again(variables: Variables) -> None:
    variables["hyperpod_run"]["cluster"]["eks_cluster_arn"] = "arn:eks"
    variables["groups"]["again"] = ["ml-2"]
    before = [{"instance_id": f"i-{number}", "why": "before"} for number in (2, 3)]
    given = {**variables, **JOBS, seen.JOBS: stamped({"nodes": before}), "__accelerator_health_jobs": {"nodes": [{"instance_id": "i-2", "why": "now"}]}}
    found = jobs_of.jobs({**given, "accelerator_health_again": "again"})
    assert [each["instance_id"] for each in found.nodes] == ["i-2"]
    assert {each["instance_id"]: each["why"] for each in found.returned["nodes"]} == {"i-2": "now", "i-3": "before"}
    failed = jobs_of.jobs({**given, "accelerator_health_again": "again", "__accelerator_health_jobs": {"failed": True, "msg": "no"}}).returned
    assert [each["instance_id"] for each in failed["nodes"]] == ["i-3"] and failed["msg"] == "no"
    assert jobs_of.jobs({**given, "accelerator_health_again": "gone"}).nodes == []
    assert [each["instance_id"] for each in jobs_of.jobs(given).returned["nodes"]] == ["i-2"]


@pytest.mark.parametrize(
    ("given", "state", "schedule"),
    [
        ("", "absent", ""),
        (False, "absent", ""),
        ("no", "absent", ""),
        (True, "present", ""),
        ("Yes", "present", ""),
        (" */30 * * * * ", "present", "*/30 * * * *"),
        ("@daily", "present", "@daily"),
    ],
)
def test_scheduled_checks_are_configured(variables: Variables, given: t.Any, state: str, schedule: str) -> None:
    variables["hyperpod_run"]["cluster"]["eks_cluster_arn"] = "arn:eks"
    found = cron.cron({**variables, **JOBS, "accelerator_health_cron": given})
    assert (found.refusals, found.state, found.schedule) == ([], state, schedule)


def test_an_invalid_schedule_is_refused(variables: Variables) -> None:
    variables["hyperpod_run"]["cluster"]["eks_cluster_arn"] = "arn:eks"
    wrong = {**JOBS, "accelerator_health_cron": "every hour", "accelerator_health_image": "a b"}
    found = [each["text"] for each in cron.cron({**variables, **wrong}).refusals]
    assert found[0].startswith("accelerator_health_cron: every hour is not allowed. Allowed: true, false, or five fields") and len(found) == 2


def test_results_of_jobs_are_assigned_to_nodes(variables: Variables) -> None:
    kubernetes = {"name": "hyperpod-i-2", "health_status": "UnschedulablePendingReboot", "pods": ["a/b"]}
    rows = [
        {"instance_id": "i-2", "health": health_answer(), "why": "", "kubernetes": kubernetes},
        {"instance_id": "i-3", "health": {"verdict": "splendid"}, "why": "", "kubernetes": None},
        {"instance_id": "i-4", "health": None, "why": "Kubernetes has no node x.", "kubernetes": None},
    ]
    for host in variables["hostvars"].values():
        for fact in (seen.SEEN, seen.SLURM):
            host.pop(fact, None)
    found = of_cluster.cluster({**variables, seen.JOBS: stamped({"nodes": rows})})
    by_id = {each["instance_id"]: each for each in found.health}
    assert found.slurm_asked, "no query was required"
    assert (by_id["i-2"]["health"]["verdict"], by_id["i-2"]["jobs"], by_id["i-2"]["kubernetes"]["node"]) == ("fit", ("a/b",), "hyperpod-i-2")
    assert by_id["i-2"]["service"].startswith("HyperPod acts on the node's label node-health-status=UnschedulablePendingReboot")
    assert [by_id[f"i-{number}"]["not_read"] for number in (1, 2, 3, 4)] == ["", "", "The node's result has no valid verdict.", "Kubernetes has no node x."]
    failed = of_cluster.cluster({**variables, seen.JOBS: stamped({"failed": True, "msg": "GET\n/ got no answer"})})
    assert {each["not_read"] for each in failed.health} == {"", "GET / got no answer"}
    load = {"accelerator_health_nccl": True, "accelerator_health_dcgm_level": 3}
    loaded = of_cluster.cluster({**variables, **load, seen.JOBS: stamped({"nodes": rows})})
    (health,) = [each["health"] for each in loaded.health if each["health"]]
    slurm_alone = "the playbook verify runs this test on Slurm clusters only"
    assert health["not_looked_at"] == [{"what": what, "why": slurm_alone} for what in ("DCGM level 3", "NCCL")]
    old = of_cluster.cluster({**variables, seen.JOBS: stamped({"nodes": rows}, look="before")})
    assert [each["health"] for each in old.health] == [None] * 5


def test_the_image_of_the_node_or_group_is_used(variables: Variables) -> None:
    groups = [*GROUPS, {"name": "g", "instance_type": "ml.p5.48xlarge", "security_groups": None, "image_id": "ami-1", "image_release_version": "1"}]
    listed = [{**each, "image_release_version": "2"} if each["instance_id"] == "i-2" else each for each in variables[seen.NODES]]
    run = {**variables["hyperpod_run"], "cluster": {"security_groups": [], "groups": groups}}
    found = of_cluster.cluster({**variables, "hyperpod_run": run, seen.NODES: listed})
    images = {each["instance_id"]: each["image"] for each in found.health}
    assert images["i-2"] == "release 2" and {each for iid, each in images.items() if iid != "i-2"} == {"ami-1, release 1"}
    assert {each["image"] for each in of_cluster.cluster(variables).health} == {""}


def test_security_groups_of_nodes_with_efa_are_checked(variables: Variables) -> None:
    assert efa.efa_groups(variables) == ["sg-1", "sg-2", "sg-3"]
    among = [{"ip_protocol": "-1", "user_id_group_pairs": [{"group_id": "sg-2"}]}]
    rows: list[Variables] = [
        {"group_id": f"sg-{number}", "ip_permissions": [], "ip_permissions_egress": []} for number in (1, 2, 3)
    ]
    rows[2] |= {"ip_permissions": among, "ip_permissions_egress": among}
    ((text, groups),) = of_cluster.cluster(
        {**variables, "__accelerator_health_security_groups": {"security_groups": rows}}
    ).set_up.items()
    assert groups == ["gpus"] and text.startswith("The security groups of gpus (sg-1) have no inbound and no outbound rule")


def test_the_report_covers_all_clusters_of_the_run(variables: Variables) -> None:
    found = report_of.report(variables)
    document = json.loads(next(each["content"] for each in found.files if each["path"].endswith("json")))
    assert set(document["clusters"]) == {"ml", "b"} and document["clusters"]["b"]["failure"]
    assert document["coverage"] == {"nodes": 5, "looked_at": 1, "in_part": 0, "not_looked_at": 3, "without_accelerators": 1}
    assert "Clusters that could not be read: b." in found.lines[0]
    assert [Path(each["path"]).name for each in found.files] == ["a.json", "a.html", "a.junit", "a.prometheus"]
    other = report_of.report({**variables, "accelerator_health_html": "", "accelerator_health_junit": "/srv/a.xml"}).files
    assert [each["mode"] for each in found.files] == ["0600", "0600", "0600", "0644"], "another account reads the metrics"
    folder = variables["hyperpod_state_dir"]
    assert [str(Path(each["path"]).parent) for each in other] == [folder, "/srv", folder]


def test_the_previous_report_is_read_if_it_exists(variables: Variables, tmp_path: Path) -> None:
    path = tmp_path / variables["accelerator_health_json"]
    path.write_text(next(each["content"] for each in report_of.report(variables).files if each["path"] == str(path)))
    variables["hostvars"]["ml"][seen.PART]["nodes"][1]["health"] = health_answer(problem(verdict="unfit-reboot"), verdict="unfit-reboot")
    after = json.loads(report_of.report(variables).files[0]["content"])
    assert [(each["node"], each["was"], each["is"]) for each in after["changes"]["nodes"]] == [("i-2", "fit", "unfit-reboot")]
    for spoilt in ("", "[]", '{"schema": 0}', "{"):
        path.write_text(spoilt)
        assert json.loads(report_of.report(variables).files[0]["content"])["changes"]["since"] == ""


def test_a_run_over_another_cluster_keeps_the_start_of_an_action(variables: Variables, tmp_path: Path) -> None:
    path = tmp_path / variables["accelerator_health_json"]
    rows = variables["hostvars"]["ml"][seen.PART]["nodes"]
    rows[1]["service"] = "HyperPod reports status SystemUpdating"

    def run(*clusters: str) -> Variables:
        made = report_of.report({**variables, "ansible_play_hosts_all": [*clusters]}).files[0]["content"]
        path.write_text(made)
        return t.cast("Variables", json.loads(made))

    first = run("ml")
    path.write_text(json.dumps(first).replace(first["created"], "2026-11-25T03:00:00Z"))
    assert "ml" not in run("b")["clusters"]
    variables["hostvars"]["b"][seen.PART] = {"nodes": []}
    again = run("ml", "b")["clusters"]["ml"]["nodes"]["i-2"]["service"]
    assert again == {"does": "HyperPod reports status SystemUpdating", "since": "2026-11-25T03:00:00Z"}


def test_a_second_check_reports_results_of_the_first_as_earlier(variables: Variables) -> None:
    first = report_of.verdict(variables)
    rows = variables["hostvars"]["ml"][seen.PART]["nodes"]
    variables[seen.REPORTED] = first.reported
    rows[:] = rows[:2]
    past = [each["text"] for each in report_of.verdict(variables).findings if "earlier in this run" in each["text"]]
    assert past and not [each for each in first.findings if "earlier in this run" in each["text"]]
    variables[seen.LOOK] = "another playbook of the same run"
    assert not [each for each in report_of.verdict(variables).findings if "earlier in this run" in each["text"]]


def test_findings_belong_to_the_cluster(variables: Variables) -> None:
    kinds = {each["node"]: each["kind"] for each in report_of.verdict(variables).findings if each["code"] == "accelerators-unseen"}
    assert kinds == dict.fromkeys(("i-3", "i-4", "i-5"), "failure")


def test_nodes_with_jobs_are_checked_last(variables: Variables) -> None:
    assert {host: of_node.node(on(variables, host)).at_work for host in ("ml-2", "ml-3", "ml-5")} == {
        "ml-2": True,
        "ml-3": False,
        "ml-5": False,
    }
    variables["hostvars"]["ml-1"][seen.SLURM]["look"] = "before"
    assert not of_node.node(on(variables, "ml-2")).at_work


@pytest.mark.parametrize(
    ("settles_in", "profile", "looks"),
    [
        (0, {}, 0),
        (1, {}, 1),
        (240, {}, 12),
        (241, {}, 13),
        (9_999_999, {}, 15),
        (500, {"settle_seconds": 600}, 25),
        (500, None, 15),
        (-5, {}, 0),
        (None, {}, 0),
        ("240; rm", {}, 0),
        ([240], {}, 0),
    ],
)
def test_a_node_after_its_boot_is_checked_until_it_has_settled(
    settles_in: t.Any, profile: Variables | None, looks: int, variables: Variables
) -> None:
    variables["hostvars"]["ml-2"][seen.SEEN] = stamped({**health_answer(verdict="unknown"), "settles_in": settles_in})
    found = of_node.node({**on(variables, "ml-2"), "accelerator_health_profile": profile})
    assert (found.looks_again, found.seconds_between) == (looks, 20)


def test_a_node_without_a_result_is_not_checked_again(variables: Variables) -> None:
    settling = {**health_answer(verdict="unknown"), "settles_in": 240}
    assert of_node.node(on(variables, "ml-5")).looks_again == 0
    for kept in (stamped(settling, "before"), stamped("x"), None):
        variables["hostvars"]["ml-2"][seen.SEEN] = kept
        assert of_node.node(on(variables, "ml-2")).looks_again == 0


def test_invalid_options_are_refused() -> None:
    (refusal,) = begin.refusals({"accelerator_health_result": "maybe", "accelerator_health_dcgm_level": 1})
    assert (
        refusal["text"].startswith("accelerator_health_result: 'maybe' is not allowed") and "fail, warn, report" in refusal["text"]
    )
    assert begin.refusals({"accelerator_health_result": "warn", "accelerator_health_dcgm_level": "4"}) == []
    (refusal,) = begin.refusals({"accelerator_health_result": "warn", "accelerator_health_dcgm_level": 5})
    assert refusal["text"] == "accelerator_health_dcgm_level: '5' is not allowed. Allowed: 1, 2, 3, 4."


LEVEL = {"accelerator_health_dcgm_level": 2}


@pytest.mark.parametrize(
    ("host", "held"),
    [
        ("ml-2", "the node has jobs: 7 of alice"),
        ("ml-3", "the node's state in Slurm is idle, so jobs may start; drain the node first"),
        ("ml-5", "the node's state in Slurm is unknown, so jobs may start; drain the node first"),
    ],
)
def test_the_reason_why_dcgm_does_not_run_is_given(variables: Variables, host: str, held: str) -> None:
    assert of_node.node({**on(variables, host), **LEVEL}).dcgm_held == held
    assert of_node.node(on(variables, host)).dcgm_held == ""


@pytest.mark.parametrize(("level", "seconds"), [(1, 1800), (2, 2700), (4, 12600)])
def test_the_time_limit_covers_the_dcgm_level(variables: Variables, level: int, seconds: int) -> None:
    assert of_node.node({**on(variables, "ml-2"), "accelerator_health_dcgm_level": level}).longest == seconds


def test_dcgm_runs_on_an_idle_node(variables: Variables) -> None:
    variables["hostvars"]["ml-1"][seen.SLURM]["answer"]["jobs"] = []
    assert of_node.node({**on(variables, "ml-2"), **LEVEL}).dcgm_held == ""
    variables["hostvars"]["ml-1"][seen.SLURM]["look"] = "before"
    assert of_node.node({**on(variables, "ml-2"), **LEVEL}).dcgm_held == "Slurm could not be queried for jobs on the node"


@pytest.fixture
def idle(variables: Variables) -> Variables:
    """Nodes 2, 3 and 5 are fit and idle; the first host is the controller that queried Slurm."""
    hostvars = variables["hostvars"]
    rows = [{"name": f"n{number}", "address": f"10.0.0.{number}", "state": "idle"} for number in (2, 3, 5)]
    hostvars["ml-1"][seen.SLURM] = stamped({"nodes": rows, "jobs": []})
    for number in (2, 3, 5):
        hostvars[f"ml-{number}"][seen.SEEN] = stamped(health_answer())
    return {**variables, "accelerator_health_nccl": True, "ansible_check_mode": False}


def planned(variables: Variables, host: str = "ml-1") -> list[list[str]]:
    return [each["ids"] for each in nccl.nccl(on(variables, host)).tests]


def answered(variables: Variables, **verdicts: str) -> None:
    """Store results as the tasks of a wave do."""
    made = nccl.nccl(on(variables, "ml-1")).tests
    rows = [
        {
            "__accelerator_health_test": each,
            "nccl_test": {"verdict": verdicts.get("_".join(each["ids"]).replace("-", ""), "passed")},
        }
        for each in made
    ]
    host = variables["hostvars"]["ml-1"]
    host["__accelerator_health_nccl_read"] = {"results": rows}
    host[seen.NCCL] = stamped(nccl.nccl(on(variables, "ml-1")).outcomes)


def test_nccl_is_tested_in_waves_and_reported_by_node(idle: Variables) -> None:
    assert planned(idle) == [["i-2"], ["i-3"], ["i-5"]]
    test = nccl.nccl(on(idle, "ml-1")).tests[0]
    assert (test["addresses"], test["instance_type"], test["gpus"], test["efa"]) == (["10.0.0.2"], "ml.p5.48xlarge", 8, True)
    answered(idle)
    assert planned(idle) == [["i-2", "i-3"], ["i-2", "i-5"]]
    answered(idle, i2_i5="slow")
    assert planned(idle) == []
    assert [each["ids"] for each in nccl.nccl(on(idle, "ml-1")).outcomes] == [["i-2"], ["i-3"], ["i-5"], ["i-2", "i-3"], ["i-2", "i-5"]]
    found = {each["instance_id"]: each["health"] for each in of_cluster.cluster(idle).health if each["health"]}
    assert {iid: health["verdict"] for iid, health in found.items()} == {"i-2": "fit", "i-3": "fit", "i-5": "watch"}
    assert [each["code"] for each in found["i-5"]["problems"]] == ["nccl-slow"]
    assert [(each["nodes"], each["verdict"]) for each in of_cluster.cluster(idle).nccl][3:] == [(["i-2", "i-3"], "passed"), (["i-2", "i-5"], "slow")]
    assert all(health["not_looked_at"] == [] for health in found.values())


def test_a_test_without_an_answer_is_not_repeated(idle: Variables) -> None:
    made = nccl.nccl(on(idle, "ml-1")).tests
    rows = [{"__accelerator_health_test": each, "failed": True} for each in made]
    idle["hostvars"]["ml-1"]["__accelerator_health_nccl_read"] = {"results": rows}
    assert planned(idle) == [] and len(nccl.nccl(on(idle, "ml-1")).outcomes) == 3
    idle["hostvars"]["ml-1"]["__accelerator_health_nccl_read"] = {
        "results": [{**row, "__accelerator_health_test": {**row["__accelerator_health_test"], "look": "before"}} for row in rows]
    }
    assert len(planned(idle)) == 3, "an earlier playbook of the run made them"


def test_one_controller_runs_the_nccl_tests(idle: Variables) -> None:
    assert [nccl.nccl(on(idle, f"ml-{number}")).runs for number in (1, 2, 3)] == [True, False, False]
    for more in ({"accelerator_health_nccl": "false"}, {"accelerator_health_nccl": False}, {"ansible_check_mode": True}):
        assert not nccl.nccl({**on(idle, "ml-1"), **more}).runs
    del idle["hostvars"]["ml-1"][seen.SLURM]
    assert not any(nccl.nccl(on(idle, f"ml-{number}")).runs for number in (1, 2, 3)), "the positions of jobs are unknown"


def test_unsuitable_nodes_are_not_tested(idle: Variables) -> None:
    hostvars = idle["hostvars"]
    hostvars["ml-1"][seen.SLURM]["answer"]["jobs"] = [{"id": "7", "user": "alice", "nodes": ["n2"]}]
    hostvars["ml-3"][seen.SEEN] = stamped(health_answer(problem(verdict="unfit-reboot"), verdict="unfit-reboot"))
    assert planned(idle) == [["i-5"]]
    hostvars["ml-1"][seen.SLURM]["answer"]["nodes"][2]["state"] = "drained"
    assert planned(idle) == []
    untested = {each["instance_id"]: each["health"]["not_looked_at"] for each in of_cluster.cluster(idle).health if each["health"]}
    assert {iid: [(each["what"], each["why"]) for each in rows] for iid, rows in untested.items()} == {
        "i-2": [("NCCL", "the node has jobs: 7 of alice")],
        "i-3": [("NCCL", "the node's verdict is unfit-reboot")],
        "i-5": [("NCCL", "the node's state in Slurm is drained")],
    }
    checked = of_cluster.cluster({**idle, "ansible_check_mode": True}).health
    assert {row["why"] for each in checked if each["health"] for row in each["health"]["not_looked_at"]} == {"check mode starts no test"}
    without_nccl = of_cluster.cluster({**idle, "accelerator_health_nccl": False}).health
    assert not [row for each in without_nccl if each["health"] for row in each["health"]["not_looked_at"]]
