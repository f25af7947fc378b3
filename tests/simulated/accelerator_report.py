# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Reports on the accelerators of a fleet, as the page reads them: small and large ones, with various faults."""

from __future__ import annotations

import collections
import typing as t

Json = dict[str, t.Any]
CREATED, BEFORE = "2026-11-25T03:00:00Z", "2026-11-25T02:30:00Z"
IMAGE = "ami-0a31f00d0000001ef, release 1.0.1"
VERDICTS = ("unfit-replace", "unfit-reboot", "unknown", "watch", "fit")
SOFTWARE = {
    "driver": "570.172.08",
    "cuda": "12.8",
    "efa_installer": "1.43.2",
    "libfabric": "2.1.0",
    "ofi_nccl": "1.16.2",
    "nccl": "2.27.7",
    "fabric_manager": "570.172.08",
}
LOOKED = ["nvidia-smi", "kernel log", "EFA", "DCGM", "libfabric"]
OFF_THE_BUS = "Xid 79 (GPU has fallen off the bus): NVIDIA's word is to restart the node."


def problem(code: str, verdict: str, cause: str, text: str, **more: t.Any) -> Json:
    return {"code": code, "verdict": verdict, "cause": cause, "part": "", "key": "", "text": text, "evidence": "", "folded": [], **more}


def gpus(count: int = 8, **verdicts: str) -> list[Json]:
    """``_3="watch"`` gives GPU 3 another verdict."""
    return [
        {"part": f"GPU {index} (0000:{0x53 + index:x}:00.0)", "key": f"165052200{3800 + index}", "verdict": verdicts.get(f"_{index}", "fit")}
        for index in range(count)
    ]


def node(number: int, **changes: t.Any) -> Json:
    return {
        "host": f"ip-10-1-{number // 250}-{number % 250}",
        "instance_group": "p5-train",
        "instance_type": "ml.p5.48xlarge",
        "node_type": "compute",
        "private_ip": f"10.1.{number // 250}.{number % 250}",
        "image": IMAGE,
        "verdict": "fit",
        "not_read": "",
        "known": {"hyperpod": "Running", "slurm": "alloc", "slurm_reason": "", "jobs": ["4711 of alice"]},
        "gpus": gpus(),
        "expected": {"gpus": 8, "efa_devices": 32, "neuron_devices": 0, "source": "EC2"},
        "problems": [],
        "waived": [],
        "looked_at": LOOKED,
        "not_looked_at": [],
        "software": SOFTWARE,
        **changes,
    }


def lost(number: int) -> Json:
    """A node whose GPU 3 has fallen off the bus for the second time."""
    followed = ["Xid 43 of python3: the job's channel was stopped", "Xid 154: the GPU needs a node reboot"]
    fell = problem("gpu-xid", "unfit-replace", "hardware", f"{OFF_THE_BUS} An earlier boot had it, too.", part="GPU 3 (0000:56:00.0)")
    fell |= {"key": "1650522003803 Xid 79", "evidence": "NVRM: Xid (PCI:0000:56:00): 79, GPU has fallen off the bus.", "folded": followed}
    gone = problem("gpu-missing", "unfit-replace", "hardware", "The node shows 7 GPUs, its type has 8.")
    known = {"hyperpod": "Running", "slurm": "drain", "slurm_reason": "NHC: gpu", "jobs": ["4711 of alice", "4720 of bob"]}
    return node(number, verdict="unfit-replace", gpus=[g for g in gpus() if "GPU 3" not in g["part"]], problems=[fell, gone], known=known)


def hung(number: int) -> Json:
    text = "Xid 119 (GSP RPC timeout): a reset mends it, so the node needs a reboot."
    evidence = "NVRM: Xid (PCI:0000:58:00): 119, pid=4711, name=python3, Timeout after 6s of waiting for RPC response from GPU5 GSP!"
    found = problem("gpu-xid", "unfit-reboot", "hardware", text, part="GPU 5 (0000:58:00.0)", key="1650522003805 Xid 119", evidence=evidence)
    return node(number, verdict="unfit-reboot", gpus=gpus(_5="unfit-reboot"), problems=[found])


