# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Variables of the role accelerator_health, checked before any request."""

from __future__ import annotations

import typing as t

from ansible_collections.mlfleet.hyperpod.plugins.module_utils._core.failure import not_allowed
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._kubernetes.names import (
    IMAGE,
    IMAGE_ALLOWED,
    OWN_NAMESPACE,
    OWN_NAMESPACE_ALLOWED,
    SCHEDULE,
    SCHEDULE_ALLOWED,
)

from .._accelerators.findings import FAIL, RESULTS
from . import limits
from .variables import Known

RANGES = {"accelerator_health_batch": (1, 500), "accelerator_health_batch_timeout": (10, 3600)}
TEXTS = {
    "accelerator_health_image": {"pattern": rf"^{IMAGE}$", "allowed": IMAGE_ALLOWED},
    "accelerator_health_namespace": {"pattern": rf"^{OWN_NAMESPACE}$", "allowed": OWN_NAMESPACE_ALLOWED},
}
CRON, RESULT = "accelerator_health_cron", "accelerator_health_result"
_SWITCHES = r"(?i:true|false|yes|no|on|off|y|n|t|f|1|0)"
CRON_TEXTS = {CRON: {"pattern": rf"^({_SWITCHES}|{SCHEDULE})?$", "allowed": f"true, false, or {SCHEDULE_ALLOWED}"}}


def offline(values: t.Mapping[str, t.Any], known: Known) -> list[str]:
    given = {**values, **({CRON: str(values[CRON]).strip()} if CRON in values else {})}
    result = values.get(RESULT, FAIL)
    wrong = [] if result in RESULTS else [not_allowed(RESULT, result, ", ".join(RESULTS))]
    return [*wrong, *limits.range_problems(given, RANGES, known), *limits.text_problems(given, {**TEXTS, **CRON_TEXTS}, known)]
