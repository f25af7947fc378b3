# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# This module util is private to the collection.
"""Executes one step of a plan: applies an object by server-side apply, or deletes it."""

from __future__ import annotations

import json
import typing as t
import urllib.parse

from ..._core.failure import Refused
from ..._core.plan import Step
from ..client import Kubernetes
from ..made import BACKGROUND
from .model import US, Found
from .plan import DELETE

APPLY_PATCH = "application/apply-patch+yaml"
FORCED = urllib.parse.urlencode({"fieldManager": US, "force": "true"})
"""The query with which the declaration overrides the fields of other managers."""


class Applier:
    """Applies steps without waiting. The next observation waits for their effects."""

    def __init__(self, kubernetes: Kubernetes) -> None:
        self.kubernetes = kubernetes

    def __call__(self, step: Step) -> None:
        """:raises KubernetesError:"""
        found = t.cast(Found, step.arguments["found"])
        if found.kind is None:
            raise Refused(
                f"The API server has no kind {found.declared.kind} of {found.declared.api_version}. Install the component that "
                "provides it, then run again."
            )
        if found.leaving and step.operation != DELETE:
            raise Refused(
                f"{found.declared.described} is being deleted, so changes to it would be lost. Run again once it no longer "
                "exists, or set wait=true."
            )
        path = found.kind.path(found.declared)
        if step.operation == DELETE:
            self.kubernetes.delete(path, BACKGROUND)
        else:
            self.kubernetes.call("PATCH", f"{path}?{FORCED}", json.dumps(found.declared.definition), kind=APPLY_PATCH)
