# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Findings are grouped by cause and code; equal texts of several nodes are shown once."""

from __future__ import annotations

import typing as t

from ansible_collections.mlfleet.hyperpod.plugins.plugin_utils._accelerators.page.findings import findings, waivers
from ansible_collections.mlfleet.hyperpod.plugins.plugin_utils._accelerators.page.fleet import Fleet
from simulated.accelerator_report import documented, node, problem
from simulated.read_html import Element, read

MISSING = problem("efa-missing", "unfit-reboot", "fabric", "The node has fewer EFA devices than its type.")
JOB = problem("gpu-xid", "fit", "workload", "Xid 31 of python3.", part="GPU 0")
FELL = problem("gpu-xid", "unfit-replace", "hardware", "Xid 79.", part="GPU 3", evidence="NVRM: Xid", folded=["Xid 43", "Xid 154"])
HOT = problem("gpu-hot", "watch", "hardware", "GPU 6 is hot.", part="GPU 6")


def _fleet(**nodes: dict[str, t.Any]) -> Fleet:
    return Fleet(documented({"research": {"arn": "", "account": "", "region": "", "failure": "", "nodes": nodes}}))


def _found(fleet: Fleet) -> Element:
    return read(findings(fleet).markup)


def test_causes_are_ordered_and_the_worst_code_comes_first() -> None:
    found = _found(_fleet(a=node(1, problems=[JOB, MISSING, HOT]), b=node(2, problems=[FELL, {**JOB, "cause": "odd"}])))
    assert [each.text for each in found.named("h3")] == ["Hardware 2", "Fabric 1", "Workload 1", "odd 1"]
    assert [each.named("code")[0].text for each in found.named("summary") if each.named("code")] == ["gpu-xid", "gpu-hot", "efa-missing", "gpu-xid", "gpu-xid"]


def test_equal_texts_of_two_nodes_are_shown_once() -> None:
    found = _found(_fleet(a=node(1, problems=[MISSING]), b=node(2, problems=[MISSING])))
    assert found.text.count(MISSING["text"]) == 1
    assert [each.attributes["href"] for each in found.named("a")] == ["#n0", "#n1"]
    assert "2 findings on 2 nodes, worst: unfit: reboot" in found.text


def test_findings_that_make_a_node_unfit_are_expanded() -> None:
    found = _found(_fleet(a=node(1, problems=[FELL, MISSING, HOT, JOB])))
    assert {each.named("code")[0].text: "open" in each.attributes for each in found.having("id") if each.name == "details"} == {
        "gpu-xid": False,
        "gpu-hot": False,
        "efa-missing": True,
    }
    first = found.named("details")[0]
    assert "open" in first.attributes and first.named("q")[0].text == "NVRM: Xid"
    assert [each.text for each in first.named("details")[1].named("li")] == ["Xid 43", "Xid 154"]


def test_problems_of_jobs_are_marked_as_harmless_for_nodes() -> None:
    assert "1 finding on 1 node, makes no node unfit" in _found(_fleet(a=node(1, problems=[JOB]))).text


def test_waivers_show_end_and_reason() -> None:
    waived = {**HOT, "until": "2026-12-01", "why": "ticket 4711"}
    found = read(waivers(_fleet(a=node(1, waived=[waived]))).markup)
    assert "gpu-hot until 2026-12-01: ticket 4711" in found.text
    assert found.number("waived") == 1


def test_without_findings_none_is_shown() -> None:
    fleet = _fleet(a=node(1))
    assert _found(fleet).text == "Findings 0None."
    assert read(waivers(fleet).markup).text == "Waived 0None."
