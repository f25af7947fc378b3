# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# This module util is private to the collection.
"""Writes and removes the record of the last full look: one parameter with hashes."""

from __future__ import annotations

from ..._aws.parameters import Parameters
from ..._aws.tags import collection_tags
from ..._core.arn import ClusterArn
from ..._core.plan import Step
from .model import parameter_of
from .plan import DELETE

COMPONENT = "full-look"


class Applier:
    def __init__(self, parameters: Parameters, arn: ClusterArn) -> None:
        self._parameters = parameters
        self._arn = arn

    def __call__(self, step: Step) -> None:
        name = parameter_of(self._arn)
        about = f"parameter {name}"
        if step.operation == DELETE:
            self._parameters.delete(name, about=about)
            return
        text, exists = step.arguments["text"], step.arguments["exists"]
        self._parameters.put(name, text, exists=exists, about=about, tags=collection_tags(self._arn, COMPONENT))
