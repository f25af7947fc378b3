# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Jobs by submit and placement on a real Slurm with a tree of switches: kept, the same again, another one, spilled, and not kept."""

from __future__ import annotations

import base64
import json
import typing as t
from pathlib import Path

import pytest
from harness import STATE_DIR, Run, World
from lab.slurm.configuration import SWITCH_WAIT, TREE, topology
from steps import step
from work import controller, shell, until_no_job
from worlds import ready_world

pytestmark = pytest.mark.slow
CONFIG = "/opt/ml/config/resource_config.json"
PROOF = STATE_DIR / "placement.json"
PARTITION = "ml.p5.48xlarge"
NAME = "Slurm job alice/llama"
SCRIPT = """#!/bin/bash
#SBATCH --output=/dev/null
# {{ lookup('ansible.builtin.pipe', 'exit 1') }} {# no comment #}
list=(a b)
[ ${#list[@]} = 2 ] && srun sleep SECONDS
"""
"""It would fail as a template."""


def written(world: World, path: str, text: str, *, mode: str = "0644") -> None:
    """On the controller."""
    content = base64.b64encode(text.encode()).decode()
    done = shell(world, controller(world), f"install -d -m 0755 $(dirname {path}) && echo {content} | base64 -d >{path} && chmod {mode} {path}")
    assert done.returncode == 0, done.stdout


class Place:
    """A cluster with three compute nodes: two below one leaf switch, one below another."""

    def __init__(self, folder: Path) -> None:
        self.world = ready_world(login=1, compute=3)
        self.nodes = [each["name"] for each in self.world.hosts("worker-group-1")]
        self.leaves = dict(zip(self.nodes, ("nn-31", "nn-31", "nn-32")))
        self.source = folder / "llama.sh.j2"
        instances = [
            {"InstanceId": each["instance_id"], "InstanceLabel": {f"network-node-layer-{at}": name for at, name in enumerate(path, 1)}}
            for each, path in zip(self.world.hosts("worker-group-1"), self.layers().values())
        ]
        written(self.world, CONFIG, json.dumps({"InstanceGroups": [{"Name": "worker-group-1", "Instances": instances}]}), mode="0600")

    def layers(self) -> dict[str, tuple[str, ...]]:
        return {name: ("nn-1", "nn-2", leaf) for name, leaf in self.leaves.items()}

    def tree(self) -> None:
        """From now on Slurm has one."""
        written(self.world, "/etc/slurm/topology.conf", topology(self.layers()))
        self.slurm(f"printf %s '{TREE}' >>/etc/slurm/slurm.conf")

    def no_tree(self) -> None:
        self.slurm("rm -f /etc/slurm/topology.conf && sed -i '/^TopologyPlugin=/d; /^SchedulerParameters=/d; /^MinJobAge=/d' /etc/slurm/slurm.conf")

    def slurm(self, command: str) -> None:
        """It has read its configuration anew, and so have all nodes."""
        self.on_controller(f"{command} && systemctl restart slurmctld")
        self.world.eventually(lambda: self.on_controller("scontrol ping | grep -q UP && scontrol reconfigure"))
        self.world.eventually(self._all_idle)

    def on_controller(self, command: str, user: str = "root") -> str:
        done = shell(self.world, controller(self.world), command, user)
        assert done.returncode == 0, done.stdout
        return str(done.stdout)

    def _all_idle(self) -> None:
        shown = self.on_controller(f"sinfo --noheader --Node --partition={PARTITION} --format=%T").split()
        assert set(shown) == {"idle"}, shown

    def submit(self, *arguments: str, seconds: int | str = 900, **variables: t.Any) -> Run:
        self.source.write_text(SCRIPT.replace("SECONDS", str(seconds)))
        about = {"topology_job_name": "llama", "topology_job_user": "alice", "topology_job_nodes": 2, "topology_job_partition": PARTITION}
        given = {"topology_job_src": str(self.source), "topology_job_working_directory": "/tmp", "topology_job_timeout": 120}
        wish = {"topology_job_placement": "required"}
        return self.world.playbook("submit", "-e", json.dumps({**about, **given, **wish, **variables}), *arguments)

    def absent(self) -> None:
        gone = self.submit(topology_job_state="absent")
        assert gone.rc == 0, gone.log
        self.world.eventually(self._none_is_left)

    def _none_is_left(self) -> None:
        assert self.queued() == []

    def prove(self, *arguments: str) -> tuple[Run, list[dict[str, t.Any]]]:
        PROOF.unlink(missing_ok=True)
        run = self.world.playbook("placement", *arguments)
        assert PROOF.exists(), run.log
        found: list[dict[str, t.Any]] = json.loads(PROOF.read_text())["clusters"]["ml"]["jobs"]
        return run, found

    def queued(self) -> list[str]:
        """Numbers of alice's jobs that wait or run."""
        return self.on_controller("squeue --noheader --user=alice --format=%A").split()

    def running(self) -> list[set[str]]:
        """Nodes of each, as Slurm has them."""
        asked = "for each in $(squeue --noheader --user=alice --states=RUNNING --format=%N); do scontrol show hostnames $each | xargs; done"
        return [set(line.split()) for line in self.on_controller(asked).splitlines()]

    def runs_on(self, *nodes: str) -> None:
        assert self.running() == [set(nodes)]

    def occupy(self, node: str) -> None:
        """By bob, who takes all of it."""
        self.on_controller(f"cd /tmp && sbatch -o /dev/null -p {PARTITION} --exclusive -w {node} --wrap 'sleep 900'", "bob")
        self.world.eventually(lambda: self._is_allocated(node))

    def _is_allocated(self, node: str) -> None:
        shown = self.on_controller(f"sinfo --noheader --Node --nodes={node} --partition={PARTITION} --format=%T").split()
        assert shown == ["allocated"], shown

    def free(self) -> None:
        self.on_controller("scancel -u alice; scancel -u bob")
        until_no_job(self.world)
        self.world.eventually(self._all_idle)


