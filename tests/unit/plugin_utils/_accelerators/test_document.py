# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The document of a fleet."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest
from ansible_collections.mlfleet.hyperpod.plugins.plugin_utils._accelerators.document import document

from .fleets import CREATED, cluster, health_answer, node, of, problem


def test_an_unchecked_node_is_never_fit() -> None:
    unseen = [{"what": "dcgmi", "why": "it is not there"}]
    found = of(
        node(1), node(2, not_read="no answer"), node(3, health=health_answer(not_looked_at=unseen)), node(4, has_accelerators=False), node(5, problem())
    )
    assert found["coverage"] == {"nodes": 5, "looked_at": 2, "in_part": 1, "not_looked_at": 1, "without_accelerators": 1}
    assert found["verdicts"] == {"unfit-replace": 0, "unfit-reboot": 1, "unknown": 1, "watch": 0, "fit": 2}
    assert sum(found["verdicts"].values()) == found["coverage"]["nodes"] - found["coverage"]["without_accelerators"]


def test_the_worst_node_comes_first_and_the_document_is_json() -> None:
    found = of(node(1), node(2, problem("gpu-pcie-width", "watch")), node(3, problem(verdict="unfit-replace")), node(4, has_accelerators=False))
    assert [each["verdict"] for each in found["clusters"]["ml"]["nodes"].values()] == ["unfit-replace", "watch", "fit", ""]
    assert json.loads(json.dumps(found)) == found


def test_changes_since_the_last_run_are_listed() -> None:
    before = of(node(1), node(2, problem()), node(9))
    after = of(node(1, problem()), node(2), node(3), before={**before, "created": "2026-11-24T03:00:00Z"})
    ids = {number: f"i-{number:017x}" for number in (1, 2, 3, 9)}
    assert after["changes"]["since"] == "2026-11-24T03:00:00Z"
    assert {each["node"]: (each["was"], each["is"]) for each in after["changes"]["nodes"]} == {
        ids[1]: ("fit", "unfit-reboot"),
        ids[2]: ("unfit-reboot", "fit"),
        ids[3]: ("not there", "fit"),
        ids[9]: ("fit", "not there"),
    }
    assert of(node(1))["changes"] == {"since": "", "nodes": []}


def test_nodes_of_an_unread_cluster_are_no_changes() -> None:
    one, none = of(node(1)), document([cluster(failure="it failed")], created=CREATED)
    other = document([cluster(node(1), key="other")], created=CREATED)
    for before, clusters in ((one, [cluster(failure="it failed")]), (none, [cluster(node(1))]), (other, [cluster(node(1))])):
        assert document(clusters, created=CREATED, before=before)["changes"]["nodes"] == []


def test_version_differences_within_a_type_are_listed() -> None:
    old = health_answer(versions={"driver": "550.1", "cuda": "12.8"})
    (row,) = of(node(1), node(2), node(3, health=old))["skew"]
    assert (row["what"], row["instance_type"]) == ("driver", "ml.p5.48xlarge")
    assert row["versions"] == {"550.1": [f"i-{3:017x}"], "570.172.08": [f"i-{1:017x}", f"i-{2:017x}"]}


def test_versions_may_differ_between_images() -> None:
    old, newer = health_answer(versions={"driver": "550.1"}), health_answer(versions={"driver": "580.1"})
    two = [node(1, image="a"), node(2, image="a"), node(3, health=old, image="b")]
    assert of(*two)["skew"] == []
    (row,) = of(*two, node(4, health=newer, image="b"))["skew"]
    assert (row["image"], row["versions"]) == ("b", {"550.1": [f"i-{3:017x}"], "580.1": [f"i-{4:017x}"]})
    assert len(of(node(1), node(3, health=old))["skew"]) == 1, "the image is unknown"
    assert of(*two)["clusters"]["ml"]["nodes"][f"i-{3:017x}"]["image"] == "b"


def test_contradictions_are_reported() -> None:
    found = of(
        node(1, slurm="drained", slurm_reason="cooling"), node(2, hyperpod="Failure"), node(3, problem(), slurm="mixed"), node(4, slurm="idle")
    )
    nodes = found["clusters"]["ml"]["nodes"]
    contradictions = {iid: each["known"]["disagrees"] for iid, each in nodes.items()}
    assert contradictions[f"i-{1:017x}"] == ["Slurm reports state drained (cooling), but the accelerator check found nothing that makes the node unfit."]
    assert contradictions[f"i-{2:017x}"] == ["HyperPod reports status Failure, but the accelerator check found nothing that makes the node unfit."]
    assert contradictions[f"i-{3:017x}"] == ["The node is unfit, but it accepts jobs in Slurm: its state in Slurm is mixed."]
    assert contradictions[f"i-{4:017x}"] == []


def test_each_field_is_documented() -> None:
    page = (Path(__file__).resolve().parents[4] / "docs/reference/accelerator-report.md").read_text()
    words = set(re.findall(r"`(\w+)`", page))
    found = of(node(1, problem()))
    (cluster_,) = found["clusters"].values()
    (one,) = cluster_["nodes"].values()
    parts = (found["coverage"], found["changes"], found["before"], found["actions"][0])
    for fields in (found, *parts, cluster_, one, one["known"], one["service"], one["gpus"][0]):
        assert sorted(set(fields) - words) == []


def test_the_answer_of_a_node_is_kept() -> None:
    given = {"waived": [problem(verdict="watch")], "not_looked_at": [{"what": "dcgmi", "why": "it is not there"}]}
    answer = health_answer(problem(), **given)
    (found,) = of(node(1, health=answer))["clusters"]["ml"]["nodes"].values()
    names = {name: name for name in ("gpus", "expected", "problems", "looked_at", "not_looked_at")} | {"software": "versions"}
    assert {name: found[name] for name in names} == {name: answer[other] for name, other in names.items()} and len(found["waived"]) == 1
    (unseen,) = of(node(2, not_read="no answer"))["clusters"]["ml"]["nodes"].values()
    assert {name: unseen[name] for name in names} == {name: {} if name in ("expected", "software") else [] for name in names}


@pytest.mark.parametrize("what", ["driver", "cuda", "efa_installer", "libfabric", "ofi_nccl", "nccl", "fabric_manager"])
def test_only_relevant_versions_are_compared(what: str) -> None:
    one, two = (node(number, health=health_answer(versions={what: f"{number}.0", "other": f"{number}"})) for number in (1, 2))
    versions = {"1.0": [one.instance_id], "2.0": [two.instance_id]}
    assert of(one, two)["skew"] == [{"cluster": "ml", "instance_type": "ml.p5.48xlarge", "image": "", "what": what, "versions": versions}]


def test_an_earlier_report_must_have_the_same_schema() -> None:
    assert of(node(1))["schema"] == 1 and of(node(1))["clusters"]["ml"]["slurm_asked"] is True
