# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# This module util is private to the collection.
"""Why a look at a node brought no answer: pure, no I/O."""

from __future__ import annotations

import typing as t

from ...._core.text import printable
from ...._kubernetes.client import Object
from ...._kubernetes.pod_runner.pods import OVER, Pod

TOO_LONG = "DeadlineExceeded"
STUCK = "Pod {pod} of an earlier look does not end there: a tool may hang in the driver, which a reboot of the node alone ends."
NO_JOB = "No Job could be made for it: {error}"
GIVEN_UP = "No pod ran on any node of the batch before it, so none was tried here. There: {why}"


def of_pod(pod: Pod, seconds: int) -> str:
    """
    :param seconds: that the look had.
    """
    if pod.trouble.startswith(TOO_LONG):
        return f"The look did not end within {seconds} s: a tool may hang in the driver."
    trouble = f" ({pod.trouble})" if pod.trouble else ""
    if pod.hopeless:
        return f"Its pod can't be started{trouble}. Name an image that the node can pull, with Python 3.9 or newer."
    if pod.phase in OVER:
        return f"Its pod ended without an answer{trouble}."
    return f"Its pod is still {pod.phase or 'unknown'} after {seconds} s{trouble}."


def of_job(name: str, job: Object | None, seconds: int) -> str:
    """Of a Job without a pod.

    :param job: None where it is gone.
    :param seconds: after which there was none.
    """
    conditions: t.Sequence[Object] = ((job or {}).get("status") or {}).get("conditions") or ()
    said = "; ".join(printable(each.get("message") or each.get("reason") or "")[:500] for each in conditions)
    return f"Kubernetes has made no pod for Job {name} in {seconds} s ({said or 'it does not say why'})."
