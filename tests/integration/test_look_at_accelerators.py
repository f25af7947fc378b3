"""The accelerators of a compute node, checked over SSH: healthy, broken, hung, after a reboot, and without any."""

from __future__ import annotations

import typing as t

import pytest
from adhoc import on_node
from harness import World
from lab.accelerators.story import HANGS, healthy, off_the_bus
from lab.cli.world import CLUSTER, wait_in_service
from steps import step

MEMORY = "/var/lib/mlfleet-hyperpod/accelerators.json"
TRACES = "findmnt -rno TARGET | sort; ls -d /run/lab-accelerators; ls /opt /usr/bin /usr/local/sbin /usr/lib/x86_64-linux-gnu /var/lib /sys/fs/cgroup"
MACHINE_STATE = "systemctl is-active ssh slurmd; journalctl --unit=ssh --boot --output=cat | grep -m1 -o listening; ls -d /sys/class/net/eth0/mtu"


class Node:
    """The compute node, by its names."""

    def __init__(self, world: World) -> None:
        (entry,) = world.hosts("worker-group-1")
        self.world, self.name, self.host = world, entry["name"], f"ml-{entry['instance_id']}"

    def sh(self, command: str) -> str:
        return str(self.world.on_node(self.name, "/bin/bash", "-c", command).stdout)

    def health(self, **more: t.Any) -> dict[str, t.Any]:
        options = {"instance_type": "{{ hyperpod_instance_type }}", "instance_id": "{{ hyperpod_instance_id }}", **more}
        result = on_node(self.world, self.host, "accelerator_health", **options)
        health: dict[str, t.Any] = result["health"]
        return health

    def reboot(self) -> None:
        (before,) = self.world.hosts("worker-group-1")
        self.world.aws("sagemaker").batch_reboot_cluster_nodes(ClusterName=CLUSTER, NodeIds=[before["instance_id"]])
        self.world.eventually(lambda: self._booted_after(before["pid"]))

    def _booted_after(self, pid: int) -> None:
        (entry,) = self.world.hosts("worker-group-1")
        assert entry["pid"] != pid
        wait_in_service(CLUSTER)


@pytest.fixture
def node(ready: World) -> t.Iterator[Node]:
    """The compute node; the test must restore it."""
    found = Node(ready)
    before = found.sh(TRACES)
    yield found
    ready.decelerate(found.name)
    found.sh(f"rm {MEMORY}")
    assert found.sh(TRACES) == before


def test_the_module_reports_the_health_of_accelerators(ready: World, node: Node) -> None:
    machine_state = node.sh(MACHINE_STATE)
    story = healthy("ml.p5.48xlarge")
    with step("healthy"):
        ready.accelerate(node.name, story)
        health = node.health()
        assert (health["verdict"], health["problems"], health["not_looked_at"]) == ("fit", [], []), health
        counts = {"gpus": 8, "efa_devices": 32, "neuron_devices": 0}
        assert health["expected"] == {**counts, "source": "the collection's table, for p5.48xlarge"}
        assert node.sh(MACHINE_STATE) == machine_state and machine_state.split()[:3] == ["active", "active", "listening"]

    with step("a GPU fell off the bus"):
        ready.accelerate(node.name, off_the_bus(story, 3))
        health = node.health()
        (problem,) = health["problems"]
        assert (health["verdict"], problem["code"], problem["folded"]) == ("unfit-reboot", "gpu-xid", ["gpu-lost"]), health
        assert problem["part"] == "GPU 3 (0000:83:00.0)" and "Xid 79 (GPU has fallen off the bus)" in problem["text"], problem

    with step("a reboot does not restore the GPU"):
        node.reboot()
        health = node.health()
        found = [(each["verdict"], each["code"], each["part"]) for each in health["problems"]]
        assert found == [("unfit-replace", "gpu-lost", "GPU 3 (0000:83:00.0)")], health
        assert "An earlier boot also had this problem" in health["problems"][0]["text"], health

    with step("a tool hangs"):
        story = healthy("ml.p5.48xlarge", tools={"nvidia-smi": HANGS})
        ready.accelerate(node.name, story)
        health = node.health(timeout=2)
        assert health["verdict"] == "unknown" and health["problems"][0]["code"] == "driver-hangs", health
        assert {"what": "nvidia-smi", "why": "it hangs in the driver"} in health["not_looked_at"]

    with step("no accelerators"):
        ready.decelerate(node.name)
        info = on_node(ready, node.host, "accelerator_info")["accelerators"]
        assert info["pci_devices"] == info["gpus"] == info["efa_devices"] == info["unseen"] == [], info
