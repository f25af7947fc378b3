"""Run modules with the ansible command, and read their results."""

from __future__ import annotations

import json
import typing as t

from harness import World

AS_JSON = {"ANSIBLE_CALLBACK_RESULT_FORMAT": "json"}


def on_node(world: World, host: str, name: str, **options: t.Any) -> dict[str, t.Any]:
    """Result of a module of this collection on one host of the lab's inventory, run as root."""
    arguments = ["-a", json.dumps(options)] if options else []
    done = world.run(["ansible", host, "--become", "-m", f"mlfleet.hyperpod.{name}", *arguments], env=AS_JSON)
    assert f"{host} | SUCCESS => {{" in done.stdout, done.stdout
    return returned(done.stdout)


def returned(output: str) -> dict[str, t.Any]:
    found: dict[str, t.Any] = json.JSONDecoder().raw_decode(output.partition(" => ")[2])[0]
    return found
