# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""EKS of moto, with complete clusters and their updates, node groups, add-ons, access entries and pod identities."""

from __future__ import annotations

import typing as t


def install(_cloud: t.Any) -> None:
    """Replace moto's backend."""
    from moto.eks.models import eks_backends

    from .models import Eks

    eks_backends.backend = Eks
