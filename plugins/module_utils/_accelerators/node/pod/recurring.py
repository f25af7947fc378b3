# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# This module util is private to the collection.
"""The scheduled check of a CronJob: prints the same as ``main``, and fails if the node is unfit or its health is unknown.

Standard library only, Python 3.9 syntax.
"""

# Kubernetes starts this file as a program, without any module object.
# pylint: disable=ansible-bad-function

from __future__ import annotations

import sys
import typing as t

from ..health.problem import FIT, REBOOT, REPLACE, WATCH
from .answer import HEALTH, text_of
from .main import document

UNFIT, UNKNOWN = 1, 2
_STATUSES = {FIT: 0, WATCH: 0, REBOOT: UNFIT, REPLACE: UNFIT}


def status(answer: t.Mapping[str, t.Any]) -> int:
    """The exit status of the container. A status other than 0 makes the Job fail in Kubernetes."""
    return _STATUSES.get(str((answer.get(HEALTH) or {}).get("verdict")), UNKNOWN)


def main() -> None:
    answer = document(sys.argv[1:])
    sys.stdout.write(text_of(answer))
    sys.stdout.flush()
    sys.exit(status(answer))
