# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The map as a page: it has all nodes, jobs highlight theirs, and untrusted names never become markup."""

from __future__ import annotations

import json
import typing as t

import pytest
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._topology.model import Place
from ansible_collections.mlfleet.hyperpod.plugins.plugin_utils._page.frame import THEME, source_hash
from ansible_collections.mlfleet.hyperpod.plugins.plugin_utils._topology.document import Cluster, document
from ansible_collections.mlfleet.hyperpod.plugins.plugin_utils._topology.page import page
from ansible_collections.mlfleet.hyperpod.plugins.plugin_utils._topology.page.script import SCRIPT
from simulated.read_html import Element, read

from ....module_utils._topology.clusters import article, place

CREATED = "2026-11-25T03:00:00Z"
HOSTILE = "</script></style></title>--><script>document.title='x'</script>\"'><img src=x onerror=alert(1)> &lt;"


def of(*places: Place, before: t.Any = None, failure: str = "") -> dict[str, t.Any]:
    cluster = Cluster("ml", "arn:ml", "111111111111", "us-west-2", places, failure)
    return json.loads(json.dumps(document([cluster], created=CREATED, before=before)))


def seven() -> dict[str, t.Any]:
    return of(*article(i1=("near",), i2=("near", "wide"), i3=("wide",)), place("i-9", state="unhealthy", why="it is cordoned"))


def nodes(found: Element) -> list[Element]:
    return [each for each in found.named("li") if any(isinstance(part, Element) and part.name == "details" for part in each.parts)]


def name(node: Element) -> str:
    return node.named("code")[0].text


def test_all_nodes_are_in_the_boxes_of_their_network_nodes() -> None:
    found = read(page(seven()))
    boxes = {box.named("h4")[0].text: box for box in found.named("section") if box.attributes.get("class") == "layer"}
    assert [name(each) for each in nodes(boxes["Layer 3: nn-32 2 free, 1 used"])] == ["i-3", "i-4", "i-5"]
    assert len(nodes(boxes["Layer 1: nn-1 4 free, 3 used"])) == 7 and len(nodes(found)) == 8
    (unplaced,) = nodes(boxes["No topology data 1 unhealthy"])
    assert name(unplaced) == "i-9" and "it is cordoned" in unplaced.text
    assert {state: found.number(f"ml {state}") for state in ("free", "used", "unhealthy")} == {"free": 4, "used": 3, "unhealthy": 1}


def test_nodes_of_an_ultraserver_are_labelled() -> None:
    joined = [place("a", "n", ultraserver="us-1"), place("b", "n", ultraserver="us-1", state="used"), place("c", "n", ultraserver="us-2")]
    found = read(page(of(*joined, place("d", "n"))))
    assert {name(node): "UltraServer" in node.text and node.text.split()[-1] for node in nodes(found)} == {
        "a": "us-1",
        "b": "us-1",
        "c": "us-2",
        "d": False,
    }
    (most,) = (each.text for each in found.named("li") if each.text.startswith("2 UltraServers"))
    assert most == "2 UltraServers: 1 of 2" and "in one UltraServer" not in read(page(seven())).text


def buttons(found: Element) -> list[Element]:
    return [each for each in found.named("button") if "data-job" in each.attributes]


def pointed(found: Element) -> dict[str, list[str]]:
    """Names of the nodes that each job's button highlights."""
    return {
        each.text: [name(node) for node in nodes(found) if each.attributes["data-job"] in node.attributes.get("data-j", "").split()]
        for each in buttons(found)
    }


def test_jobs_highlight_their_nodes_with_the_widest_job_first() -> None:
    found = read(page(seven()))
    assert [each.text for each in buttons(found)] == ["wide", "near"]
    assert pointed(found) == {"wide": ["i-2", "i-3"], "near": ["i-1", "i-2"]}
    assert found.named("h1")[0].text == "8 nodes in 1 cluster, 1 spread job, 1 node without topology data."


def test_a_job_on_one_node_highlights_it() -> None:
    found = read(page(of(*article(i1=("near",), i2=("near", "small"), i7=("alone",)), place("i-9", state="used", jobs=("lost",)))))
    assert [each.text for each in buttons(found)] == ["near", "alone", "lost", "small"]
    assert pointed(found) == {"near": ["i-1", "i-2"], "alone": ["i-7"], "lost": ["i-9"], "small": ["i-2"]}
    assert "3 jobs on one node" in found.text and "on one node" not in read(page(seven())).text
    alone = read(page(of(*article(i7=("alone",)))))
    assert pointed(alone) == {"alone": ["i-7"]} and "No job is on more than one node." in alone.text


