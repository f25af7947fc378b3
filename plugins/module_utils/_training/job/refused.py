# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# This module util is private to the collection.
"""What to do about objects that the API server, an admission webhook or a policy refuses. Pure."""

from __future__ import annotations

from ..._core.text import printable
from ..._topology.job.render import QUEUE
from .model import REFUSED, Desired, NotRun

INVALID = (400, 403, 404, 422)
"""HTTP statuses of requests that are refused, in all likelihood also the next time."""
LONGEST = 500
"""Characters of a message."""
_STEPS = (
    ("being terminated", "Wait until namespace {namespace} is gone, or choose another one"),
    (QUEUE, "Name a queue of namespace {namespace} with the option queue"),
    ("violates PodSecurity", "Choose a namespace that enforces Pod Security level baseline or privileged"),
    ("exceeded quota", "Wait until other Pods of namespace {namespace} have ended, or raise its ResourceQuota"),
    ("failed quota", "Choose a namespace without such a ResourceQuota"),
    (" usage per ", "Raise the LimitRange of namespace {namespace}, or choose another one"),
    ("limit to request ratio", "Raise the LimitRange of namespace {namespace}, or choose another one"),
    ("cannot create resource", "Allow the caller to create it in namespace {namespace}"),
    ("cannot delete resource", "Allow the caller to delete Pods in namespace {namespace}"),
    ("not found", "Name a namespace that exists"),
)
"""What a message contains, and the next step."""
_OTHER = "Change what the message names, or choose another namespace"


def refused(desired: Desired, subject: str, message: str) -> NotRun:
    """
    :param subject: such as ``the PyTorchJob``.
    :param message: of the API server.
    """
    step = next((step for words, step in _STEPS if words in message), _OTHER).format(namespace=desired.namespace)
    return NotRun(REFUSED, f"The API server refuses {subject}: {clause(message)}. {step}.")


def answered(error: Exception) -> str:
    """The message of an API server, without the request."""
    return str(error).partition("was answered with ")[2].partition(": ")[2] or str(error)


def clause(message: str) -> str:
    """A message of others as a part of a sentence."""
    return printable(message)[:LONGEST].rstrip(". ").replace(". ", "; ")