def silent(number: int) -> Json:
    why = "ssh: no answer within 30 seconds"
    known = {"hyperpod": "Running", "slurm": "down*", "slurm_reason": "Not responding", "jobs": []}
    return node(number, verdict="unknown", not_read=why, gpus=[], looked_at=[], software={}, known=known)


def half_seen(number: int) -> Json:
    gap = {"what": "dcgmi health", "why": "the tool did not answer within 20 seconds"}
    return node(number, verdict="unknown", not_looked_at=[gap], looked_at=LOOKED[:3])


def watched(number: int) -> Json:
    rows = problem("gpu-rows-pending", "watch", "hardware", "A row of memory waits to be remapped: reboot the node once it is idle.")
    rows |= {"part": "GPU 0 (0000:53:00.0)", "evidence": "Remapped Rows / Pending: Yes"}
    job = problem("gpu-xid", "fit", "workload", "Xid 31 (memory page fault) of python3: look at the job.", part="GPU 0 (0000:53:00.0)")
    efa = problem("efa-errors", "watch", "fabric", "rdmap79s0 has 412 errors of its own since the last look.", part="rdmap79s0")
    old = problem("gpu-hot", "watch", "hardware", "GPU 6 is at the limit of its temperature.", part="GPU 6 (0000:59:00.0)")
    old |= {"until": "2026-12-01", "why": "ticket 4711: fan replaced on Tuesday"}
    return node(number, verdict="watch", gpus=gpus(_0="watch"), problems=[rows, job, efa], waived=[old])


def skewed(number: int) -> Json:
    found = problem("driver-version", "watch", "config", "The driver is 550.163.01; the profile says 570.172.08.")
    service = problem("fabric-manager", "watch", "service", "The fabric manager's version is not the driver's.")
    return node(number, verdict="watch", problems=[found, service], software={**SOFTWARE, "driver": "550.163.01"})


def other(number: int) -> Json:
    """A node without accelerators, and one with Neuron devices."""
    plain = {"gpus": [], "problems": [], "software": {}, "known": {"hyperpod": "Running", "slurm": "", "slurm_reason": "", "jobs": []}}
    if number % 2:
        none = {"gpus": 0, "efa_devices": 0, "neuron_devices": 0, "source": "EC2"}
        return node(number, verdict="", instance_group="login", instance_type="ml.m5.xlarge", node_type="login", expected=none, **plain)
    neuron = {"gpus": 0, "efa_devices": 16, "neuron_devices": 16, "source": "EC2"}
    return node(number, instance_group="trn2", instance_type="ml.trn2.48xlarge", expected=neuron, **plain)


WRONG: dict[int, t.Callable[[int], Json]] = {3: hung, 7: lost, 12: silent, 18: half_seen, 21: watched, 30: skewed, 33: skewed, 44: silent, 61: other, 62: other}


def iid(number: int) -> str:
    return f"i-{0x0A31F00D00000000 + number * 7919:017x}"


def report(count: int = 64, *, wrong: t.Mapping[int, t.Callable[[int], Json]] | None = None) -> Json:
    """``count`` nodes in two clusters; the faulty nodes of ``wrong`` repeat every 64 nodes."""
    makers = WRONG if wrong is None else wrong
    nodes = {number: makers.get(number % 64, node)(number) for number in range(count)}
    half = count * 3 // 4
    clusters = {
        "research": {**_cluster("research", {iid(number): nodes[number] for number in range(half)}), "nccl": _tests_of_nccl()},
        "production": _cluster("production", {iid(number): nodes[number] for number in range(half, count)}),
    }
    return documented(clusters)


