# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""``ScaledObject`` of KEDA: pods by the length of a queue or another figure, and none where there is no work."""

from __future__ import annotations

import typing as t

from ansible_collections.mlfleet.hyperpod.plugins.module_utils._core.checks import check_unique
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._core.failure import Refused, refuse_option

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
"""What KEDA asks of the metadata of each."""
OF_AWS = "aws-"
"""Begins the types whose figures the operator reads with an identity of AWS."""


def scaled_objects(option: str, given: t.Any) -> list[dict[str, t.Any]]:
    """Objects, each with what is to become of it: ``state`` and ``definition``.

    :raises Refused: for the first thing that is wrong in itself.
    """
    found = [_scaled_object(f"{option}[{place}]", each) for place, each in enumerate(checks.items(option, given))]
    metas = [each["definition"]["metadata"] for each in found]
    check_unique(f"{option}.name", [f"{meta['namespace']}/{meta['name']}" for meta in metas])
    return found


def _scaled_object(option: str, given: t.Any) -> dict[str, t.Any]:
    found = checks.fields(option, given, KNOWN, required=("name", "namespace"))
    meta = {name: checks.name_of(f"{option}.{name}", found[name]) for name in ("name", "namespace")}
    state = checks.one_of(f"{option}.state", found.get("state", "present"), checks.STATES)
    definition: dict[str, t.Any] = {"apiVersion": VERSION, "kind": KIND, "metadata": meta}
    if state == "present":
        definition["spec"] = _spec(option, found)
    return {"state": state, "definition": definition}


def _spec(option: str, found: checks.Given) -> dict[str, t.Any]:
    low = checks.number(f"{option}.min_replicas", found.get("min_replicas", 0), 0, 10000)
    high = checks.number(f"{option}.max_replicas", found.get("max_replicas", 10), 1, 10000)
    if low > high:
        refuse_option(f"{option}.min_replicas", low, f"max_replicas at most, which is {high}")
    triggers = checks.items(f"{option}.triggers", found.get("triggers", []))
    if not triggers:
        raise Refused(f"{option}.triggers: missing; name at least one of {', '.join(TRIGGERS)}.", option=f"{option}.triggers")
    return {
        "scaleTargetRef": _target(f"{option}.target", found.get("target")),
        "minReplicaCount": low,
        "maxReplicaCount": high,
        "pollingInterval": checks.number(f"{option}.polling_interval", found.get("polling_interval", 30), 1, 86400),
        "cooldownPeriod": checks.number(f"{option}.cooldown_period", found.get("cooldown_period", 300), 0, 86400),
        "triggers": [_trigger(f"{option}.triggers[{place}]", each) for place, each in enumerate(triggers)],
    }


def _target(option: str, given: t.Any) -> dict[str, str]:
    found = checks.fields(option, given, ("kind", "name"), required=("name",))
    kind = checks.one_of(f"{option}.kind", found.get("kind", "Deployment"), tuple(TARGETS))
    return {"apiVersion": TARGETS[kind], "kind": kind, "name": checks.name_of(f"{option}.name", found["name"])}


def _trigger(option: str, given: t.Any) -> dict[str, t.Any]:
    found = checks.fields(option, given, ("type", "metadata", "authentication"), required=("type",))
    kind = checks.one_of(f"{option}.type", found["type"], tuple(TRIGGERS))
    metadata = found.get("metadata")
    if not isinstance(metadata, dict):
        refuse_option(f"{option}.metadata", metadata, f"an object with {', '.join(TRIGGERS[kind])}")
    for name in TRIGGERS[kind]:
        if metadata.get(name) in (None, ""):
            raise Refused(f"{option}.metadata.{name}: missing; {kind} needs it.", option=f"{option}.metadata.{name}")
    texts = {str(name): str(value) for name, value in metadata.items()}
    made: dict[str, t.Any] = {"type": kind, "metadata": texts}
    if "authentication" in found:
        made["authenticationRef"] = {"name": checks.name_of(f"{option}.authentication", found["authentication"])}
    elif kind.startswith(OF_AWS):
        texts.setdefault("identityOwner", "operator")
    return made
