# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The checks before the jobs: the options of the modules, and the verdicts on their answers."""

from __future__ import annotations

import typing as t

import pytest
from ansible_collections.mlfleet.hyperpod.plugins.plugin_utils.views.verify_training import checks as views

from .given import BROKEN, CPU, G5, P5, PASSED, iid, row, variables, without_hyperpod

NODES = {"verdict": "passed", "text": "2 nodes.", "problems": []}
FIT = {"verdict": "fit", "problems": []}


def test_nodes_are_compared_with_all_images() -> None:
    model = {"verify_training_model": "a/b", "verify_training_model_image": "mine:1"}
    for given, images in ((model, ["pytorch:2", "mine:1"]), ({**model, "verify_training_model_image": "pytorch:2"}, ["pytorch:2"]), ({}, ["pytorch:2"])):
        made = views.nodes(variables(**given))
        assert made is not None and made.images == images


def test_versions_of_nodes_and_images_are_kept_for_the_report() -> None:
    rows = [{"driver": "580.1", "architecture": "amd64"}, {"driver": "", "architecture": "amd64"}]
    images = [{"cuda": "13.0", "minimum_driver": "580"}, {"cuda": "", "minimum_driver": ""}]
    given = variables(__verify_training_nodes_read={"training_nodes": {"nodes": rows, "images": images}})
    assert views.software(given) == {"driver": ["580.1", ""], "architecture": ["amd64"], "minimum_driver": ["580 for CUDA 13.0", ""]}
    assert views.software(variables()) == {"driver": [], "architecture": [], "minimum_driver": []}


def last(checks: list[dict[str, t.Any]]) -> tuple[str, str]:
    return checks[-1]["name"], checks[-1]["verdict"]


def test_nodes_are_counted_by_type() -> None:
    made = views.nodes(variables())
    assert made is not None and (made.nodes[0], made.instance_type, made.gpus, made.efa_devices) == (f"hyperpod-{iid(1)}", P5["name"], 8, 32)
    assert made.planned == [{"instance_type": P5["name"], "count": 2}]
    assert views.nodes(variables(("a", CPU["name"]))) is None


EC2 = {"__verify_training_types_seen": [{**P5, "name": "p5.48xlarge"}]}


def test_nodes_without_hyperpod_have_their_own_names_and_prices() -> None:
    given = without_hyperpod(**EC2)
    made, measured = views.nodes(given), views.nccl(given)
    assert made is not None and (made.nodes, made.efa_devices) == (["ip-1", "ip-2"], 32)
    assert made.planned == [{"kind": "ec2_instance", "instance_type": "p5.48xlarge", "count": 2}]
    assert [each["node"] for each in views.health(given)] == ["ip-1", "ip-2"]
    assert measured is not None and (measured.instance_ids, measured.nodes) == ([iid(1), iid(2)], ["ip-1", "ip-2"])


@pytest.mark.parametrize(
    ("verdict", "rows", "given", "expected"),
    [
        ("passed", [row(1), row(2, differences=["Other."])], {}, ("failed", ["node-contradicts-ec2"])),
        ("passed", [row(1), row(2, unknown="Why.")], {}, ("not_run", ["instance-unknown"])),
        ("failed", [row(1), row(2, unknown="Why.")], {}, ("failed", ["instance-unknown"])),
        ("passed", [row(1), row(2, unknown="Why.")], {"verify_training_groups": ["gpus"]}, ("passed", [])),
        ("passed", [row(1), row(2, unknown="Why.", gpus=0)], {}, ("passed", [])),
        ("passed", [row(1), row(2, differences=["Other."])], {"verify_training_nodes": [iid(1)]}, ("passed", [])),
    ],
)
def test_instances_that_contradict_ec2_or_are_unknown(
    verdict: str, rows: list[t.Any], given: dict[str, t.Any], expected: tuple[str, list[str]]
) -> None:
    returned = {"training_nodes": {**NODES, "verdict": verdict}}
    (made,) = views.nodes_checked(
        without_hyperpod(*rows, **EC2, **given, __verify_training_checks=[], __verify_training_nodes_read=returned)
    )
    assert (made["verdict"], [each["code"] for each in made["problems"]]) == expected


@pytest.mark.parametrize(
    ("returned", "expected"),
    [
        ({"training_nodes": NODES}, ("nodes", "passed")),
        ({"training_nodes": {**NODES, "verdict": "failed"}}, ("nodes", "failed")),
        ({"failed": True, "msg": "403"}, ("nodes", "not_run")),
    ],
)
def test_the_nodes_are_checked(returned: t.Any, expected: tuple[str, str]) -> None:
    made = views.nodes_checked(variables(__verify_training_checks=[], __verify_training_nodes_read=returned))
    assert len(made) == 1 and last(made) == expected


