# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""ECR of moto, with images, tags and tokens as in AWS. The registry that receives pushes is :mod:`lab.aws.registry`."""

from __future__ import annotations

import typing as t


def install(_cloud: t.Any) -> None:
    """Replace moto's backend."""
    from moto.ecr.models import ecr_backends

    from .models import Ecr

    ecr_backends.backend = Ecr
