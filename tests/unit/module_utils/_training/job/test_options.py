# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Valid and invalid options of a training job."""

from __future__ import annotations

import typing as t

import pytest
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._core.failure import Refused
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._topology.job.model import Wish
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._training.job.model import Desired, Program, Queue
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._training.job.options import environment_problems, not_interrupted

from .described import IMAGE, desired

QUEUED = {"queue": "ml", "namespace": "hyperpod-ns-ml"}


def test_options_have_the_documented_defaults() -> None:
    expected = Desired(nodes=("a", "b"), gpus=8, image=IMAGE, program=Program("print(1)\n"), namespace="mlfleet-training")
    assert desired() == expected
    assert (expected.kind, expected.queue_timeout, expected.start_timeout, expected.timeout) == ("auto", 60, 900, 600)


def test_all_options_are_read() -> None:
    given = desired(
        arguments=["--size=small"], kind="Job", efa=True, claim="fsx", checkpoint="c",
        steps=8, resume_from=4, checkpoint_every=2, loss_bound=2.5, kill=True, replace_pod=False, remove_checkpoints=True,
        priority="low", topology="required", level="x/layer",
        environment={"A": 1}, pull_secrets=["s"], queue_timeout=1, start_timeout=10, timeout=30, **QUEUED,
    )  # fmt: skip
    assert given.program == Program("print(1)\n", ("--size=small",), 8, 4, 2, "c", 2.5, kill=True, replace_pod=False, remove=True)
    assert given.queue == Queue("ml", "low", Wish("required", "x/layer"))
    assert (given.kind, given.efa, given.claim, given.environment, given.pull_secrets) == ("Job", True, "fsx", (("A", "1"),), ("s",))
    assert given.seconds == 71


@pytest.mark.parametrize(("given", "owned"), [({}, True), ({"claim": "fsx", "checkpoint": "c", "namespace": "ml"}, False), (QUEUED, False)])
def test_only_the_default_namespace_is_ours(given: dict[str, t.Any], owned: bool) -> None:
    assert desired(**given).owned is owned


