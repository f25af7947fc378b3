"""`make demo-topology`: the places of nodes, a job with a required topology, and proof of its placement. No AWS account is needed."""

from __future__ import annotations

import os
import shutil
import sys
import typing as t
from pathlib import Path

from stage import TESTS, begin, lab, say

os.environ.setdefault("LAB_NAME", "demo-topology")
INSIDE = "--inside"
PAGE = TESTS.parent / ".lab" / "topology.html"
LAYER = "topology.k8s.aws/network-node-layer-"
SPACE, QUEUE = "hyperpod-ns-research", "hyperpod-ns-research-localqueue"
ARTICLE = (("nn-21", "nn-31"), ("nn-21", "nn-31"), ("nn-22", "nn-32"), ("nn-22", "nn-32"), ("nn-22", "nn-32"), ("nn-22", "nn-33"), ("nn-22", "nn-33"))
"""Layers 2 and 3 of seven nodes, which share layer 1."""
NO_ROOM = 'topology "nodes" allows to fit only 3 out of 4 pod(s). Total nodes: 7; excluded: resource "nvidia.com/gpu": 2'


def main() -> None:
    say("A lab: AWS's APIs simulated; etcd, API server, scheduler and controllers are real; a small program simulates Kueue from a script")
    begin()
    try:
        lab("exec", "--", sys.executable, str(Path(__file__).resolve()), INSIDE)
    finally:
        lab("down", quiet=True)
    say(f"Done. The lab is removed. The last map: {PAGE}")


def inside() -> None:
    """Runs in the lab, which has the API."""
    for folder in (TESTS, TESTS / "integration"):
        sys.path.insert(0, str(folder))
    from eks_world import EksWorld, until, workers
    from lab.kueue.operator import Kueue

    with EksWorld() as pods:
        pods.hyperpod("ml", [workers("gpus", len(ARTICLE), "ml.p5.48xlarge")])
        until(lambda: len(pods.seen("nodes")["items"]) == len(ARTICLE))
        nodes = sorted(each["metadata"]["name"] for each in pods.seen("nodes")["items"])
        for name, below in zip(nodes, ARTICLE):
            labels = {f"{LAYER}{number}": each for number, each in enumerate(("nn-1", *below), 1)}
            pods.api.merge(f"/api/v1/nodes/{name}", {"metadata": {"labels": labels}})
        kueue = Kueue(pods.api)
        try:
            kueue.start("v1beta2", [*(f"{LAYER}{number}" for number in (1, 2, 3)), "kubernetes.io/hostname"])
            kueue.team(SPACE, QUEUE)
            show(pods, kueue, nodes)
        finally:
            kueue.stop()


def show(pods: t.Any, kueue: t.Any, nodes: list[str]) -> None:
    from lab.kueue.script import Admits, Pauses, Waits

    say("Seven nodes over one network node of layer 1, two of layer 2 and three of layer 3. Which three nodes are closest to each other?")
    drawn = draw(pods)
    print("\n".join(f"    {line}" for line in drawn.splitlines()), flush=True)

    say("A job on three nodes below the same network node of layer 3. Kueue queues it first")
    kueue.script["train"] = [Waits("WaitingForQuota", "couldn't assign flavors to pod set worker: quota"), Pauses(3)]
    kueue.script["train"].append(Admits({"master": nodes[2:3], "worker": nodes[2:5]}))
    print_result(submit(pods, "train", 3))

    say("Run again: the job is not submitted twice, and its placement is verified again")
    print_result(submit(pods, "train", 3))

    say("A job on four nodes: no network node of layer 3 has four")
    kueue.script["large"] = [Waits("TopologyPlacementFailed", f"couldn't assign flavors to pod set worker: {NO_ROOM}")]
    print_result(submit(pods, "large", 4, wait_timeout=5))

    say("A job with a pod outside its assigned place: the check finds it")
    kueue.script["astray"] = [Admits({"master": nodes[:1], "worker": nodes[:2]}, at={"worker": [nodes[0], nodes[5]]})]
    print_result(submit(pods, "astray", 2))
    draw(pods)
    by_hyp(pods, kueue, nodes)


