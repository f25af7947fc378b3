# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# This module util is private to the collection.
"""Updates of a cluster: whether one has ended, and why one failed. The cluster's own status follows later than its updates."""

from __future__ import annotations

import typing as t

from ..._aws.client import Api
from ..._core.text import printable
from ..._core.waits import Waits
from ..common import UPDATE
from .ways import way

Answer = t.Mapping[str, t.Any]


class Updates:
    """The updates of one cluster."""

    def __init__(self, eks: Api, name: str) -> None:
        self.eks = eks
        self.name = name
        self.ended: set[str] = set()
        """IDs of updates that have ended, which need no further call."""

    def describe(self, update: str) -> Answer:
        about = f"update {update} of EKS cluster {self.name}"
        found: Answer = self.eks.call("DescribeUpdate", about=about, name=self.name, updateId=update)["update"]
        return found

    def wait(self, update: str, waits: Waits) -> None:
        """Wait until the update was successful.

        :raises WaitFailed: with EKS's errors and the next step.
        """
        waits.until(
            lambda: self.describe(update),
            done=lambda found: found.get("status") in UPDATE.settled,
            failed=_failure,
            subject=f"an update of EKS cluster {self.name}",
            state=_described,
        )

    def running(self) -> str:
        """The type of a running update of any caller; empty if none runs."""
        about = f"updates of EKS cluster {self.name}"
        for update in self.eks.pages("ListUpdates", "updateIds", about=about, name=self.name):
            if update in self.ended:
                continue
            found = self.describe(update)
            if UPDATE.is_busy(found.get("status") or ""):
                return printable(found.get("type") or "update")
            self.ended.add(update)
        return ""


def _described(update: Answer) -> str:
    return printable(f"{update.get('status') or 'in an unknown status'} ({update.get('type') or 'of an unknown type'})")


def _failure(update: Answer) -> str | None:
    """Why the update failed, and the next step; None if it has not failed."""
    if update.get("status") not in UPDATE.failed:
        return None
    errors = update.get("errors") or ()
    reasons = "; ".join(f"{each.get('errorCode', 'Unknown')}: {each.get('errorMessage', '')}" for each in errors)
    return printable(f"{reasons or 'EKS gives no reason'}; {way(each.get('errorCode', '') for each in errors)}")
