# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""EC2 as moto has it, with security groups, network interfaces and subnets that depend on each other as in AWS."""

from __future__ import annotations

import typing as t


def install(here: t.Any) -> None:
    """Take moto's place for ec2."""
    from moto.ec2.models import ec2_backends

    from .models import Ec2

    ec2_backends.backend = Ec2
