# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The Lease of this run, which no other run holds at the same time."""

from __future__ import annotations

from dataclasses import dataclass

from ansible_collections.mlfleet.hyperpod.plugins.module_utils._training.lease import NAMESPACE
from ansible_collections.mlfleet.hyperpod.plugins.plugin_utils.declared_people import plain

from .. import Variables, view
from .checks import why

READ = "__verify_training_lease_read"
"""The variable with the result of ``training_lease``."""


@dataclass(frozen=True)
class Lease:
    """The options of ``training_lease``."""

    namespace: str
    create_namespace: bool
    holder: str
    """The name of the run; empty if it does not hold the Lease."""


@view
def lease(variables: Variables) -> Lease:
    own = not (variables["verify_training_claim"] or variables["verify_training_queue"])
    found = plain(variables.get(READ) or {}).get("training_lease") or {}
    return Lease(namespace(variables), own, str(found.get("holder") or ""))


def not_held(variables: Variables) -> str:
    """Why the run does not hold the Lease; empty if it does, or has not tried to acquire it."""
    returned = plain(variables.get(READ) or {})
    return why(returned) if returned.get("failed") else ""


def namespace(variables: Variables) -> str:
    """The namespace of the jobs and the Lease."""
    return str(variables["verify_training_namespace"]) or NAMESPACE
