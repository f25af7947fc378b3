"""Health checks over SSH of every instance type of the lab: a healthy node is fit, and a missing device is found."""

from __future__ import annotations

import typing as t

import pytest
from adhoc import on_node
from harness import World
from lab.accelerators.story import Story, healthy
from lab.accelerators.types import TYPES
from steps import step

pytestmark = pytest.mark.slow
MEMORY = "/var/lib/mlfleet-hyperpod/accelerators.json"


def judged(world: World, instance_type: str) -> dict[str, t.Any]:
    (entry,) = world.hosts("worker-group-1")
    result = on_node(world, f"ml-{entry['instance_id']}", "accelerator_health", instance_type=instance_type, instance_id=entry["instance_id"])
    return dict(result["health"])


def one_less(story: Story) -> str:
    """Remove one device; returns the code of the finding."""
    devices, code = (story.gpus, "gpu-missing") if story.gpus else (story.neuron, "neuron-missing")
    devices.pop()
    return code


def test_every_type_is_fit_when_healthy_and_unfit_without_one_device(ready: World) -> None:
    name = ready.hosts("worker-group-1")[0]["name"]
    try:
        for instance_type in [each for each in TYPES if healthy(each).gpus or healthy(each).neuron]:
            with step(instance_type):
                ready.on_node(name, "rm", "-f", MEMORY)  # the previous type's GPUs would be reported as missing
                ready.accelerate(name, healthy(instance_type))
                well = judged(ready, instance_type)
                assert (well["verdict"], well["problems"], well["not_looked_at"]) == ("fit", [], []), well
                broken = healthy(instance_type)
                missing = one_less(broken)
                ready.accelerate(name, broken)
                found = judged(ready, instance_type)
                assert [each["code"] for each in found["problems"]] == [missing], found
    finally:
        ready.decelerate(name)
        ready.on_node(name, "rm", "-f", MEMORY)
