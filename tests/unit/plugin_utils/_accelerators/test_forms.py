# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The report as text, JUnit and findings."""

from __future__ import annotations

import typing as t
from xml.etree import ElementTree

import pytest
from ansible_collections.mlfleet.hyperpod.plugins.plugin_utils._accelerators.document import document
from ansible_collections.mlfleet.hyperpod.plugins.plugin_utils._accelerators.findings import earlier, findings, untested
from ansible_collections.mlfleet.hyperpod.plugins.plugin_utils._accelerators.forms import lines, to_junit

from .fleets import CREATED, cluster, health_answer, node, of, problem

BAD, BLIND, WATCHED = node(1, problem()), node(2, not_read="It could not be reached."), node(3, problem("gpu-hot", "watch"))
IN_PART = node(4, health=health_answer(verdict="unknown", not_looked_at=[{"what": "nvidia-smi", "why": "it hangs"}]))
FLEET = of(BAD, BLIND, WATCHED, IN_PART, node(5), node(6, has_accelerators=False))


def test_coverage_and_verdicts_come_first() -> None:
    printed = lines(FLEET)
    assert printed[0] == "3 of 5 nodes with accelerators were checked completely, 1 in part, 1 not at all."
    assert printed[1] == "1 unfit-reboot, 2 unknown, 1 watch, 1 fit."
    assert printed[2].startswith(f"reboot: ml: i-{1:017x}: Reboot each node after its jobs")
    text = "\n".join(printed)
    assert "It fell off the bus." in text and "nvidia-smi: it hangs" in text and "It could not be reached." in text
    assert f"i-{5:017x}" not in text


def test_unread_clusters_are_named_in_the_first_line() -> None:
    found = document([cluster(key="b", failure="it failed")], created=CREATED, not_read=["eu-west-1 of 2222"])
    assert "Clusters that could not be read: b." in lines(found)[0] and "eu-west-1 of 2222" in lines(found)[0]


def test_the_report_is_written_as_junit() -> None:
    unread = cluster(key="b", failure="x\x00")
    found = document([cluster(BAD, BLIND, WATCHED, node(5), node(6, has_accelerators=False)), unread], created=CREATED, not_read=["r"])
    root = ElementTree.fromstring(to_junit(found))
    assert {name: root.get(name) for name in ("tests", "failures", "errors")} == {"tests": "6", "failures": "1", "errors": "3"}
    (failed,) = root.findall("testsuite[@name='ml']/testcase/failure")
    assert (failed.get("type"), failed.get("message")) == ("unfit-reboot", "It fell off the bus.")


@pytest.mark.parametrize(("result", "kind"), [("fail", "failure"), ("warn", "pending"), ("report", "note")])
def test_the_severity_of_findings_is_configurable(result: str, kind: str) -> None:
    found = findings(FLEET, "ml", result)
    assert (found[0].code, found[0].kind) == ("accelerators-coverage", "note") and found[0].text.startswith("3 of 5 nodes")
    by_code = {each.code: each for each in found}
    assert (by_code["gpu-xid"].kind, by_code["gpu-xid"].node) == (kind, f"i-{1:017x}")
    unseen = [each for each in found if each.code == "accelerators-unseen"]
    assert [each.kind for each in unseen] == [kind, kind] and by_code["gpu-hot"].kind == "note"
    assert not [each for each in found if each.node == f"i-{5:017x}"]


def test_a_problem_of_many_nodes_is_a_finding_of_the_cluster() -> None:
    found = findings(of(*(node(number, problem()) for number in (1, 2, 3))), "ml", "warn")
    assert [(each.kind, each.node) for each in found if each.code == "accelerators-common"] == [("pending", "")]


def test_a_verdict_without_a_problem_is_still_a_finding() -> None:
    found = findings(of(node(1, health=health_answer(verdict="unfit-replace"))), "ml", "fail")
    assert [(each.kind, each.code) for each in found if each.node] == [("failure", "accelerators-unseen")]


def unseen(why: str, name: str = "NCCL") -> dict[str, t.Any]:
    return health_answer(not_looked_at=[{"what": name, "why": why}])


NOT_RUN = {"code": "nccl-not-run", "verdict": "fit", "part": "NCCL", "text": "Slurm gave no nodes.", "evidence": ""}
REQUESTED = {"NCCL": "nccl-not-run", "DCGM level 3": "dcgm-not-run"}


@pytest.mark.parametrize(
    ("health", "found"),
    [
        ([health_answer(), unseen("jobs are on it")], []),
        ([health_answer(NOT_RUN), health_answer()], []),
        (
            [unseen("jobs are on it"), unseen("jobs are on it"), health_answer(NOT_RUN)],
            [("nccl-not-run", "jobs are on it (2 of 3 nodes); Slurm gave no nodes (1 of 3 nodes)")],
        ),
        ([unseen("jobs are on it", "DCGM level 3")], [("dcgm-not-run", "jobs are on it (1 of 1 nodes)")]),
        ([unseen("jobs are on it", "DCGM level 2")], []),
    ],
)
def test_a_requested_test_that_ran_nowhere_is_pending(health: list[dict[str, t.Any]], found: list[tuple[str, str]]) -> None:
    fleet = of(*(node(number, health=each) for number, each in enumerate(health)))
    pending = untested(fleet, "ml", REQUESTED)
    assert [(each.code, each.text.partition(" ran on no node: ")[2]) for each in pending] == [(code, f"{why}.") for code, why in found]
    assert {each.kind for each in pending} <= {"pending"}


def test_a_cluster_without_slurm_data_is_marked() -> None:
    found = document([cluster(node(1), slurm_asked=False)], created=CREATED)
    assert "accelerators-slurm" in [each.code for each in findings(found, "ml", "fail")]
    assert "accelerators-slurm" not in [each.code for each in findings(of(node(1)), "ml", "fail")]


def test_results_of_an_earlier_check_are_replaced() -> None:
    """A repaired node, one whose fault is still present, and one that was replaced by another instance."""
    at_work = {"has_accelerators": True, "slurm": "idle"}
    before = of(*(node(number, problem(), **at_work) for number in (1, 2, 3)))["clusters"]["ml"]["nodes"]
    now = findings(of(node(1), node(2, problem(), **at_work), node(4)), "ml", "report")
    found = [each for each in earlier(before, now, "report") if each.node]
    assert {each.node for each in found} == {f"i-{1:017x}", f"i-{3:017x}"}
    assert {each.code for each in found} == {"gpu-xid", "accelerators-disagree"}
    assert {(each.kind, each.severity) for each in found} == {("note", "info")}
    text = next(each.text for each in found if each.code == "accelerators-disagree")
    assert text == f"i-{1:017x}, earlier in this run: The node is unfit, but it accepts jobs in Slurm: its state in Slurm is idle."
