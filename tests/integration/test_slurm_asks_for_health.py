"""Slurm's health check covers accelerators: slurmctld gets its settings, and the program drains and resumes its node."""

from __future__ import annotations

import typing as t

import pytest
from harness import World
from lab.accelerators.story import healthy, off_the_bus
from steps import step
from work import controller, jobs, shell, slurm_state, submit, until_no_job

TYPE = "ml.p5.48xlarge"
ENABLED = ("-e", "accelerator_health_slurm_check=true")
PROGRAM = "/var/lib/mlfleet-hyperpod/slurm-health-check"


@pytest.fixture
def worker(ready: World) -> t.Iterator[str]:
    name = ready.hosts("worker-group-1")[0]["name"]
    yield name
    ready.decelerate(name)
    for where in ("node_type_controller", "node_type_compute"):
        options = f"state=absent controller={'true' if where.endswith('controller') else 'false'}"
        gone = ready.run(["ansible", where, "-b", "-m", "mlfleet.hyperpod.slurm_health_hooks", "-a", options])
        assert gone.returncode == 0, gone.stdout


def configured(world: World) -> dict[str, str]:
    """Configuration of slurmctld."""
    lines = shell(world, controller(world), "scontrol show config").stdout.splitlines()
    return {key.strip(): value.strip() for key, _is, value in (line.partition("=") for line in lines)}


def reason(world: World, node: str) -> str:
    return shell(world, controller(world), f"sinfo --noheader --nodes={node} --format=%E").stdout.split("\n")[0].strip()


@pytest.mark.slow
def test_slurms_health_check_drains_unfit_nodes(ready: World, worker: str) -> None:
    with step("login_access configures the health check, once"):
        planned = ready.playbook("login_access", *ENABLED, "--check", "--diff")
        assert planned.rc == 0 and "HealthCheckProgram" in planned.output and configured(ready)["HealthCheckProgram"] == "(null)", planned.log
        made = ready.playbook("login_access", *ENABLED)
        assert made.rc == 0, made.log
        found = configured(ready)
        assert (found["HealthCheckProgram"], found["HealthCheckInterval"]) == (PROGRAM, "240 sec")
        again = ready.playbook("login_access", *ENABLED)
        assert (again.rc, again.changed) == (0, 0), again.log

    with step("a healthy node keeps its job"):
        ready.accelerate(worker, healthy(TYPE))
        submit(ready, worker, 600)
        assert shell(ready, worker, PROGRAM).returncode == 0
        assert slurm_state(ready, worker) in ("mixed", "allocated") and jobs(ready)

    with step("a GPU falls off the bus: no new jobs, and running jobs continue"):
        ready.accelerate(worker, off_the_bus(healthy(TYPE), 3))
        assert shell(ready, worker, PROGRAM).returncode == 0
        assert slurm_state(ready, worker) == "draining" and len(jobs(ready)) == 1
        assert reason(ready, worker).startswith("mlfleet.hyperpod: accelerators: unfit-reboot: gpu-xid of GPU 3")
        assert shell(ready, controller(ready), "scancel -u alice").returncode == 0
        until_no_job(ready)

    with step("the drain reason of another person is kept"):
        assert shell(ready, controller(ready), f"scontrol update nodename={worker} state=drain reason=ticket").returncode == 0
        ready.accelerate(worker, healthy(TYPE))
        assert shell(ready, worker, PROGRAM).returncode == 0
        assert reason(ready, worker) == "ticket" and slurm_state(ready, worker) in ("drained", "draining")
        assert shell(ready, controller(ready), f"scontrol update nodename={worker} state=resume").returncode == 0

    with step("a fit node is resumed"):
        ready.accelerate(worker, off_the_bus(healthy(TYPE), 3))
        assert shell(ready, worker, PROGRAM).returncode == 0 and slurm_state(ready, worker) in ("drained", "draining")
        ready.accelerate(worker, healthy(TYPE, boot_id="0b1c8a52-6d0e-4f0f-9d43-2b1c1f5d0a12"), boot=True)
        assert shell(ready, worker, PROGRAM).returncode == 0
        ready.eventually(lambda: _idle(ready, worker))

    with step("with the prolog, a job on a healthy node runs"):
        made = ready.playbook("login_access", *ENABLED, "-e", "accelerator_health_prolog=true")
        assert made.rc == 0 and "mlfleet-hyperpod-prolog" in str(configured(ready)), made.log
        again = ready.playbook("login_access", *ENABLED, "-e", "accelerator_health_prolog=true")
        assert (again.rc, again.changed) == (0, 0), again.log
        submit(ready, worker, 600)
        assert shell(ready, controller(ready), "scancel -u alice").returncode == 0
        until_no_job(ready)

    with step("no job starts on a node that lost a GPU"):
        ready.accelerate(worker, off_the_bus(healthy(TYPE), 3))
        submitted = shell(ready, controller(ready), f"cd /tmp && sbatch --parsable -o /dev/null -p dev -w {worker} --wrap 'sleep 600'", "alice")
        assert submitted.returncode == 0, submitted.stdout
        ready.eventually(lambda: _drained(ready, worker))
        assert reason(ready, worker).startswith("mlfleet.hyperpod: accelerators: unfit-reboot"), reason(ready, worker)
        assert [each.split()[0] for each in jobs(ready)] == ["PENDING"]
        assert shell(ready, controller(ready), "scancel -u alice").returncode == 0


def _drained(world: World, node: str) -> None:
    assert slurm_state(world, node) == "drained", _slurm_details(world, node)


def _slurm_details(world: World, node: str) -> str:
    return shell(world, controller(world), f"squeue --all; scontrol show node {node}; scontrol show job").stdout


def _idle(world: World, node: str) -> None:
    assert slurm_state(world, node) == "idle", _slurm_details(world, node)
