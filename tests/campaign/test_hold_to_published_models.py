# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The objects that role `karpenter` applies, validated by published models of Karpenter's and KEDA's objects from npm and PyPI.

No model of HyperPod's HyperpodNodeClass is published. The models have no CEL rules.
"""

from __future__ import annotations

import copy
import importlib
import json
import os
import subprocess
import sys
import typing as t
from pathlib import Path

import pytest
from lab.kubernetes import models

pytestmark = pytest.mark.slow  # its packages are installed for the campaign only
Object = dict[str, t.Any]
Refusals = t.Callable[[t.Sequence[Object]], list[str]]
"""Returns an error message for each object; an empty text if it is valid."""
TAINT = {"key": "nvidia.com/gpu", "value": "true", "effect": "NoSchedule"}
NIGHT = {"nodes": "50%", "schedule": "0 22 * * *", "duration": "7h30m", "reasons": ["Empty", "Drifted", "Underutilized"]}
KARPENTER: t.Mapping[str, t.Any] = {
    "karpenter_node_classes": [{"name": "gpus", "instance_groups": ["auto-a", "auto-b"]}],
    "karpenter_node_pools": [
        {"name": "serving", "node_class": "gpus"},
        {"name": "training", "node_class": "gpus", "disruption": "training"},
        {
            "name": "all",
            "node_class": "gpus",
            "requirements": [
                {"key": "node.kubernetes.io/instance-type", "operator": "In", "values": ["ml.g5.8xlarge"]},
                {"key": "topology.kubernetes.io/zone", "operator": "NotIn", "values": ["us-west-2a"]},
                {"key": "kubernetes.io/arch", "operator": "Exists"},
            ],
            "limits": {"nvidia.com/gpu": 16, "cpu": "500m", "memory": "2Ti"},
            "labels": {"team": "research", "example.com/tier": ""},
            "taints": [TAINT, {"key": "slow", "value": "", "effect": "PreferNoSchedule"}],
            "startup_taints": [{**TAINT, "effect": "NoExecute"}],
            "weight": 100,
            "expire_after": "48h",
            "disruption": {"profile": "training", "consolidate_after": "1h30m", "budgets": [{"nodes": 0}, NIGHT]},
        },
    ],
}
METADATA: t.Mapping[str, t.Any] = {
    "aws-cloudwatch": {"namespace": "a", "metricName": "waiting", "targetMetricValue": 5, "awsRegion": "us-west-2"},
    "aws-sqs-queue": {"queueURL": "https://sqs.us-west-2.amazonaws.com/111111111111/jobs", "queueLength": 5, "awsRegion": "us-west-2"},
    "prometheus": {"serverAddress": "http://prometheus.monitoring:9090", "query": "sum(waiting)", "threshold": 5},
}
NODE_PROGRAM = """\
import {{{kind}, type I{kind}}} from "{module}";
const given: I{kind} = {object};
try {{ new {kind}(given).validate(); }} catch (error) {{ console.log((error as Error).message); }}
"""
PYTHON_PROGRAM = """\
import importlib, json, sys
for given in json.load(sys.stdin):
    try:
        model = importlib.import_module("cloudcoil.models.keda.v1alpha1").ScaledObject
        taken = model.model_validate(given).model_dump(mode="json", by_alias=True, exclude_unset=True)
        print(json.dumps("" if taken == given else f"taken as {taken}"))
    except ValueError as error:
        print(json.dumps(str(error)))
