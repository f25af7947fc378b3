# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The measured gain, from its options to the report."""

from __future__ import annotations

import base64
import json
import typing as t

import pytest
from ansible_collections.mlfleet.hyperpod.plugins.plugin_utils.views.topology import cluster as of_topology
from ansible_collections.mlfleet.hyperpod.plugins.plugin_utils.views.topology_job import gain, report

Variables = dict[str, t.Any]
P5 = "ml.p5.48xlarge"
IMAGE = "registry.example/pytorch:2.12"
REQUEST = {"nodes": 2, "instance_type": "", "program": "/opt/all_reduce_perf", "image": ""}
PLACES = {"i-2": ["a", "b"], "i-3": ["a", "b"], "i-4": ["a", "c"]}
TYPES = [{"name": P5, "known": True, "gpus": 8, "efa_devices": 32, "neuron_devices": 0}]


def node(number: int, node_type: str = "compute") -> Variables:
    about = {"hyperpod_instance_id": f"i-{number}", "hyperpod_instance_type": P5, "hyperpod_instance_group": "gpus"}
    return {**about, "hyperpod_node_type": node_type, "inventory_hostname": f"ml-{number}", "hyperpod_run": {"reached": True}}


def controller_answer(jobs: t.Sequence[str] = (), **more: t.Any) -> Variables:
    """The answer of a controller. ``jobs``: names of nodes with a job."""
    instances = [
        {"InstanceId": iid, "InstanceLabel": {f"network-node-layer-{number}": name for number, name in enumerate(names, 1)}}
        for iid, names in PLACES.items()
    ]
    text = json.dumps({"InstanceGroups": [{"Instances": instances}]})
    nodes = [{"name": f"n{number}", "address": f"10.0.0.{number}", "state": "idle"} for number in (2, 3, 4)]
    slurm = {"nodes": nodes, "jobs": [{"id": "7", "user": "alice", "nodes": [each]} for each in jobs]}
    return {of_topology.CONFIG: base64.b64encode(text.encode()).decode(), of_topology.SLURM: slurm, **more}


def cluster(*jobs: str, check: bool = False, **more: t.Any) -> Variables:
    """Variables of the cluster's host, with hostvars of all; two controllers, of which the first was reached but returned nothing."""
    own = {
        "inventory_hostname": "ml",
        "group_names": ["cluster_ml"],
        "hyperpod_cluster_group": "cluster_ml",
        "ansible_check_mode": check,
        gain.REQUEST: REQUEST,
        gain.SEEN: [],
        gain.TYPES: TYPES,
        of_topology.NODES: [{"instance_id": f"i-{number}", "ip": f"10.0.0.{number}"} for number in range(1, 10)],
        **more,
    }
    controllers = [node(8, "controller"), {**node(9, "controller"), **controller_answer(jobs)}]
    nodes = {each["inventory_hostname"]: each for each in (*controllers, node(2), node(3), node(4))}
    own["groups"] = {"hyperpod_clusters": ["ml"], "cluster_ml": ["ml", *nodes], "node_type_controller": ["ml-8", "ml-9"]}
    return {**own, "hostvars": {"ml": own, **nodes}}


def on(variables: Variables, host: str = "ml-9", **more: t.Any) -> gain.Gain:
    shared = {name: variables[name] for name in ("hostvars", "groups", "ansible_check_mode")}
    return gain.gain({**variables["hostvars"][host], **shared, "group_names": ["cluster_ml"], **more})


def answer(bandwidth: float | None, **more: t.Any) -> Variables:
    return {"verdict": "passed", "failure": "", "text": "", "bytes": 2**32, "bandwidth": bandwidth, "carried_by": "EFA", **more}


def make(variables: Variables, *answers: Variables | None) -> list[list[str]]:
    """Run all requested tests with an answer each; returns the addresses of their nodes."""
    made = []
    for each in answers:
        found = on(variables)
        if found.test is None:
            break
        made.append(found.test["addresses"])
        variables["hostvars"]["ml"][gain.SEEN] = on(variables, __topology_job_nccl={"nccl_test": each} if each else {}).seen
    return made


def done(variables: Variables) -> gain.Gained:
    return gain.gained({**variables["hostvars"]["ml"], "hostvars": variables["hostvars"]})


