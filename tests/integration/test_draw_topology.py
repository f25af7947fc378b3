# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The topology map of a cluster with Slurm, from the file that HyperPod writes on its controller and from Slurm."""

from __future__ import annotations

import base64
import json
import typing as t

import pytest
from harness import STATE_DIR, World
from steps import step
from work import controller, shell, submit, until_no_job

pytestmark = pytest.mark.slow
CONFIG = "/opt/ml/config/resource_config.json"


def write(world: World, layers: t.Sequence[str]) -> None:
    """Write HyperPod's file with the one compute node."""
    (entry,) = world.hosts("worker-group-1")
    label = {f"network-node-layer-{number}": name for number, name in enumerate(layers, 1)}
    instance = {"InstanceName": "worker-1", "InstanceId": entry["instance_id"], "InstanceLabel": label}
    content = base64.b64encode(json.dumps({"InstanceGroups": [{"Name": "worker-group-1", "Instances": [instance]}]}).encode()).decode()
    done = shell(world, controller(world), f"install -d -m 0755 /opt/ml/config && echo {content} | base64 -d > {CONFIG} && chmod 0600 {CONFIG}")
    assert done.returncode == 0, done


def draw(world: World, *arguments: str) -> tuple[t.Any, dict[str, t.Any]]:
    run = world.playbook("topology", *arguments)
    path = STATE_DIR / "topology.json"
    assert path.exists(), run.log
    return run, json.loads(path.read_text())["clusters"]["ml"]


def test_the_map_has_the_data_of_the_controller(ready: World) -> None:
    (entry,) = ready.hosts("worker-group-1")
    (STATE_DIR / "topology.json").unlink(missing_ok=True)
    with step("HyperPod's file has the location of the node"):
        write(ready, ["nn-1", "nn-2", "nn-3"])
        ready.reset_calls()
        run, cluster = draw(ready, "-e", "topology_nodes_needed=1")
        assert (run.rc, run.changed) == (0, 0) and ready.calls(mutating=True) == [], run.log
        ((name, node),) = cluster["nodes"].items()
        assert (node["layers"], node["state"], node["instance_id"]) == (["nn-1", "nn-2", "nn-3"], "free", entry["instance_id"])
        assert f'L3_nn_3 --> N_{name.replace("-", "_")}["{name}"]' in (STATE_DIR / "topology-ml.mmd").read_text()
        assert "are below nn-1 > nn-2 > nn-3 (the nearest possible placement): " in " ".join(run.output.split())
        assert "nn-3" in (STATE_DIR / "topology.html").read_text()

    with step("the node has a job and another location"):
        submit(ready, entry["name"], 600)
        write(ready, ["nn-1", "nn-9"])
        run, cluster = draw(ready, "--check")  # check mode also writes the map
        assert run.rc == 0 and "moved from nn-1 > nn-2 > nn-3 to nn-1 > nn-9" in " ".join(run.output.split()), run.log
        (node,) = cluster["nodes"].values()
        assert node["state"] == "used" and node["jobs"][0].endswith(" of alice")
        assert shell(ready, controller(ready), "scancel -u alice").returncode == 0
        until_no_job(ready)

    with step("a damaged file of HyperPod is ignored"):
        shell(ready, controller(ready), f"echo '{{{{ 7 * 7 }}}}' > {CONFIG}")
        run, cluster = draw(ready)
        assert run.rc == 0 and "Nodes without topology data: 1." in " ".join(run.output.split()), run.log
        (node,) = cluster["nodes"].values()
        assert node["layers"] == []

    with step("without a file of HyperPod, Slurm's own file is used"):
        lines = f'"SwitchName=top Switches=leaf" "SwitchName=leaf Nodes={entry["name"]}"'
        made = f"rm -r {CONFIG} && install -d /opt/slurm/etc && printf '%s\\n' {lines} > /opt/slurm/etc/topology.conf"
        assert shell(ready, controller(ready), made).returncode == 0
        run, cluster = draw(ready)
        (node,) = cluster["nodes"].values()
        assert run.rc == 0 and node["layers"] == ["top", "leaf"], run.log

    with step("without both files, the node has no topology data"):
        shell(ready, controller(ready), "rm /opt/slurm/etc/topology.conf")
        run, cluster = draw(ready)
        assert run.rc == 0 and len(cluster["untold"]) == 1, run.log

    with step("an invalid number is refused"):
        refused = ready.playbook("topology", "-e", "topology_nodes_needed=-1")
        assert refused.rc == 2 and "topology_nodes_needed: -1 is not allowed. Allowed: 0 to 10000." in " ".join(refused.log.split())
