# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Jobs by submit and placement on a real Slurm with a tree of switches: kept, unchanged, replaced, spilled, and misplaced."""

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
"""A script that would fail as a template."""


def write(world: World, path: str, text: str, *, mode: str = "0644") -> None:
    """Write a file on the controller."""
    content = base64.b64encode(text.encode()).decode()
    done = shell(world, controller(world), f"install -d -m 0755 $(dirname {path}) && echo {content} | base64 -d >{path} && chmod {mode} {path}")
    assert done.returncode == 0, done.stdout


class Place:
    """A cluster with three compute nodes: two below one leaf switch, and one below another."""

    def __init__(self, folder: Path) -> None:
        self.world = ready_world(login=1, compute=3)
        self.nodes = [each["name"] for each in self.world.hosts("worker-group-1")]
        self.leaves = dict(zip(self.nodes, ("nn-31", "nn-31", "nn-32")))
        self.source = folder / "llama.sh.j2"
        instances = [
            {"InstanceId": each["instance_id"], "InstanceLabel": {f"network-node-layer-{at}": name for at, name in enumerate(path, 1)}}
            for each, path in zip(self.world.hosts("worker-group-1"), self.layers().values())
        ]
        write(self.world, CONFIG, json.dumps({"InstanceGroups": [{"Name": "worker-group-1", "Instances": instances}]}), mode="0600")

    def layers(self) -> dict[str, tuple[str, ...]]:
        return {name: ("nn-1", "nn-2", leaf) for name, leaf in self.leaves.items()}

    def add_tree(self) -> None:
        """Give Slurm a tree of switches."""
        write(self.world, "/etc/slurm/topology.conf", topology(self.layers()))
        self.reconfigure(f"printf %s '{TREE}' >>/etc/slurm/slurm.conf")

    def remove_tree(self) -> None:
        self.reconfigure("rm -f /etc/slurm/topology.conf && sed -i '/^TopologyPlugin=/d; /^SchedulerParameters=/d; /^MinJobAge=/d' /etc/slurm/slurm.conf")

    def reconfigure(self, command: str) -> None:
        """Run a command, and wait until Slurm and all nodes have read the configuration again."""
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
        usual = {"topology_job_placement": "required"}
        return self.world.playbook("submit", "-e", json.dumps({**about, **given, **usual, **variables}), *arguments)

    def remove(self) -> None:
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
        """Numbers of alice's waiting and running jobs."""
        return self.on_controller("squeue --noheader --user=alice --format=%A").split()

    def running(self) -> list[set[str]]:
        """Nodes of each running job, as Slurm lists them."""
        command = "for each in $(squeue --noheader --user=alice --states=RUNNING --format=%N); do scontrol show hostnames $each | xargs; done"
        return [set(line.split()) for line in self.on_controller(command).splitlines()]

    def assert_runs_on(self, *nodes: str) -> None:
        assert self.running() == [set(nodes)]

    def occupy(self, node: str) -> None:
        """Start a job of bob that uses all of a node."""
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
    made = Place(tmp_path_factory.mktemp("jobs"))
    yield made
    made.on_controller(f"rm -f {CONFIG}")
    made.free()
    made.remove_tree()


@pytest.fixture(scope="module")
def tree(place: Place) -> Place:
    place.add_tree()
    return place


def printed(run: Run) -> str:
    """Output of a run in one line."""
    return " ".join(run.output.split())


def codes(run: Run, kind: str) -> list[tuple[str, str]]:
    return [(each["code"], each["subject"]) for each in run.cluster()["findings"] if each["kind"] == kind]


def test_without_a_tree_the_placement_is_arbitrary(place: Place) -> None:
    with step("required is refused before anything is submitted"):
        refused = place.submit()
        assert refused.rc == 2 and "ignores --switches, although the cluster's nodes are below 2 leaf switches" in printed(refused), refused.log
        assert codes(refused, "failure")[0] == ("option-refused", "placement") and place.queued() == [], refused.cluster()
    with step("preferred is reported as arbitrary"):
        preferred = place.submit("--check", topology_job_placement="preferred")
        assert preferred.rc == 0 and "the placement of job llama of alice is arbitrary" in printed(preferred), preferred.log


def test_a_required_placement_is_kept_and_the_job_not_submitted_again(tree: Place) -> None:
    with step("check mode submits nothing"):
        planned = tree.submit("--check", "--diff")
        assert (planned.rc, planned.changed) == (0, 1) and tree.queued() == [], planned.log
        assert "+job llama of alice" in planned.output and f"after {SWITCH_WAIT} s instead of 604800 s" in printed(planned), planned.log
        assert codes(planned, "failure") == codes(planned, "pending") == []
    with step("run"):
        done = tree.submit()
        assert (done.rc, done.changed) == (0, 1) and ("topology-job-kept", NAME) in codes(done, "note"), done.log
        assert "its 2 nodes are below nn-31 (2)" in printed(done), done.log
        tree.assert_runs_on(*tree.nodes[:2])
    with step("a second run changes nothing"):
        for arguments in ((), ("--check", "--diff")):
            again = tree.submit(*arguments)
            assert (again.rc, again.changed) == (0, 0) and ("topology-job-kept", NAME) in codes(again, "note"), again.log
        tree.assert_runs_on(*tree.nodes[:2])
    with step("placement reports the same"):
        run, (job,) = tree.prove()
        assert run.rc == 0 and (job["name"], job["namespace"], job["ours"]) == ("llama", "alice", True), run.log
        assert job["placement"]["verdict"] == "kept" and {each["node"] for each in job["placement"]["rows"]} == set(tree.nodes[:2])
    with step("another script is refused"):
        other = tree.submit(seconds=901)
        assert other.rc == 2 and f"its script differs from line {len(SCRIPT.splitlines())} on" in printed(other) and len(tree.queued()) == 1, other.log
        assert codes(other, "failure")[0] == ("option-refused", "script"), other.cluster()
    with step("another script replaces the job if a variable requests it"):
        replaced = tree.submit(seconds=901, topology_job_replace=True)
        assert (replaced.rc, replaced.changed) == (0, 1), replaced.log
        assert [each["action"] for each in replaced.cluster()["changes"]] == ["delete", "create"], replaced.cluster()
        tree.world.eventually(lambda: tree.assert_runs_on(*tree.nodes[:2]))
        again = tree.submit(seconds=901, topology_job_replace=True)
        assert (again.rc, again.changed) == (0, 0), again.log
    with step("absent"):
        tree.remove()
        gone = tree.submit(topology_job_state="absent")
        assert (gone.rc, gone.changed) == (0, 0), gone.log


