"""Two playbooks create a Slurm cluster in which people log in; it is changed while they work, and removed."""

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
def no_cluster() -> World:
    """An account with a network, and no cluster."""
    world = World()
    world.empty()
    cgroups.wait_for_room(5)
    world.settings(service_quotas={"ml.p5.48xlarge for cluster usage": 2})
    yield world
    world.settings(service_quotas={})


class Definition:
    """The inventory of a person who creates a cluster: a definition as AWS documents it, and the cluster once it exists."""

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

    def write(self, compute: int) -> None:
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


def test_a_cluster_is_created_changed_and_removed_while_people_work(no_cluster: World) -> None:
    cluster = Definition(no_cluster)
    cluster.write(compute=1)

    with step("check mode reports the plan and the price"):
        no_cluster.reset_calls()
        planned = cluster.playbook("--check", "--diff")
        assert planned.rc == 0 and mutating(no_cluster) == [], planned.log
        assert "Price of the new nodes: about " in planned.output, planned.log

    with step("two playbooks create the cluster and the access"):
        for run in (cluster.playbook(), no_cluster.playbook("login_access")):
            assert run.rc == 0, run.log
        assert_people_log_in(no_cluster)

    with step("a second run changes nothing"):
        unchanged(no_cluster, cluster.playbook, lambda: no_cluster.playbook("login_access"))

    with step("one more node while people work"):
        (worker,) = no_cluster.hosts("worker-group-1")
        submit(no_cluster, worker["name"], 900)
        before = jobs(no_cluster)
        stayed = no_cluster.login("bob", "nohup sleep 900 >/dev/null 2>&1 & echo $!").stdout.strip()
        cluster.write(compute=2)
        for run in (cluster.playbook(), no_cluster.playbook("login_access")):
            assert run.rc == 0, run.log
        assert len(no_cluster.hosts("worker-group-1")) == 2 and jobs(no_cluster) == before
        alive = [no_cluster.on_node(node["name"], "ps", "-o", "args=", "-p", stayed).stdout.strip() for node in no_cluster.login_nodes()]
        assert "sleep 900" in alive, alive
        unchanged(no_cluster, cluster.playbook, lambda: no_cluster.playbook("login_access"))

    with step("more nodes than the quota allows"):
        cluster.write(compute=3)
        no_cluster.reset_calls()
        refused = cluster.playbook()
        assert refused.rc == 2 and mutating(no_cluster) == [], refused.log
        assert "The quota 'ml.p5.48xlarge for cluster usage' is 2, and 3 are needed" in refused.log

    with step("removal, with the lost jobs in check mode"):
        arn = no_cluster.aws("sagemaker").describe_cluster(ClusterName="ml")["ClusterArn"]
        removal = ("-e", f"hyperpod_cluster_remove={arn}")
        no_cluster.reset_calls()
        planned = cluster.playbook("--check", *removal)
        assert planned.rc == 0 and mutating(no_cluster) == [], planned.log
        assert "worker-group-1 2 (i-" in planned.log and " of alice." in planned.log, planned.log
        done = cluster.playbook(*removal)
        assert done.rc == 0 and no_cluster.aws("sagemaker").list_clusters()["ClusterSummaries"] == [], done.log
