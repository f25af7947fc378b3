# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Runs of small playbooks with a real ansible-playbook and the report callback, without AWS and with local nodes only."""

from __future__ import annotations

import json
import sys
import typing as t
from dataclasses import dataclass
from pathlib import Path

import reported
import yaml
from simulated import REGION
from simulated.controller import ansible

ACCOUNT = "111111111111"
NODES = tuple(f"i-{number:017x}" for number in range(1, 9))
LIMIT = 100


@dataclass(frozen=True)
class Run:
    """One run, with its report."""

    rc: int
    output: str
    report: dict[str, t.Any]
    """Report of a run outside check mode."""

    @property
    def lines(self) -> list[str]:
        """Lines of the report that the callback prints at the end."""
        shown = self.output.partition("HYPERPOD REPORT")[2].partition("\n")[2]
        return shown.partition("\n\n")[0].rstrip().split("\n")

    def cluster(self, key: str = "ml") -> dict[str, t.Any]:
        return reported.cluster(self.report, key)


class Bench:
    """A controller with its files in ``folder``, and the clusters ``ml`` with eight nodes and ``other`` with one."""

    def __init__(self, folder: Path) -> None:
        self.folder, self.state = folder, folder / "state"
        self.inventory = folder / "inventory.yml"
        self.inventory.write_text(yaml.safe_dump(_inventory(self.state)))

    def run(self, plays: str, *arguments: str, keep_report: bool = False, **variables: str) -> Run:
        """Run ``plays``: the text of a playbook, or the name of one of the collection."""
        path = plays
        if "\n" in plays:
            path = str(self.folder / "story.yml")
            Path(path).write_text(plays)
        if not keep_report:
            (self.state / "report.json").unlink(missing_ok=True)
        done = ansible(
            "playbook",
            *("-i", str(self.inventory), path, *arguments),
            home=self.folder,
            temporary=self.folder / "tmp",
            limit=LIMIT,
            **{"HYPERPOD_STATE_DIR": str(self.state), **variables},
        )
        return Run(done.returncode, done.stdout + done.stderr, self.written("report.json"))

    def written(self, name: str) -> dict[str, t.Any]:
        path = self.state / name
        return json.loads(path.read_text()) if path.exists() else {}


def _inventory(state: Path) -> dict[str, t.Any]:
    clusters, nodes = {"ml": NODES, "other": NODES[:1]}, {}
    hosts, groups = {}, {}
    for key, ids in clusters.items():
        shared = {
            "hyperpod_cluster_key": key,
            "hyperpod_cluster_group": f"cluster_{key}",
            "hyperpod_cluster_arn": f"arn:aws:sagemaker:{REGION}:{ACCOUNT}:cluster/{key}",
            "hyperpod_account_id": ACCOUNT,
            "hyperpod_region": REGION,
            "ansible_connection": "local",
            "ansible_python_interpreter": sys.executable,
        }
        hosts[key] = {**shared, "hyperpod_state_dir": str(state)}
        own = {
            f"{key}-{each}": {**shared, "hyperpod_cluster_host": key, "hyperpod_instance_id": each} for each in ids
        }
        nodes.update(own)
        groups[f"cluster_{key}"] = {"hosts": {key: None, **dict.fromkeys(own)}}
    every = {"hosts": dict.fromkeys([*hosts, *nodes])}
    groups |= {"hyperpod_clusters": {"hosts": hosts}, "hyperpod_nodes": {"hosts": nodes}, "orchestrator_slurm": every}
    groups["node_type_login"] = {"hosts": {f"ml-{each}": None for each in NODES[:2]}}
    return {"all": {"children": groups}}
