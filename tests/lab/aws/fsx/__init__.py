# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""FSx: moto's file systems with the fields and lifecycles of AWS, and listings in pages. Only those for Lustre take time."""

from __future__ import annotations

import typing as t

if t.TYPE_CHECKING:
    from ..cloud import Cloud


def install(this_cloud: Cloud) -> None:
    """Replace moto's backend."""
    from moto.fsx.models import fsx_backends

    from .models import FileSystems

    fsx_backends.backend = FileSystems
