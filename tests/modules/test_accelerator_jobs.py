# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""accelerator_jobs: bad input without an API server, and nodes of an API server in memory."""

from __future__ import annotations

import pytest
from unit.module_utils._accelerators.kubernetes.jobs.looked_at import FIT, JOBS, NAMESPACE, LookedAt, iid, node
from unit.module_utils._karpenter.proof.api_server import Server, kubeconfig

LATER = "A later run removes it when no active run can need it."
NODE = {"instance_id": iid(1), "instance_type": "ml.p5.48xlarge"}


@pytest.mark.parametrize(
    ("given", "message"),
    [
        ({"nodes": [{"instance_id": "i-1"}]}, "nodes.instance_id: 'i-1' is not allowed"),
        ({"nodes": [NODE, NODE]}, "is not allowed: it is given more than once"),
        ({"nodes": [{**NODE, "expected_gpus": -1}]}, "expected_gpus: -1 is not allowed"),
        ({"nodes": [{}]}, "missing required arguments: instance_id"),
        ({"image": "python 3"}, "image: 'python 3' is not allowed"),
        ({"namespace": "A"}, "namespace: 'A' is not allowed"),
        ({"namespace": "hyperpod-ns-vision"}, "namespace: 'hyperpod-ns-vision' is not allowed: submitters of the team may write to it"),
        ({"batch": 0}, "batch: 0 is not allowed"),
        ({"batch_timeout": 9}, "batch_timeout: 9 is not allowed"),
        ({"timeout": 0}, "timeout: 0 is not allowed"),
        ({"poll_interval": 0}, "poll_interval: 0 is not allowed"),
        ({"health_profile": {"hung_seconds": 0}}, "profile.hung_seconds: 0 is not allowed"),
        ({"health_profile": {"hung": 1}}, "health_profile: profile.hung. Supported parameters include"),
        ({"health_profile": {"waivers": [{"code": "a"}]}}, "health_profile: missing required arguments: until, why"),
        ({"kubeconfig": "/nonexistent"}, "kubeconfig: /nonexistent is unusable: "),
    ],
)
def test_bad_input_is_refused_before_any_request(simulator, given, message):
    refused = simulator.run("accelerator_jobs", **{"nodes": [NODE], **given})
    assert refused["failed"] and message in refused["msg"], refused


@pytest.fixture
def world():
    made = LookedAt(1, 2)
    made.nodes.append(node(3, ready="False"))
    return made


@pytest.fixture
def options(world, tmp_path):
    with Server(world) as kubernetes:
        nodes = [{"instance_id": iid(number)} for number in (1, 2, 3, 4)]
        yield {"kubeconfig": kubeconfig(kubernetes, tmp_path), "nodes": nodes, "namespace": NAMESPACE, "poll_interval": 1}


@pytest.mark.parametrize("check", [True, False])
def test_a_foreign_namespace_is_refused_before_anything_is_created(simulator, world, options, check):
    world.there[f"/api/v1/namespaces/{NAMESPACE}"] = {"metadata": {"name": NAMESPACE, "labels": {"owner": "team-mallory"}}}
    refused = simulator.run("accelerator_jobs", check=check, **options)
    assert refused["failed"] and f"namespace: '{NAMESPACE}' is not allowed: it exists without the label" in refused["msg"], refused
    assert f"kubectl label namespace {NAMESPACE} app.kubernetes.io/managed-by=mlfleet.hyperpod" in refused["msg"]
    assert [method for method, _path in world.asked if method != "GET"] == []


def test_nodes_are_checked_and_no_object_is_left(simulator, world, options):
    world.said[2] = "\x1b[2J\n"
    done = simulator.run("accelerator_jobs", **options)
    assert not done.get("failed") and done["changed"] is False and done["changes"] == [] and world.there == {}, done
    found = {each["instance_id"]: each for each in done["nodes"]}
    assert found[iid(1)]["health"] == FIT and found[iid(1)]["why"] == "" and found[iid(1)]["kubernetes"]["conditions"] == []
    assert found[iid(2)]["health"] is None and found[iid(2)]["why"] == "The check printed no result. The last line of its output: ?[2J"
    assert "is not ready" in found[iid(3)]["why"] and found[iid(3)]["kubernetes"]["conditions"][0]["type"] == "Ready"
    assert found[iid(4)]["kubernetes"] is None and found[iid(4)]["why"] == f"Node hyperpod-{iid(4)} does not exist in Kubernetes."
    assert done["pods_seen"] is True and [path for method, path in world.asked if method == "POST"].count(JOBS) == 2


def test_check_mode_creates_nothing(simulator, world, options):
    done = simulator.run("accelerator_jobs", check=True, **options)
    assert not done.get("failed") and {method for method, _path in world.asked} == {"GET"}, world.asked
    assert [each["why"].split(",")[0] for each in done["nodes"][:2]] == ["Not checked: check mode creates no Jobs."] * 2
    assert done["nodes"][0]["kubernetes"]["name"] == f"hyperpod-{iid(1)}" and done["nodes"][0]["health"] is None
    jobs = [f"look-*-{iid(number)}" for number in (1, 2)]
    names = [("ConfigMap", "look-*"), *(("Job", each) for each in jobs), *(("Pod", f"{each}-*") for each in jobs)]
    assert [(each["kind"], each["name"]) for each in done["would_create"] if each["kind"] != "Namespace"] == names
    assert [each["node"] for each in done["would_create"][-2:]] == [f"hyperpod-{iid(number)}" for number in (1, 2)]


def test_a_created_namespace_is_a_change(simulator, world, options):
    world.refused["POST", "/configmaps"] = [404]
    done = simulator.run("accelerator_jobs", **options)
    assert done["changed"] and [each["resource"] for each in done["changes"]] == [f"Namespace {NAMESPACE}"], done


def test_an_object_that_cannot_be_removed_is_a_warning(simulator, world, options):
    world.refused["DELETE", f"-{iid(1)}"] = [403] * 99
    done = simulator.run("accelerator_jobs", **options)
    assert done["nodes"][0]["health"] == FIT and f"-{iid(1)} could not be removed (" in str(done["warnings"]) and LATER in str(done["warnings"]), done
    world.refused = {("GET", "/pods"): [0, 0, 403], ("DELETE", f"-{iid(1)}"): [503] * 99}
    failed = simulator.run("accelerator_jobs", **options)
    assert failed["failed"] and "403" in failed["msg"] and LATER in str(failed["warnings"]), failed