CLAIMED = {"claim": "fsx", "checkpoint": "c", "namespace": "ml"}
REFUSED = [
    ({"nodes": []}, "nodes", "0 nodes"),
    ({"nodes": [f"n{number}" for number in range(1025)]}, "nodes", "1 to 1024"),
    ({"nodes": ["a", "a"]}, "nodes", "given more than once"),
    ({"nodes": ["A b"]}, "nodes", "a Kubernetes name"),
    ({"gpus": 0}, "gpus", "1 to 16"),
    ({"gpus": 17}, "gpus", "1 to 16"),
    ({"image": "A b"}, "image", "an image such as"),
    ({"image": "a" * 256}, "image", "image"),
    ({"program": ""}, "program", "a text of 0 bytes"),
    ({"program": "x" * 524289}, "program", "a text of 524289 bytes"),
    ({"namespace": "A"}, "namespace", "the name of a namespace"),
    ({"namespace": "hyperpod-ns-ml"}, "namespace", "not the namespace of a team"),
    ({"claim": "../x", "checkpoint": "c"}, "claim", "a Kubernetes name"),
    ({"claim": "fsx", "checkpoint": "../x"}, "checkpoint", "a Kubernetes name"),
    ({"claim": "fsx"}, "checkpoint", "checkpoint: missing; claim requires it"),
    ({"checkpoint": "c"}, "claim", "claim: missing; checkpoint requires it"),
    ({"resume_from": 4}, "claim", "claim: missing; resume_from requires the claim"),
    ({"resume_from": 40, "claim": "fsx", "checkpoint": "c"}, "resume_from", "less than steps, 40"),
    ({"steps": 1}, "steps", "2 to 100000"),
    ({"resume_from": -1}, "resume_from", "0 to 100000"),
    ({"checkpoint_every": 0}, "checkpoint_every", "1 to 100000"),
    ({"loss_bound": 0.0}, "loss_bound", "a number above 0"),
    ({"loss_bound": float("nan")}, "loss_bound", "a number above 0"),
    ({"loss_bound": float("inf")}, "loss_bound", "a number above 0"),
    ({"kill": True}, "claim", "claim: missing; kill requires shared storage with a checkpoint."),
    ({"kill": True, "steps": 3, **CLAIMED}, "steps", "3 is not allowed. Allowed: at least 4 with kill"),
    ({"kill": True, "steps": 43, "resume_from": 40, **CLAIMED}, "steps", "at least 44 with kill and this resume_from"),
    ({"kill": True, "kind": "TrainJob", **CLAIMED}, "kill", "kill: the launcher of a TrainJob restarts no processes. Choose PyTorchJob or Job."),
    ({"kill": True, "kind": "HyperPodPyTorchJob", **CLAIMED}, "kill", "a HyperPodPyTorchJob restarts no processes"),
    ({"replace_pod": True}, "claim", "claim: missing; replace_pod requires shared storage with a checkpoint."),
    ({"replace_pod": True, "steps": 43, "resume_from": 40, **CLAIMED}, "steps", "at least 44 with replace_pod and this resume_from"),
    ({"replace_pod": True, "nodes": ["a"], **CLAIMED}, "nodes", "1 node is not allowed. Allowed: at least 2 with replace_pod, so that a launcher"),
    ({"replace_pod": True, "kill": True, **CLAIMED}, "kill", "kill: not allowed with replace_pod. Run a separate job for each."),
    *(({"replace_pod": True, "kind": kind, **CLAIMED}, "replace_pod", f"the Pods of a {kind} may be created again under different names. Choose PyTorchJob.")
      for kind in ("Job", "TrainJob", "HyperPodPyTorchJob")),
    ({"remove_checkpoints": True}, "claim", "claim: missing; remove_checkpoints requires the claim with the checkpoints."),
    ({"queue": "A", "namespace": "ml"}, "queue", "a Kubernetes name"),
    ({"priority": "low"}, "queue", "queue: missing; priority is for jobs that Kueue admits"),
    ({"topology": "required", "level": "x"}, "queue", "queue: missing; topology"),
    ({"topology": "required", **QUEUED}, "level", "level: missing; topology requires it"),
    ({"level": "x", **QUEUED}, "topology", "topology: missing; level requires it"),
    ({"environment": {"A-B": "1"}}, "environment", "names of variables"),
    ({"environment": {"PET_NNODES": "1"}}, "environment", "the launcher of the processes sets this variable"),
    ({"environment": {"MASTER_ADDR": "x"}}, "environment", "the launcher"),
    ({"environment": {"RANK": "0"}}, "environment", "the launcher"),
    ({"environment": {"LOCAL_WORLD_SIZE": "0"}}, "environment", "the launcher"),
    ({"pull_secrets": ["A"]}, "pull_secrets", "a Kubernetes name"),
    ({"queue_timeout": 0}, "queue_timeout", "1 to 86400"),
    ({"start_timeout": 9}, "start_timeout", "10 to 7200"),
    ({"timeout": 29}, "timeout", "30 to 86400"),
]


@pytest.mark.parametrize(("given", "option", "message"), REFUSED)
def test_invalid_options_are_refused(given: dict[str, t.Any], option: str, message: str) -> None:
    with pytest.raises(Refused, match=message) as refused:
        desired(**given)
    assert refused.value.option == option


@pytest.mark.parametrize(
    ("steps", "resume_from", "every", "interrupt_at", "saved_every"),
    [
        (60, 40, 20, 55, 5), (60, 40, 5, 55, 5), (60, 40, 4, 55, 4), (40, 0, 20, 30, 10), (4, 0, 20, 3, 1),
        (44, 40, 1, 43, 1), (47, 40, 3, 45, 1), (48, 40, 3, 46, 2),
    ],
)  # fmt: skip
@pytest.mark.parametrize("how", ["kill", "replace_pod"])
def test_the_step_of_an_interruption_is_computed(how: str, steps: int, resume_from: int, every: int, interrupt_at: int, saved_every: int) -> None:
    given = {"steps": steps, "resume_from": resume_from, "checkpoint_every": every, **CLAIMED}
    made, other = desired(**{how: True}, **given).program, desired(**given).program
    assert (made.interrupted, made.interrupt_at, made.saved_every) == (True, interrupt_at, saved_every)
    assert (other.interrupted, other.interrupt_at, other.saved_every) == (False, 0, every)


