# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# This module util is private to the collection.
"""Where the last full look at a cluster is recorded: one parameter, of hashes."""

from __future__ import annotations

import dataclasses

from ..._aws.client import Api, AwsError
from ..._aws.parameters import EXISTS, Parameters
from ..._aws.tags import collection_tags
from ..._core.arn import ClusterArn
from ..._core.plan import Change, Plan, Step
from .plan import FullLook

COMPONENT = "full-look"
PUT, DELETE = "PutParameter", "DeleteParameter"


@dataclasses.dataclass(frozen=True)
class Kept:
    """``exists`` also of a record that can't be read."""

    look: FullLook | None = None
    exists: bool = False


class FullLookStore:
    """The record of one cluster."""

    def __init__(self, ssm: Api, arn: ClusterArn) -> None:
        self._parameters = Parameters(ssm)
        self._arn = arn
        self.name = f"/mlfleet/hyperpod/{arn.id}/full-look"

    def observe(self) -> Kept:
        text = self._parameters.text(self.name, about=f"parameter {self.name}")
        return Kept(FullLook.from_json(text), text is not None)

    def apply(self, step: Step) -> None:
        about = f"parameter {self.name}"
        if step.operation == DELETE:
            self._parameters.delete(self.name, about=about)
            return
        text = step.arguments["look"].to_json()
        if not step.arguments["exists"]:
            try:
                self._parameters.create(self.name, text, about=about, tags=collection_tags(self._arn, COMPONENT))
                return
            except AwsError as error:
                if error.code != EXISTS:  # also the answer to a try whose answer was lost
                    raise
        self._parameters.overwrite(self.name, text, about=about)

    def plan_present(self, look: FullLook, kept: Kept) -> Plan:
        """A look that ended badly is recorded where there is something that it makes void."""
        if not look.well and (not kept.exists or (kept.look is not None and not kept.look.well)):
            return Plan(predicted=kept)
        action = "update" if kept.exists else "create"
        change = Change(action, f"parameter {self.name}", "looked", kept.look and kept.look.looked, look.looked)
        return Plan((Step(PUT, {"look": look, "exists": kept.exists}, (change,)),), predicted=Kept(look, True))

    def plan_absent(self, kept: Kept) -> Plan:
        if not kept.exists:
            return Plan(predicted=kept)
        return Plan((Step(DELETE, {}, (Change("delete", f"parameter {self.name}"),)),), predicted=Kept())
