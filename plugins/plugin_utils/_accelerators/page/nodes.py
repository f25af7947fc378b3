# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The section with all nodes, their details, and the form that filters them."""

from __future__ import annotations

import typing as t

from ansible_collections.mlfleet.hyperpod.plugins.module_utils._accelerators.node.health.problem import FIT
from ansible_collections.mlfleet.hyperpod.plugins.plugin_utils._page.markup import (
    NOTHING,
    Content,
    Html,
    element,
    joined,
    separated,
)
from ansible_collections.mlfleet.hyperpod.plugins.plugin_utils._page.parts import moment, number, section

from ..document import VERSIONS
from ..kubernetes_states import lines as kubernetes
from .findings import Place, anchor, places
from .fleet import NO_ACCELERATORS, WORST_FIRST, Fields, Fleet, Node, known
from .todo import jobs
from .words import WORDS, mark, marked


def nodes(fleet: Fleet) -> Html:
    anchors = places(fleet)
    ordered = sorted(fleet.nodes, key=lambda node: (node.severity, node.number))
    rows = element("div", (_node(fleet, node, anchors) for node in ordered), id="list")
    return section("nodes", joined("Nodes ", number(len(ordered), "node-list")), _form(fleet), rows)


def _form(fleet: Fleet) -> Html:
    """The filter's form. It is hidden until the script shows it, because it has no effect without the script."""
    verdicts = [(verdict or "none", WORDS[verdict]) for verdict in WORST_FIRST]
    clusters = [(str(fleet.number(key)), key) for key in fleet.clusters]
    groups = [(group, group) for group in sorted({node.text("instance_group") for node in fleet.nodes})]
    search = element("label", "Text ", element("input", type="search", name="text", autocomplete="off", spellcheck="false"))
    shown = element("output", name="shown", aria_live="polite")
    parts = [_choice("verdict", verdicts), _choice("cluster", clusters), _choice("group", groups), search]
    clear = element("button", "Show all", type="reset")
    return element("form", *parts, clear, shown, id="filter", role="search", aria_label="Filter for nodes", hidden=True)


def _choice(name: str, options: list[tuple[str, str]]) -> Html:
    rows = [element("option", "any", value=""), *(element("option", words, value=f"={value}") for value, words in options)]
    return element("label", name.capitalize(), " ", element("select", rows, name=name))


def _node(fleet: Fleet, node: Node, anchors: dict[Place, int]) -> Html:
    codes = ", ".join(dict.fromkeys(str(each["code"]) for each in node.parts("problems")))
    title: list[Content] = [element("code", node.iid), node.text("host"), WORDS[node.verdict], codes]
    summary = element("summary", mark(node.verdict), " ", separated(" · ", title))
    return element(
        "details",
        summary,
        element("dl", (_row(*each) for each in _rows(node, anchors))),
        id=node.anchor,
        data_verdict=node.verdict or "none",
        data_cluster=fleet.number(node.cluster),
        data_group=node.text("instance_group"),
    )


def _row(name: str, content: Content) -> Html:
    made = joined(content)
    return joined(element("dt", name), element("dd", made)) if made.markup else NOTHING


def _rows(node: Node, anchors: dict[Place, int]) -> list[tuple[str, Content]]:
    state, expected = node.part("known"), node.part("expected")
    slurm = separated(": ", [str(state.get("slurm") or ""), str(state.get("slurm_reason") or "")])
    return [
        ("not checked", node.text("not_read")),
        ("findings", _problems(node, anchors)),
        ("waived", ", ".join(f"{each['code']} {each['part']} until {each['until']}" for each in node.parts("waived"))),
        ("GPUs", _gpus(node)),
        ("jobs", jobs(state)),
        ("Slurm", slurm),
        ("Kubernetes", _lines(kubernetes(state.get("kubernetes") or {}))),
        ("HyperPod", separated(": ", [str(state.get("hyperpod") or ""), str(state.get("hyperpod_message") or "")])),
        ("service", _service(node.part("service"))),
        ("disagreement", _lines([str(each) for each in state.get("disagrees") or ()])),
        ("cluster", node.cluster),
        ("group", node.text("instance_group")),
        ("type", separated(" · ", [node.text("instance_type"), node.text("node_type")])),
        ("address", node.text("private_ip")),
        ("image", node.text("image")),
        ("expected", _expected(expected)),
        ("software", " · ".join(f"{name} {node.part('software')[name]}" for name in VERSIONS if node.part("software").get(name))),
        ("checked", ", ".join(map(str, node.parts("looked_at")))),
        ("parts not checked", _lines([f"{each['what']}: {each['why']}" for each in node.parts("not_looked_at")])),
    ]


def _service(service: Fields) -> Html:
    return joined(str(service["does"]), " since ", moment(str(service["since"]))) if service.get("does") else NOTHING


def _problems(node: Node, anchors: dict[Place, int]) -> Html:
    rows = []
    for each in node.parts("problems"):
        place = anchor(anchors[str(each["cause"]), str(each["code"])])
        code = element("a", element("code", each["code"]), href=f"#{place}")
        head = separated(" · ", [joined(mark(known(str(each["verdict"]))), " ", code), str(each["part"])])
        rows.append(element("li", head, ": ", each["text"]))
    return element("ul", rows) if rows else NOTHING


def _gpus(node: Node) -> Html:
    """The GPUs with their serial numbers, and with the verdicts of those that are not fit."""
    rows = [_gpu(known(str(gpu["verdict"])), str(gpu["part"]), str(gpu["key"])) for gpu in node.parts("gpus")]
    return element("ul", rows, class_="gpus") if rows else NOTHING


def _gpu(verdict: str, part: str, key: str) -> Html:
    state = NOTHING if verdict in (FIT, NO_ACCELERATORS) else joined(" ", marked(verdict))
    serial = element("span", " ", key, class_="dim") if key else NOTHING
    return element("li", part, serial, state)


def _expected(expected: t.Mapping[str, t.Any]) -> str:
    if not expected:
        return ""
    parts = (("gpus", "GPUs"), ("efa_devices", "EFA devices"), ("neuron_devices", "Neuron devices"))
    found = ", ".join(f"{expected[key]} {name}" for key, name in parts if expected.get(key))
    return f"{found or 'nothing'} (source: {expected.get('source') or 'unknown'})"


def _lines(lines: list[str]) -> Html:
    return element("ul", (element("li", line) for line in lines)) if lines else NOTHING
