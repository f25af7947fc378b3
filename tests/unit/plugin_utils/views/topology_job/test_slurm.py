# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
from __future__ import annotations

import typing as t

import pytest
from ansible_collections.mlfleet.hyperpod.plugins.plugin_utils.findings.codes import UNKNOWN
from ansible_collections.mlfleet.hyperpod.plugins.plugin_utils.views.topology_job import findings, slurm
from unit.plugin_utils._declared.test_topology_job import OF_SLURM
from unit.plugin_utils.views.topology.test_cluster import node, of_controller, variables as of_cluster

NAME = "Slurm job alice/llama"
JOB = {"id": 7, "name": "llama", "user": "alice", "ours": True, "state": "running", "why": "", "nodes": ["n2", "n3"]}
JOB = {**JOB, "placement": "required", "switches": 1, "switches_wait": 300}


def variables(*answers: t.Any, apart: bool = True, **given: t.Any) -> dict[str, t.Any]:
    """The variables of the host of a cluster with a controller for each answer; the second one gave the last answer."""
    layers = of_controller(i_2=["a", "b", "c"], i_3=["a", "b", "d" if apart else "c"])
    submitted = [{slurm.SUBMITTED: each} if each is not None else {} for each in answers]
    controllers = [node(number, "controller", **layers, **each) for number, each in enumerate(submitted, 8)]
    own = {**OF_SLURM, "topology_job_placement": "required", "ansible_check_mode": False, **given}
    own["hyperpod_run"] = {"ready": True, **given.get("hyperpod_run", {})}
    made = of_cluster(*controllers, node(2), node(3), **own)
    made["groups"]["node_type_controller"] = [each["inventory_hostname"] for each in controllers]
    return made


def done(job: dict[str, t.Any] | None = None, *, apart: bool = True, result: t.Any = None, **given: t.Any) -> findings.Done:
    answer = {"job": {**JOB, **(job or {})}, "changes": [], **(result or {})}
    return slurm.done(variables(answer, apart=apart, **given))


def codes(findings: t.Any) -> list[tuple[str, str, str]]:
    return [(each["kind"], each["code"], each["subject"]) for each in findings]


@pytest.mark.parametrize(
    ("arguments", "expected"),
    [
        ({"apart": False}, [("note", "topology-job-kept", NAME)]),
        ({}, [("failure", "topology-job-misplaced", NAME)]),
        ({"topology_job_switches": 2}, [("note", "topology-job-kept", NAME)]),
        ({"topology_job_placement": "preferred"}, [("note", "topology-job-spilled", NAME)]),
        ({"topology_job_placement": "none", "job": {"switches": 0}}, []),
        ({"topology_job_placement": "none"}, [("note", "topology-job-spilled", NAME)]),
        ({"job": {"placement": "none", "switches": 5}}, [("failure", "topology-job-misplaced", NAME)]),
        ({"job": {"state": "succeeded"}}, [("failure", "topology-job-misplaced", NAME)]),
        ({"job": {"nodes": ["n2", "n9"]}}, [("note", "topology-job-unproven", NAME)]),
        ({"job": {"state": "waiting", "why": "no room"}}, [("pending", "topology-job-waits", NAME)]),
        ({"job": {"state": "failed", "why": "error"}}, [("failure", "topology-job-failed", NAME)]),
        ({"job": {"state": "absent"}}, []),
        ({"topology_job_state": "absent"}, []),
        ({"ansible_check_mode": True, "result": {"changes": ["create"]}}, []),
        ({"ansible_check_mode": True}, [("failure", "topology-job-misplaced", NAME)]),
    ],
)
def test_the_state_of_a_job_is_reported(arguments, expected):
    assert codes(done(**arguments).findings) == expected


def test_a_misplaced_job_is_reported_with_its_nodes():
    found = done()
    assert found.table[1:] == ["n2    c            a > b > c", "n3    d            a > b > d"]
    assert found.findings[0]["text"] == (
        f"{NAME} is not placed as requested: its 2 nodes are below 2 leaf switches instead of 1: c (1), d (1); Slurm ignores the request after 300 s."
    )


@pytest.mark.parametrize(
    ("code", "subject", "expected"),
    [
        ("topology-job-waits", "", ("pending", "topology-job-waits", NAME)),
        ("topology-job-failed", "", ("failure", "topology-job-failed", NAME)),
        ("option-refused", "script", ("failure", "option-refused", "script")),
        ("no-such-code", "", ("failure", UNKNOWN, NAME)),
        (None, "", ("failure", "task-failed", NAME)),
    ],
)
def test_the_reason_of_a_failure_is_reported(code, subject, expected):
    why = {"kind": "failure", "code": code, "text": "it is so", "severity": "error", "subject": subject}
    result = {"msg": "it is so\nand\x1b[31m", "failed": True, **({"hyperpod_failure": why} if code else {})}
    found = done(result=result).findings
    assert found[0]["text"] == "it is so" and codes(found) == [expected]


@pytest.mark.parametrize(
    "result", [{"job": "x"}, {"job": {"nodes": {"a": 1}, "state": ["running"]}}, {}, {"failed": True, "msg": None}]
)
def test_malformed_answers_of_a_node_are_reported(result):
    answer = {"changes": [], **result}
    for each in slurm.done(variables(answer)).findings:
        assert each["text"].isprintable()


def test_without_an_answer_no_job_is_reported():
    assert codes(slurm.done(variables(None)).findings) == [("failure", "topology-not-read", "")]
    assert slurm.done(variables(None, hyperpod_run={"ready": False})) == findings.Done([], [])


def test_one_controller_gets_the_known_switches():
    made = variables(None, None, topology_job_switches_wait=0)
    on = [slurm.slurm_job({**made, "inventory_hostname": host}) for host in ("ml-8", "ml-9")]
    assert [each.here for each in on] == [True, False]
    assert (on[0].switches_wait, on[0].leaves) == (None, 2)
    del made["hostvars"]["ml-8"]["__topology_slurm_seen"]
    second = slurm.slurm_job({**made, "inventory_hostname": "ml-9", "topology_job_switches_wait": 60})
    assert second.here and second.switches_wait == 60 and not slurm.slurm_job({**made, "inventory_hostname": "ml-8"}).here
    assert (
        slurm.slurm_job(
            {**made, "inventory_hostname": "ml-9", "topology_job_placement": "none", "topology_job_switches_wait": 60}
        ).switches_wait
        is None
    )


def test_declared_variables_are_checked():
    assert slurm.slurm_refusals(variables()) == []
    refused = slurm.slurm_refusals(variables(topology_job_name="", topology_job_src="", topology_job_state="absent"))
    assert [each["code"] for each in refused] == ["option-refused"]