def test_an_ended_job_is_not_run_again(tree: Place) -> None:
    short = {"topology_job_name": "short", "seconds": 1, "topology_job_wait": "finished"}
    with step("the run waits for the end of the job"):
        first = tree.submit(**short)
        assert (first.rc, first.changed) == (0, 1) and ("topology-job-kept", "Slurm job alice/short") in codes(first, "note"), first.log
    with step("a job that only accounting has is not run again"):
        tree.reconfigure("echo MinJobAge=2 >>/etc/slurm/slurm.conf")
        tree.world.eventually(lambda: _forgotten(tree), seconds=180)
        again = tree.submit(**short)
        assert (again.rc, again.changed) == (0, 0) and tree.queued() == [], again.log
        assert ("topology-job-kept", "Slurm job alice/short") in codes(again, "note"), again.log
    with step("a failed job is reported as a failure"):
        failed = tree.submit(topology_job_name="broken", seconds="ever", topology_job_wait="finished")
        assert failed.rc == 2 and "its script ended with an error" in printed(failed), failed.log


def _forgotten(tree: Place) -> None:
    assert tree.on_controller("squeue --noheader --states=all --name=short --format=%A").split() == []
    assert tree.on_controller("sacct --noheader --allocations --name=short --user=alice --format=State").split() == ["COMPLETED"]


def test_a_preferred_placement_that_spills_is_reported(tree: Place) -> None:
    tree.occupy(tree.nodes[0])
    done = tree.submit(topology_job_placement="preferred")
    assert done.rc == 0 and ("topology-job-spilled", NAME) in codes(done, "note"), done.log
    assert "its 2 nodes are below 2 leaf switches instead of 1: nn-31 (1), nn-32 (1)" in printed(done), done.log
    run, (job,) = tree.prove("--check")
    assert run.rc == 0 and job["placement"]["verdict"] == "spilled", run.log
    tree.free()


def test_a_required_placement_that_slurm_drops_is_a_failure(tree: Place) -> None:
    tree.occupy(tree.nodes[0])
    with step("a waiting job is pending"):
        waits = tree.submit(topology_job_timeout=1)
        assert (waits.rc, waits.changed) == (0, 1) and codes(waits, "pending") == [("topology-job-waits", NAME)], waits.log
    with step("Slurm starts the job on any nodes"):
        failed = tree.submit()
        assert (failed.rc, failed.changed) == (2, 0) and codes(failed, "failure")[0] == ("topology-job-misplaced", NAME), failed.log
        assert f"nn-31 (1), nn-32 (1); Slurm ignores the request after {SWITCH_WAIT} s" in printed(failed), failed.log
        assert f"{tree.nodes[2]} nn-32 nn-1 > nn-2 > nn-32" in printed(failed), failed.log
    with step("placement fails, too"):
        run, (job,) = tree.prove()
        assert run.rc == 2 and job["placement"]["verdict"] == "left" and job["placement"]["wrong"], run.log
        assert codes(run, "failure") == [("topology-job-misplaced", NAME)]
        tree.remove()
    with step("a spilled job of another person is only reported"):
        batch = f"cd /tmp && sbatch -o /dev/null -p {PARTITION} -N 2 --switches=1@0:01 --job-name=foreign --wrap 'srun sleep 900'"
        tree.on_controller(batch, "alice")
        tree.world.eventually(lambda: tree.assert_runs_on(*tree.nodes[1:]))
        run, (job,) = tree.prove()
        assert run.rc == 0 and (job["name"], job["ours"], job["placement"]["verdict"]) == ("foreign", False, "spilled"), run.log
        refused = tree.submit(topology_job_name="foreign")
        assert refused.rc == 2 and "and this module did not submit it" in printed(refused), refused.log
    tree.free()


def test_invalid_input_is_refused_with_the_names_of_variables(tree: Place) -> None:
    for given, message in (
        (
            {"topology_job_team": "a"},
            "topology_job_team: 'a' is not allowed: this variable is for clusters with EKS. Allowed: no value on a cluster with Slurm.",
        ),
        ({"topology_job_user": ""}, "topology_job_user: missing"),
        ({"topology_job_user": "nobody-here"}, "user: 'nobody-here' is not allowed: this node has no such account."),
        ({"topology_job_placement": "unconstrained"}, "topology_job_placement: 'unconstrained' is not allowed."),
        ({"topology_job_partition": "none"}, "was not submitted: sbatch"),
    ):
        refused = tree.submit(**given)
        assert refused.rc == 2 and message in printed(refused) and tree.queued() == [], refused.log
