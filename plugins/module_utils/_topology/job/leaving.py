# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# This module util is private to the collection.
"""A job that is being deleted: it stays until its pods have ended."""

from __future__ import annotations

from ..._core.failure import Failure
from ..._core.wait import WaitTimeout
from ..._core.waits import Waits
from ..._kubernetes.client import Kubernetes
from .model import Rendered


def until_gone(kubernetes: Kubernetes, job: Rendered, uid: str, waits: Waits) -> None:
    """Another job of its name may be there then.

    :raises Failure: where it does not go.
    """

    def there() -> bool:
        found = kubernetes.find(job.path)
        return found is not None and str(found["metadata"].get("uid") or "") == uid

    try:
        waits.until(there, done=lambda still: not still, subject=job.described, state=lambda _still: "not gone")
    except WaitTimeout as error:
        raise Failure(f"{error}: its pods may not end. Look for what holds them, then run again.") from error
