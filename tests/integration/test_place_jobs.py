# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Jobs by the playbooks submit and placement: kept and proven, unchanged, waiting, misplaced, and jobs of other people."""

from __future__ import annotations

import json
import typing as t
from pathlib import Path

import pytest
import yaml
from eks_world import until
from harness import STATE_DIR, Run
from kueue_place import LAYER, NO_ROOM, QUEUE, SPACE, Place, article, job, pytorch_job, workers_at
from lab.aws import permissions
from lab.kueue.script import Admits, Ends, Waits
from steps import step

pytestmark = pytest.mark.slow
TEAM = SPACE.removeprefix("hyperpod-ns-")
PROOF = STATE_DIR / "placement.json"
REQUEST = "kueue.x-k8s.io/podset-required-topology"
SECRET, HIDDEN = "hf_secret-of-mnist", "HF_TOKEN"
VERBATIM = "{{ lookup('ansible.builtin.pipe', 'exit 1') }}"
"""A text that would fail as a template."""
DENIED = ("AccessDenied", "AccessDeniedException", "UnauthorizedOperation")


@pytest.fixture(scope="module")
def place() -> t.Iterator[Place]:
    with article() as started:
        yield started


def submit(place: Place, manifest: dict[str, t.Any], *arguments: str, **variables: t.Any) -> Run:
    usual = {"topology_job_placement": "required", "topology_job_layer": 3, "topology_job_timeout": 180}
    given = {"topology_job_manifest": manifest, "topology_job_team": TEAM, **usual, **variables}
    return place.world.world.playbook("submit", "-e", json.dumps({name: each for name, each in given.items() if each is not None}), *arguments)


def prove(place: Place, *arguments: str, **variables: t.Any) -> tuple[Run, dict[str, dict[str, t.Any]]]:
    """Run placement; returns the run and the jobs of its file by name."""
    PROOF.unlink(missing_ok=True)
    run = place.world.world.playbook("placement", "-e", json.dumps(variables), *arguments)
    assert PROOF.exists(), run.log
    return run, {each["name"]: each for each in json.loads(PROOF.read_text())["clusters"]["ml"]["jobs"]}


def printed(run: Run) -> str:
    """Output of a run in one line."""
    return " ".join(run.output.split())


def codes(run: Run, kind: str) -> list[tuple[str, str]]:
    return [(each["code"], each["subject"]) for each in run.cluster()["findings"] if each["kind"] == kind]


def remove(place: Place, manifest: dict[str, t.Any]) -> None:
    """Remove a job with the module, which needs no run."""
    assert place.submit(manifest, state="absent")["job"]["state"] == "absent"


