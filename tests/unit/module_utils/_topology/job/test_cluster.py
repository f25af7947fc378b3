# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
from __future__ import annotations

import typing as t

import pytest
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._kubernetes.client import KubernetesError
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._topology.job.cluster import Cluster, frameworks

from ..._karpenter.proof.api_server import Server
from .api_server import FILE, KUEUE, World
from .jobs import LEVELS, QUEUE, SPACE, rendered

GATES = "Kueue's feature gates (Deployment kueue-controller-manager of kueue-system)"


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("integrations: {frameworks: [batch/job, pod]}", ("batch/job", "pod")),
        ("integrations: {frameworks: [pod], externalFrameworks: [A.v1.b.c]}", ("pod", "A.v1.b.c")),
        ("integrations: {frameworks: []}", ()),
        ("integrations: {}", ("batch/job",)),
        ("metrics: {}", ("batch/job",)),
        ("a: [", None),
        ("- a", None),
    ],
)
def test_frameworks_are_read_from_the_configuration(text, found):
    assert frameworks({"data": {"controller_manager_config.yaml": text}}) == found
    assert frameworks({}) is None


@pytest.mark.parametrize("version", ["v1beta1", "v1beta2"])
def test_the_facts_of_a_cluster_are_read(version):
    world = World(version)
    with Server(world) as kubernetes:
        facts = Cluster(kubernetes).facts(rendered(priority="high-priority"))
    assert facts.namespace == "there" and facts.kind_served and facts.kueue[0] == version
    assert (facts.queues, facts.flavors, facts.levels) == ((QUEUE,), {"gpus": "nodes"}, {"nodes": LEVELS})
    assert (facts.priorities, facts.frameworks) == (("high-priority",), ("batch/job", "jobset.x-k8s.io/jobset"))
    assert facts.topology_aware.on and facts.unseen == ()
    assert world.changes == []


def test_the_newest_version_that_has_a_kind_is_used():
    """Up to 0.14, Topology is alpha while all other kinds are beta."""
    world = World("v1beta1")
    served = {f"{KUEUE}/v1beta1": ["workloads"], f"{KUEUE}/v1alpha1": ["topologies"]}

    def answer(method, target, body):
        if target == KUEUE:
            return 200, {"versions": [{"version": each} for each in ("v1alpha1", "v1beta1")]}
        return 200, {"resources": [{"name": each} for each in served[target]]}

    world.answer = answer
    with Server(world) as kubernetes:
        cluster = Cluster(kubernetes)
        assert cluster.kueue_versions() == ("v1beta1", "v1alpha1")
        assert cluster.path("topologies") == f"{KUEUE}/v1alpha1/topologies"
        assert cluster.path("workloads", "a") == f"{KUEUE}/v1beta1/namespaces/a/workloads"


def test_a_cluster_without_kueue_is_recognised():
    world = World()
    world.answer = lambda method, target, body: (404, {})
    with Server(world) as kubernetes:
        facts = Cluster(kubernetes).facts(rendered())
    assert (facts.namespace, facts.kind_served, facts.kueue) == ("missing", False, ())


@pytest.mark.parametrize(
    ("path", "lacks", "unseen"),
    [
        (FILE, "frameworks", "ConfigMap kueue-manager-config of kueue-system"),
        ("/apis/apps/v1/", "topology_aware", GATES),
        (f"{KUEUE}/v1beta2/clusterqueues", "flavors", "ClusterQueue all"),
        (f"{KUEUE}/v1beta2/resourceflavors", "flavors", "ResourceFlavor gpus"),
        (f"{KUEUE}/v1beta2/topologies", "levels", "Topology nodes"),
        (f"{KUEUE}/v1beta2/workloadpriorityclasses", "priorities", "WorkloadPriorityClasses"),
        (f"{KUEUE}/v1beta2/namespaces/", "local_queue", "LocalQueues of the namespace"),
    ],
)
def test_facts_that_the_caller_cannot_read_are_unknown(path, lacks, unseen):
    world = World()
    world.refusing[f"GET {path}"] = [403] * 9
    with Server(world) as kubernetes:
        facts = Cluster(kubernetes).facts(rendered(priority="high-priority"))
    assert getattr(facts, lacks) is None and set(facts.unseen) - {GATES} == {unseen} - {GATES}
    assert (GATES in facts.unseen) is (facts.topology_aware is None)


