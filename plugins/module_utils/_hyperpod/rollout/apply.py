# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Writes the parameters of a record."""

from __future__ import annotations

from ..._aws.client import AwsError
from ..._aws.parameters import Parameters
from ..._aws.tags import collection_tags
from ..._core.arn import ClusterArn
from ..._core.plan import Step
from ..._core.wait import WaitTimeout
from ..._core.waits import Waits

COMPONENT = "rollout"
SEEN = 30
"""Seconds within which reads return a write. AWS documents no limit."""


class Applier:
    def __init__(self, parameters: Parameters, subject: ClusterArn) -> None:
        """:param subject: what ``model.lock_subject`` returns."""
        self._parameters = parameters
        self._subject = subject

    def __call__(self, step: Step) -> None:
        name, text, exists = (step.arguments[each] for each in ("name", "text", "exists"))
        tags = collection_tags(self._subject, COMPONENT)
        self._parameters.put(name, text, exists=exists, about=f"parameter {name}", tags=tags)

    def seen(self, name: str, *, waits: Waits | None = None) -> str:
        """Wait until reads return all that was written. Otherwise, a call on another machine could run a wave again.

        Returns a sentence if this cannot be confirmed, because the writes themselves succeeded.

        :param name: the name of the rollout.
        """
        about = f"the record of rollout {name}"

        def outdated() -> list[str]:
            return self._parameters.outdated(about=about)

        waits = waits or Waits(timeout=SEEN, interval=1)
        try:
            waits.until(outdated, done=lambda names: not names, subject=about, state=lambda _names: "outdated")
        except WaitTimeout:
            late = f"Reads of {about} still return older values after {waits.timeout:.0f} s"
            return f"{late}, so an early next call could run a wave again."
        except AwsError as error:
            return f"The writes succeeded, but reads of {about} could not be confirmed: {str(error).rstrip('.')}."
        return ""
