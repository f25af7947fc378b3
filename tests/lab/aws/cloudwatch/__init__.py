# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""CloudWatch of moto with two metrics of queues."""

from __future__ import annotations

import typing as t

if t.TYPE_CHECKING:
    from ..cloud import Cloud

SETTINGS: dict[str, t.Any] = {
    "queue_metrics": True,  # whether queues have data; AWS has none for a queue without activity for six hours
    "message_age_seconds": 0,  # how much older messages are in metrics than they are
}


def install(this_cloud: Cloud) -> None:
    """Replace moto's backend."""
    from moto.cloudwatch.models import cloudwatch_backends

    from .. import cloud
    from .models import Metrics

    cloud.SETTINGS.update(SETTINGS)
    for name, value in SETTINGS.items():
        this_cloud.settings.setdefault(name, value)
    cloudwatch_backends.backend = Metrics