@pytest.mark.parametrize("path", [FILE, "/apis/apps/v1/", "/api/v1/namespaces/hyperpod-ns-a", f"{KUEUE}/v1beta2/namespaces/"])
def test_other_errors_are_failures(path):
    world = World()
    world.refusing[f"GET {path}"] = [500]
    with Server(world) as kubernetes, pytest.raises(KubernetesError):
        Cluster(kubernetes).facts(rendered())


def test_a_configuration_in_another_place_is_reported():
    world = World()
    del world.objects[FILE]
    with Server(world) as kubernetes:
        facts = Cluster(kubernetes).facts(rendered())
    assert facts.frameworks is None
    assert facts.unseen == ("Kueue's configuration (no ConfigMap kueue-manager-config exists in kueue-system)",)


class Objects:
    """The objects a caller can read, by path; a path with None is refused."""

    def __init__(self, **objects: t.Any) -> None:
        base = f"{KUEUE}/v1beta2"
        self.objects: dict[str, t.Any] = {
            KUEUE: {"versions": [{"version": "v1beta2"}]},
            f"{base}/namespaces/{SPACE}/localqueues/{QUEUE}": {"spec": {"clusterQueue": "all"}},
            **{f"{base}/{name.replace('__', '/')}": found for name, found in objects.items()},
        }

    def find(self, path: str) -> t.Any:
        if path in self.objects and self.objects[path] is None:
            raise KubernetesError("refused", 403)
        return self.objects.get(path)


def queue_of(*flavors: str) -> dict[str, t.Any]:
    """A ClusterQueue with a group of resources for each flavor, and a group without flavors."""
    return {"spec": {"resourceGroups": [*({"flavors": [{"name": each}, {"name": each}]} for each in flavors), {}]}}


def flavor(topology: str = "", **labels: str) -> dict[str, t.Any]:
    return {"spec": {"topologyName": topology, "nodeLabels": {key: f"{value}\x1b" for key, value in labels.items()}}}


NODES = {"spec": {"levels": [{"nodeLabel": "a"}, {"nodeLabel": "b"}]}}


@pytest.mark.parametrize(
    ("objects", "expected"),
    [
        ({}, {}),
        ({"clusterqueues__all": {}}, {}),
        ({"clusterqueues__all": None}, {}),
        ({"clusterqueues__all": queue_of("one", "two")}, {"one": ({}, ()), "two": ({}, ())}),
        ({"clusterqueues__all": queue_of("one"), "resourceflavors__one": {}}, {"one": ({}, ())}),
        ({"clusterqueues__all": queue_of("one"), "resourceflavors__one": None}, {"one": ({}, ())}),
        ({"clusterqueues__all": queue_of("one"), "resourceflavors__one": flavor(x="y")}, {"one": ({"x": "y?"}, ())}),
        ({"clusterqueues__all": queue_of("one"), "resourceflavors__one": flavor("nodes")}, {"one": ({}, ())}),
        ({"clusterqueues__all": queue_of("one"), "resourceflavors__one": flavor("nodes"), "topologies__nodes": None}, {"one": ({}, ())}),
        (
            {"clusterqueues__all": queue_of("one"), "resourceflavors__one": flavor("nodes", x="y"), "topologies__nodes": NODES},
            {"one": ({"x": "y?"}, ("a", "b"))},
        ),
    ],
)
def test_the_flavors_of_a_queue_are_read(objects: t.Any, expected: t.Any) -> None:
    assert Cluster(t.cast(t.Any, Objects(**objects))).flavors_of(rendered()) == expected


def test_the_layers_are_those_of_the_first_flavor_with_a_topology() -> None:
    found = Objects(resourceflavors__one=flavor(), resourceflavors__two=flavor("nodes"), topologies__nodes=NODES)
    cluster = Cluster(t.cast(t.Any, found))
    assert (cluster.levels_of(("one", "two")), cluster.levels_of(("one",)), cluster.levels_of(())) == (("a", "b"), (), ())


def test_versions_are_sorted_by_their_age() -> None:
    newest = ("v2", "v1", "v2beta1", "v1beta10", "v1beta2", "v1alpha3", "other")
    found = Objects()
    found.objects[KUEUE] = {"versions": [{"version": each} for each in sorted(newest)]}
    assert Cluster(t.cast(t.Any, found)).kueue_versions() == newest