def requested(**more: t.Any) -> gain.GainRequested:
    given = {"measure_gain": True, "gain_nodes": 4, "gain_instance_type": "", **more}
    variables = {f"topology_job_{name}": each for name, each in given.items()}
    names = ("nccl_program", "gain_image", "gain_namespace")
    defaults = dict(zip((f"topology_job_{name}" for name in names), ("", "", "mlfleet-hyperpod")))
    own = {**defaults, **variables, "inventory_hostname": "ml", "groups": {"orchestrator_eks": ["ml"]}}
    return gain.gain_requested({**own, "hostvars": {"ml": own}})


def test_the_options_become_a_request() -> None:
    assert requested() == gain.GainRequested([], {"nodes": 4, "instance_type": "", "program": "", "image": ""}, by_pods=False)
    assert requested(measure_gain="no", gain_image=IMAGE) == gain.GainRequested([], None, by_pods=False)
    assert requested(gain_image=IMAGE).by_pods
    assert requested(gain_instance_type=P5, nccl_program="/opt/a b").refusals == []


@pytest.mark.parametrize(
    ("given", "message"),
    [
        ({"gain_nodes": 1}, "topology_job_gain_nodes: 1 is not allowed. Allowed: 2 to 1024."),
        ({"gain_instance_type": "p5"}, "topology_job_gain_instance_type: p5 is not allowed. Allowed: an instance type such as ml.p5.48xlarge, or ''."),
        ({"gain_instance_type": f"{P5}\n"}, "topology_job_gain_instance_type: "),
        ({"gain_image": "a b"}, "topology_job_gain_image: a b is not allowed. Allowed: an image such as registry.k8s.io/pause:3.10, or ''."),
        ({"gain_image": f"{IMAGE}\n"}, "topology_job_gain_image: "),
        ({"gain_namespace": ""}, "topology_job_gain_namespace: "),
        ({"nccl_program": "all_reduce_perf"}, "topology_job_nccl_program: all_reduce_perf is not allowed. Allowed: an absolute path, or ''."),
    ],
)
def test_invalid_options_are_refused(given: Variables, message: str) -> None:
    (refused,) = requested(**given).refusals
    assert refused["text"].startswith(message), refused


def test_types_of_compute_nodes_are_used() -> None:
    variables = cluster()
    variables["hostvars"]["ml-8"]["hyperpod_instance_type"] = "ml.m5.large"
    assert gain.gain_types(variables) == [P5]


def test_near_and_spread_nodes_are_tested_from_the_controller_that_answered() -> None:
    variables = cluster()
    assert on(variables, "ml-8").test is None, "it returned nothing"
    first = on(variables)
    program = {"instance_type": P5, "gpus": 8, "efa": True, "program": "/opt/all_reduce_perf", "image": ""}
    assert (first.test, first.cluster_host) == ({"addresses": ["10.0.0.2", "10.0.0.3"], **program}, "ml")
    assert make(variables, answer(466.0), answer(402.1), answer(1.0)) == [["10.0.0.2", "10.0.0.3"], ["10.0.0.2", "10.0.0.4"]]
    found = done(variables)
    assert found.document is not None and (found.document["ratio"], found.document["near"]["bandwidth"]) == (1.16, 466.0)
    assert found.document["spread"]["nodes"] == ["ip-10-0-0-2", "ip-10-0-0-4"]
    (finding,) = found.findings
    assert (finding["kind"], finding["code"]) == ("note", "topology-gain") and "the nearby nodes are 1.16 times as fast" in finding["text"]


def test_the_second_controller_runs_tests_if_the_first_is_unreachable() -> None:
    variables = cluster()
    variables["hostvars"]["ml-8"] |= {**controller_answer(), "hyperpod_run": {"reached": False}}
    assert on(variables, "ml-8").test is None and on(variables).test is not None
    variables["hostvars"]["ml-8"]["hyperpod_run"] = {"reached": True}
    assert on(variables, "ml-8").test is not None and on(variables).test is None


