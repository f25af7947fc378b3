# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""All facts of a node, and the values for the filter."""

from __future__ import annotations

from ansible_collections.mlfleet.hyperpod.plugins.plugin_utils._accelerators.page.fleet import Fleet
from ansible_collections.mlfleet.hyperpod.plugins.plugin_utils._accelerators.page.nodes import nodes
from simulated.accelerator_report import documented, hung, iid, node, report, silent
from simulated.read_html import Element, read


def _list(*entries: dict) -> Element:
    cluster = {"arn": "", "account": "", "region": "", "failure": "", "nodes": {f"i-{index}": each for index, each in enumerate(entries)}}
    return read(nodes(Fleet(documented({"research": cluster}))).markup)


def _rows(entry: Element) -> dict[str, str]:
    return {name.text: value.text for name, value in zip(entry.named("dt"), entry.named("dd"))}


def test_the_worst_nodes_come_first() -> None:
    found = read(nodes(Fleet(report(64))).markup)
    entries = [each for each in found.named("details") if "id" in each.attributes]
    assert [each.attributes["data-verdict"] for each in entries[:5]] == ["unfit-replace", "unfit-reboot", "unknown", "unknown", "unknown"]
    assert entries[-1].attributes["data-verdict"] == "none"
    assert entries[0].named("summary")[0].text == f"R {iid(7)} · ip-10-1-0-7 · unfit: replace · gpu-xid, gpu-missing"


def test_a_node_is_shown_with_all_its_facts() -> None:
    (entry,) = _list(hung(1)).named("details")
    rows = _rows(entry)
    assert rows["findings"] == f"B gpu-xid · GPU 5 (0000:58:00.0): {hung(1)['problems'][0]['text']}"
    assert rows["jobs"] == "runs 4711 of alice"
    assert rows["expected"] == "8 GPUs, 32 EFA devices (source: EC2)"
    assert rows["software"].startswith("driver 570.172.08 · cuda 12.8")
    assert "GPU 5 (0000:58:00.0) 1650522003805 B unfit: reboot" in rows["GPUs"]
    assert (entry.attributes["data-cluster"], entry.attributes["data-group"]) == ("0", "p5-train")


def test_a_node_that_could_not_be_checked_is_shown() -> None:
    (entry,) = _list(silent(1)).named("details")
    rows = _rows(entry)
    assert rows["not checked"] == "ssh: no answer within 30 seconds"
    assert {"findings", "GPUs", "software", "checked", "jobs"} & set(rows) == set()


def test_the_state_and_actions_of_hyperpod_are_shown() -> None:
    known = {"hyperpod": "SystemUpdating", "hyperpod_message": "<b>new</b> image"}
    busy = node(1, known=known, service={"does": "HyperPod reports status SystemUpdating", "since": "2026-11-25T02:19:00Z"})
    rows = _rows(_list(busy).named("details")[0])
    assert rows["HyperPod"] == "SystemUpdating: <b>new</b> image"
    assert rows["service"] == "HyperPod reports status SystemUpdating since 2026-11-25 02:19 UTC"
    idle = node(1, service={"does": "", "since": ""})
    assert "service" not in _rows(_list(idle).named("details")[0])


def test_the_state_of_kubernetes_is_shown() -> None:
    labels = {"health_status": "Unschedulable", "deep_health_check": "", "fault_types": "", "fault_reasons": "", "node_pool": "gpus"}
    state = {"node": "hyperpod-i-1", **labels, "unschedulable": False, "taints": ["a:NoSchedule"], "conditions": []}
    rows = _rows(_list(node(1, known={"kubernetes": state})).named("details")[0])
    assert rows["Kubernetes"] == "hyperpod-i-1 · health status Unschedulable · node pool gpustaint a:NoSchedule", "two entries of a list"
    assert "Kubernetes" not in _rows(_list(node(1, known={"kubernetes": {}})).named("details")[0])


def test_the_filter_offers_existing_values() -> None:
    found = _list(node(1), node(2, instance_group="other"))
    values = {each.attributes["name"]: [one.attributes["value"] for one in each.named("option")] for each in found.named("select")}
    assert values["group"] == ["", "=other", "=p5-train"]
    assert values["cluster"] == ["", "=0"]
    assert values["verdict"] == ["", "=unfit-replace", "=unfit-reboot", "=unknown", "=watch", "=fit", "=none"]
    assert "hidden" in found.at("filter").attributes