def documented(clusters: dict[str, Json]) -> Json:
    nodes = [(key, name, each) for key, cluster in clusters.items() for name, each in cluster["nodes"].items()]
    verdicts = collections.Counter(each["verdict"] for _key, _name, each in nodes)
    silent_ones = [each for _key, _name, each in nodes if each["not_read"]]
    in_part = [each for _key, _name, each in nodes if each["not_looked_at"]]
    return {
        "schema": 1,
        "created": CREATED,
        "coverage": {
            "nodes": len(nodes),
            "looked_at": len(nodes) - len(silent_ones) - len(in_part) - verdicts[""],
            "in_part": len(in_part),
            "not_looked_at": len(silent_ones),
            "without_accelerators": verdicts[""],
        },
        "verdicts": {name: verdicts[name] for name in VERDICTS},
        "actions": list(_actions(clusters)),
        "common": [],
        "changes": {"since": BEFORE, "nodes": [_change(*each) for each in nodes if each[2]["verdict"].startswith("unfit")]},
        "skew": list(_skew(clusters)),
        "clusters": clusters,
        "inventory_failures": [],
    }


def _cluster(key: str, nodes: dict[str, Json]) -> Json:
    arn = f"arn:aws:sagemaker:us-west-2:111111111111:cluster/{key}"
    return {"arn": arn, "account": "111111111111", "region": "us-west-2", "failure": "", "nodes": nodes}


def _tests_of_nccl() -> list[Json]:
    slow = {"verdict": "slow", "bandwidth": 201.4, "floor": 302.9, "text": "201.4 GB/s with 4294967296 bytes, below 302.9 GB/s."}
    gone = {"verdict": "not_run", "bandwidth": None, "floor": None, "text": "Slurm did not give the nodes to the test."}
    return [{"nodes": [iid(0), iid(1)], **slow}, {"nodes": [iid(0), iid(9999)], **gone}]


def _change(cluster: str, name: str, each: Json) -> Json:
    return {"cluster": cluster, "node": name, "was": "fit", "is": each["verdict"], "since": BEFORE}


_STEPS = (
    ("replace", "unfit-replace", "Replace: drain, then BatchReplaceClusterNodes. No reboot mends what they have."),
    ("reboot", "unfit-reboot", "Reboot once the jobs are done: drain, then BatchRebootClusterNodes."),
    ("look-again", "unknown", "Look again: something of them could not be looked at."),
    ("watch", "watch", "Keep an eye on them."),
)


def _actions(clusters: dict[str, Json]) -> t.Iterator[Json]:
    for action, verdict, text in _STEPS:
        for key, cluster in clusters.items():
            nodes = [name for name, each in cluster["nodes"].items() if each["verdict"] == verdict]
            if nodes:
                yield {"action": action, "cluster": key, "nodes": nodes, "text": text}


def _skew(clusters: dict[str, Json]) -> t.Iterator[Json]:
    for key, cluster in clusters.items():
        versions: dict[str, list[str]] = {}
        for name, each in cluster["nodes"].items():
            if each["software"]:
                versions.setdefault(each["software"]["driver"], []).append(name)
        if len(versions) > 1:
            yield {"cluster": key, "instance_type": "ml.p5.48xlarge", "image": IMAGE, "what": "driver", "versions": versions}


def shared(document: Json) -> Json:
    """The document with a finding that many of its nodes share, and with clusters and an inventory that could not be read."""
    key, cluster = next(iter(document["clusters"].items()))
    nodes = list(cluster["nodes"])[: max(1, len(cluster["nodes"]) // 3)]
    text = "gpu-nvlink-down is on all of these nodes."
    gone = {**_cluster("archive", {}), "failure": "AccessDenied: sagemaker:DescribeCluster"}
    stop = {"action": "stop", "cluster": key, "nodes": [], "text": "Start no new jobs here until the common cause is known."}
    return {
        **document,
        "actions": [stop, *document["actions"]],
        "common": [{"cluster": key, "code": "gpu-nvlink-down", "event": "", "nodes": nodes, "of": len(cluster["nodes"]), "text": text}],
        "clusters": {**document["clusters"], "archive": gone},
        "inventory_failures": ["Profile batch of us-east-1 could not be read: the token has expired."],
    }
