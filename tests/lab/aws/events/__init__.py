# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""EventBridge of moto with the deliveries of AWS to queues. Services put their events with :func:`put`."""

from __future__ import annotations

import typing as t

if t.TYPE_CHECKING:
    from ..cloud import Cloud

SETTINGS: dict[str, t.Any] = {
    "event_copies": 1,  # how often each event is delivered
    "event_delay_seconds": 0,  # how long a delivery takes
}


def install(this_cloud: Cloud) -> None:
    """Replace moto's backend."""
    from moto.events.models import events_backends

    from .. import cloud
    from .models import Buses

    cloud.SETTINGS.update(SETTINGS)
    for name, value in SETTINGS.items():
        this_cloud.settings.setdefault(name, value)
    events_backends.backend = Buses


def put(kind: str, source: str, account: str, region: str, resources: list[str], detail: t.Any) -> None:
    """Put an event of a service on the default bus."""
    from . import delivery
    from .models import envelope

    delivery.put(envelope(kind, source, account, region, resources, detail))
