# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# This module util is private to the collection.
"""The account that runs the test. Standard library only, Python 3.9 syntax.

All accounts of a node may use GPUs, EFA devices and ``/dev/shm``, so the test needs no special rights. It runs as root only if
Slurm refuses the unprivileged account, because accounting enforces associations or a partition is limited to some groups. The
launcher never starts PyTorch as root, so the test then requires nccl-tests.
"""

from __future__ import annotations

import pwd
import re

from ...._core.text import lines_of
from ...._node.child import Identity
from .model import Ran
from .programs import FOUND, NOT_AS_ROOT, NOT_SAFE, NOT_THERE
from .table import unlabelled

NAME = "nobody"
_REFUSED = re.compile(
    r"Invalid (?:account|qos|user id|group id|job credential)|[Pp]ermission denied|not permitted|accounting/QOS policy"
    r"|[Aa]uthentication error|(?:user|group) nobody"
)
_OF_SLURM = re.compile(r"(?:srun|slurmstepd): (?:error|fatal): ")


def unprivileged() -> Identity | None:
    """The unprivileged account; None if the node does not have it."""
    try:
        known = pwd.getpwnam(NAME)
    except KeyError:
        return None
    return Identity(NAME, known.pw_uid, known.pw_gid)


def refusal(ran: Ran) -> str:
    """Slurm's line that refuses the account, or empty. After a task has begun, no line is a refusal."""
    lines = [unlabelled(line) for line in lines_of(ran.text)]
    if ran.status in (None, 0) or any(line.startswith((FOUND, NOT_AS_ROOT, NOT_THERE, NOT_SAFE)) for line in lines):
        return ""
    return next((line for line in lines if _OF_SLURM.match(line) and _REFUSED.search(line)), "")
