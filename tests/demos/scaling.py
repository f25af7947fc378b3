"""`make demo-eks`: an EKS cluster gains and loses nodes with its pods. No AWS account is needed."""

from __future__ import annotations

import json
import os
import re
import sys
import time
import typing as t
from pathlib import Path

from stage import TESTS, begin, lab, say

os.environ.setdefault("LAB_NAME", "demo-eks")
INSIDE = "--inside"
DECLARED = {
    "karpenter_node_classes": [{"name": "gpus", "instance_groups": ["auto"]}],
    "karpenter_node_pools": [
        {
            "name": "gpus",
            "node_class": "gpus",
            "limits": {"nvidia.com/gpu": 3},
            "disruption": {"profile": "training", "consolidate_after": "1s"},
        }
    ],
}


def main() -> None:
    say("A lab: AWS's APIs simulated; etcd, API server, scheduler and controllers are real; a small program simulates AWS's Karpenter")
    begin()
    try:
        lab("exec", "--", sys.executable, str(Path(__file__).resolve()), INSIDE)
    finally:
        lab("down", quiet=True)
    say("Done. The lab is removed")


def inside() -> None:
    """Runs in the lab, which has the API."""
    for folder in (TESTS, TESTS / "integration"):
        sys.path.insert(0, str(folder))
    from eks_world import EksWorld, workers

    with EksWorld() as pods:
        pods.agent("1.0.1892.0_1.0.424.0")
        pods.hyperpod("ml", [workers("system", 1, "ml.m5.large"), workers("auto", 0)])
        pods.karpenter.start()
        show(pods)


def show(pods: t.Any) -> None:
    say("A HyperPod cluster of fixed size: one node for the system, and an empty group auto")
    run(pods, "A dry run", "karpenter", "--check", only="changes|price|Karpenter")
    run(pods, "Apply: role, autoscaler, NodeClass, NodePool", "karpenter", only="changes|Karpenter")

    say("Three pods that request a GPU each")
    for number in range(3):
        container = {"name": "train", "image": "train", "resources": {"limits": {"nvidia.com/gpu": "1"}}}
        template = {
            "metadata": {"annotations": {"lab/run-seconds": "12"}},
            "spec": {"restartPolicy": "Never", "containers": [container]},
        }
        made = {"metadata": {"name": f"train-{number}"}, "spec": {"template": template}}
        pods.api.create("/apis/batch/v1/namespaces/default/jobs", made)
    watch(pods, until_nodes=3)

    say("The jobs end, and their nodes are removed")
    watch(pods, until_nodes=0)
    run(pods, "Run again: nothing to change", "karpenter", only="changes|Karpenter")


def run(pods: t.Any, title: str, verb: str, *arguments: str, only: str) -> None:
    say(title)
    print(f"    $ ansible-playbook mlfleet.hyperpod.{verb} {' '.join(arguments)}", flush=True)
    done = pods.world.playbook(verb, "-e", json.dumps(DECLARED), *arguments)
    if done.rc:
        sys.exit(done.log)
    _tasks, _recap, report = done.output.rpartition("PLAY RECAP")
    for line in report.split("\n")[1:]:
        if line.strip() and not re.match(r"\S+\s+: ok=", line):
            print(f"    {line}", flush=True)


def watch(pods: t.Any, *, until_nodes: int) -> None:
    """Print the result of the module karpenter_info each time it changes."""
    arn = pods.aws("sagemaker").describe_cluster(ClusterName="ml")["ClusterArn"]
    shown, deadline = "", time.monotonic() + 120
    while time.monotonic() < deadline:
        found = pods.module("karpenter_info", {"cluster_arn": arn})
        claims = found["node_claims"]
        ready = [each for each in claims if each["state"] == "ready"]
        cost = found["price"]["told"] if claims else "nothing"
        line = f"waiting pods: {len(found['waiting'])}   nodes: {len(ready)} ready of {len(claims)}   price: {cost}"
        if line != shown:
            print(f"    {line}", flush=True)
            shown = line
        if len(ready) == len(claims) == until_nodes:
            return
    sys.exit(f"The cluster does not have {until_nodes} ready nodes after two minutes.")


if __name__ == "__main__":
    inside() if INSIDE in sys.argv else main()
