# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The backend: moto finds its handlers by the module in which it stands."""

from __future__ import annotations

from moto.eks.models import EKSBackend


class Eks(EKSBackend):
    """Nothing of its own."""
