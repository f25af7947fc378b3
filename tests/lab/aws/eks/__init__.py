# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""EKS as moto has it, with the authentication mode, the VPC, the add-ons, the access entries and the pod identities of a cluster."""

from __future__ import annotations

import typing as t


def install(_here: t.Any) -> None:
    """Take the place of moto's backend."""
    from moto.eks.models import eks_backends

    from .models import Eks

    eks_backends.backend = Eks
