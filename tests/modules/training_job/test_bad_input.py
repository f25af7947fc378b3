# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Bad options are refused before any object is created, with their name, value and allowed values."""

from __future__ import annotations

import typing as t

import pytest
from unit.module_utils._karpenter.proof.api_server import Server, kubeconfig
from unit.module_utils._training.job.trained import NAMESPACE, Trained

GIVEN = {"nodes": ["a", "b"], "gpus": 1, "image": "pytorch:2", "program": "print(1)", "steps": 20}
CLAIMED = {"claim": "fsx", "checkpoint": "c", "namespace": "ml"}
QUEUED = {"queue": "q", "namespace": "ml"}
NAME = "Allowed: a Kubernetes name: at most 253 lower-case letters, digits, hyphens and dots."
PROGRAM = "Allowed: 1 to 524288 bytes of Python."
BAD: dict[str, list[tuple[dict[str, t.Any], str, str, str]]] = {
    "types and choices": [
        ({"gpus": "many"}, "gpus", "many", "convert to int"),
        ({"steps": 1.5}, "steps", "1.5", "convert to int"),
        ({"efa": "perhaps"}, "efa", "perhaps", "Valid booleans include"),
        ({"kind": "MPIJob"}, "kind", "MPIJob", "one of: auto, PyTorchJob, HyperPodPyTorchJob, TrainJob, Job"),
        ({"topology": "near", "level": "x", **QUEUED}, "topology", "near", "one of: required, preferred"),
        ({"environment": "A"}, "environment", "of type str", "dictionary requested"),
    ],
    "names": [
        ({"nodes": ["A b"]}, "nodes", "'A b'", NAME),
        ({"nodes": ["a/../b"]}, "nodes", "'a/../b'", NAME),
        ({"claim": "../x", "checkpoint": "c"}, "claim", "'../x'", NAME),
        ({"claim": "fsx", "checkpoint": "a/b"}, "checkpoint", "'a/b'", NAME),
        ({"queue": "Q", "namespace": "ml"}, "queue", "'Q'", NAME),
        ({"topology": "required", "level": "a b", **QUEUED}, "level", "'a b'", "Allowed: a label of nodes such as"),
        ({"priority": "-", **QUEUED}, "priority", "'-'", NAME),
        ({"pull_secrets": ["s\n"]}, "pull_secrets", "'s\\n'", NAME),
        ({"namespace": "a.b"}, "namespace", "'a.b'", "Allowed: "),
        ({"image": "a b:1"}, "image", "'a b:1'", "Allowed: an image such as"),
        ({"environment": {"A-B": "1"}}, "environment", "'A-B'", "Allowed: names of variables: at most 128 letters, digits and _."),
    ],
    "numbers": [
        ({"gpus": 0}, "gpus", "0", "Allowed: 1 to 16."),
        ({"gpus": 17}, "gpus", "17", "Allowed: 1 to 16."),
        ({"steps": 1}, "steps", "1", "Allowed: 2 to 100000."),
        ({"checkpoint_every": 0}, "checkpoint_every", "0", "Allowed: 1 to 100000."),
        ({"resume_from": -1}, "resume_from", "-1", "Allowed: 0 to 100000."),
        ({"loss_bound": -0.5}, "loss_bound", "-0.5", "Allowed: a number above 0."),
        ({"queue_timeout": 0}, "queue_timeout", "0", "Allowed: 1 to 86400."),
        ({"start_timeout": 9}, "start_timeout", "9", "Allowed: 10 to 7200."),
        ({"timeout": 86401}, "timeout", "86401", "Allowed: 30 to 86400."),
        ({"poll_interval": 0}, "poll_interval", "0", "Allowed: 1 to 300."),
    ],
    "sizes": [
        ({"nodes": []}, "nodes", "0 nodes", "Allowed: 1 to 1024."),
        ({"nodes": ["a", "a"]}, "nodes", "'a'", "Allowed: each value once."),
        ({"program": ""}, "program", "0 bytes", PROGRAM),
        ({"program": "x" * 524289}, "program", "524289 bytes", PROGRAM),
        ({"image": "a" * 256}, "image", "'aaaa", "Allowed: at most 255 characters."),
        ({"environment": {"A": "x" * 4097}}, "environment", "value of A", "Allowed: texts and numbers of at most 4096 characters."),
    ],
    "values that others set": [
        ({"environment": {"PET_RDZV_ENDPOINT": "x"}}, "environment", "'PET_RDZV_ENDPOINT'", "Allowed: other variables."),
        ({"environment": {"WORLD_SIZE": 8}}, "environment", "'WORLD_SIZE'", "Allowed: other variables."),
        ({"environment": {"A": ["x"]}}, "environment", "value of A", "Allowed: texts and numbers"),
        ({"namespace": "hyperpod-ns-ml"}, "namespace", "'hyperpod-ns-ml'", "but not the namespace of a team of task governance"),
    ],
    "options that need others": [
        ({"claim": "fsx"}, "checkpoint", "missing", "claim requires it"),
        ({"checkpoint": "c"}, "claim", "missing", "checkpoint requires it"),
        ({"kill": True}, "claim", "missing", "kill requires shared storage"),
        ({"remove_checkpoints": True}, "claim", "missing", "remove_checkpoints requires the claim"),
        ({"resume_from": 4}, "claim", "missing", "resume_from requires the claim"),
        ({"resume_from": 20, **CLAIMED}, "resume_from", "20", "Allowed: less than steps, 20."),
        ({"kill": True, "steps": 3, **CLAIMED}, "steps", "3", "Allowed: at least 4 with kill"),
        ({"kill": True, "kind": "TrainJob", **CLAIMED}, "kill", "TrainJob", "Choose PyTorchJob or Job."),
        ({"replace_pod": True}, "claim", "missing", "replace_pod requires shared storage"),
        ({"replace_pod": True, "steps": 3, **CLAIMED}, "steps", "3", "Allowed: at least 4 with replace_pod"),
        ({"replace_pod": True, "nodes": ["a"], **CLAIMED}, "nodes", "1 node", "Allowed: at least 2 with replace_pod"),
        ({"replace_pod": True, "kind": "Job", **CLAIMED}, "replace_pod", "Job", "Choose PyTorchJob."),
        ({"replace_pod": True, "kill": True, **CLAIMED}, "kill", "not allowed with replace_pod", "Run a separate job for each."),
        ({"priority": "low"}, "queue", "missing", "priority is for jobs that Kueue admits"),
        ({"topology": "required", **QUEUED}, "level", "missing", "topology requires it"),
        ({"level": "x", **QUEUED}, "topology", "missing", "level requires it"),
    ],
    "a program in the image": [
        ({"program": None}, "arguments", "missing", "without program, arguments must name a program in the image"),
        ({"program": None, "arguments": ["x.py"], "kill": True, **CLAIMED}, "program", "missing", "kill requires a program"),
        ({"program": None, "arguments": ["x.py"], "loss_bound": 1.0}, "program", "missing", "loss_bound requires a program"),
        ({"hugging_face_token": "short"}, "hugging_face_token", "5 characters", "Allowed: 8 to 512 visible ASCII characters."),
        ({"hugging_face_token": "hf_secret_value", "arguments": ["-t=hf_secret_value"]}, "arguments", "contains", "must stay secret"),
        ({"environment": {"HF_TOKEN": "hf_secret_value"}}, "environment", "'HF_TOKEN'", "Allowed: other variables"),
    ],
    "connections": [
        ({"kubeconfig": "/nonexistent"}, "kubeconfig", "/nonexistent", ""),
        ({"context": "b"}, "context", "b", ""),
    ],
}
ROWS = [pytest.param(*row, id=f"{kind}, {row[1]} {number}") for kind, rows in BAD.items() for number, row in enumerate(rows)]

pytestmark = pytest.mark.slow


@pytest.fixture(scope="module")
def world() -> Trained:
    return Trained()


@pytest.fixture(scope="module")
def reached(world: Trained, tmp_path_factory: pytest.TempPathFactory) -> t.Iterator[str]:
    with Server(world) as kubernetes:
        yield kubeconfig(kubernetes, tmp_path_factory.mktemp("kubeconfig"))


@pytest.mark.parametrize(("given", "option", "value", "allowed"), ROWS)
@pytest.mark.parametrize("check", [False, True])
def test_refused(simulator, world, reached, check, given, option, value, allowed):
    world.requests.clear()
    refused = simulator.run("training_job", check=check, **{**GIVEN, "kubeconfig": reached, **given})
    assert refused.get("failed"), refused
    assert all(text in refused["msg"] for text in (option, value, allowed)), refused["msg"]
    assert world.requests == [] and list(world.there) == [f"/api/v1/namespaces/{NAMESPACE}"]
