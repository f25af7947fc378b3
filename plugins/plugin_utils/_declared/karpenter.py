# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Variables of the role karpenter, checked before any request, because the tasks that use them run after the first changes."""

from __future__ import annotations

import typing as t

from ansible_collections.mlfleet.hyperpod.plugins.module_utils._hyperpod.cluster.parts import (
    INSTANCE_TYPE,
    INSTANCE_TYPE_ALLOWED,
    ROLE,
    ROLE_ALLOWED,
)
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._karpenter.proof.options import LONGEST
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._kubernetes.names import (
    IMAGE,
    IMAGE_ALLOWED,
    OWN_NAMESPACE,
    OWN_NAMESPACE_ALLOWED,
)

from .._karpenter import declared as objects
from . import limits
from .variables import Known

LONGEST_DRAIN = 1800
"""The longest wait in seconds. The cluster's lock is not renewed during the wait (docs/design/decisions/02-lazy-lock.md)."""
NUMBERS = {
    "karpenter_wait_timeout": (1, LONGEST),
    "karpenter_ready_timeout": (1, LONGEST_DRAIN),
    "karpenter_drain_timeout": (1, LONGEST_DRAIN),
    "karpenter_proof_up_timeout": (1, LONGEST),
    "karpenter_proof_down_timeout": (1, LONGEST),
}
TEXTS = {
    "karpenter_cluster_role": {"pattern": rf"^({ROLE})?$", "allowed": ROLE_ALLOWED},
    "karpenter_role_name": {
        "pattern": r"^([\w+=,.@-]{1,64})?$",
        "allowed": "the name of an IAM role, 1 to 64 letters, digits and +=,.@_-",
    },
    "karpenter_proof_instance_type": {"pattern": rf"^({INSTANCE_TYPE})?$", "allowed": INSTANCE_TYPE_ALLOWED},
    "karpenter_proof_namespace": {
        "pattern": rf"^{OWN_NAMESPACE}$",
        "allowed": OWN_NAMESPACE_ALLOWED,
    },
    "karpenter_proof_image": {"pattern": rf"^{IMAGE}$", "allowed": IMAGE_ALLOWED},
}


def offline(values: t.Mapping[str, t.Any], known: Known) -> list[str]:
    """Problems of the variables and of the declared objects."""
    given = {option: values.get(option, []) for option in (*objects.READ, objects.PROVE)}
    present = values.get("karpenter_state", "present") == "present"
    return [*problems(values, known), *(objects.problems(given, present=present) if any(given.values()) else ())]


def problems(values: t.Mapping[str, t.Any], known: Known) -> list[str]:
    return [*limits.range_problems(values, NUMBERS, known), *limits.text_problems(values, TEXTS, known)]