def test_a_job_from_a_file_is_kept_and_not_submitted_again(place: Place, tmp_path: Path) -> None:
    place.kueue.script["mnist"] = [Waits("WaitingForQuota", ""), workers_at(place, 2, 3)]
    file, larger = tmp_path / "mnist.yaml.j2", tmp_path / "larger.yaml"
    manifest = pytorch_job("mnist", annotations={"note": VERBATIM})
    (container,) = manifest["spec"]["pytorchReplicaSpecs"]["Worker"]["template"]["spec"]["containers"]
    container["env"] = [{"name": "HF_TOKEN", "value": SECRET}]
    file.write_text(yaml.safe_dump(manifest))
    larger.write_text(yaml.safe_dump(manifest).replace("replicas: 2", "replicas: 3"))
    source = {"topology_job_manifest": None, "topology_job_src": str(file)}
    name = f"PyTorchJob {SPACE}/mnist"
    with step("check mode submits nothing"):
        place.changes()
        planned = submit(place, {}, "--check", "--diff", "-vvv", **source)
        assert HIDDEN in planned.output and SECRET not in planned.output
        assert (planned.rc, planned.changed) == (0, 1) and place.changes() == [], planned.log
        assert f"+{name}" in planned.output and codes(planned, "pending") == [], planned.log
    with step("run"):
        done = submit(place, {}, "-vvv", **source)
        assert (done.rc, done.changed) == (0, 1), done.log
        assert SECRET not in done.output
        assert [verb for verb, _name in place.changes()] == ["create"]
        assert place.world.seen("pytorchjob", "mnist", "-n", SPACE)["metadata"]["annotations"]["note"] == VERBATIM
        assert ("topology-job-kept", name) in codes(done, "note"), done.log
        assert "as assigned" in printed(done) and "are in nn-32 (2)" in printed(done), done.log
        assert [each["action"] for each in done.cluster()["changes"]] == ["create"]
    with step("a second run changes nothing"):
        for arguments in ((), ("--check", "--diff")):
            again = submit(place, {}, *arguments, **source)
            assert (again.rc, again.changed) == (0, 0) and place.changes() == [], again.log
            assert ("topology-job-kept", name) in codes(again, "note"), again.log
    with step("another manifest is refused"):
        other = submit(place, {}, "-vvv", **{**source, "topology_job_src": str(larger)})
        assert SECRET not in other.output
        assert other.rc == 2 and "spec.pytorchReplicaSpecs.Worker.replicas is 2 and would be 3" in printed(other) and place.changes() == [], other.log
        assert codes(other, "failure")[0] == ("option-refused", "manifest"), other.cluster()
    with step("the job succeeds"):
        place.kueue.script["mnist"] = [Ends()]
        ended = submit(place, {}, topology_job_wait="finished", **source)
        assert (ended.rc, ended.changed) == (0, 0), ended.log
    with step("absent"):
        planned = submit(place, {}, "--check", topology_job_state="absent", **source)
        assert (planned.rc, planned.changed) == (0, 1) and place.changes() == [], planned.log
        gone = submit(place, {}, topology_job_state="absent", **source)
        assert (gone.rc, gone.changed) == (0, 1), gone.log
        until(lambda: not place.world.seen("pods", "-n", SPACE)["items"])
        assert submit(place, {}, topology_job_state="absent", **source).changed == 0


def test_a_waiting_job_is_pending_with_its_reason(place: Place) -> None:
    large, name = pytorch_job("large", 3), f"PyTorchJob {SPACE}/large"
    place.kueue.script["large"] = [Waits("TopologyPlacementFailed", NO_ROOM)]
    late = submit(place, large, topology_job_timeout=5)
    assert (late.rc, late.changed, late.status) == (0, 1, "degraded"), late.log
    assert codes(late, "pending") == [("topology-job-waits", name)], late.cluster()
    assert "has room for more than 2 of its 3 Pods" in printed(late) and "the job stays in its queue" in printed(late), late.log
    waits = submit(place, large, topology_job_wait="none")
    assert (waits.rc, waits.changed, waits.status) == (0, 0, "degraded") and "3 have too little nvidia.com/gpu left" in printed(waits), waits.log
    strict = submit(place, large, topology_job_wait="none", hyperpod_degraded_fails=True)
    assert strict.rc == 2, strict.log
    with step("proof of a job without a placement"):
        run, jobs = prove(place)
        assert run.rc == 0 and jobs["large"]["state"] == "waiting" and "has room for more than 2" in jobs["large"]["why"], run.log
    with step("a preferred placement may spill"):
        remove(place, large)
        place.kueue.script["large"] = [workers_at(place, 2, 3, 4)]
        spilled = submit(place, large, topology_job_placement="preferred")
        assert spilled.rc == 0 and codes(spilled, "note")[0] == ("topology-job-spilled", name), spilled.log
    remove(place, large)


