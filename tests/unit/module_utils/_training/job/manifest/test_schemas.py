# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""All objects of jobs against published schemas, in which no field is unknown. The schema of a HyperPodPyTorchJob is not published."""

from __future__ import annotations

import functools
import itertools
import typing as t
from pathlib import Path

import jsonschema
import kubernetes_validate
import pytest
import yaml
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._kubernetes.job_kinds import known_kind, pod_templates
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._kubernetes.nodes.devices import Share
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._training.job import manifest
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._training.job.model import KINDS, Desired
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._training.job.options import INTERRUPTIONS, not_interrupted
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._training.job.priority import priority_class, set_priority

from ..described import RUN, desired

Object = dict[str, t.Any]
HERE = Path(__file__).parent
DEFINITIONS = {"PyTorchJob": "pytorchjobs.yml", "TrainJob": "trainjobs.yml"}
OLDEST, NEWEST = "1.27", "1.37"
"""Kubernetes releases."""
ANY = "x-kubernetes-preserve-unknown-fields"
CLAIM = {"claim": "fsx", "checkpoint": "c", "namespace": "ml", "remove_checkpoints": True}
QUEUE = {"queue": "ml", "priority": "low", "topology": "required", "level": "x/layer", "namespace": "ml"}
MORE = {"environment": {"A": 1, "B": "x"}, "arguments": ["--size=small"], "pull_secrets": ["s", "t"], "loss_bound": 2.5}
SHARES = (Share(0), Share(32, huge_pages=True, memory=2**41))
GIVEN = ({}, CLAIM, {**CLAIM, "kill": True}, {**CLAIM, "replace_pod": True}, QUEUE, {**CLAIM, **QUEUE, **MORE, "resume_from": 4}, MORE)


def cases() -> t.Iterator[tuple[str, Desired, Share]]:
    for kind, given, nodes, share in itertools.product(KINDS, GIVEN, (["a"], ["a", "b", "c", "d"]), SHARES):
        wanted = [option for option in INTERRUPTIONS if option in given]
        if not any(not_interrupted(option, kind) for option in wanted) and ("replace_pod" not in given or len(nodes) > 1):
            yield kind, desired(kind=kind, nodes=nodes, **given), share


CASES = list(cases())


def rendered(kind: str, wanted: Desired, share: Share) -> Object:
    made = manifest.job(RUN, wanted, known_kind(kind), share)
    if priority_class("training-x", RUN, wanted, known_kind(kind)):
        set_priority(made, known_kind(kind), "training-x")
    return made


def strict(schema: t.Any) -> t.Any:
    """Unknown fields are errors wherever fields are known."""
    if isinstance(schema, list):
        return [strict(each) for each in schema]
    if not isinstance(schema, dict):
        return schema
    made = {key: strict(value) for key, value in schema.items()}
    known = isinstance(schema.get("properties"), dict) and schema.get("type") == "object"
    return {**made, "additionalProperties": False} if known and ANY not in schema and "additionalProperties" not in schema else made


@functools.cache
def validator(kind: str) -> jsonschema.Draft7Validator:
    definition = yaml.safe_load((HERE / DEFINITIONS[kind]).read_text())
    assert definition["spec"]["names"]["kind"] == kind
    (version,) = definition["spec"]["versions"]
    assert f"{definition['spec']['group']}/{version['name']}" == known_kind(kind).api_version
    return jsonschema.Draft7Validator(strict(version["schema"]["openAPIV3Schema"]))


def pod(kind: str, made: Object) -> Object:
    """A Pod as its operator creates it."""
    (template,) = pod_templates(known_kind(kind), made)
    spec: Object = template["spec"]
    if kind == "TrainJob":
        trainer = made["spec"]["trainer"]
        container = {**{name: trainer[name] for name in ("image", "args", "env")}, "resources": trainer["resourcesPerNode"]}
        spec = {**spec, "containers": [{**spec["containers"][0], **container}]}
    return {"apiVersion": "v1", "kind": "Pod", "metadata": {**template["metadata"], "name": "w-0"}, "spec": spec}


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("version", [OLDEST, NEWEST])
def test_pods_match_the_published_schema(kind: str, version: str) -> None:
    for _kind, wanted, share in (case for case in CASES if case[0] == kind):
        kubernetes_validate.validate(pod(kind, rendered(kind, wanted, share)), version, strict=True)


@pytest.mark.parametrize("version", [OLDEST, NEWEST])
def test_jobs_services_and_config_maps_match_the_published_schemas(version: str) -> None:
    for _kind, wanted, share in (case for case in CASES if case[0] == "Job"):
        for each in (rendered("Job", wanted, share), manifest.service(RUN, wanted), manifest.program(RUN, wanted)):
            kubernetes_validate.validate(each, version, strict=True)


@pytest.mark.parametrize("kind", DEFINITIONS)
def test_objects_of_operators_match_the_published_schemas(kind: str) -> None:
    for _kind, wanted, share in (case for case in CASES if case[0] == kind):
        validator(kind).validate(rendered(kind, wanted, share))


def test_a_hyperpod_job_has_the_pods_of_a_pytorch_job() -> None:
    """Their launchers differ."""
    for _kind, wanted, share in (case for case in CASES if case[0] == "HyperPodPyTorchJob"):
        one, other = (pod(kind, rendered(kind, wanted, share)) for kind in ("HyperPodPyTorchJob", "PyTorchJob"))
        for each in (one, other):
            each["spec"]["containers"][0]["args"] = []
        assert one == other


def put(made: Object, path: str, value: t.Any) -> None:
    *way, last = path.split(".")
    at: t.Any = made
    for name in way:
        at = at[int(name) if name.isdecimal() else name]
    at[last] = value


PATCHED = "spec.runtimePatches.0.trainingRuntimeSpec.template.spec.replicatedJobs.0.template.spec"


@pytest.mark.parametrize(
    ("kind", "path", "value"),
    [
        ("PyTorchJob", "spec.unknown", 1),
        ("PyTorchJob", "spec.runPolicy.unknown", 1),
        ("PyTorchJob", "spec.runPolicy.backoffLimit", "1"),
        ("PyTorchJob", "spec.elasticPolicy.unknown", 1),
        ("PyTorchJob", "spec.pytorchReplicaSpecs.Worker.unknown", 1),
        ("PyTorchJob", "spec.nprocPerNode", 8),
        ("TrainJob", "spec.unknown", 1),
        ("TrainJob", "spec.trainer.unknown", 1),
        ("TrainJob", "spec.trainer.numNodes", "2"),
        ("TrainJob", f"{PATCHED}.backoffLimit", 0),
        ("TrainJob", f"{PATCHED}.template.spec.restartPolicy", "Never"),
        ("TrainJob", f"{PATCHED}.template.spec.containers.0.image", "x"),
    ],
)
def test_wrong_fields_are_found(kind: str, path: str, value: t.Any) -> None:
    """Among them those by which a TrainJob could forbid restarts, which its API lacks."""
    made = rendered(kind, desired(kind=kind), Share(0))
    put(made, path, value)
    with pytest.raises(jsonschema.ValidationError):
        validator(kind).validate(made)


def test_wrong_fields_of_pods_are_found() -> None:
    made = pod("PyTorchJob", rendered("PyTorchJob", desired(), Share(0)))
    made["spec"]["containers"][0]["unknown"] = 1
    with pytest.raises(kubernetes_validate.ValidationError, match="unknown"):
        kubernetes_validate.validate(made, NEWEST, strict=True)
