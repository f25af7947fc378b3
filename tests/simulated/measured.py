# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The clusters of ``hostile`` with four GPU nodes, and a controller of ``ml`` that returns their places and measures them."""

from __future__ import annotations

import base64
import contextlib
import json
import sys
import typing as t
from pathlib import Path

from simulated import hostile, simulated_aws

CONFIG = "/opt/ml/config/resource_config.json"
PLACES = (("nn-1", "nn-21", "nn-31"), ("nn-1", "nn-21", "nn-31"), ("nn-1", "nn-21", "nn-31"), ("nn-1", "nn-22", "nn-32"))
NEAR, FAR = 466.0, 402.1
"""GB/s of nodes below the same last network node, and of other nodes."""
PROGRAM = Path(__file__).parent / "obedient.py"


class World(hostile.World):
    COMPUTE = ("ml.p5.48xlarge", len(PLACES))

    def _liar(self, variables: t.Mapping[str, t.Any]) -> dict[str, str]:
        folder = self.folder / "nodes" / variables["hyperpod_node_type"]
        folder.mkdir(parents=True, exist_ok=True)
        program = folder / "python3"
        program.write_text(f"#!{sys.executable} -IS\n" + PROGRAM.read_text())
        program.chmod(0o755)
        return {"ansible_python_interpreter": str(program)}

    @property
    def controller(self) -> Path:
        return self.folder / "nodes/controller"

    def compute(self) -> list[dict[str, t.Any]]:
        """Compute nodes by address, in the order of PLACES."""
        listed = self.aws.start("cluster_node_info", cluster_arn=self.arns["ml"], addresses="all")["nodes"]
        return sorted((each for each in listed if each["group"] == "compute-group"), key=lambda each: str(each["ip"]))

    def set_results(self, *, busy: t.Container[int] = (), tests: t.Mapping[str, t.Any] | None = None, slurm: bool = True) -> list[str]:
        """Set the results of the controller's modules; returns the addresses of the nodes.

        :param busy: numbers of nodes with a job.
        :param tests: the result of every test; default: a passed test.
        """
        nodes = self.compute()
        labels = [{f"network-node-layer-{number}": name for number, name in enumerate(place, 1)} for place in PLACES]
        instances = [{"InstanceId": each["instance_id"], "InstanceLabel": label} for each, label in zip(nodes, labels)]
        config = base64.b64encode(json.dumps({"InstanceGroups": [{"Instances": instances}]}).encode()).decode()
        listed = [{"name": f"n{number}", "address": each["ip"], "state": "idle"} for number, each in enumerate(nodes)]
        jobs = [{"id": "7", "user": "alice", "nodes": [f"n{number}"]} for number in range(len(nodes)) if number in busy]
        results = {
            "slurp": {CONFIG: {"content": config, "encoding": "base64"}},
            "slurm_nodes": {"": {"slurm_nodes": {"nodes": listed, "jobs": jobs}} if slurm else {"failed": True, "msg": "Slurm is silent."}},
            "slurm_job_info": {"": {"jobs": []}},
            "nccl_test": self._pairs([each["ip"] for each in nodes]) if tests is None else {"": tests},
        }
        (self.controller / "results.json").write_text(json.dumps(results))
        (self.controller / "requests").unlink(missing_ok=True)
        return [each["ip"] for each in nodes]

    @staticmethod
    def _pairs(addresses: t.Sequence[str]) -> dict[str, t.Any]:
        found = {}
        for one, first in enumerate(addresses):
            for other, second in enumerate(addresses[one + 1 :], one + 1):
                speed = NEAR if PLACES[one] == PLACES[other] else FAR
                test = {"verdict": "passed", "failure": "", "text": "", "bytes": 2**32, "bandwidth": speed, "carried_by": "EFA"}
                found[f"{first},{second}"] = {"nccl_test": test}
        return found

    def tests(self) -> list[list[str]]:
        """Addresses of the nodes of each test that ran."""
        file = self.controller / "requests"
        lines = file.read_text().splitlines() if file.exists() else []
        return [each.partition(" ")[2].split(",") for each in lines if each.startswith("nccl_test ")]

    def proof(self) -> dict[str, t.Any]:
        found: dict[str, t.Any] = json.loads((self.home / ".mlfleet/hyperpod/placement.json").read_text())
        return found


@contextlib.contextmanager
def world(folder: Path) -> t.Iterator[World]:
    with simulated_aws(folder) as aws:
        yield World(folder, aws)
