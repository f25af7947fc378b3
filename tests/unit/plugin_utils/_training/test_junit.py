# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The report as JUnit."""

from __future__ import annotations

import collections
from xml.etree import ElementTree

from ansible_collections.mlfleet.hyperpod.plugins.plugin_utils._training.junit import to_junit
from ansible_collections.mlfleet.hyperpod.plugins.plugin_utils._training.unverified import Unverified
from ansible_collections.mlfleet.hyperpod.plugins.plugin_utils.findings.report_text import INVENTORY
from simulated.training_report import NOT_SHARED, cluster, report, trained, unshared

ILL = "\x00\x1b\ufffe<&\"'"


def cases(text: str) -> dict[str, dict[str, ElementTree.Element | None]]:
    """The elements of cases by cluster and check; None for a passed one."""
    suites = ElementTree.fromstring(text)
    return {suite.attrib["name"]: {case.attrib["name"]: next(iter(case), None) for case in suite} for suite in suites}


def test_each_check_of_a_cluster_is_a_case() -> None:
    found = cases(to_junit(report()))
    names = ["nodes", "health", "nccl", "storage", "train", "resume", "survive", "recover"]
    assert {key: list(each) for key, each in found.items()} == {"production": names, "research": names}
    assert set(found["production"].values()) == {None}
    tags = {name: "" if each is None else each.tag for name, each in found["research"].items()}
    assert tags == dict(zip(names, ("", "error", "", "failure", "failure", "error", "skipped", "skipped")))
    failed = found["research"]["train"]
    assert failed is not None and failed.attrib == {"type": "storage-not-shared", "message": NOT_SHARED}
    assert failed.text == f"storage-not-shared: {NOT_SHARED}"


def test_failures_and_errors_are_counted() -> None:
    root = ElementTree.fromstring(to_junit(report()))
    assert [root.attrib[name] for name in ("tests", "failures", "errors")] == ["16", "2", "2"]
    assert [[suite.attrib[name] for name in ("tests", "failures", "errors", "skipped")] for suite in root] == [
        ["8", "0", "0", "0"],
        ["8", "2", "2", "2"],
    ]
    assert root[0].attrib["timestamp"] == "2026-11-29T03:00:00"


def test_nodes_that_no_job_verifies_are_skipped_cases() -> None:
    left = (Unverified("trn", "Neuron devices"),)
    found = to_junit(report({"ml": trained(unverified=left)}))
    case = cases(found)["ml"]["trn (Neuron devices)"]
    assert case is not None and case.tag == "skipped" and ElementTree.fromstring(found)[0].attrib["skipped"] == "1"


def test_an_unknown_verdict_and_a_cluster_without_checks_are_no_success() -> None:
    document = report({"ml": cluster(why="No node.")}, not_read=["us-east-1"])
    assert collections.Counter(each is not None and each.tag for each in cases(to_junit(document))["ml"].values()) == {"error": 8}
    assert [each is not None and each.tag for each in cases(to_junit(document))[INVENTORY].values()] == ["error"]
    document = report({"ml": trained()})
    document["clusters"]["ml"]["checks"][0]["verdict"] = "good"
    made = cases(to_junit(document))["ml"]["nodes"]
    assert made is not None and (made.tag, made.attrib["type"]) == ("error", "good")


def test_hostile_texts_are_valid_xml() -> None:
    document = report({f"ml{ILL}": unshared()})
    for check in document["clusters"][f"ml{ILL}"]["checks"]:
        check.update(text=ILL, problems=[{"code": ILL, "text": ILL}])
    (found,) = cases(to_junit(document)).values()
    assert found["train"] is not None and found["train"].attrib["message"] == "???<&\"'"
