# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The training program on the lab's PyTorch, with two processes."""

from __future__ import annotations

import contextlib
import os
import shutil
import signal
import socket
import subprocess
import typing as t
from pathlib import Path

import pytest
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._training.events import pod_log
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._training.model import Desired, Place, Verdict
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._training.verdict import judge
from torch_of_lab import PYTHON, needs_torch, torch

PROGRAM = Path(__file__).resolve().parents[3] / "roles/verify_training/files/train.py"
ALTERED = Path(__file__).with_name("altered_program.py")

class Trained(t.NamedTuple):
    folder: Path
    """Of the checkpoints."""
    verdict: Verdict

    @property
    def losses(self) -> dict[int, float]:
        return dict(self.verdict.figures.losses)


@pytest.fixture(scope="module")
def uninterrupted(tmp_path_factory: pytest.TempPathFactory) -> Trained:
    folder = tmp_path_factory.mktemp("uninterrupted") / "checkpoints"
    return Trained(folder, launched(folder, steps=12))


@pytest.mark.slow
@needs_torch
def test_two_processes_save_load_and_remove_checkpoints(uninterrupted: Trained) -> None:
    folder, first = uninterrupted
    assert (first.status, first.figures.removed, first.figures.read_rate) == ("passed", False, None), first.problems
    assert first.figures.write_rate and [each.name for each in sorted(folder.iterdir())] == ["step-00000010", "step-00000012"]
    shutil.rmtree(folder / "step-00000012")
    second = launched(folder, "--resume", "--remove", steps=12, first_step=10)
    assert (second.status, second.figures.removed, folder.exists()) == ("passed", True, False), second.problems
    assert second.figures.read_rate and second.figures.validation == pytest.approx(dict(first.figures.checkpoints)[10], rel=1e-6)
    assert dict(second.figures.losses) == pytest.approx({step: uninterrupted.losses[step] for step in (11, 12)}, rel=1e-6)


@pytest.mark.slow
@needs_torch
@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGKILL])
def test_processes_wait_only_in_the_first_attempt(tmp_path: Path, uninterrupted: Trained, number: signal.Signals) -> None:
    options = ("--resume", "--hold-at=9")
    with started(tmp_path, *options, steps=12) as job:
        assert job.stdout
        first = ""
        while first.count('"held"') < 2:
            line = job.stdout.readline()
            assert line, first
            first += line
        ended = [job.pid, *children(job.pid)] if number == signal.SIGKILL else [job.pid]  # each child is in a session of its own
        for pid in ended:
            os.kill(pid, number)
        rest = job.stdout.read()
        assert rest.count('"ended"') == (2 if number == signal.SIGTERM else 0) and job.wait() != 0
    found = launched(tmp_path, *options, steps=12, restarts=1, before=first)
    assert (found.status, found.figures.restarts, found.figures.first_step) == ("passed", 1, 0), found.problems
    assert [step for step, _loss in found.figures.checkpoints] == [5, 10, 12]
    assert dict(found.figures.losses) == pytest.approx(uninterrupted.losses, rel=1e-6)


@pytest.mark.slow
@needs_torch
def test_one_different_weight_on_one_of_two_nodes(tmp_path: Path) -> None:
    with socket.create_server(("127.0.0.1", 0)) as free:
        port = free.getsockname()[1]
    meet = ("--nnodes=2", "--nproc-per-node=1", "--rdzv-backend=c10d", f"--rdzv-endpoint=127.0.0.1:{port}", "--local-addr=127.0.0.1")
    with contextlib.ExitStack() as stack:
        jobs = [stack.enter_context(started(tmp_path, steps=5, launcher=meet, altered="one_weight_differs")) for _node in range(2)]
        logs = [pod_log(Place(pod, 2, 1), job.communicate(timeout=200)[0]) for pod, job in zip("ab", jobs, strict=True)]
    found = judge(Desired(2, 1, steps=5, deadline=100.0, loss_bound=100.0), logs)
    assert (found.status, found.figures.weights) == ("failed", "different") and all(job.returncode for job in jobs)
    assert [(each.code, each.text) for each in found.problems] == [
        ("weights-differ", "After step 5, ranks 0, 1 have different values of shard 0. Check the health of their GPUs.")
    ]
    assert list(tmp_path.iterdir()) == [], "no checkpoint of weights that differ"


@pytest.mark.slow
@needs_torch
def test_float16_trains_like_float32(tmp_path: Path, uninterrupted: Trained) -> None:
    found = launched(tmp_path, "--checkpoint-every=0", steps=4, checkpoints=False, altered="float16")
    expected = {step: uninterrupted.losses[step] for step in range(1, 5)}
    assert dict(found.figures.losses) == pytest.approx(expected, rel=1e-2) and dict(found.figures.losses) != expected
    assert found.figures.weights == "no_replicas" and found.status == "passed", found.problems


def children(pid: int) -> list[int]:
    return [int(child) for child in Path(f"/proc/{pid}/task/{pid}/children").read_text().split()]


def started(
    folder: Path, *options: str, steps: int, launcher: t.Sequence[str] = ("--standalone", "--nproc-per-node=2"), altered: str = ""
) -> subprocess.Popen[str]:
    """Start a job, or a node of a job, on this machine.

    :param altered: name of a function in altered_program.py.
    """
    given = (f"--steps={steps}", "--checkpoint-every=5", f"--directory={folder}", "--deadline=100", *options)
    program = (str(ALTERED), altered, str(PROGRAM)) if altered else (str(PROGRAM),)
    command = [PYTHON, "-m", "torch.distributed.run", *launcher, *program, *given]
    environment = {**os.environ, "PYTHONPATH": str(torch()), "OMP_NUM_THREADS": "1"}
    return subprocess.Popen(command, env=environment, stdout=subprocess.PIPE, text=True)


def launched(folder: Path, *options: str, before: str = "", altered: str = "", **desired: int) -> Verdict:
    """The verdict on a job of two processes.

    :param before: output of an earlier start.
    """
    with started(folder, *options, steps=desired["steps"], altered=altered) as job:
        printed, _errors = job.communicate(timeout=200)
    assert job.returncode == 0
    return judge(Desired(1, 2, deadline=100.0, loss_bound=100.0, **desired), [pod_log(Place("a", 1, 2), before + printed)])
