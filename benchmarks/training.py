# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""A training job on 2 and on 64 nodes: training_job, compared with a manifest and kubectl, as AWS's article validates a cluster.

The nodes are simulated. In both cases each Pod runs for five seconds, and its log is that of a successful job.
"""

from __future__ import annotations

import collections
import json
import os
import sys
import tempfile
import typing as t
from pathlib import Path

import measure
from lab.kubernetes.front import Front
from lab.kubernetes.kubelets import Machine

HERE = Path(__file__).resolve().parent
TESTS = HERE.parent / "tests"
PROGRAM = HERE.parent / "roles" / "verify_training" / "files" / "train.py"
SIZES, RUNS, GPUS, EFA, STEPS = (2, 64), 3, 8, 32, 20
POD_SECONDS, POLL_SECONDS = 5, 1
IMAGE = "public.ecr.aws/deep-learning-containers/pytorch:2.12-cu130-amzn2023"
JOB = "fsdp"
SELECTOR = f"training.kubeflow.org/job-name={JOB}"
SCRIPT = """\
set -euo pipefail
kubectl apply -f "$1"
while state=$(kubectl get pytorchjob {job} -o jsonpath='{{.status.conditions[-1:].type}}') && [[ ! $state =~ Succeeded|Failed ]]; do
    sleep {poll}
