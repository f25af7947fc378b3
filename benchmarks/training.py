# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""A training job on 2 and on 64 nodes: training_job and verify_training, compared with a manifest and kubectl, as AWS's article
validates a cluster.

The nodes are simulated. In all cases each Pod of a job runs for five seconds, and its log is that of a successful job. Pods of
other checks run for two seconds.
"""

from __future__ import annotations

import collections
import functools
import json
import os
import sys
import tempfile
import threading
import typing as t
from pathlib import Path

import measure
from lab.accelerators.story import healthy
from lab.kubernetes.front import Front

HERE = Path(__file__).resolve().parent
TESTS = HERE.parent / "tests"
PROGRAM = HERE.parent / "roles" / "verify_training" / "files" / "train.py"
SIZES, RUNS, GPUS, EFA, STEPS = (2, 64), 3, 8, 32, 20
POD_SECONDS, POLL_SECONDS = 5, 1
IMAGE = "public.ecr.aws/deep-learning-containers/pytorch:2.12-cu130-amzn2023"
TYPE, GROUP_LABEL = "ml.p5.48xlarge", "sagemaker.amazonaws.com/instance-group-name"
FIRST, OTHERS = "first", "others"
"""Instance groups: the smaller size, and the rest of the larger one."""
OFFERS = {"vpc.amazonaws.com/efa": str(EFA), "hugepages-2Mi": "10256Mi"}
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
Log = t.Callable[[Object], str]
"""Returns the log of a Pod."""


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
    from eks_looks import Runs
    from eks_world import EksWorld, workers
    from logged import trained

    with EksWorld() as pods, tempfile.TemporaryDirectory() as folder:
        pods.training.annotations = {"lab/run-seconds": str(POD_SECONDS)}
        pods.training.start()
        least, most = SIZES
        pods.hyperpod("ml", [workers(FIRST, least, TYPE), workers(OTHERS, most - least, TYPE)])
        offer_devices(pods)
        health = once(Runs(pods, healthy(TYPE), Path(folder)))
        for count in SIZES:
            log(pods, trained(steps=STEPS, nodes=count, processes=GPUS).pods, health)
            yield from compared(pods, count)
        log(pods, bad_job(), health)
        yield from not_noticed(pods)


def compared(pods: t.Any, count: int) -> measure.Rows:
    """Rows of the run with the median duration, for each way; the ways alternate."""
    own: dict[str, t.Callable[[], Run]] = {
        "training_job": lambda: ours(pods, count),
        "verify_training": lambda: verified(pods, count),
    }
    ways = {**own, **{way: functools.partial(by_hand, pods, count, way) for way in LOGS}}
    runs: dict[str, list[Run]] = collections.defaultdict(list)
    for _turn in range(RUNS):
        for way, work in ways.items():
            runs[way].append(work())
    verdicts = {run.verdict for way in own for run in runs[way]}
    if verdicts != {"passed"}:
        sys.exit(f"all jobs must pass, not: {verdicts}")
    median = {way: sorted(each, key=lambda run: run.took)[RUNS // 2] for way, each in runs.items()}
    for way, run in median.items():
        yield f"{'kubectl, ' if way in LOGS else ''}{way}, on {count} nodes with {GPUS} GPUs each", str(run)
    for way in own:
        for other in LOGS:
            yield f"ratio on {count} nodes, {way} to {other}", ratio(median[way], median[other])


def ratio(one: Run, other: Run) -> str:
    seconds = f"{one.took / other.took:.2f} of the seconds, {one.took.processor / other.took.processor:.2f} of the processor"
    return f"{seconds}, {one.calls.total() / other.calls.total():.2f} of the requests"


def bad_job() -> t.Sequence[t.Sequence[str]]:
    """The logs of a job on two nodes whose copies of the model differ, and whose traffic used sockets."""
    from logged import SOCKETS, Job

    bad = Job(nodes=2, processes=GPUS, network=SOCKETS)
    bad.begin()
    bad.train(1, STEPS)
    bad.save(STEPS, hashes={GPUS: "b" * 64})
    bad.end(STEPS)
    return bad.pods


def not_noticed(pods: t.Any) -> measure.Rows:
    for way, run in {"training_job": ours(pods, 2), "kubectl": by_hand(pods, 2, ALL)}.items():
        yield f"copies of the model that differ, and sockets instead of EFA: {way}", run.verdict


def offer_devices(pods: t.Any) -> None:
    """Wait for the nodes, and let them offer EFA devices."""
    from eks_world import until

    until(lambda: len(names(pods, max(SIZES))) == max(SIZES), seconds=120)
    for name in names(pods, max(SIZES)):
        pods.api.merge(f"/api/v1/nodes/{name}/status", {"status": {"capacity": OFFERS, "allocatable": OFFERS}})
    until(lambda: not any(each["spec"].get("taints") for each in pods.api.get("/api/v1/nodes")["items"]))


def names(pods: t.Any, count: int) -> list[str]:
    """Nodes of a benchmark with ``count`` nodes."""
    found = pods.api.get("/api/v1/nodes")["items"]
    groups = {each["metadata"]["name"]: each["metadata"]["labels"].get(GROUP_LABEL) for each in found}
    return sorted(name for name, group in groups.items() if group in (FIRST, OTHERS) and (group == FIRST or count > min(SIZES)))


def once(work: Log) -> Log:
    """The log of the first Pod for all Pods, because the simulation of a node takes longer than its check."""
    lock, found = threading.Lock(), list[str]()

    def log_of(pod: Object) -> str:
        with lock:
            found.extend([] if found else [work(pod)])
        return found[0]

    return log_of


def log(pods: t.Any, lines: t.Sequence[t.Sequence[str]], health: Log) -> None:
    """Set the logs of all nodes.

    :param lines: the logs of a job's Pods, by their index in the job.
    """
    from training_logs import LOOK, NCCL, nccl

    texts = ["\n".join(each) + "\n" for each in lines]

    def log_of(pod: Object) -> str:
        labels = pod["metadata"].get("labels") or {}
        if LOOK in labels:
            return health(pod)
        if NCCL in labels:
            return nccl(pod["spec"]["containers"][0]["args"])
        return texts[int(pod["metadata"]["name"].rpartition("-")[2])]

    pods.logs.programs.update(dict.fromkeys(names(pods, max(SIZES)), log_of))


def ours(pods: t.Any, count: int) -> Run:
    from adhoc import AS_JSON, returned
    from eks_world import EKS, command

    options = {
        "eks_cluster": EKS,
        "nodes": names(pods, count),
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


def verified(pods: t.Any, count: int) -> Run:
    """The whole playbook with all checks and one job, with its default intervals."""
    from harness import STATE_DIR

    given = {"steps": STEPS, "groups": [FIRST] if count == min(SIZES) else [FIRST, OTHERS]}
    options = json.dumps({f"verify_training_{name}": value for name, value in given.items()})
    took, _output, calls = measured(pods, ["ansible-playbook", "mlfleet.hyperpod.verify_training", "-e", options])
    found = json.loads((STATE_DIR / "verify_training.json").read_text())["clusters"]["ml"]
    return Run(took, calls, found["verdict"])


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
