# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# This module util is private to the collection.
"""The next step if the API server, an admission webhook or a policy refuses an object. No I/O."""

from __future__ import annotations

from ..._core.text import printable
from ..._topology.job.render import QUEUE
from .model import REFUSED, Desired, NotRun

INVALID = (400, 403, 404, 422)
"""The HTTP statuses of refused requests that the API server would very likely refuse again."""
LONGEST = 500
"""The maximum length of a message, in characters."""
_STEPS = (
    ("being terminated", "Wait until namespace {namespace} no longer exists, or choose a different namespace"),
    (QUEUE, "Set the option queue to a queue of namespace {namespace}"),
    ("violates PodSecurity", "Choose a namespace that enforces Pod Security level baseline or privileged"),
    ("exceeded quota", "Wait until other Pods of namespace {namespace} have ended, or raise its ResourceQuota"),
    ("failed quota", "Choose a namespace without such a ResourceQuota"),
    (" usage per ", "Raise the LimitRange of namespace {namespace}, or choose a different namespace"),
    ("limit to request ratio", "Raise the LimitRange of namespace {namespace}, or choose a different namespace"),
    ("cannot create resource", "Allow the caller to create the object in namespace {namespace}"),
    ("cannot delete resource", "Allow the caller to delete Pods in namespace {namespace}"),
    ("not found", "Name a namespace that exists"),
)
"""Texts that a message may contain, and the next step for each."""
_OTHER = "Change the setting that the message names, or choose a different namespace"


def refused(desired: Desired, subject: str, message: str) -> NotRun:
    """
    :param subject: such as ``the PyTorchJob``.
    :param message: the message of the API server.
    """
    step = next((step for words, step in _STEPS if words in message), _OTHER).format(namespace=desired.namespace)
    return NotRun(REFUSED, f"The API server refuses {subject}: {clause(message)}. {step}.")


def answered(error: Exception) -> str:
    """The message of an API server, without the request."""
    return str(error).partition("was answered with ")[2].partition(": ")[2] or str(error)


def clause(message: str) -> str:
    """A message of another program, as a part of a sentence."""
    return printable(message)[:LONGEST].rstrip(". ").replace(". ", "; ")