@pytest.fixture(scope="module")
def place(tmp_path_factory: pytest.TempPathFactory) -> t.Iterator[Place]:
    there = Place(tmp_path_factory.mktemp("jobs"))
    yield there
    there.on_controller(f"rm -f {CONFIG}")
    there.free()
    there.no_tree()


@pytest.fixture(scope="module")
def tree(place: Place) -> Place:
    place.tree()
    return place


def told(run: Run) -> str:
    return " ".join(run.output.split())


def codes(run: Run, kind: str) -> list[tuple[str, str]]:
    return [(each["code"], each["subject"]) for each in run.cluster()["findings"] if each["kind"] == kind]


def test_without_a_tree_nothing_is_promised(place: Place) -> None:
    with step("required is refused before anything is submitted"):
        refused = place.submit()
        assert refused.rc == 2 and "ignores --switches, while its nodes are below 2 leaf switches" in told(refused), refused.log
        assert codes(refused, "failure")[0] == ("option-refused", "placement") and place.queued() == [], refused.cluster()
    with step("preferred is told to be chance"):
        chance = place.submit("--check", topology_job_placement="preferred")
        assert chance.rc == 0 and "the placement of job llama of alice is arbitrary" in told(chance), chance.log


def test_required_fits_and_is_proven_and_the_same_again(tree: Place) -> None:
    with step("check mode submits nothing"):
        foreseen = tree.submit("--check", "--diff")
        assert (foreseen.rc, foreseen.changed) == (0, 1) and tree.queued() == [], foreseen.log
        assert "+job llama of alice" in foreseen.output and f"after {SWITCH_WAIT} s, not 604800 s" in told(foreseen), foreseen.log
        assert codes(foreseen, "failure") == codes(foreseen, "pending") == []
    with step("run"):
        done = tree.submit()
        assert (done.rc, done.changed) == (0, 1) and ("topology-job-kept", NAME) in codes(done, "note"), done.log
        assert "its 2 nodes are below nn-31 (2)" in told(done), done.log
        tree.runs_on(*tree.nodes[:2])
    with step("the same again changes nothing"):
        for arguments in ((), ("--check", "--diff")):
            again = tree.submit(*arguments)
            assert (again.rc, again.changed) == (0, 0) and ("topology-job-kept", NAME) in codes(again, "note"), again.log
        tree.runs_on(*tree.nodes[:2])
    with step("placement says the same"):
        run, (job,) = tree.prove()
        assert run.rc == 0 and (job["name"], job["namespace"], job["ours"]) == ("llama", "alice", True), run.log
        assert job["placement"]["verdict"] == "kept" and {each["node"] for each in job["placement"]["rows"]} == set(tree.nodes[:2])
    with step("another script is refused"):
        other = tree.submit(seconds=901)
        assert other.rc == 2 and f"its script differs from line {len(SCRIPT.splitlines())} on" in told(other) and len(tree.queued()) == 1, other.log
        assert codes(other, "failure")[0] == ("option-refused", "script"), other.cluster()
    with step("and replaces the first one where that is asked for"):
        replaced = tree.submit(seconds=901, topology_job_replace=True)
        assert (replaced.rc, replaced.changed) == (0, 1), replaced.log
        assert [each["action"] for each in replaced.cluster()["changes"]] == ["delete", "create"], replaced.cluster()
        tree.world.eventually(lambda: tree.runs_on(*tree.nodes[:2]))
        again = tree.submit(seconds=901, topology_job_replace=True)
        assert (again.rc, again.changed) == (0, 0), again.log
    with step("absent"):
        tree.absent()
        gone = tree.submit(topology_job_state="absent")
        assert (gone.rc, gone.changed) == (0, 0), gone.log