"""
"""The model drops unknown fields, so the result is compared with the input."""
NPM = {"NodePool": "karpenter/karpenter.sh/v1", "ScaledObject": "keda/keda.sh/v1alpha1"}


@pytest.fixture(scope="module")
def folder() -> Path:
    return models.installed()  # fails if they are not installed


@pytest.fixture(scope="module")
def applied() -> dict[str, list[Object]]:
    """Objects that the role sends to the API server, by kind."""
    sys.path.insert(0, os.environ["ANSIBLE_COLLECTIONS_PATH"])
    plugins = "ansible_collections.mlfleet.hyperpod.plugins"
    triggers = [{"type": kind, "metadata": metadata} for kind, metadata in METADATA.items()]
    target = {"namespace": "team-a", "target": {"name": "workers"}}
    scaled = [{"name": each["type"], **target, "triggers": [each]} for each in triggers]
    identified = [{**each, "authentication": "keda-aws"} for each in triggers]
    given = {**KARPENTER, "karpenter_scaled_objects": [*scaled, {"name": "all", **target, "triggers": identified, "min_replicas": 1}]}
    made = []
    for name in ("node_classes", "node_pools", "scaled_objects"):
        declare = getattr(importlib.import_module(f"{plugins}.plugin_utils._karpenter.{name}"), name)
        made += [each["definition"] for each in declare(name, given[f"karpenter_{name}"])]
    options = importlib.import_module(f"{plugins}.module_utils._kubernetes.objects.options")
    found: dict[str, list[Object]] = {}
    for declared in options.desired({"definitions": made, "state": "present", "adopt": False}).declared:
        found.setdefault(declared.kind, []).append(declared.definition)
    assert {kind: len(each) for kind, each in found.items()} == {"HyperpodNodeClass": 1, "NodePool": 3, "ScaledObject": 4}
    return found


@pytest.fixture
def by_npm(folder: Path, tmp_path: Path) -> Refusals:
    """Errors of the compiler, for unknown fields, and of the models, for wrong values."""

    def refusals(objects: t.Sequence[Object]) -> list[str]:
        files = []
        for place, each in enumerate(objects):
            module = folder / "node_modules/@kubernetes-models" / NPM[each["kind"]] / "index.js"
            files.append(tmp_path / f"{place}.mts")
            files[-1].write_text(NODE_PROGRAM.format(kind=each["kind"], module=module, object=json.dumps(each)))
        node = str(models.node_of(folder))
        names = [file.name for file in files]
        compiler = [node, str(folder / "node_modules/typescript/bin/tsc"), "--noEmit", "--strict", "--module", "nodenext", "--skipLibCheck"]
        checked = run([*compiler, "--lib", "esnext,dom", "--types", "", *names], tmp_path)
        assert checked.stdout or checked.returncode == 0, checked.stderr
        errors = [[line for line in checked.stdout.split("\n") if line.startswith(f"{name}(")] for name in names]
        assert any(errors) or checked.returncode == 0, checked.stdout
        validated = [run([node, name], tmp_path) for name in names]
        assert all(each.returncode == 0 for each in validated), validated
        return ["; ".join(filter(None, [*lines, each.stdout.strip()])) for lines, each in zip(errors, validated)]

    return refusals


@pytest.fixture
def by_pypi(folder: Path, tmp_path: Path) -> Refusals:
    def refusals(objects: t.Sequence[Object]) -> list[str]:
        environment = {**os.environ, "PYTHONPATH": str(folder / models.PYTHON)}
        done = run([sys.executable, "-c", PYTHON_PROGRAM], tmp_path, input=json.dumps(objects), env=environment)
        assert done.returncode == 0, done.stderr
        return list(map(json.loads, done.stdout.strip().split("\n")))

    return refusals


def run(argv: list[str], folder: Path, **more: t.Any) -> subprocess.CompletedProcess[str]:
    return subprocess.run(argv, cwd=folder, capture_output=True, text=True, check=False, **more)


def wrong(good: Object, *path: str | int, value: t.Any) -> Object:
    """A copy with another value at ``path``, or without the field if ``value`` is None."""
    made = copy.deepcopy(good)
    place: t.Any = made
    for name in path[:-1]:
        place = place[name]
    if value is None:
        del place[path[-1]]
    else:
        place[path[-1]] = value
    return made


def test_models_accept_the_node_pools_and_reject_wrong_ones(applied: dict[str, list[Object]], by_npm: Refusals) -> None:
    pools = applied["NodePool"]
    assert by_npm(pools) == [""] * 3
    pool = pools[2]
    budget, template = ("spec", "disruption", "budgets", 1), ("spec", "template", "spec")
    bad = {
        "expiresAfter": wrong(pool, *template, "expiresAfter", value="48h"),
        "nodeClassRef": wrong(pool, *template, "nodeClassRef", value=None),
        "budgets/1/nodes": wrong(pool, *budget, "nodes", value="101%"),
        "consolidateAfter": wrong(pool, "spec", "disruption", "consolidateAfter", value="soon"),
        "weight": wrong(pool, "spec", "weight", value=101),
        "limits/cpu": wrong(pool, "spec", "limits", "cpu", value="many"),
    }
    for field, message in zip(bad, by_npm(list(bad.values()))):
        assert field in message, (field, message)


@pytest.mark.parametrize("models_of", ["by_npm", "by_pypi"])
def test_models_accept_the_scaled_objects_and_reject_wrong_ones(applied: dict[str, list[Object]], models_of: str, request: pytest.FixtureRequest) -> None:
    refusals: Refusals = request.getfixturevalue(models_of)
    scaled = applied["ScaledObject"]
    assert refusals(scaled) == [""] * 4
    bad = [
        wrong(scaled[0], "spec", "minReplicas", value=0),
        wrong(scaled[0], "spec", "maxReplicaCount", value="many"),
        wrong(scaled[0], "spec", "scaleTargetRef", value=None),
        wrong(scaled[0], "spec", "triggers", 0, "metadata", "targetMetricValue", value=5),
    ]
    assert all(refusals(bad)), refusals(bad)
