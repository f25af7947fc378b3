# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Where the nodes of a cluster with Slurm are: what HyperPod writes on its controller, and what Slurm says, on one map."""

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
    """What HyperPod has of the one compute node."""
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


def test_what_a_controller_has_is_drawn(ready: World) -> None:
    (entry,) = ready.hosts("worker-group-1")
    (STATE_DIR / "topology.json").unlink(missing_ok=True)
    with step("HyperPod has written where the node is"):
        write(ready, ["nn-1", "nn-2", "nn-3"])
        ready.reset_calls()
        run, cluster = draw(ready, "-e", "topology_nodes_needed=1")
        assert (run.rc, run.changed) == (0, 0) and ready.calls(mutating=True) == [], run.log
        ((name, node),) = cluster["nodes"].items()
        assert (node["layers"], node["state"], node["instance_id"]) == (["nn-1", "nn-2", "nn-3"], "free", entry["instance_id"])
        assert f'L3_nn_3 --> N_{name.replace("-", "_")}["{name}"]' in (STATE_DIR / "topology-ml.mmd").read_text()
        assert "would be nearest below nn-1 > nn-2 > nn-3" in " ".join(run.output.split())
        assert "nn-3" in (STATE_DIR / "topology.html").read_text()

    with step("a job, and another machine's place"):
        submit(ready, entry["name"], 600)
        write(ready, ["nn-1", "nn-9"])
        run, cluster = draw(ready, "--check")  # the map is written then, too
        assert run.rc == 0 and "moved from nn-1 > nn-2 > nn-3 to nn-1 > nn-9" in " ".join(run.output.split()), run.log
        (node,) = cluster["nodes"].values()
        assert node["state"] == "used" and node["jobs"][0].endswith(" of alice")
        assert shell(ready, controller(ready), "scancel -u alice").returncode == 0
        until_no_job(ready)

    with step("what is no file of HyperPod tells nothing, and nothing else breaks"):
        shell(ready, controller(ready), f"echo '{{{{ 7 * 7 }}}}' > {CONFIG}")
        run, cluster = draw(ready)
        assert run.rc == 0 and "1 of them have no topology data." in " ".join(run.output.split()), run.log
        (node,) = cluster["nodes"].values()
        assert node["layers"] == []

    with step("where HyperPod has written none, Slurm's own file tells"):
        lines = f'"SwitchName=top Switches=leaf" "SwitchName=leaf Nodes={entry["name"]}"'
        made = f"rm -r {CONFIG} && install -d /opt/slurm/etc && printf '%s\\n' {lines} > /opt/slurm/etc/topology.conf"
        assert shell(ready, controller(ready), made).returncode == 0
        run, cluster = draw(ready)
        (node,) = cluster["nodes"].values()
        assert run.rc == 0 and node["layers"] == ["top", "leaf"], run.log

    with step("where there is none, nobody tells either"):
        shell(ready, controller(ready), "rm /opt/slurm/etc/topology.conf")
        run, cluster = draw(ready)
        assert run.rc == 0 and len(cluster["untold"]) == 1, run.log

    with step("a wrong number is refused"):
        refused = ready.playbook("topology", "-e", "topology_nodes_needed=-1")
        assert refused.rc == 2 and "topology_nodes_needed: -1 is not allowed. Allowed: 0 to 10000." in " ".join(refused.log.split())
