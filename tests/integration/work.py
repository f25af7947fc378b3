"""Work on a cluster: shells on nodes, and jobs as Slurm knows them."""

from __future__ import annotations

import subprocess

from harness import World


def shell(world: World, node: str, command: str, user: str = "root") -> subprocess.CompletedProcess:
    return world.on_node(node, "runuser", "-u", user, "--", "sh", "-c", command)


def controller(world: World) -> str:
    return world.hosts("controller-machine")[0]["name"]


def jobs(world: World) -> list[str]:
    """State and UID of each."""
    return world.on_node(controller(world), "squeue", "--noheader", "--format=%T %U").stdout.splitlines()


def submit(world: World, node: str, seconds: int, user: str = "alice") -> None:
    """A job that runs on the node."""
    done = shell(world, controller(world), f"cd /tmp && sbatch -o /dev/null -p dev -w {node} --wrap 'sleep {seconds}'", user)
    assert done.returncode == 0, done.stdout
    world.eventually(lambda: _runs(world, node))


def slurm_state(world: World, node: str) -> str:
    """Without the star of one that has not answered yet, as after a boot."""
    shown = world.on_node(controller(world), "sinfo", "--noheader", "--Node", f"--nodes={node}", "--format=%T").stdout
    return shown.split("\n")[0].strip().rstrip("*")


def until_no_job(world: World) -> None:
    world.eventually(lambda: _none(world))


def _runs(world: World, node: str) -> None:
    shown = world.on_node(controller(world), "squeue", "--noheader", f"--nodelist={node}", "--format=%T").stdout.split()
    assert shown == ["RUNNING"], shown


def _none(world: World) -> None:
    assert jobs(world) == []
