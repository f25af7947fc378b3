# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Service Quotas of SageMaker: moto has those of VPCs alone.

Setting ``service_quotas`` (empty): values by name that the account has; a listing of the account has no others.
"""

from __future__ import annotations

import typing as t

if t.TYPE_CHECKING:
    from ..cloud import Cloud

SETTINGS: dict[str, t.Any] = {"service_quotas": {}}


def install(here: Cloud) -> None:
    """Take the place of moto's backend."""
    from moto.servicequotas.models import servicequotas_backends

    from .. import cloud
    from .models import Quotas

    cloud.SETTINGS.update(SETTINGS)
    for name, value in SETTINGS.items():
        here.settings.setdefault(name, value)
    servicequotas_backends.backend = Quotas