def test_a_misplaced_job_fails_in_submit_and_in_the_proof(place: Place) -> None:
    world, astray = place.world, pytorch_job("astray")
    name = f"PyTorchJob {SPACE}/astray"
    place.kueue.script["astray"] = [workers_at(place, 0, 1, at={"worker": place.at(0, 4)})]
    place.kueue.script["foreign"] = [Admits({"main": place.at(2, 3)})]
    with step("submit fails, and its job continues"):
        failed = submit(place, astray)
        assert failed.rc == 2 and codes(failed, "failure")[0] == ("topology-job-misplaced", name), failed.log
        assert "the worker Pods are not within one domain of" in printed(failed) and "nn-33" in failed.output, failed.log
        assert [each["action"] for each in failed.cluster()["changes"]] == ["create"], failed.cluster()
        assert submit(place, astray, "--check").rc == 2
    with step("a job of another person, by kubectl"):
        foreign = job("foreign")
        foreign["metadata"]["labels"] = {"kueue.x-k8s.io/queue-name": QUEUE}
        foreign["spec"]["template"]["metadata"] = {"annotations": {REQUEST: f"{LAYER}3"}, "labels": foreign["metadata"]["labels"]}
        world.api.create(f"/apis/batch/v1/namespaces/{SPACE}/jobs", foreign)
        plain = job("plain")
        plain["spec"]["parallelism"] = 0
        world.api.create(f"/apis/batch/v1/namespaces/{SPACE}/jobs", plain)
        until(lambda: len(world.seen("pods", "-n", SPACE, "-l", "job-name=foreign")["items"]) == 2)
    with step("the proof, by a person with read access"):
        world.admit(world.person("proof-reader"), "AmazonEKSAdminViewPolicy")
        world.world.settings(policies=permissions.documented("read-only"))
        world.world.reset_calls()
        place.changes()
        for arguments in ((), ("--check",)):
            run, jobs = prove(place, *arguments, hyperpod_profile="proof-reader")
            assert (run.rc, run.changed) == (2, 0) and place.changes() == [], run.log
            assert codes(run, "failure")[0] == ("topology-job-misplaced", name) and codes(run, "pending") == [], run.cluster()
            verdicts = {each: (one["placement"]["verdict"], one["ours"]) for each, one in jobs.items()}
            assert verdicts == {"astray": ("left", True), "foreign": ("kept", False)}, verdicts
            (row,) = [each for each in jobs["astray"]["placement"]["rows"] if each["pod"] == "astray-worker-1"]
            assert (row["node"], row["domain"], row["verdict"]) == (place.nodes[4], "nn-33", "elsewhere"), row
        assert [each for each in world.world.calls() if each["error"] in DENIED] == []
        world.world.settings(policies=permissions.documented())
    with step("kubectl shows the same"):
        seen = world.seen("pods", "-n", SPACE, "-l", "job-name=foreign")["items"]
        assert {each["spec"]["nodeName"] for each in seen} == {each["node"] for each in jobs["foreign"]["placement"]["rows"]}
    with step("the proof of one namespace, and after the job is removed"):
        run, jobs = prove(place, topology_job_proof_namespace="default")
        assert run.rc == 0 and jobs == {}, run.log
        remove(place, astray)
        run, jobs = prove(place)
        assert run.rc == 0 and list(jobs) == ["foreign"], run.log


def test_invalid_input_is_refused_with_the_names_of_variables(place: Place) -> None:
    for given, message in (
        ({"topology_job_cluster": "other"}, "topology_job_cluster: 'other' is not allowed: no cluster of this run has this key. Allowed: ml."),
        ({"topology_job_layer": None}, "topology_job_layer: missing"),
        ({"topology_job_src": "also.yaml"}, "exactly one of topology_job_manifest and topology_job_src"),
        ({"topology_job_wait": "ever"}, "topology_job_wait: 'ever' is not allowed. Allowed: none, admitted, running, finished."),
        ({"topology_job_layer": 4}, f"'{LAYER}4' is not allowed. Allowed: a level of the Topology of the queue"),
        ({"topology_job_team": "nobody"}, "namespace: hyperpod-ns-nobody does not exist."),
    ):
        place.changes()
        refused = submit(place, pytorch_job("never"), **given)
        assert refused.rc == 2 and message in printed(refused) and place.changes() == [], refused.log