def test_fleets_without_jobs_or_data_are_shown() -> None:
    assert "No job is on more than one node." in read(page(of(*article()))).text
    failed = read(page(of(failure="It was not read.")))
    assert "It was not read." in failed.text and failed.named("h1")[0].text.endswith("1 cluster could not be read.")


def test_changes_are_shown() -> None:
    made = of(*article(), place("i-8", "nn-1"), before=of(*article()))
    assert "i-8 is new, below nn-1" in read(page(made)).text and "Since 2026-11-25 03:00 UTC: 1 change" in read(page(made)).text
    ill = place("i-8", "nn-1", state="unhealthy", why="it is cordoned")
    found = read(page(of(*article(i1=("new",)), ill, before=of(*article(), place("i-8", "nn-1")))))
    assert "Since 2026-11-25 03:00 UTC: 2 changes" in found.text
    assert {"i-8 is unhealthy now: it is cordoned", "job new is new"} <= {each.text for each in found.named("li")}
    assert "0 changes" in read(page(of(*article(), before=of(*article())))).text


def test_the_mermaid_text_equals_that_of_the_document() -> None:
    made = seven()
    (source,) = read(page(made)).named("pre")
    assert source.text == made["clusters"]["ml"]["mermaid"]


def _changed(value: t.Any, change: t.Callable[[str], str], key: str = "") -> t.Any:
    if isinstance(value, dict):
        return {change(each) if key in ("clusters", "nodes") else each: _changed(found, change, each) for each, found in value.items()}
    if isinstance(value, list):
        return [_changed(each, change) for each in value]
    return change(value) if isinstance(value, str) and value and key not in ("state", "created", "compared_with", "what", "mermaid") else value


def _shape(found: Element) -> list[tuple[str, list[str]]]:
    return [(each.name, sorted(each.attributes)) for each in found.all()]


@pytest.mark.parametrize("hostile", [HOSTILE, "\x1b[2J\u202e", "javascript:alert(1)"])
def test_names_are_escaped(hostile: str) -> None:
    of_us_1 = place("i-8", "nn-1", ultraserver="us-1", state="unhealthy", why="it is cordoned")
    places = [*article(i1=("near",), i2=("near", "wide"), i3=("wide", "alone")), of_us_1]
    made = of(*places, before=of(*article(i1=("old",)), place("i-0", "nn-9")))
    plain, strange = (read(page(_changed(made, change))) for change in (lambda text: f"{text}!", lambda text: text + hostile))
    assert _shape(plain) == _shape(strange) and "\x1b" not in strange.text and "\u202e" not in strange.text


def test_the_content_policy_allows_only_the_script_and_style_of_the_page() -> None:
    found = read(page(seven()))
    (policy,) = (each.attributes["content"] for each in found.named("meta") if "http-equiv" in each.attributes)
    assert found.named("script")[0].text == SCRIPT + THEME
    hashes = [source_hash(found.named(name)[0].text) for name in ("style", "script")]
    assert policy.split("; ")[:3] == ["default-src 'none'", f"style-src {hashes[0]}", f"script-src {hashes[1]}"]
    words = ("innerHTML", "outerHTML", "insertAdjacent", "document.write", "eval", "Function", "fetch", "XMLHttp", "import", "</", "<!--")
    assert [word for word in words if word in SCRIPT] == []


@pytest.mark.parametrize(
    ("document_", "mark", "text"),
    [
        (of(*article()), "free", "no job is spread"),
        (of(*article(), place("i-9")), "unknown", "no job is known to be spread, 1 node without topology data"),
        (of(place("i-9")), "unknown", "it is unknown whether jobs are spread, 1 node without topology data"),
        (of(failure="no controller"), "unknown", "1 cluster could not be read"),
    ],
)
def test_unknown_states_are_not_shown_as_good(document_: dict[str, t.Any], mark: str, text: str) -> None:
    (line,) = read(page(document_)).named("h1")
    assert line.attributes["data-v"] == mark and text in line.text