done
{logs} > "$2"
kubectl delete -f "$1"
while [[ $(kubectl get pods -l {selector} -o name) ]]; do sleep {poll}; done
echo "$state"
"""
EACH, ALL = "a kubectl for each log", "one kubectl for all logs"
LOGS = {
    EACH: f'for pod in $(kubectl get pods -l {SELECTOR} -o name); do kubectl logs "$pod"; done',
    ALL: f"kubectl logs -l {SELECTOR} --tail=-1 --max-log-requests={max(SIZES)}",
}
Object = dict[str, t.Any]


class Run(t.NamedTuple):
    took: measure.Took
    calls: collections.Counter[str]
    verdict: str

    def __str__(self) -> str:
        calls = ", ".join(f"{verb} {count}" for verb, count in self.calls.most_common())
        return f"{measure.seconds(self.took)}, {self.calls.total()} requests to the API server ({calls})"


def rows() -> measure.Rows:
    folders = TESTS / "integration", TESTS / "unit" / "module_utils" / "_training"
    sys.path[:0] = [*map(str, folders), *os.environ["ANSIBLE_COLLECTIONS_PATH"].split(":")]
    from eks_world import EksWorld, until
    from logged import trained

    with EksWorld() as pods:
        pods.training.annotations = {"lab/run-seconds": str(POD_SECONDS)}
        pods.training.start()
        for number in range(max(SIZES)):
            pods.kubelets.add(machine(number))
        until(lambda: not any(each["spec"].get("taints") for each in pods.api.get("/api/v1/nodes")["items"]))
        for count in SIZES:
            log(pods, trained(steps=STEPS, nodes=count, processes=GPUS).pods)
            yield from compared(pods, count)
        yield from not_noticed(pods)


def compared(pods: t.Any, count: int) -> measure.Rows:
    """Rows of the run with the median duration, for each way; the ways alternate."""
    runs: dict[str, list[Run]] = collections.defaultdict(list)
    for _turn in range(RUNS):
        runs["training_job"].append(ours(pods, count))
        for way in LOGS:
            runs[way].append(by_hand(pods, count, way))
    verdicts = {run.verdict for run in runs["training_job"]}
    if verdicts != {"passed"}:
        sys.exit(f"all jobs must pass, not: {verdicts}")
    first, *others = (sorted(each, key=lambda run: run.took)[RUNS // 2] for each in runs.values())
    yield f"training_job on {count} nodes with {GPUS} GPUs each", str(first)
    for way, run in zip(LOGS, others):
        yield f"kubectl on {count} nodes, {way}", str(run)
        ratio = f"{first.took / run.took:.2f} of the seconds, {first.took.processor / run.took.processor:.2f} of the processor"
        yield f"ratio, training_job to {way}", f"{ratio}, {first.calls.total() / run.calls.total():.2f} of the requests"


def not_noticed(pods: t.Any) -> measure.Rows:
    """A job on two nodes whose copies of the model differ, and whose traffic used sockets."""
    from logged import SOCKETS, Job

    bad = Job(nodes=2, processes=GPUS, network=SOCKETS)
    bad.begin()
    bad.train(1, STEPS)
    bad.save(STEPS, hashes={GPUS: "b" * 64})
    bad.end(STEPS)
    log(pods, bad.pods)
    for way, run in {"training_job": ours(pods, 2), "kubectl": by_hand(pods, 2, ALL)}.items():
        yield f"copies of the model that differ, and sockets instead of EFA: {way}", run.verdict


def machine(number: int) -> Machine:
    resources = {"nvidia.com/gpu": str(GPUS), "vpc.amazonaws.com/efa": str(EFA), "hugepages-2Mi": "10256Mi"}
    return Machine(name(number), {"node.kubernetes.io/instance-type": "ml.p5.48xlarge"}, resources=resources)


def name(number: int) -> str:
    return f"hyperpod-i-{number:017x}"


def log(pods: t.Any, lines: t.Sequence[t.Sequence[str]]) -> None:
    """Set the logs of Pods by their index in the job, on all nodes."""
    texts = ["\n".join(each) + "\n" for each in lines]
    for number in range(max(SIZES)):
        pods.logs.programs[name(number)] = lambda pod: texts[int(pod["metadata"]["name"].rpartition("-")[2])]


def ours(pods: t.Any, count: int) -> Run:
    from adhoc import AS_JSON, returned
    from eks_world import EKS, command

    options = {
        "eks_cluster": EKS,
        "nodes": [name(number) for number in range(count)],
        "gpus": GPUS,
        "efa": True,
        "image": IMAGE,
        "program": PROGRAM.read_text(),
        "steps": STEPS,
        "poll_interval": POLL_SECONDS,
    }
    took, output, calls = measured(pods, command("training_job", options), **AS_JSON)
    found = returned(output)["training_job"]
    verdict = ", ".join([found["verdict"], *(problem["code"] for problem in found["problems"])])
    return Run(took, calls, verdict)


def by_hand(pods: t.Any, count: int, way: str) -> Run:
    with tempfile.TemporaryDirectory() as folder:
        manifest, read = Path(folder) / "fsdp.json", Path(folder) / "logs"
        manifest.write_text(json.dumps(job(count)))
        script = SCRIPT.format(job=JOB, selector=SELECTOR, poll=POLL_SECONDS, logs=LOGS[way])
        argv = ["bash", "-c", script, "validate", str(manifest), str(read)]
        took, output, calls = measured(pods, argv, KUBECONFIG=str(pods.kubeconfig()))
        ends = read.read_text().count('"mlfleet_training": "end"')
    if ends != count * GPUS:
        sys.exit(f"the logs of all Pods must have the end of {count * GPUS} processes, not of {ends}")
    return Run(took, calls, output.strip().splitlines()[-1])


def measured(pods: t.Any, argv: t.Sequence[str], **environment: str) -> tuple[measure.Took, str, collections.Counter[str]]:
    """Returns once no Pod is left, so that the next job finds idle nodes."""
    from eks_world import until

    pods.reset_changes()
    took, output = measure.run(argv, **environment)
    calls = counted(pods.front)
    until(lambda: pods.api.get("/api/v1/pods")["items"] == [])
    return took, output, calls


def counted(front: Front) -> collections.Counter[str]:
    return collections.Counter([*(change.verb for change in front.changes()), *map(verb, front.reads())])


def verb(target: str) -> str:
    """Kind of a request that changes nothing."""
    path, _mark, query = target.partition("?")
    parts = path.strip("/").split("/")
    rest = parts[2:] if parts[0] == "api" else parts[3:]
    if rest[:1] == ["namespaces"] and len(rest) > 2:
        rest = rest[2:]
    if "dryRun=" in query:
        return "dry run"
    if rest[2:] == ["log"]:
        return "log"
    if "watch=" in query:
        return "watch"
    return ("discover", "list")[len(rest)] if len(rest) < 2 else "get"


def job(count: int) -> Object:
    """The article's job: a worker for each node, with all of its GPUs and EFA devices."""
    devices = {"nvidia.com/gpu": str(GPUS), "vpc.amazonaws.com/efa": str(EFA)}
    container = {
        "name": "pytorch",
        "image": IMAGE,
        "command": ["torchrun", f"--nnodes={count}", f"--nproc_per_node={GPUS}", "finetuning.py", "--enable_fsdp"],
        "env": [{"name": "NCCL_DEBUG", "value": "INFO"}, {"name": "FI_PROVIDER", "value": "efa"}],
        "resources": {"requests": devices, "limits": devices},
    }
    worker = {"replicas": count, "restartPolicy": "OnFailure", "template": {"spec": {"containers": [container]}}}
    elastic = {"rdzvBackend": "c10d", "minReplicas": count, "maxReplicas": count, "maxRestarts": 100}
    spec = {"elasticPolicy": elastic, "pytorchReplicaSpecs": {"Worker": worker}}
    return {"apiVersion": "kubeflow.org/v1", "kind": "PyTorchJob", "metadata": {"name": JOB, "namespace": "default"}, "spec": spec}
