# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# This module util is private to the collection.
"""Waits for the deletion of a job, which remains until its Pods have ended."""

from __future__ import annotations

from ..._core.failure import Failure
from ..._core.wait import WaitTimeout
from ..._core.waits import Waits
from ..._kubernetes.client import Kubernetes
from .model import Rendered


def until_deleted(kubernetes: Kubernetes, job: Rendered, uid: str, waits: Waits) -> None:
    """Wait until this job is deleted. A different job with its name may then exist.

    :raises Failure: if the deletion times out.
    """

    def there() -> bool:
        found = kubernetes.find(job.path)
        return found is not None and str(found["metadata"].get("uid") or "") == uid

    try:
        waits.until(there, done=lambda still: not still, subject=job.described, state=lambda _still: "being deleted")
    except WaitTimeout as error:
        raise Failure(f"{error}. Check why the job's Pods do not end, then run again.") from error
