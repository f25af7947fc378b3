# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Service Quotas of SageMaker, EC2, VPC and EKS; moto has only those of VPCs.

Setting ``service_quotas`` (empty): values of the account by name; a listing of the account has no others.
"""

from __future__ import annotations

import typing as t

if t.TYPE_CHECKING:
    from ..cloud import Cloud

SETTINGS: dict[str, t.Any] = {"service_quotas": {}}


def install(this_cloud: Cloud) -> None:
    """Replace moto's backend."""
    from moto.servicequotas.models import servicequotas_backends

    from .. import cloud
    from .models import Quotas

    cloud.SETTINGS.update(SETTINGS)
    for name, value in SETTINGS.items():
        this_cloud.settings.setdefault(name, value)
    servicequotas_backends.backend = Quotas
