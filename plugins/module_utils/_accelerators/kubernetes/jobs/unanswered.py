# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# This module util is private to the collection.
"""Why a check of a node has no answer: pure, no I/O."""

from __future__ import annotations

import typing as t

from ...._core.text import printable
from ...._kubernetes.client import Object
from ...._kubernetes.pod_runner.pods import OVER, Pod

TOO_LONG = "DeadlineExceeded"
STUCK = "Pod {pod} of an earlier check does not end there: a tool may hang in the driver. Only a reboot of the node ends it."
NO_JOB = "Its Job could not be created: {error}"
GIVEN_UP = "Not started, because no pod of the previous batch ran on its node. Reason there: {why}"


def of_pod(pod: Pod, seconds: int) -> str:
    """
    :param seconds: time limit of the check.
    """
    if pod.trouble.startswith(TOO_LONG):
        return f"The check did not end within {seconds} s: a tool may hang in the driver."
    trouble = f" ({pod.trouble})" if pod.trouble else ""
    if pod.hopeless:
        return f"Its pod can't be started{trouble}. Use an image that the node can pull, with Python 3.9 or newer."
    if pod.phase in OVER:
        return f"Its pod ended without an answer{trouble}."
    return f"Its pod is still {pod.phase or 'unknown'} after {seconds} s{trouble}."


def of_job(name: str, job: Object | None, seconds: int) -> str:
    """For a Job without a pod.

    :param job: None if it is gone.
    :param seconds: time in which no pod appeared.
    """
    conditions: t.Sequence[Object] = ((job or {}).get("status") or {}).get("conditions") or ()
    reasons = "; ".join(printable(each.get("message") or each.get("reason") or "")[:500] for each in conditions)
    return f"Kubernetes created no pod for Job {name} within {seconds} s ({reasons or 'no reason was returned'})."
