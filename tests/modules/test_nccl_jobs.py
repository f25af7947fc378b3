# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""nccl_jobs: bad input without an API server, and tests of nodes by pods on one in memory."""

from __future__ import annotations

import pytest
from lab.accelerators.nccl import AllReduce
from unit.module_utils._accelerators.kubernetes.nccl.tested import (
    JOBS,
    NAMESPACE,
    SERVICES,
    WAITING,
    Measured,
    ended,
    iid,
    name,
    working,
)
from unit.module_utils._karpenter.proof.api_server import Server, kubeconfig

TYPE = "ml.p5.48xlarge"
GIVEN = {"instance_ids": [iid(1), iid(2)], "instance_type": TYPE, "gpus": 8, "image": "pytorch:2"}


@pytest.mark.parametrize(
    ("given", "message"),
    [
        ({"instance_ids": ["i-1", iid(2)]}, "instance_ids: 'i-1' is not allowed"),
        ({"instance_ids": [iid(1), iid(1)]}, "is not allowed: it is given more than once"),
        ({"instance_ids": [iid(1)]}, "instance_ids: too few nodes (1), because a test between nodes requires at least two."),
        ({"image": "a b"}, "image: 'a b' is not allowed"),
        ({"namespace": "A"}, "namespace: 'A' is not allowed"),
        ({"namespace": "hyperpod-ns-vision"}, "namespace: 'hyperpod-ns-vision' is not allowed: submitters of the team may write to it"),
        ({"gpus": 17}, "gpus: 17 is not allowed. Allowed: 1 to 16."),
        ({"bytes": 1}, "bytes: 1 is not allowed"),
        ({"reference": 0}, "reference: 0.0 is not allowed"),
        ({"floor_percent": 0}, "floor_percent: 0 is not allowed"),
        ({"timeout": 59}, "timeout: 59 is not allowed"),
        ({"queue_timeout": 0}, "queue_timeout: 0 is not allowed"),
        ({"start_timeout": 9}, "start_timeout: 9 is not allowed"),
        ({"poll_interval": 0}, "poll_interval: 0 is not allowed"),
        ({"kubeconfig": "/nonexistent"}, "kubeconfig: /nonexistent is unusable: "),
    ],
)
@pytest.mark.slow
def test_bad_input_is_refused_before_any_request(simulator, given, message):
    refused = simulator.run("nccl_jobs", **{**GIVEN, **given})
    assert refused["failed"] and message in refused["msg"], refused


@pytest.fixture
def world():
    return Measured(1, 2)


@pytest.fixture
def options(world, tmp_path):
    with Server(world) as kubernetes:
        yield {**GIVEN, "kubeconfig": kubeconfig(kubernetes, tmp_path), "namespace": NAMESPACE, "poll_interval": 1}


@pytest.mark.parametrize("check", [True, False])
def test_a_foreign_namespace_is_refused_before_anything_is_created(simulator, world, options, check):
    world.there[f"/api/v1/namespaces/{NAMESPACE}"] = {"metadata": {"name": NAMESPACE}}
    refused = simulator.run("nccl_jobs", check=check, **options)
    assert refused["failed"] and f"namespace: '{NAMESPACE}' is not allowed: it exists without the label" in refused["msg"], refused
    assert [method for method, _path in world.asked if method != "GET"] == []


def test_two_nodes_are_measured_and_no_object_is_left(simulator, world, options):
    done = simulator.run("nccl_jobs", **options)
    assert not done.get("failed") and done["changed"] is False and done["changes"] == [] and world.there == {}, done
    test = done["nccl_test"]
    assert (test["verdict"], test["bandwidth"], test["carried_by"], test["bytes"]) == ("passed", 466.0, "EFA", 2**32), test
    assert (test["instance_ids"], test["nodes"]) == ([iid(1), iid(2)], [name(1), name(2)]) and "addresses" not in test
    assert [path for method, path in world.asked if method == "POST"] == [JOBS, SERVICES, JOBS] and done["hyperpod_findings"] == []


def test_check_mode_creates_nothing(simulator, world, options):
    done = simulator.run("nccl_jobs", check=True, **options)
    assert {method for method, _path in world.asked} == {"GET"}, world.asked
    assert (done["nccl_test"]["verdict"], done["nccl_test"]["failure"]) == ("not_run", "check-mode") and done["changed"] is False, done
    names = [("Service", "nccl-*"), ("Job", "nccl-*-0"), ("Job", "nccl-*-1"), ("Pod", "nccl-*-0-*"), ("Pod", "nccl-*-1-*")]
    assert [(each["kind"], each["name"]) for each in done["would_create"] if each["kind"] != "Namespace"] == names


def test_busy_nodes_are_left_alone(simulator, world, options):
    world.others = [working(2)]
    for check in (True, False):
        done = simulator.run("nccl_jobs", check=check, **options)
        assert (done["nccl_test"]["failure"], done["nccl_test"]["bandwidth"]) == ("jobs", None) and world.made == [], done
        assert [(each["kind"], each["code"]) for each in done["hyperpod_findings"]] == [("pending", "nccl-not-run")]


@pytest.mark.slow
def test_a_node_taken_by_another_pod(simulator, world, options):
    world.said[2] = WAITING
    done = simulator.run("nccl_jobs", **{**options, "queue_timeout": 1})
    assert done["nccl_test"]["failure"] == "allocation" and "Insufficient nvidia.com/gpu" in done["nccl_test"]["text"], done
    assert world.there == {}


@pytest.mark.parametrize(
    ("log", "code", "verdict", "failure"),
    [
        (AllReduce(label=False, network="Socket", provider="").text(), 0, "failed", "no-efa"),
        (AllReduce(label=False, bandwidth=201.0).text(), 0, "slow", ""),
        ("mlfleet.hyperpod: no program PyTorch\n", 127, "not_run", "image"),
        ("\x1b[2J" + "x" * 100_000, 0, "not_run", "output"),
        (AllReduce(label=False, nodes=1).text(), 0, "not_run", "image"),
    ],
)
@pytest.mark.slow
def test_logs_of_the_pods_are_judged(simulator, world, options, log, code, verdict, failure):
    world.logs[1] = log
    world.said[1] = ended(code)
    done = simulator.run("nccl_jobs", **options)
    test = done["nccl_test"]
    assert (test["verdict"], test["failure"]) == (verdict, failure) and world.there == {}, test
    assert test["text"].isprintable() and "MPI" not in test["text"] and all(each.isprintable() for each in test["evidence"]), test


@pytest.mark.slow
def test_a_created_namespace_is_a_change(simulator, world, options):
    world.refused["POST", "/jobs"] = [404]
    done = simulator.run("nccl_jobs", **options)
    assert done["changed"] and [each["resource"] for each in done["changes"]] == [f"Namespace {NAMESPACE}"], done


@pytest.mark.slow
def test_an_object_that_cannot_be_removed_is_a_warning(simulator, world, options):
    world.refused["DELETE", "-1"] = [403] * 99
    world.said[2] = ended()
    done = simulator.run("nccl_jobs", **options)
    assert done["nccl_test"]["verdict"] == "passed" and "A later run removes it when no active run can need it." in str(done["warnings"]), done
    world.there.clear()
    world.refused |= {("GET", "/log"): [403] * 9, ("DELETE", "-1"): [503] * 99}
    failed = simulator.run("nccl_jobs", **options)
    assert failed["failed"] and "403" in failed["msg"] and "A later run removes it when no active run can need it." in str(failed["warnings"]), failed
