# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""One cell per GPU, with a letter and a title."""

from __future__ import annotations

import typing as t

from ansible_collections.mlfleet.hyperpod.plugins.plugin_utils._accelerators.page.fleet import Fleet
from ansible_collections.mlfleet.hyperpod.plugins.plugin_utils._accelerators.page.matrix import matrix
from simulated.accelerator_report import documented, gpus, node, other
from simulated.read_html import Element, read


def _lines(**nodes: dict[str, t.Any]) -> dict[str, Element]:
    cluster = {"arn": "", "account": "", "region": "", "failure": "", "nodes": nodes}
    found = read(matrix(Fleet(documented({"research": cluster}))).markup)
    return {each.named("code")[0].text: each for each in found.named("a")}


def _cells(line: Element) -> str:
    return "".join(each.text for each in line.named("i"))


def test_each_gpu_has_its_letter() -> None:
    several = gpus(_0="watch", _2="unfit-reboot", _5="unknown", _7="unfit-replace")
    (line,) = _lines(a=node(1, verdict="unfit-replace", gpus=several)).values()
    assert _cells(line) == "W·B··?·R"
    assert [each.attributes["data-v"] for each in line.named("i")][2] == "unfit-reboot"
    assert line.named("i")[2].attributes["title"] == "GPU 2 (0000:55:00.0): unfit: reboot"
    label = "a: unfit: replace; GPUs: 1 watch, 4 fit, 1 unfit: reboot, 1 unknown, 1 unfit: replace"
    assert (line.attributes["aria-label"], line.attributes["href"]) == (label, "#n0")


def test_a_missing_gpu_is_not_fit() -> None:
    (line,) = _lines(a=node(1, verdict="unfit-replace", gpus=gpus(6))).values()
    assert _cells(line) == "······MM"


def test_gpus_that_were_not_read_are_unknown() -> None:
    lines = _lines(
        a=node(1, verdict="unknown", not_read="no answer", gpus=[]),
        b=node(2, verdict="unknown", gpus=[]),
        c=node(3, verdict="unknown", not_read="no answer", gpus=[], expected={}),
    )
    assert [_cells(each) for each in lines.values()] == ["????????", "????????", ""]
    assert lines["c"].text == "?cno GPUs known"


def test_nodes_without_gpus_have_no_cells() -> None:
    lines = _lines(a=other(1), b=other(2))
    assert {name: line.text for name, line in lines.items()} == {"b": "·b16 Neuron devices"}
