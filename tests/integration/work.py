"""Shell commands on nodes, and jobs of Slurm."""

from __future__ import annotations

import subprocess

from harness import World


def shell(world: World, node: str, command: str, user: str = "root") -> subprocess.CompletedProcess:
    return world.on_node(node, "runuser", "-u", user, "--", "sh", "-c", command)


def controller(world: World) -> str:
    return world.hosts("controller-machine")[0]["name"]


def jobs(world: World) -> list[str]:
    """State and UID of each job."""
    return world.on_node(controller(world), "squeue", "--noheader", "--format=%T %U").stdout.splitlines()


def submit(world: World, node: str, seconds: int, user: str = "alice") -> str:
    """Start a job on the node; returns its number."""
    return begin(world, node, f"sleep {seconds}", user)


def begin(world: World, node: str, command: str, user: str = "alice") -> str:
    """Start a job with a shell command on the node; returns its number."""
    batch = f"cd /tmp && sbatch --parsable -o /dev/null -p dev -w {node} --wrap '{command}'"
    done = shell(world, controller(world), batch, user)
    assert done.returncode == 0, done.stdout
    world.eventually(lambda: _runs(world, node))
    return done.stdout.strip()


def accounted(world: World, job: str) -> str:
    """State of a job in Slurm's accounting."""
    argv = ("sacct", "--noheader", "--allocations", "--parsable2", f"--jobs={job}", "--format=State")
    return world.on_node(controller(world), *argv).stdout.strip()


def slurm_state(world: World, node: str) -> str:
    """State of a node, without the star of a node that has not answered yet, as after a boot."""
    shown = world.on_node(controller(world), "sinfo", "--noheader", "--Node", f"--nodes={node}", "--format=%T")
    assert shown.returncode == 0 and shown.stdout.strip(), f"Slurm reports no state of {node}: {shown.stdout}"
    return shown.stdout.split("\n")[0].strip().rstrip("*")


def until_no_job(world: World) -> None:
    world.eventually(lambda: _none(world))


def _runs(world: World, node: str) -> None:
    shown = world.on_node(controller(world), "squeue", "--noheader", f"--nodelist={node}", "--format=%T").stdout.split()
    assert shown == ["RUNNING"], shown


def _none(world: World) -> None:
    assert jobs(world) == []