def test_one_that_has_ended_is_not_run_again(tree: Place) -> None:
    short = {"topology_job_name": "short", "seconds": 1, "topology_job_wait": "finished"}
    with step("until it has ended"):
        first = tree.submit(**short)
        assert (first.rc, first.changed) == (0, 1) and ("topology-job-kept", "Slurm job alice/short") in codes(first, "note"), first.log
    with step("nor where accounting alone knows it"):
        tree.slurm("echo MinJobAge=2 >>/etc/slurm/slurm.conf")
        tree.world.eventually(lambda: _forgotten(tree), seconds=180)
        again = tree.submit(**short)
        assert (again.rc, again.changed) == (0, 0) and tree.queued() == [], again.log
        assert ("topology-job-kept", "Slurm job alice/short") in codes(again, "note"), again.log
    with step("one that fails is told as such"):
        failed = tree.submit(topology_job_name="broken", seconds="ever", topology_job_wait="finished")
        assert failed.rc == 2 and "its script ended with an error" in told(failed), failed.log


def _forgotten(tree: Place) -> None:
    assert tree.on_controller("squeue --noheader --states=all --name=short --format=%A").split() == []
    assert tree.on_controller("sacct --noheader --allocations --name=short --user=alice --format=State").split() == ["COMPLETED"]


def test_preferred_spills_and_is_told(tree: Place) -> None:
    tree.occupy(tree.nodes[0])
    done = tree.submit(topology_job_placement="preferred")
    assert done.rc == 0 and ("topology-job-spilled", NAME) in codes(done, "note"), done.log
    assert "its 2 nodes are below 2 leaf switches, not 1: nn-31 (1), nn-32 (1)" in told(done), done.log
    run, (job,) = tree.prove("--check")
    assert run.rc == 0 and job["placement"]["verdict"] == "spilled", run.log
    tree.free()


def test_required_that_slurm_gives_up_is_a_failure(tree: Place) -> None:
    tree.occupy(tree.nodes[0])
    with step("while it waits, the reason is told"):
        waits = tree.submit(topology_job_timeout=1)
        assert (waits.rc, waits.changed) == (0, 1) and codes(waits, "pending") == [("topology-job-waits", NAME)], waits.log
    with step("then Slurm starts it anywhere"):
        failed = tree.submit()
        assert (failed.rc, failed.changed) == (2, 0) and codes(failed, "failure")[0] == ("topology-job-misplaced", NAME), failed.log
        assert f"nn-31 (1), nn-32 (1); Slurm drops the request after {SWITCH_WAIT} s" in told(failed), failed.log
        assert f"{tree.nodes[2]} nn-32 nn-1 > nn-2 > nn-32" in told(failed), failed.log
    with step("and placement fails as well"):
        run, (job,) = tree.prove()
        assert run.rc == 2 and job["placement"]["verdict"] == "left" and job["placement"]["wrong"], run.log
        assert codes(run, "failure") == [("topology-job-misplaced", NAME)]
        tree.absent()
    with step("a job of somebody else that asked for switches is told alone"):
        batch = f"cd /tmp && sbatch -o /dev/null -p {PARTITION} -N 2 --switches=1@0:01 --job-name=theirs --wrap 'srun sleep 900'"
        tree.on_controller(batch, "alice")
        tree.world.eventually(lambda: tree.runs_on(*tree.nodes[1:]))
        run, (job,) = tree.prove()
        assert run.rc == 0 and (job["name"], job["ours"], job["placement"]["verdict"]) == ("theirs", False, "spilled"), run.log
        refused = tree.submit(topology_job_name="theirs")
        assert refused.rc == 2 and "and this module did not submit it" in told(refused), refused.log
    tree.free()


def test_what_is_wrong_is_refused_by_the_names_that_people_set(tree: Place) -> None:
    for given, said in (
        ({"topology_job_team": "a"}, "topology_job_team: 'a' is not allowed: this cluster has Slurm. Allowed: on clusters with EKS only."),
        ({"topology_job_user": ""}, "topology_job_user: missing"),
        ({"topology_job_user": "nobody-here"}, "user: 'nobody-here' is not allowed: it has no such account."),
        ({"topology_job_placement": "unconstrained"}, "topology_job_placement: 'unconstrained' is not allowed."),
        ({"topology_job_partition": "none"}, "was not submitted: sbatch"),
    ):
        refused = tree.submit(**given)
        assert refused.rc == 2 and said in told(refused) and tree.queued() == [], refused.log
