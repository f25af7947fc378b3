"""Modules that are run by ansible as people run them, and what they return."""

from __future__ import annotations

import json
import typing as t

from harness import World

AS_JSON = {"ANSIBLE_CALLBACK_RESULT_FORMAT": "json"}


def on_node(world: World, host: str, name: str, **options: t.Any) -> dict[str, t.Any]:
    """What a module of ours returns on one host of the lab's inventory, as root there."""
    done = world.run(["ansible", host, "--become", "-m", f"mlfleet.hyperpod.{name}", "-a", json.dumps(options)], env=AS_JSON)
    assert " => {" in done.stdout, done.stdout
    return returned(done.stdout)


def returned(output: str) -> dict[str, t.Any]:
    found: dict[str, t.Any] = json.JSONDecoder().raw_decode(output.partition(" => ")[2])[0]
    return found
