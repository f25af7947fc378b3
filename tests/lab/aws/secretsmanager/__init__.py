# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Secrets Manager, with what moto answers otherwise than AWS."""

from __future__ import annotations

import typing as t

if t.TYPE_CHECKING:
    from ..cloud import Cloud


def install(_cloud: Cloud) -> None:
    """Take the place of moto's backend."""
    from moto.secretsmanager.models import secretsmanager_backends

    from .models import SecretsBackend

    secretsmanager_backends.backend = SecretsBackend
