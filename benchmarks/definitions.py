# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Clusters that match their definitions, one of them with 100 instance groups, compared with the aws command.

The API is simulated, without machines and without latency, so the seconds are those of the collection.
"""

from __future__ import annotations

import collections
import os
import subprocess
import sys
import tempfile
import time
import typing as t
from pathlib import Path

HERE = Path(__file__).resolve().parent
TESTS = HERE.parent / "tests"
CLUSTERS, GROUPS = 20, 100
ROLE = "arn:aws:iam::111111111111:role/hyperpod-nodes"


def rows(clusters: int = CLUSTERS, groups: int = GROUPS) -> t.Iterator[tuple[str, str]]:
    sys.path[:0] = [str(HERE), str(TESTS), *os.environ["ANSIBLE_COLLECTIONS_PATH"].split(":")]
    from simulated import Simulated, simulator
    from simulated.definitions import Definitions

    with tempfile.TemporaryDirectory(dir="/tmp") as temporary:  # short: ansible-core opens a socket below it
        folder = Path(temporary)
        (folder / "aws").mkdir()
        with simulator(folder / "aws") as url:
            aws = Simulated(url)
            aws.control("settings", {"service_quotas": {"ml.m5.large for cluster usage": 1000}})
            controller = Definitions(folder, aws)
            network = controller.network()
            names = [f"bench-{number:02d}" for number in range(clusters)]
            defined = {name: definition(name, network, 3) for name in names}
            defined["wide"] = definition("wide", network, groups)
            variables = {name: {"hyperpod_cluster_definition": each} for name, each in defined.items()}
            variables["wide"]["hyperpod_cluster_require_quota"] = False  # more nodes than the default quota of an account
            controller.define(**variables)
            created = controller.run()
            if created.rc:
                sys.exit(created.output[-3000:])
            peer = described_by_hand(aws, names)
            yield f"aws sagemaker describe-cluster, {clusters} times", f"{peer:.1f} s, {clusters} calls"
            yield f"cluster, {clusters} clusters as defined", unchanged(controller, f"--limit={','.join(names)}", peer)
            yield f"cluster, one of {groups} groups as defined", unchanged(controller, "--limit=wide", peer / clusters)
            aws.stop()


def definition(name: str, network: t.Mapping[str, t.Any], groups: int) -> dict[str, t.Any]:
    kinds = [{"NodeType": "Controller"}, *({"NodeType": "Compute", "PartitionNames": [f"p{each}"]} for each in range(groups - 1))]
    return {
        "ClusterName": name,
        "VpcConfig": network,
        "Orchestrator": {"Slurm": {}},
        "NodeProvisioningMode": "Continuous",
        "InstanceGroups": [
            {
                "InstanceGroupName": f"group-{number}",
                "InstanceType": "ml.m5.large",
                "InstanceCount": 1,
                "ExecutionRole": ROLE,
                "SlurmConfig": kind,
            }
            for number, kind in enumerate(kinds)
        ],
        "Tags": [{"Key": "lab/hosts", "Value": "none"}],
    }


def described_by_hand(aws: t.Any, names: t.Sequence[str]) -> float:
    """Seconds of the aws command, once for each cluster."""
    keys = {"AWS_ACCESS_KEY_ID": "AKIAEXAMPLE", "AWS_SECRET_ACCESS_KEY": "example", "AWS_ENDPOINT_URL": aws.url}
    command = [str(Path(sys.executable).with_name("aws")), "--region", "us-west-2", "sagemaker", "describe-cluster"]
    begin = time.monotonic()
    for name in names:
        subprocess.run([*command, "--cluster-name", name], env={**os.environ, **keys}, stdout=subprocess.DEVNULL, check=True)
    return time.monotonic() - begin


def unchanged(controller: t.Any, limit: str, peer: float) -> str:
    begin = time.monotonic()
    run = controller.run(limit)
    seconds = time.monotonic() - begin
    if run.rc or run.changes:
        sys.exit(f"the clusters must be unchanged:\n{run.output[-3000:]}")
    counts = ", ".join(f"{name} {count}" for name, count in collections.Counter(run.calls).most_common())
    return f"{seconds:.1f} s, {seconds / peer:.1f} times the aws command, {len(run.calls)} calls ({counts}), none mutating"
