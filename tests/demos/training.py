"""`make demo-training`: a real job proves that a cluster trains, and finds storage that is not shared. No AWS account is needed."""

from __future__ import annotations

import json
import os
import shlex
import shutil
import sys
import typing as t
from pathlib import Path

from stage import BOLD, DIM, PLAIN, TESTS, begin, lab, say

os.environ.setdefault("LAB_NAME", "demo-training")
INSIDE = "--inside"
IMAGE = "public.ecr.aws/deep-learning-containers/pytorch:2.12-cu130-amzn2023"
GROUP, SPACE = "gpus", "research"
PAGE = TESTS.parent / ".lab" / "verify_training.html"


def main() -> None:
    say("A lab: AWS's APIs simulated; Kubernetes, the kubelets and containers of two nodes, and PyTorch are real, on CPUs")
    begin()
    try:
        lab("exec", "--", sys.executable, str(Path(__file__).resolve()), INSIDE)
    finally:
        lab("down", quiet=True)
    say("Done. The lab is removed. docs/use/training.md explains each proof")
    print(f"    {PAGE}: the report as a page, with the loss of both jobs", flush=True)


def inside() -> None:
    """Runs in the lab, which has the API."""
    for folder in (TESTS, TESTS / "integration", Path(os.environ["ANSIBLE_COLLECTIONS_PATH"].partition(":")[0])):
        sys.path.insert(0, str(folder))
    from eks_world import EksWorld, until, workers
    from lab.pods import claims

    with EksWorld(real=[GROUP], images=[IMAGE]) as pods:
        pods.training.start()
        pods.hyperpod("ml", [workers(GROUP, 2)])
        until(lambda: "True True" in ready(pods), seconds=120)
        pods.api.create("/api/v1/namespaces", {"metadata": {"name": SPACE}})
        claims.claim(pods.api, SPACE, "scratch", shared=False)
        claims.claim(pods.api, SPACE, "fsx", shared=True)
        show(pods)


def ready(pods: t.Any) -> str:
    path = "{.items[*].status.conditions[?(@.type=='Ready')].status}"
    return str(pods.kubectl("get", "nodes", "-o", f"jsonpath={path}").stdout)


def show(pods: t.Any) -> None:
    say("Two nodes with a GPU each, as HyperPod and Kubernetes list them. Both are Ready: does the cluster train?")
    print(indented(pods.kubectl("get", "nodes", "-L", "node.kubernetes.io/instance-type").stdout), flush=True)
    print(indented(pods.kubectl("get", "persistentvolumeclaims", "-n", SPACE).stdout), flush=True)

    say("A dry run lists the nodes and the job, and creates nothing. The lab has no GPUs, so the checks of GPUs are skipped")
    verify(pods, "--check", claim="scratch")

    say("The job with the claim 'scratch'. Its access mode is ReadWriteMany, but each node uses a separate folder")
    verify(pods, claim="scratch")

    say("Fixed: the claim 'fsx' is one folder for all nodes. Two Pods train, then two new Pods resume from the checkpoint")
    verify(pods, claim="fsx")
    say("Nothing is left: the last job removed the checkpoints")
    kinds = "pytorchjobs,jobs,pods,services,configmaps"
    print(indented(pods.kubectl("get", kinds, "-A", "-l", "mlfleet.hyperpod/training").stderr), flush=True)


def verify(pods: t.Any, *arguments: str, **variables: str) -> None:
    """Prints the report of the run, and keeps its page."""
    from harness import STATE_DIR

    given = {"namespace": SPACE, "steps": "20", "health": "false", "nccl": "false", **variables}
    shown = [part for name, value in given.items() for part in ("-e", f"verify_training_{name}={value}")]
    print(f"    {DIM}$ {shlex.join(['ansible-playbook', 'mlfleet.hyperpod.verify_training', *shown, *arguments])}{PLAIN}", flush=True)
    done = pods.world.playbook("verify_training", *shown, *arguments)
    report = done.output.partition("HYPERPOD REPORT")[2].partition("\n")[2]
    if not report:
        sys.exit(done.log)
    if "--check" in arguments:
        print(f"{BOLD}{indented(report.strip())}{PLAIN}", flush=True)
        return
    from ansible_collections.mlfleet.hyperpod.plugins.plugin_utils._training.lines import lines

    document = json.loads((STATE_DIR / "verify_training.json").read_text())
    print(indented("\n".join(lines(document))), flush=True)
    print(f"{BOLD}{indented(report.strip())}{PLAIN}", flush=True)
    shutil.copyfile(STATE_DIR / "verify_training.html", PAGE)


def indented(text: str) -> str:
    return "\n".join(f"    {line}" for line in text.rstrip("\n").split("\n"))


if __name__ == "__main__":
    inside() if INSIDE in sys.argv else main()
