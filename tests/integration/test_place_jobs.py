# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Jobs by the playbooks submit and placement: kept and proven, the same again, one that waits, one that is misplaced, jobs of others."""

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
ASKING = "kueue.x-k8s.io/podset-required-topology"
SECRET, HIDDEN = "hf_secret-of-mnist", "HF_TOKEN"
VERBATIM = "{{ lookup('ansible.builtin.pipe', 'exit 1') }}"
"""It would fail as a template."""
DENIED = ("AccessDenied", "AccessDeniedException", "UnauthorizedOperation")


@pytest.fixture(scope="module")
def place() -> t.Iterator[Place]:
    with article() as there:
        yield there


def submit(place: Place, manifest: dict[str, t.Any], *arguments: str, **variables: t.Any) -> Run:
    wish = {"topology_job_placement": "required", "topology_job_layer": 3, "topology_job_timeout": 180}
    given = {"topology_job_manifest": manifest, "topology_job_team": TEAM, **wish, **variables}
    return place.world.world.playbook("submit", "-e", json.dumps({name: each for name, each in given.items() if each is not None}), *arguments)


def prove(place: Place, *arguments: str, **variables: t.Any) -> tuple[Run, dict[str, dict[str, t.Any]]]:
    """With the jobs of the file by their names."""
    PROOF.unlink(missing_ok=True)
    run = place.world.world.playbook("placement", "-e", json.dumps(variables), *arguments)
    assert PROOF.exists(), run.log
    return run, {each["name"]: each for each in json.loads(PROOF.read_text())["clusters"]["ml"]["jobs"]}


def told(run: Run) -> str:
    return " ".join(run.output.split())


def codes(run: Run, kind: str) -> list[tuple[str, str]]:
    return [(each["code"], each["subject"]) for each in run.cluster()["findings"] if each["kind"] == kind]


def absent(place: Place, manifest: dict[str, t.Any]) -> None:
    """By the module, which needs no run."""
    assert place.submit(manifest, state="absent")["job"]["state"] == "absent"


def test_from_a_file_kept_and_the_same_again(place: Place, tmp_path: Path) -> None:
    place.kueue.script["mnist"] = [Waits("WaitingForQuota", ""), workers_at(place, 2, 3)]
    file, larger = tmp_path / "mnist.yaml.j2", tmp_path / "larger.yaml"
    job = pytorch_job("mnist", annotations={"note": VERBATIM})
    (container,) = job["spec"]["pytorchReplicaSpecs"]["Worker"]["template"]["spec"]["containers"]
    container["env"] = [{"name": "HF_TOKEN", "value": SECRET}]
    file.write_text(yaml.safe_dump(job))
    larger.write_text(yaml.safe_dump(job).replace("replicas: 2", "replicas: 3"))
    source = {"topology_job_manifest": None, "topology_job_src": str(file)}
    name = f"PyTorchJob {SPACE}/mnist"
    with step("check mode submits nothing"):
        place.changes()
        foreseen = submit(place, {}, "--check", "--diff", "-vvv", **source)
        assert HIDDEN in foreseen.output and SECRET not in foreseen.output
        assert (foreseen.rc, foreseen.changed) == (0, 1) and place.changes() == [], foreseen.log
        assert f"+{name}" in foreseen.output and codes(foreseen, "pending") == [], foreseen.log
    with step("run"):
        done = submit(place, {}, "-vvv", **source)
        assert (done.rc, done.changed) == (0, 1), done.log
        assert SECRET not in done.output
        assert [verb for verb, _name in place.changes()] == ["create"]
        assert place.world.seen("pytorchjob", "mnist", "-n", SPACE)["metadata"]["annotations"]["note"] == VERBATIM
        assert ("topology-job-kept", name) in codes(done, "note"), done.log
        assert "as assigned" in told(done) and "are in nn-32 (2)" in told(done), done.log
        assert [each["action"] for each in done.cluster()["changes"]] == ["create"]
    with step("and not again"):
        for arguments in ((), ("--check", "--diff")):
            again = submit(place, {}, *arguments, **source)
            assert (again.rc, again.changed) == (0, 0) and place.changes() == [], again.log
            assert ("topology-job-kept", name) in codes(again, "note"), again.log
    with step("another manifest is refused"):
        other = submit(place, {}, "-vvv", **{**source, "topology_job_src": str(larger)})
        assert SECRET not in other.output
        assert other.rc == 2 and "spec.pytorchReplicaSpecs.Worker.replicas is 2 and would be 3" in told(other) and place.changes() == [], other.log
        assert codes(other, "failure")[0] == ("option-refused", "manifest"), other.cluster()
    with step("it ends well"):
        place.kueue.script["mnist"] = [Ends()]
        ended = submit(place, {}, topology_job_wait="finished", **source)
        assert (ended.rc, ended.changed) == (0, 0), ended.log
    with step("absent"):
        would = submit(place, {}, "--check", topology_job_state="absent", **source)
        assert (would.rc, would.changed) == (0, 1) and place.changes() == [], would.log
        gone = submit(place, {}, topology_job_state="absent", **source)
        assert (gone.rc, gone.changed) == (0, 1), gone.log
        until(lambda: not place.world.seen("pods", "-n", SPACE)["items"])
        assert submit(place, {}, topology_job_state="absent", **source).changed == 0