@pytest.mark.parametrize(("how", "kind"), [("kill", "auto"), ("kill", "PyTorchJob"), ("kill", "Job"), ("replace_pod", "auto"), ("replace_pod", "PyTorchJob")])
def test_supported_kinds_can_be_interrupted(how: str, kind: str) -> None:
    program = desired(kind=kind, **{how: True}, **CLAIMED).program
    assert (program.kill, program.replace_pod) == (how == "kill", how == "replace_pod")


def test_a_refusal_names_the_option_that_was_given() -> None:
    assert not_interrupted("kill", "TrainJob", name="verify_training_kill").startswith("verify_training_kill: the launcher of a TrainJob restarts")
    assert not_interrupted("replace_pod", "PyTorchJob") == ""


@pytest.mark.parametrize(
    ("given", "expected"),
    [
        ({}, []),
        ({"A": "x", "B_2": 1, "_c": 1.5, "d": True, "E": ""}, []),
        ({"A": "x" * 4096}, []),
        ("A=1", ["environment: a value of type str is not allowed. Allowed: a dictionary of names and values."]),
        (None, ["environment: a value of type NoneType is not allowed."]),
        ([{"A": 1}], ["environment: a value of type list is not allowed."]),
        ({"A-B": "1", "PET_X": "1"}, ["environment: 'A-B' is not allowed. Allowed: names of variables", "environment: 'PET_X' is not allowed: the launcher"]),
        *(({"A": value}, [f"environment: the value of A, of type {type(value).__name__}, is not allowed. Allowed: texts and numbers of at most 4096"])
          for value in (None, ["hunter2"], {"b": "hunter2"}, "hunter2\0", "hunter2" * 600)),
    ],
)  # fmt: skip
def test_invalid_variables_are_reported(given: t.Any, expected: list[str]) -> None:
    found = environment_problems(given)
    assert len(found) == len(expected) and all(one.startswith(start) for one, start in zip(found, expected)), found
    assert "hunter2" not in str(found)


def test_problems_of_variables_name_the_option() -> None:
    assert environment_problems({"RANK": 1}, "verify_training_environment")[0].startswith("verify_training_environment: 'RANK' is not")


def test_variables_that_only_share_a_prefix_with_the_launcher_are_accepted() -> None:
    assert desired(environment={"RANKS": "1", "MASTER_KEY": "2"}).environment == (("RANKS", "1"), ("MASTER_KEY", "2"))


PROGRAM_IN_IMAGE: dict[str, t.Any] = {"program": None, "arguments": ["/opt/train.py", "--epochs=1"]}
TOKEN = "hf_" + "s3cret" * 5


def test_a_program_in_the_image_has_no_source() -> None:
    assert desired(**PROGRAM_IN_IMAGE, hugging_face_token=TOKEN).program == Program("", ("/opt/train.py", "--epochs=1"))
    assert desired(**PROGRAM_IN_IMAGE, claim="fsx", checkpoint="c", namespace="ml").claim == "fsx"


@pytest.mark.parametrize(
    ("given", "option"),
    [
        ({"arguments": []}, "arguments: missing; without program, arguments must name a program in the image."),
        ({"kill": True}, "program: missing; kill requires a program that reports its steps."),
        ({"replace_pod": True}, "program: missing; replace_pod requires"),
        ({"resume_from": 4}, "program: missing; resume_from requires"),
        ({"loss_bound": 1.5}, "program: missing; loss_bound requires"),
        ({"remove_checkpoints": True}, "program: missing; remove_checkpoints requires"),
    ],
)
def test_options_that_need_reports_of_steps_are_refused_for_a_program_in_the_image(given: dict[str, t.Any], option: str) -> None:
    with pytest.raises(Refused) as refused:
        desired(**{**PROGRAM_IN_IMAGE, "claim": "fsx", "checkpoint": "c", "namespace": "ml", **given})
    assert str(refused.value).startswith(option), refused.value
