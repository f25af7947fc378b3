# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# This module util is private to the collection.
"""Why a check of a node has no result. No I/O."""

from __future__ import annotations

import typing as t

from ...._core.text import printable
from ...._kubernetes.client import Object
from ...._kubernetes.pod_runner.pods import OVER, Pod

TOO_LONG = "DeadlineExceeded"
STUCK = "Pod {pod} of an earlier check does not end on the node: a tool may hang in the driver. Reboot the node to end the Pod."
NO_JOB = "The Job for the check could not be created: {error}"
GIVEN_UP = "The check was not started, because no Pod of the previous batch ran. Reason in that batch: {why}"


def of_pod(pod: Pod, seconds: int) -> str:
    """
    :param seconds: the time limit of the check.
    """
    if pod.trouble.startswith(TOO_LONG):
        return f"The check did not end within {seconds} s. A tool may hang in the driver."
    trouble = f" ({pod.trouble})" if pod.trouble else ""
    if pod.hopeless:
        return f"The Pod can't be started{trouble}. Use an image with Python 3.9 or newer that the node can pull."
    if pod.phase in OVER:
        return f"The Pod ended without a result{trouble}."
    return f"The Pod is still {pod.phase or 'unknown'} after {seconds} s{trouble}."


def of_job(name: str, job: Object | None, seconds: int) -> str:
    """Why a Job has no Pod.

    :param job: None if the Job no longer exists.
    :param seconds: the time in which no Pod appeared.
    """
    conditions: t.Sequence[Object] = ((job or {}).get("status") or {}).get("conditions") or ()
    reasons = "; ".join(printable(each.get("message") or each.get("reason") or "")[:500] for each in conditions)
    return f"Kubernetes created no Pod for Job {name} within {seconds} s ({reasons or 'no reason was returned'})."