def test_nodes_that_are_not_idle_are_left_out() -> None:
    read = {"training_nodes": {**NODES, "left_out": [f"hyperpod-{iid(1)}"]}}
    assert views.left_out(variables(__verify_training_nodes_read=read)) == [f"hyperpod-{iid(1)}"]
    assert views.left_out(variables(__verify_training_nodes_read={"failed": True})) == []
    made = views.health(variables(__verify_training_left_out=[f"hyperpod-{iid(1)}"]))
    assert [each["instance_id"] for each in made] == [iid(2)]
    assert views.health(variables(__verify_training_left_out=[f"hyperpod-{iid(number)}" for number in (1, 2)])) == []


def test_the_health_check_depends_on_the_devices_of_the_type() -> None:
    made, few = views.health(variables()), views.health(variables(("a", G5["name"])))
    assert [each["instance_id"] for each in made] == [iid(1), iid(2)]
    expected = {"instance_type": P5["name"], "expected_gpus": 8, "expected_efa_devices": 32}
    assert made[0] == {"instance_id": iid(1), "node": f"hyperpod-{iid(1)}", **expected}
    assert "expected_efa_devices" not in few[0]


@pytest.mark.parametrize("given", [{"verify_training_health": "no"}, {"__verify_training_checks": BROKEN}])
def test_the_health_is_not_read_without_a_request(given: dict[str, t.Any]) -> None:
    assert views.health(variables(**given)) == []


@pytest.mark.parametrize(
    ("returned", "given", "expected"),
    [
        ({"nodes": [{"instance_id": iid(1), "health": FIT, "why": ""}]}, {}, "passed"),
        ({"nodes": [{"instance_id": iid(1), "health": None, "why": "No Pod."}]}, {}, "not_run"),
        ({"nodes": [{"instance_id": iid(1), "health": {**FIT, "verdict": "unfit-reboot"}, "why": ""}]}, {}, "failed"),
        ({"failed": True, "msg": "403"}, {}, "not_run"),
        ({"skipped": True}, {}, "not_run"),
        ({"skipped": True}, {"verify_training_health": False}, "skipped"),
        ({"nodes": [{"instance_id": iid(1), "health": None, "why": "Check mode."}]}, {"ansible_check_mode": True}, "not_run"),
        ({"failed": True, "msg": "A foreign namespace."}, {"ansible_check_mode": True}, "not_run"),
    ],
)
def test_the_health_is_checked(returned: t.Any, given: dict[str, t.Any], expected: str) -> None:
    made = views.health_checked(variables(__verify_training_checks=PASSED[:1], __verify_training_health_read=returned, **given))
    assert len(made) == 2 and last(made) == ("health", expected)


def test_check_mode_lists_the_objects_of_health_and_network() -> None:
    health, nccl = ([{"kind": "Job", "namespace": "ours", "name": f"{name}-*", "node": ""}] for name in ("look", "nccl"))
    read = {
        "__verify_training_health_read": {"nodes": [{"instance_id": iid(1), "health": None, "why": "Check mode."}], "would_create": health},
        "__verify_training_nccl_read": {"nccl_test": {"verdict": "not_run", "failure": "check-mode"}, "would_create": nccl},
    }
    given = variables(ansible_check_mode=True, __verify_training_checks=PASSED[:1], **read)
    assert views.health(given) and views.nccl(given) and views.would_create(given) == {"health": health, "nccl": nccl}
    assert views.health_checked(given)[-1]["problems"] == views.nccl_checked(given)[-1]["problems"] == []
    busy = {"__verify_training_nccl_read": {"nccl_test": {"verdict": "not_run", "failure": "jobs"}}}
    assert views.nccl_checked({**given, **busy})[-1]["problems"][0]["code"] == "nccl-jobs"


def test_the_network_is_measured_between_several_nodes() -> None:
    made = views.nccl(variables())
    assert made == views.Nccl([iid(1), iid(2)], [f"hyperpod-{iid(1)}", f"hyperpod-{iid(2)}"], P5["name"], 8, efa=True)
    assert views.nccl(variables(("a", P5["name"]))) is None


@pytest.mark.parametrize(
    ("returned", "nodes", "given", "expected"),
    [
        ({"nccl_test": {"verdict": "passed", "bandwidth": 466.0, "carried_by": "EFA"}}, 2, {}, "passed"),
        ({"nccl_test": {"verdict": "slow", "bandwidth": 46.0}}, 2, {}, "failed"),
        ({"nccl_test": {"verdict": "not_run", "failure": "image"}}, 2, {}, "not_run"),
        ({"nccl_test": {"verdict": "fine"}}, 2, {}, "not_run"),
        ({"failed": True, "msg": "403"}, 2, {}, "not_run"),
        ({"skipped": True}, 1, {}, "skipped"),
        ({"skipped": True}, 2, {"verify_training_nccl": False}, "skipped"),
        ({"nccl_test": {"verdict": "not_run", "failure": "check-mode"}}, 2, {"ansible_check_mode": True}, "not_run"),
        ({"skipped": True}, 2, {"__verify_training_checks": BROKEN}, "not_run"),
    ],
)
def test_the_network_is_checked(returned: t.Any, nodes: int, given: dict[str, t.Any], expected: str) -> None:
    made = views.nccl_checked(variables(*[("a", P5["name"])] * nodes, **{"__verify_training_nccl_read": returned, **given}))
    assert last(made) == ("nccl", expected)