@pytest.mark.parametrize("broken", [None, answer(None, verdict="not_run", failure="image", text="No program.")])
def test_a_failed_test_is_reported_and_the_last(broken: Variables | None) -> None:
    variables = cluster()
    assert len(make(variables, broken, answer(402.1))) == 1
    found = done(variables)
    (finding,) = found.findings
    assert (finding["kind"], finding["code"], finding.get("node", "")) == ("pending", "topology-gain-not-measured", "")
    assert "The test on nearby nodes returned no bandwidth: " in finding["text"]
    assert found.document is not None and found.document["spread"] is None


def test_incomparable_figures_are_a_note() -> None:
    variables = cluster()
    make(variables, answer(466.0), answer(30.0, verdict="failed", failure="no-efa", carried_by="sockets"))
    (finding,) = done(variables).findings
    assert finding["kind"] == "note" and "EFA and sockets" in finding["text"]


@pytest.mark.parametrize(
    ("variables", "kind", "why"),
    [
        (cluster("n2"), "note", "The nearest and the farthest 2 idle nodes"),
        (cluster("n2", "n3"), "pending", f"The test needs 2 idle nodes of type {P5}, and the cluster has 1. Run again."),
        (cluster(check=True), "note", "Check mode starts no tests. They would run on 2 nodes below b, then on 2 nodes below b and c."),
        (cluster(**{gain.REQUEST: {**REQUEST, "instance_type": "ml.p4d.24xlarge"}}), "note", "The cluster has no compute nodes of type ml.p4d.24xlarge."),
        (cluster(**{gain.TYPES: [{**TYPES[0], "known": False}]}), "note", "The number of GPUs of compute nodes is unknown."),
        (cluster(), "pending", "No controller node has run the test. Run again."),
    ],
)
def test_the_reason_why_nothing_was_measured_is_reported(variables: Variables, kind: str, why: str) -> None:
    found = done(variables)
    (finding,) = found.findings
    assert (finding["kind"], finding["code"]) == (kind, "topology-gain-not-measured") and why in finding["text"], finding
    assert found.document is not None and found.document["not_measured"] == finding["text"].partition("measured. ")[2].removesuffix(" Run again.")
    if why != "No controller node has run the test. Run again.":
        assert make(variables, answer(1.0)) == []


def test_without_an_answer_of_a_controller_nothing_is_measured() -> None:
    variables = cluster()
    del variables["hostvars"]["ml-9"][of_topology.SLURM]
    (finding,) = done(variables).findings
    assert finding["kind"] == "pending" and gain.NO_PLACES in finding["text"] and make(variables, answer(1.0)) == []


def test_without_a_request_nothing_is_measured() -> None:
    silent = cluster(**{gain.REQUEST: None})
    assert done(silent) == gain.Gained(None, []) and make(silent, answer(1.0)) == []


def with_eks(*used: int, check: bool = False, image: str = IMAGE) -> Variables:
    """Variables of the host of an EKS cluster, with one foreign node. ``used``: numbers of nodes with a pod."""
    about = dict.fromkeys(("instance_group", "zone", "ultraserver", "why"), "")
    places = [
        {
            **about,
            "name": f"hyperpod-i-{number}",
            "instance_id": f"i-{number}",
            "instance_type": P5,
            "layers": PLACES[f"i-{number}"],
            **({"state": "used", "jobs": ["a/b"]} if number in used else {"state": "free", "jobs": []}),
        }
        for number in (2, 3, 4)
    ]
    own = {
        "inventory_hostname": "k",
        "groups": {"orchestrator_eks": ["k"], "cluster_k": ["k", "ml-2", "ml-3", "ml-4"]},
        "hyperpod_cluster_group": "cluster_k",
        "ansible_check_mode": check,
        gain.REQUEST: {**REQUEST, "image": image},
        gain.TYPES: TYPES,
        gain.PLACES: [{**places[0], "name": "another", "instance_id": ""}, *places],
    }
    return {**own, "hostvars": {"k": own, **{f"ml-{number}": {**node(number), "hyperpod_node_type": None} for number in (2, 3, 4)}}}


def make_by_pods(variables: Variables, *results: Variables) -> list[list[str]]:
    """Instance IDs of the nodes of each requested test, each with a result of the module."""
    made = []
    for each in results:
        found = gain.gain_by_pods(variables)
        if found.test is None:
            break
        made.append(found.test["instance_ids"])
        variables[gain.SEEN] = gain.gain_by_pods({**variables, gain.NCCL: each}).seen
    return made


