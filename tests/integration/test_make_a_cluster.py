"""A Slurm cluster from nothing to people who are logged in, by two playbooks; changed while they work; and removed."""

from __future__ import annotations

import json
import typing as t
from pathlib import Path

import pytest
import yaml
from harness import HOME, Run, World
from lab.cli import world as lab_world
from lab.hosts import cgroups
from lab.names import REGION
from steps import step
from work import jobs, submit
from worlds import assert_people_log_in

pytestmark = pytest.mark.slow
FOLDER = HOME / "definitions"


@pytest.fixture
def nothing() -> World:
    """An account with a network, and no cluster."""
    world = World()
    world.empty()
    cgroups.wait_for_room(5)
    world.settings(service_quotas={"ml.p5.48xlarge for cluster usage": 2})
    yield world
    world.settings(service_quotas={})


class Definition:
    """The inventory of a person who makes a cluster: a definition as AWS documents it, and below the cluster once it is there."""

    def __init__(self, world: World) -> None:
        self.world = world
        self.network = world.network()
        FOLDER.mkdir(exist_ok=True)
        variables = {
            "hyperpod_region": REGION,
            "hyperpod_profile": "lab",
            "hyperpod_cluster_definition_file": str(FOLDER / "ml.json"),
        }
        self.inventory = FOLDER / "definitions.yml"
        self.inventory.write_text(yaml.safe_dump({"hyperpod_definitions": {"hosts": {"ml": variables}}}))

    def wants(self, compute: int) -> None:
        definition = lab_world.definition("ml", *self.network, login=2, compute=compute)
        (FOLDER / "ml.json").write_text(json.dumps(definition))

    def playbook(self, *arguments: str) -> Run:
        sources = [self.inventory, Path(self.world.paths.repo, "inventories/lab/hyperpod.yml")]
        return self.world.playbook("cluster", *(part for source in sources for part in ("-i", str(source))), *arguments)


def mutating(world: World) -> list[str]:
    return [call["operation"] for call in world.calls(mutating=True)]


def unchanged(world: World, *runs: t.Callable[[], Run]) -> None:
    for run in runs:
        world.reset_calls()
        done = run()
        assert done.rc == 0 and mutating(world) == [] and done.changed == 0, done.log


def test_from_nothing_to_people_at_work_and_back(nothing: World) -> None:
    cluster = Definition(nothing)
    cluster.wants(compute=1)

    with step("told before"):
        nothing.reset_calls()
        foreseen = cluster.playbook("--check", "--diff")
        assert foreseen.rc == 0 and mutating(nothing) == [], foreseen.log
        assert "Price of the new nodes: about " in foreseen.output, foreseen.log

    with step("two playbooks"):
        for run in (cluster.playbook(), nothing.playbook("login_access")):
            assert run.rc == 0, run.log
        assert_people_log_in(nothing)

    with step("again there is nothing to do"):
        unchanged(nothing, cluster.playbook, lambda: nothing.playbook("login_access"))

    with step("a node more while people work"):
        (worker,) = nothing.hosts("worker-group-1")
        submit(nothing, worker["name"], 900)
        before = jobs(nothing)
        stayed = nothing.login("bob", "nohup sleep 900 >/dev/null 2>&1 & echo $!").stdout.strip()
        cluster.wants(compute=2)
        for run in (cluster.playbook(), nothing.playbook("login_access")):
            assert run.rc == 0, run.log
        assert len(nothing.hosts("worker-group-1")) == 2 and jobs(nothing) == before
        alive = [nothing.on_node(node["name"], "ps", "-o", "args=", "-p", stayed).stdout.strip() for node in nothing.login_nodes()]
        assert "sleep 900" in alive, alive
        unchanged(nothing, cluster.playbook, lambda: nothing.playbook("login_access"))

    with step("too many for the quota"):
        cluster.wants(compute=3)
        nothing.reset_calls()
        refused = cluster.playbook()
        assert refused.rc == 2 and mutating(nothing) == [], refused.log
        assert "The quota 'ml.p5.48xlarge for cluster usage' is 2, and 3 are needed" in refused.log

    with step("removed, and told before who loses a job"):
        arn = nothing.aws("sagemaker").describe_cluster(ClusterName="ml")["ClusterArn"]
        gone = ("-e", f"hyperpod_cluster_remove={arn}")
        nothing.reset_calls()
        foreseen = cluster.playbook("--check", *gone)
        assert foreseen.rc == 0 and mutating(nothing) == [], foreseen.log
        assert "worker-group-1 2 (i-" in foreseen.log and " of alice." in foreseen.log, foreseen.log
        done = cluster.playbook(*gone)
        assert done.rc == 0 and nothing.aws("sagemaker").list_clusters()["ClusterSummaries"] == [], done.log
