# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""ACM, with what moto answers otherwise than AWS about imported certificates."""

from __future__ import annotations

import typing as t

if t.TYPE_CHECKING:
    from ..cloud import Cloud


def install(_cloud: Cloud) -> None:
    """Take the place of moto's backend."""
    from moto.acm.models import acm_backends

    from .models import Certificates

    acm_backends.backend = Certificates