def test_pods_of_a_cluster_with_eks_measure_the_same() -> None:
    variables = with_eks()
    assert gain.gain_types(variables) == [P5]
    found = gain.gain_by_pods(variables)
    expected = {"instance_ids": ["i-2", "i-3"], "instance_type": P5, "gpus": 8, "efa": True, "program": "/opt/all_reduce_perf", "image": IMAGE}
    assert (found.test, found.cluster_host) == (expected, "k")
    results = [{"nccl_test": answer(bandwidth)} for bandwidth in (466.0, 402.1, 1.0)]
    assert make_by_pods(variables, *results) == [["i-2", "i-3"], ["i-2", "i-4"]]
    gained = gain.gained(variables)
    assert gained.document is not None and (gained.document["ratio"], gained.document["spread"]["nodes"]) == (1.16, ["hyperpod-i-2", "hyperpod-i-4"])
    assert [each["code"] for each in gained.findings] == ["topology-gain"]


def test_a_failed_module_is_reported_with_its_message() -> None:
    variables = with_eks()
    assert make_by_pods(variables, {"failed": True, "msg": "POST /jobs was answered\x1b with 403\nsecond line"}, {}) == [["i-2", "i-3"]]
    (finding,) = gain.gained(variables).findings
    assert finding["kind"] == "pending" and finding["text"].endswith("no-answer: POST /jobs was answered? with 403 Run again."), finding


@pytest.mark.parametrize(
    ("variables", "kind", "why"),
    [
        (with_eks(image=""), "note", gain.NO_IMAGE),
        (with_eks(image="", check=True), "note", gain.NO_IMAGE),
        (with_eks(check=True), "note", "Check mode starts no tests. They would run on 2 nodes below b, then on 2 nodes below b and c."),
        (with_eks(2), "note", "The nearest and the farthest 2 idle nodes"),
        (with_eks(2, 3), "pending", f"The test needs 2 idle nodes of type {P5}, and the cluster has 1. Run again."),
    ],
)
def test_the_reason_why_pods_measured_nothing_is_reported(variables: Variables, kind: str, why: str) -> None:
    (finding,) = gain.gained(variables).findings
    assert (finding["kind"], finding["code"]) == (kind, "topology-gain-not-measured") and why in finding["text"], finding
    assert make_by_pods(variables, {"nccl_test": answer(1.0)}) == []


def test_answers_for_other_nodes_do_not_count() -> None:
    variables = cluster(**{gain.SEEN: [{"side": "near", "ids": ["i-3", "i-4"], "answer": answer(1.0)}]})
    assert make(variables, answer(466.0), answer(402.1)) == [["10.0.0.2", "10.0.0.3"], ["10.0.0.2", "10.0.0.4"]]


def test_the_report_contains_the_gain_of_each_cluster() -> None:
    variables = cluster()
    make(variables, answer(466.0), answer(402.1))
    own = variables["hostvars"]["ml"]
    own[gain.GAIN] = done(variables).document
    about = {"hyperpod_cluster_arn": "arn", "hyperpod_account_id": "1", "hyperpod_region": "r", "hyperpod_cluster_group": "empty"}
    hosts = {"ml": {**own, **about}, "k": {**about, gain.REQUEST: REQUEST}, "quiet": about, "lost": {**about, gain.REQUEST: REQUEST}}
    run = {
        "hostvars": hosts,
        "groups": {"hyperpod_clusters": ["quiet", "ml", "k", "lost"], "orchestrator_eks": ["k"], "empty": []},
        "ansible_play_hosts_all": [*hosts],
        "hyperpod_state_dir": "/state",
        "topology_job_json": "placement.json",
    }
    found = report.report(run)
    clusters = json.loads(found.files[0]["content"])["clusters"]
    assert [*clusters] == ["k", "lost", "ml", "quiet"] and clusters["ml"]["gain"]["ratio"] == 1.16
    assert clusters["lost"]["gain"]["not_measured"] == report.UNKNOWN and clusters["k"]["failure"] and clusters["quiet"]["gain"] is None
    (measured,) = [each for each in found.lines if "nearby nodes:" in each]
    assert measured.startswith("ml: nearby nodes: 2 nodes below b, 466.0 GB/s over EFA")