def by_hyp(pods: t.Any, kueue: t.Any, nodes: list[str]) -> None:
    from eks_world import until
    from lab.kueue import hyp
    from lab.kueue.script import Admits
    from lab.names import LabError

    try:
        hyp.installed()
    except LabError:
        say("AWS's command line can submit such jobs as well. Install it with make hyp (600 MB) and run this demo again")
        return
    say("The same job with AWS's command line; its placement is verified in the same way")
    kueue.script["by-hyp"] = [Admits({"pod": nodes[5:7]})]
    required = ("--required-topology", f"{LAYER}3")
    print(f"    $ hyp create hyp-pytorch-job --job-name by-hyp --queue-name {QUEUE} --replica-count 2 {' '.join(required)} ...", flush=True)
    about: dict[str, t.Any] = {"namespace": SPACE, "queue": QUEUE, "instance_type": "ml.p5.48xlarge", "kubeconfig": pods.kubeconfig()}
    done = hyp.create("by-hyp", *required, **about)
    if done.returncode:
        sys.exit(done.stdout + done.stderr)
    until(lambda: sum(each["metadata"]["name"].startswith("by-hyp") for each in pods.seen("pods", "-n", SPACE)["items"]) == 2)
    place(pods)


def place(pods: t.Any) -> None:
    """Print the findings of the playbook placement on all jobs."""
    print("    $ ansible-playbook mlfleet.hyperpod.placement", flush=True)
    done = pods.world.playbook("placement")
    for finding in done.report["clusters"]["ml"]["findings"]:
        print(f"    {finding['text']}", flush=True)


def draw(pods: t.Any) -> str:
    """The map as Mermaid; prints the findings of the run."""
    from harness import STATE_DIR

    print("    $ ansible-playbook mlfleet.hyperpod.topology -e topology_nodes_needed=3", flush=True)
    done = pods.world.playbook("topology", "-e", "topology_nodes_needed=3")
    if done.rc:
        sys.exit(done.log)
    for finding in done.report["clusters"]["ml"]["findings"]:
        print(f"    {finding['text']}", flush=True)
    shutil.copyfile(STATE_DIR / "topology.html", PAGE)
    return (STATE_DIR / "topology-ml.mmd").read_text()


def submit(pods: t.Any, name: str, count: int, **options: t.Any) -> dict[str, t.Any]:
    from eks_world import EKS

    container = {"name": "pytorch", "image": "registry.k8s.io/pause:3.10", "resources": {"limits": {"nvidia.com/gpu": "8"}}}
    template = {"spec": {"restartPolicy": "Never", "containers": [container]}}
    specs = {"Master": {"replicas": 1, "template": template}, "Worker": {"replicas": count, "template": template}}
    manifest = {"apiVersion": "kubeflow.org/v1", "kind": "PyTorchJob", "metadata": {"name": name}, "spec": {"pytorchReplicaSpecs": specs}}
    given = {"manifest": manifest, "namespace": SPACE, "queue": QUEUE, "required_topology": f"{LAYER}3"}
    print(f"    $ ansible localhost -m mlfleet.hyperpod.topology_job -a '{{{name}, {QUEUE}, required_topology: {LAYER}3}}'", flush=True)
    returned: dict[str, t.Any] = pods.module("topology_job", {"eks_cluster": EKS, "poll_interval": 1, "wait_timeout": 120, **given, **options})
    return returned


def print_result(result: dict[str, t.Any]) -> None:
    if "msg" in result:
        print("\n".join(f"    {line}" for line in result["msg"].splitlines()), flush=True)
        return
    print(f"    {'submitted' if result['changed'] else 'nothing changed'}: {result['job']['state']}, placement {result['placement']['verdict']}", flush=True)
    for row in result["placement"]["rows"]:
        print(f"    {row['pod']}  {row['node']}  {row['domain']}", flush=True)


if __name__ == "__main__":
    inside() if INSIDE in sys.argv else main()
