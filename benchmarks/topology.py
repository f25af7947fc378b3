# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""A map of 1,000 nodes of Kubernetes, compared with a shell script that calls kubectl for each node, as HyperPod's sample does.

The nodes are objects of a real API server, without machines: three and four layers mixed, as for different instance types, all of
them ready, and a quarter used by jobs.
"""

from __future__ import annotations

import sys
import tempfile
import typing as t
from pathlib import Path

import measure
from lab.kubernetes import objects

HERE = Path(__file__).resolve().parent
NODES = 1000
PODS = "/api/v1/namespaces/default/pods"
ESCAPED = objects.LAYER.replace(".", r"\.")
PATH = "".join(f"{{.metadata.labels.{ESCAPED}{layer}}} " for layer in range(1, 5))
SCRIPT = f"""\
for node in $(kubectl --kubeconfig "$1" get nodes -o name); do
    above='A["Cluster Topology"]'
    layer=0
    for name in $(kubectl --kubeconfig "$1" get "$node" -o jsonpath='{PATH}'); do
        layer=$((layer + 1))
        echo "$above --> L${{layer}}_${{name//[^a-zA-Z0-9]/_}}[\\"Layer $layer: $name\\"]"
        above="L${{layer}}_${{name//[^a-zA-Z0-9]/_}}"
    done
    echo "$above --> N_${{node//[^a-zA-Z0-9]/_}}[\\"${{node#node/}}\\"]"
done | sort -u > "$2"
"""
"""What people run today: the layers of each node as edges, without duplicates."""
LARGEST = (
    "import resource, subprocess, sys; done = subprocess.run(sys.argv[1:]); "
    "print(resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss); sys.exit(done.returncode)"
)


def rows() -> t.Iterator[tuple[str, str]]:
    sys.path.insert(0, str(HERE.parent / "tests" / "integration"))
    from eks_world import EKS, EksWorld, command

    with EksWorld(grace=objects.GRACE) as pods, tempfile.TemporaryDirectory() as folder:
        for number in range(NODES):
            pods.api.create("/api/v1/nodes", objects.node(number))
            if objects.job(number):
                pods.api.create(PODS, objects.pod(number))
        options = {"eks_cluster": EKS, "nodes_needed": 64}
        pods.reset_changes()
        ours, output = measure.run([sys.executable, "-c", LARGEST, *command("topology_info", options)])
        reads = pods.front.reads()
        if objects.name(NODES - 1) not in output or any(f'"{key}": null' in output for key in ("near", "moves")):
            sys.exit(f"the map must have all nodes, and a place for a job with what would have to move:\n{output[-3000:]}")
        yield f"topology_info on {NODES} nodes", f"{measure.seconds(ours)}, {megabytes(output)} at most, {requests(reads)}"
        pods.reset_changes()
        script, drawn = Path(folder) / "draw.sh", Path(folder) / "edges"
        script.write_text(SCRIPT)
        kubectl, output = measure.run([sys.executable, "-c", LARGEST, "bash", str(script), str(pods.kubeconfig()), str(drawn)])
        if len([line for line in drawn.read_text().splitlines() if "--> N_" in line]) != NODES:
            sys.exit("the script must draw all nodes")
        reads = pods.front.reads()
        yield f"kubectl for each of {NODES} nodes", f"{measure.seconds(kubectl)}, {megabytes(output)} at most, {requests(reads)}"
        yield "ratio", f"{kubectl / ours:.1f} times; by the processor {kubectl.processor / ours.processor:.1f} times"


def megabytes(output: str) -> str:
    """Memory of the largest process, from the last line of the output of LARGEST."""
    return f"{int(output.strip().splitlines()[-1]) / 1024:.0f} MB"


def requests(reads: t.Sequence[str]) -> str:
    return f"{len(reads)} requests to the API server"