def test_one_that_waits_is_pending_and_told_why(place: Place) -> None:
    large, name = pytorch_job("large", 3), f"PyTorchJob {SPACE}/large"
    place.kueue.script["large"] = [Waits("TopologyPlacementFailed", NO_ROOM)]
    late = submit(place, large, topology_job_timeout=5)
    assert (late.rc, late.changed, late.status) == (0, 1, "degraded"), late.log
    assert codes(late, "pending") == [("topology-job-waits", name)], late.cluster()
    assert "has room for more than 2 of its 3 pods" in told(late) and "the job stays in its queue" in told(late), late.log
    waits = submit(place, large, topology_job_wait="none")
    assert (waits.rc, waits.changed, waits.status) == (0, 0, "degraded") and "3 have too little nvidia.com/gpu left" in told(waits), waits.log
    strict = submit(place, large, topology_job_wait="none", hyperpod_degraded_fails=True)
    assert strict.rc == 2, strict.log
    with step("proof of a job that is nowhere yet"):
        run, jobs = prove(place)
        assert run.rc == 0 and jobs["large"]["state"] == "waiting" and "has room for more than 2" in jobs["large"]["why"], run.log
    with step("what is preferred may spill"):
        absent(place, large)
        place.kueue.script["large"] = [workers_at(place, 2, 3, 4)]
        spilled = submit(place, large, topology_job_placement="preferred")
        assert spilled.rc == 0 and codes(spilled, "note")[0] == ("topology-job-spilled", name), spilled.log
    absent(place, large)


def test_one_that_is_misplaced_fails_and_the_proof_after_it(place: Place) -> None:
    world, astray = place.world, pytorch_job("astray")
    name = f"PyTorchJob {SPACE}/astray"
    place.kueue.script["astray"] = [workers_at(place, 0, 1, at={"worker": place.at(0, 4)})]
    place.kueue.script["theirs"] = [Admits({"main": place.at(2, 3)})]
    with step("submit fails, and its job runs on"):
        failed = submit(place, astray)
        assert failed.rc == 2 and codes(failed, "failure")[0] == ("topology-job-misplaced", name), failed.log
        assert "Pods worker are not within one domain of" in told(failed) and "nn-33" in failed.output, failed.log
        assert [each["action"] for each in failed.cluster()["changes"]] == ["create"], failed.cluster()
        assert submit(place, astray, "--check").rc == 2
    with step("a job of somebody else, by kubectl"):
        theirs = job("theirs")
        theirs["metadata"]["labels"] = {"kueue.x-k8s.io/queue-name": QUEUE}
        theirs["spec"]["template"]["metadata"] = {"annotations": {ASKING: f"{LAYER}3"}, "labels": theirs["metadata"]["labels"]}
        world.api.create(f"/apis/batch/v1/namespaces/{SPACE}/jobs", theirs)
        plain = job("plain")
        plain["spec"]["parallelism"] = 0
        world.api.create(f"/apis/batch/v1/namespaces/{SPACE}/jobs", plain)
        until(lambda: len(world.seen("pods", "-n", SPACE, "-l", "job-name=theirs")["items"]) == 2)
    with step("the proof, by somebody who may only look"):
        world.admit(world.person("proof-reader"), "AmazonEKSAdminViewPolicy")
        world.world.settings(policies=permissions.documented("read-only"))
        world.world.reset_calls()
        place.changes()
        for arguments in ((), ("--check",)):
            run, jobs = prove(place, *arguments, hyperpod_profile="proof-reader")
            assert (run.rc, run.changed) == (2, 0) and place.changes() == [], run.log
            assert codes(run, "failure")[0] == ("topology-job-misplaced", name) and codes(run, "pending") == [], run.cluster()
            verdicts = {each: (one["placement"]["verdict"], one["ours"]) for each, one in jobs.items()}
            assert verdicts == {"astray": ("left", True), "theirs": ("kept", False)}, verdicts
            (row,) = [each for each in jobs["astray"]["placement"]["rows"] if each["pod"] == "astray-worker-1"]
            assert (row["node"], row["domain"], row["verdict"]) == (place.nodes[4], "nn-33", "elsewhere"), row
        assert [each for each in world.world.calls() if each["error"] in DENIED] == []
        world.world.settings(policies=permissions.documented())
    with step("kubectl sees the same"):
        seen = world.seen("pods", "-n", SPACE, "-l", "job-name=theirs")["items"]
        assert {each["spec"]["nodeName"] for each in seen} == {each["node"] for each in jobs["theirs"]["placement"]["rows"]}
    with step("of one namespace, and once it is gone"):
        run, jobs = prove(place, topology_job_proof_namespace="default")
        assert run.rc == 0 and jobs == {}, run.log
        absent(place, astray)
        run, jobs = prove(place)
        assert run.rc == 0 and list(jobs) == ["theirs"], run.log


def test_what_is_wrong_is_refused_by_the_names_that_people_set(place: Place) -> None:
    for given, said in (
        ({"topology_job_cluster": "other"}, "topology_job_cluster: 'other' is not allowed: it is not a cluster of this run. Allowed: ml."),
        ({"topology_job_layer": None}, "topology_job_layer: missing"),
        ({"topology_job_src": "also.yaml"}, "set either topology_job_manifest or topology_job_src"),
        ({"topology_job_wait": "ever"}, "topology_job_wait: 'ever' is not allowed. Allowed: none, admitted, running, finished."),
        ({"topology_job_layer": 4}, f"'{LAYER}4' is not allowed. Allowed: a level of the Topology of the queue"),
        ({"topology_job_team": "nobody"}, "namespace: hyperpod-ns-nobody does not exist."),
    ):
        place.changes()
        refused = submit(place, pytorch_job("never"), **given)
        assert refused.rc == 2 and said in told(refused) and place.changes() == [], refused.log
