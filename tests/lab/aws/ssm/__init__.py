# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Systems Manager: sessions to nodes, and parameters with limits that moto lacks."""

from __future__ import annotations

import typing as t

if t.TYPE_CHECKING:
    from ..cloud import Cloud


def install(_cloud: Cloud) -> None:
    """Replace moto's backend; its inherited operations still work."""
    from moto.ssm.models import ssm_backends

    from .models import SessionBackend

    ssm_backends.backend = SessionBackend
