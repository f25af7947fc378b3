# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# This module util is private to the collection.
"""Applies one step of a plan."""

from __future__ import annotations

import json

from ...._core.plan import Step
from ...._kubernetes import namespace
from ...._kubernetes.client import Kubernetes
from ...._kubernetes.made import BACKGROUND
from ...._kubernetes.objects.apply import APPLY_PATCH, FORCED
from .plan import CREATE, DELETE


class Applier:
    def __init__(self, kubernetes: Kubernetes) -> None:
        self.kubernetes = kubernetes

    def __call__(self, step: Step) -> None:
        """:raises KubernetesError:"""
        if step.operation == CREATE:
            namespace.made(self.kubernetes, step.arguments["definition"])
        elif step.operation == DELETE:
            self.kubernetes.delete(step.arguments["path"], BACKGROUND)
        else:
            path = f"{step.arguments['path']}?{FORCED}"
            self.kubernetes.call("PATCH", path, json.dumps(step.arguments["definition"]), kind=APPLY_PATCH)
