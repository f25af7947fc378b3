# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""KEDA's ``ScaledObject``. It scales Pods by the length of a queue or by a different metric, down to zero."""

from __future__ import annotations

import typing as t

from ansible_collections.mlfleet.hyperpod.plugins.module_utils._core.checks import check_unique
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._core.failure import Refused, refuse_option
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._core.gathering import made, parts
from ansible_collections.mlfleet.hyperpod.plugins.plugin_utils import structures

from . import checks

VERSION, KIND = "keda.sh/v1alpha1", "ScaledObject"
KNOWN = (
    *("name", "namespace", "target", "min_replicas", "max_replicas", "polling_interval", "cooldown_period", "triggers"),
    "state",
)
TARGETS = {"Deployment": "apps/v1", "StatefulSet": "apps/v1"}
TRIGGERS: t.Mapping[str, t.Sequence[str]] = {
    "aws-cloudwatch": ("namespace", "metricName", "targetMetricValue", "awsRegion"),
    "aws-sqs-queue": ("queueURL", "queueLength", "awsRegion"),
    "prometheus": ("serverAddress", "query", "threshold"),
}
"""The required metadata, keyed by trigger type."""
NUMBERS = (
    ("min_replicas", "minReplicaCount", 0, 0, 10000),
    ("max_replicas", "maxReplicaCount", 10, 1, 10000),
    ("polling_interval", "pollingInterval", 30, 1, 86400),
    ("cooldown_period", "cooldownPeriod", 300, 0, 86400),
)
"""The settings with numbers. Each has our name, KEDA's name, the default, the minimum and the maximum."""
OF_AWS = "aws-"
"""Prefix of the trigger types whose metrics KEDA's operator reads with an AWS identity."""


def scaled_objects(option: str, given: t.Any) -> list[dict[str, t.Any]]:
    """The objects, each with ``state`` and ``definition``.

    :raises Refused: for the first invalid value.
    """
    found = structures.each_of(_scaled_object, option, structures.items(option, given))
    metas = [each["definition"]["metadata"] for each in found]
    check_unique(f"{option}.name", [f"{meta['namespace']}/{meta['name']}" for meta in metas])
    return found


def _scaled_object(option: str, given: t.Any) -> dict[str, t.Any]:
    found = structures.fields(option, given, KNOWN, required=("name", "namespace"))
    with parts() as part:
        with part:
            meta = dict(made(lambda each: (each, checks.name_of(f"{option}.{each}", found[each])), ("name", "namespace")))
        with part:
            state = structures.one_of(f"{option}.state", found.get("state", "present"), structures.STATES)
        with part:
            spec = {} if found.get("state") == "absent" else _spec(option, found)
    definition: dict[str, t.Any] = {"apiVersion": VERSION, "kind": KIND, "metadata": meta}
    if state == "present":
        definition["spec"] = spec
    return {"state": state, "definition": definition}


def _spec(option: str, found: structures.Given) -> dict[str, t.Any]:
    spec: dict[str, t.Any] = {}
    with parts() as part:
        with part:
            spec["scaleTargetRef"] = _target(f"{option}.target", found.get("target"))
        for name, field, default, least, most in NUMBERS:
            with part:
                spec[field] = structures.number(f"{option}.{name}", found.get(name, default), least, most)
        with part:
            spec["triggers"] = _triggers(f"{option}.triggers", found.get("triggers", []))
    if spec["minReplicaCount"] > spec["maxReplicaCount"]:
        allowed = f"at most {spec['maxReplicaCount']}, the value of max_replicas"
        refuse_option(f"{option}.min_replicas", spec["minReplicaCount"], allowed)
    return spec


def _triggers(option: str, given: t.Any) -> list[dict[str, t.Any]]:
    triggers = structures.items(option, given)
    if not triggers:
        raise Refused(f"{option}: missing; define at least one trigger of type {', '.join(TRIGGERS)}.", option=option)
    return structures.each_of(_trigger, option, triggers)


def _target(option: str, given: t.Any) -> dict[str, str]:
    found = structures.fields(option, given, ("kind", "name"), required=("name",))
    with parts() as part:
        with part:
            kind = structures.one_of(f"{option}.kind", found.get("kind", "Deployment"), tuple(TARGETS))
        with part:
            name = checks.name_of(f"{option}.name", found["name"])
    return {"apiVersion": TARGETS[kind], "kind": kind, "name": name}


def _trigger(option: str, given: t.Any) -> dict[str, t.Any]:
    found = structures.fields(option, given, ("type", "metadata", "authentication"), required=("type",))
    kind = structures.one_of(f"{option}.type", found["type"], tuple(TRIGGERS))
    metadata = found.get("metadata")
    if not isinstance(metadata, dict):
        refuse_option(f"{option}.metadata", metadata, f"an object with {', '.join(TRIGGERS[kind])}")
    texts = {str(name): str(value) for name, value in metadata.items()}
    trigger: dict[str, t.Any] = {"type": kind, "metadata": texts}
    with parts() as part:
        for name in TRIGGERS[kind]:
            with part:
                if metadata.get(name) in (None, ""):
                    raise Refused(f"{option}.metadata.{name}: missing; {kind} requires it.", option=f"{option}.metadata.{name}")
        with part:
            if "authentication" in found:
                trigger["authenticationRef"] = {"name": checks.name_of(f"{option}.authentication", found["authentication"])}
            elif kind.startswith(OF_AWS):
                texts.setdefault("identityOwner", "operator")
    return trigger
