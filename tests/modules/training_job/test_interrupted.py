# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Runs that break at each changing request, and the run after them. An undisturbed run determines the requests."""

from __future__ import annotations

import functools
import json
import os
import signal
import subprocess
import sys
import typing as t
from pathlib import Path

import pytest
from unit.module_utils._karpenter.proof.api_server import Server, kubeconfig
from unit.module_utils._training.job import applied
from unit.module_utils._training.job.held import GIVEN as HELD, RECOVERS, Held
from unit.module_utils._training.job.trained import CLAIM, LEASE, SPACE, Trained
from unit.module_utils._training.logged import trained

MODULE = "ansible_collections.mlfleet.hyperpod.plugins.modules.training_job"
GIVEN = {"nodes": ["a", "b"], "gpus": 1, "image": "pytorch:2", "program": "print(1)", "steps": 20, "poll_interval": 1}
TOKEN = {"program": None, "arguments": ["/opt/train.py"], "hugging_face_token": "hf_secret_value", "steps": 40}
LATER = "2026-11-29T03:02:00Z"
"""The time at which the Lease of a killed run has expired."""

pytestmark = pytest.mark.slow


def succeeds() -> Trained:
    world = Trained()
    world.logs = ["\n".join(lines) + "\n" for lines in trained().without('"saved"').pods]
    return world


def without_namespace() -> Trained:
    world = succeeds()
    del world.there[SPACE]
    return world


SCENARIOS: dict[str, tuple[t.Callable[[], Trained], dict[str, t.Any]]] = {
    "Job": (succeeds, {"kind": "Job"}),
    "PyTorchJob, token, new namespace": (without_namespace, {"kind": "PyTorchJob", **TOKEN}),
    "replaced Pod": (lambda: Held(*RECOVERS), {"kind": "PyTorchJob", **HELD}),
}


@functools.cache
def requests(name: str) -> list[str]:
    """The changing requests of an undisturbed run. IDs of runs are replaced."""
    make, given = SCENARIOS[name]
    world = make()
    with Server(world) as kubernetes:
        applied.runner(kubernetes, **{**GIVEN, **given, "poll_interval": None})()
    return [f"{method} {target.rpartition('/')[2]}" for method, target in world.requests if method != "GET"]


CUTS = [(name, cut) for name in SCENARIOS for cut in range(1, len(requests(name)) + 1)]


def described(value: t.Any) -> str:
    return str(value)


def run(simulator, tmp_path, world, **given):
    with Server(world) as kubernetes:
        return simulator.run("training_job", **{**GIVEN, **given}, kubeconfig=kubeconfig(kubernetes, tmp_path))


def finished(world):
    return [path for path in world.there if path not in (SPACE, CLAIM)] == []


@pytest.mark.parametrize("name", SCENARIOS)
def test_an_undisturbed_run_makes_the_requests(simulator, tmp_path, name):
    make, given = SCENARIOS[name]
    world = make()
    assert run(simulator, tmp_path, world, **given)["training_job"]["verdict"] == "passed" and finished(world)
    assert world.changes == len(requests(name)), [each for each in world.requests if each[0] != "GET"]


@pytest.mark.parametrize("after", [False, True], ids=["lost request", "lost answer"])
@pytest.mark.parametrize(("name", "cut"), CUTS, ids=described)
def test_nothing_is_left_after_a_broken_connection(simulator, tmp_path, name, cut, after):
    make, given = SCENARIOS[name]
    world = make()
    world.cut, world.cut_after = cut, after
    first = run(simulator, tmp_path, world, **given)
    assert world.changes >= cut and finished(world), first
    second = run(simulator, tmp_path, succeeded(world))
    assert second["training_job"]["verdict"] == "passed" and finished(world), second


def succeeded(world: Trained) -> Trained:
    """The world, with Pods that succeed at once, for the next run."""
    fresh = succeeds()
    world.statuses, world.logs, world.turns, world.lives = fresh.statuses, fresh.logs, [], [7, 7]
    return world


@pytest.mark.parametrize(("name", "cut"), CUTS, ids=described)
def test_nothing_is_left_by_the_run_after_a_killed_one(simulator, tmp_path, name, cut):
    make, given = SCENARIOS[name]
    world = make()
    world.cut, world.cut_after = cut, True
    with Server(world) as kubernetes:
        arguments = {**GIVEN, **given, "kubeconfig": kubeconfig(kubernetes, tmp_path)}
        process = started(tmp_path)
        world.killed = functools.partial(os.killpg, process.pid, signal.SIGKILL)
        send(process, arguments)
        process.wait(60)
    assert world.changes == cut, (world.requests, (tmp_path / "output").read_text())
    world.cut = 0
    if cut < len(requests(name)):  # the last request of a run deletes its Lease
        soon = run(simulator, tmp_path, succeeded(world))["training_job"]
        assert LEASE not in world.there or soon["failure"] == "lease", soon
    world.now = LATER
    second = run(simulator, tmp_path, succeeded(world))
    assert second["training_job"]["verdict"] == "passed" and finished(world), second


def started(folder: Path) -> subprocess.Popen[str]:
    """A run in its own process group."""
    environment = {**os.environ, "PYTHONPATH": ":".join(sys.path), "AWS_EC2_METADATA_DISABLED": "true", "TMPDIR": str(folder)}
    command, pipe = [sys.executable, "-m", MODULE], subprocess.PIPE
    with (folder / "output").open("w") as output:
        return subprocess.Popen(command, stdin=pipe, stdout=output, text=True, env=environment, start_new_session=True)


def send(process: subprocess.Popen[str], arguments: dict[str, t.Any]) -> None:
    assert process.stdin
    with process.stdin:
        json.dump({"ANSIBLE_MODULE_ARGS": {"region": "us-west-2", **arguments}}, process.stdin)
