# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""ACM, with AWS's behaviour for imported certificates where moto differs."""

from __future__ import annotations

import typing as t

if t.TYPE_CHECKING:
    from ..cloud import Cloud

SETTINGS = {"acm_seconds": 0.0}


def install(this_cloud: Cloud) -> None:
    """Replace moto's backend."""
    from moto.acm.models import acm_backends

    from .. import cloud
    from .models import Certificates

    cloud.SETTINGS.update(SETTINGS)
    for name, value in SETTINGS.items():
        this_cloud.settings.setdefault(name, value)
    acm_backends.backend = Certificates
