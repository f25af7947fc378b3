# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""SQS of moto, with queues of other accounts by their URL, and with the checks of AWS."""

from __future__ import annotations

import typing as t

if t.TYPE_CHECKING:
    from ..cloud import Cloud

SETTINGS: dict[str, t.Any] = {"queue_rest_seconds": 0.3, "queue_lag_seconds": 0}


def install(this_cloud: Cloud) -> None:
    """Replace moto's backend."""
    from moto.sqs.models import sqs_backends

    from .. import cloud
    from .models import Queues

    cloud.SETTINGS.update(SETTINGS)
    for name, value in SETTINGS.items():
        this_cloud.settings.setdefault(name, value)
    sqs_backends.backend = Queues
