# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The report as JUnit XML for build servers."""

from __future__ import annotations

import typing as t
from xml.etree import ElementTree

from ansible_collections.mlfleet.hyperpod.plugins.module_utils._training.model import FAILED, PASSED
from ansible_collections.mlfleet.hyperpod.plugins.plugin_utils.findings.report_text import INVENTORY
from ansible_collections.mlfleet.hyperpod.plugins.plugin_utils.reports import junit

from .checks import SKIPPED

ELEMENTS = {PASSED: "", FAILED: "failure", SKIPPED: SKIPPED}
"""The JUnit element, keyed by verdict. Other verdicts are errors, because a check that did not run proves nothing."""
Document = t.Mapping[str, t.Any]


def to_junit(document: Document) -> str:
    """The report, with one suite per cluster and one case per check."""
    root = ElementTree.Element("testsuites", name="mlfleet.hyperpod training")
    for key, cluster in document["clusters"].items():
        suite = junit.add_suite(root, key, timestamp=document["created"].rstrip("Z"))
        for check in cluster["checks"]:
            _add(suite, key, check)
        for each in cluster["unverified"]:
            junit.add_case(suite, key, each, SKIPPED, kind=SKIPPED, message="No training job verified these nodes.")
        skipped = sum(1 for check in cluster["checks"] if check["verdict"] == SKIPPED)
        suite.set("skipped", str(skipped + len(cluster["unverified"])))
    if document["inventory_failures"]:
        suite = junit.add_suite(root, INVENTORY)
        for number, sentence in enumerate(document["inventory_failures"], start=1):
            junit.add_case(suite, INVENTORY, f"part {number}", "error", kind="unknown", message=sentence)
    return junit.counted(root)


def _add(suite: ElementTree.Element, key: str, check: Document) -> None:
    element, problems = ELEMENTS.get(check["verdict"], "error"), check["problems"]
    kind = problems[0]["code"] if problems else check["verdict"]
    text = "\n".join(f"{each['code']}: {each['text']}" for each in problems)
    junit.add_case(suite, key, check["name"], element, kind=junit.xml(kind), message=check["text"], text=text)
