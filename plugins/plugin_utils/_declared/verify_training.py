# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Variables of the role verify_training, checked before any request."""

from __future__ import annotations

import typing as t

from ansible.module_utils.parsing.convert_bool import boolean
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._core.failure import not_allowed
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._kubernetes.names import (
    IMAGE,
    IMAGE_ALLOWED,
    NAMESPACE,
    NAMESPACE_ALLOWED,
    OBJECT,
    OBJECT_ALLOWED,
)
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._topology.job.options import LABEL, LABEL_ALLOWED
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._training import hub
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._training.job import options as of_job, token
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._training.job.model import AUTO
from ansible_collections.mlfleet.hyperpod.plugins.plugin_utils import training_clusters
from ansible_collections.mlfleet.hyperpod.plugins.plugin_utils.declared_people import plain

from . import limits
from .variables import Known

_IMAGE = {"pattern": rf"{IMAGE}\Z", "allowed": IMAGE_ALLOWED}
_OBJECT = {"pattern": rf"({OBJECT})?\Z", "allowed": f"{OBJECT_ALLOWED}, or ''"}
TRAINING = "verify_training_"
ENVIRONMENT, TOKEN, ENDPOINT = (f"{TRAINING}{name}" for name in ("environment", "model_token", "model_endpoint"))
NUMBERS = {
    "verify_training_steps": (10, 10_000),
    **{f"verify_training_{name}": of_job.OF_JOB[name] for name in ("queue_timeout", "start_timeout", "timeout")},
    "verify_training_model_timeout": of_job.OF_JOB["timeout"],
}
TEXTS = {
    **dict.fromkeys((f"verify_training_{name}image" for name in ("", "health_")), _IMAGE),
    "verify_training_model_image": {"pattern": rf"({IMAGE})?\Z", "allowed": f"{IMAGE_ALLOWED}, or ''"},
    "verify_training_model": {"pattern": rf"({hub.MODEL})?\Z", "allowed": f"{hub.MODEL_ALLOWED}, or ''"},
    "verify_training_model_endpoint": {"pattern": rf"{hub.URL}\Z", "allowed": hub.URL_ALLOWED},
    "verify_training_nodes": {"pattern": r"i-[0-9a-f]{17}\Z", "allowed": "instance IDs such as i-0123456789abcdef0"},
    "verify_training_namespace": {"pattern": rf"({NAMESPACE})?\Z", "allowed": f"{NAMESPACE_ALLOWED}, or ''"},
    **dict.fromkeys((f"verify_training_{name}" for name in ("claim", "queue", "priority_class")), _OBJECT),
    "verify_training_level": {"pattern": rf"({LABEL.pattern})?\Z", "allowed": f"{LABEL_ALLOWED}, or ''"},
}

TOGETHER = ("claim", "queue", "namespace", "priority_class", "topology", "level")
"""Variables that require each other."""
WITHOUT_HYPERPOD = {
    training_clusters.NAME: {"pattern": r"[0-9A-Za-z][A-Za-z0-9_-]{0,99}\Z", "allowed": "the name of an EKS cluster"},
    "hyperpod_region": {"pattern": r"[a-z]{2}(-[a-z]+)+-[0-9]\Z", "allowed": "a Region such as us-west-2"},
}
"""Rules for the variables of an EKS cluster without HyperPod."""


def offline(values: t.Mapping[str, t.Any], known: Known) -> list[str]:
    environment = of_job.environment_problems(values.get(ENVIRONMENT) or {}, ENVIRONMENT)
    found = [*limits.range_problems(values, NUMBERS, known), *limits.text_problems(values, TEXTS, known)]
    return [*_cluster_problems(known), *found, *environment, *_together(values), *_model_problems(values)]


def kills(values: t.Mapping[str, t.Any]) -> bool:
    """Whether the variables request a test that kills a process of the job."""
    return boolean(values.get("verify_training_kill", False), strict=False)


def _cluster_problems(known: Known) -> list[str]:
    if not training_clusters.is_one(known):
        return []
    values = {name: plain(known[name]) for name in WITHOUT_HYPERPOD if known.get(name)}
    if "hyperpod_region" not in values:
        return [f"hyperpod_region: missing; set it to the Region of {training_clusters.NAME}."]
    return limits.text_problems(values, WITHOUT_HYPERPOD, known)


def _together(values: t.Mapping[str, t.Any]) -> t.Iterator[str]:
    given = {name: str(values.get(f"{TRAINING}{name}") or "") for name in TOGETHER}
    for name in ("claim", "queue"):
        if given[name] and not given["namespace"]:
            yield f"verify_training_namespace: missing; set it to the namespace of verify_training_{name}."
    if given["namespace"] and not (given["claim"] or given["queue"]):
        allowed = "'' without verify_training_claim and verify_training_queue"
        yield not_allowed("verify_training_namespace", given["namespace"], allowed)
    kind = str(values.get("verify_training_kind") or AUTO)
    if kills(values) and not given["claim"]:
        yield "verify_training_claim: missing; verify_training_kill requires shared storage for checkpoints."
    if kills(values) and (refusal := of_job.not_interrupted("kill", kind, name="verify_training_kill")):
        yield refusal
    if given["priority_class"] and not given["queue"]:
        yield "verify_training_queue: missing; verify_training_priority_class applies only to jobs in a queue of Kueue."
    if given["topology"] and not given["queue"]:
        yield "verify_training_queue: missing; verify_training_topology applies only to jobs in a queue of Kueue."
    if bool(given["topology"]) != bool(given["level"]):
        missing, name = ("level", "topology") if given["topology"] else ("topology", "level")
        yield f"verify_training_{missing}: missing; verify_training_{name} requires it."


def _model_problems(values: t.Mapping[str, t.Any]) -> t.Iterator[str]:
    model, arguments = values.get("verify_training_model"), values.get("verify_training_model_arguments") or []
    if model and not arguments:
        yield "verify_training_model_arguments: missing; set it to the program in the image that trains verify_training_model."
    for option in ("arguments", "image", "token"):
        if values.get(f"verify_training_model_{option}") and not model:
            yield f"verify_training_model: missing; verify_training_model_{option} requires a model."
    secret, endpoint = str(values.get(TOKEN) or ""), str(values.get(ENDPOINT) or "")
    environment = values.get(ENVIRONMENT)
    visible = {f"{TRAINING}model_arguments": arguments, ENVIRONMENT: environment.values() if isinstance(environment, dict) else ()}
    found = (*token.problems(secret, visible, TOKEN), *hub.endpoint_problems(endpoint, secret, ENDPOINT))
    yield from (text for _option, text in found)
